"""What a stereo depth camera and its colour sensor make of a perfect picture: scatter, steps and holes."""

from __future__ import annotations

import math
from typing import Optional, Tuple

import numpy as np

from hicrisp_core.model.picture import Lens
from hicrisp_core.scene.cameras import ColourSensing, DepthSensing

_SPARE = 64
"""Pixels by which fields of noise are larger than pictures, so that each picture gets another part."""
_JUMP = 0.02
"""Part of the distance by which neighbours differ at an edge of an object; no slope that is measured has as much."""
_GLASS, _LOST, _RETURNS = 0.002, 0.55, 0.15
"""How far in front of what is behind it a transparent surface counts, metres; the share of its pixels that are not
measured, and of those measured at the surface itself; the others are measured behind it.
"""
_GAMMA = 2.2
"""Between light and the value of a pixel."""


class DepthSensor:
    """Turns true distances into measured ones.

    Args:
        dice: draws what scatters; the same numbers give the same pictures.
    """

    def __init__(self, settings: DepthSensing, lens: Lens, dice: np.random.Generator) -> None:
        self._settings = settings
        self._dice = dice
        self._shape = (lens.height, lens.width)
        self._scale = lens.fx * settings.baseline
        self._columns = np.arange(lens.width, dtype=np.float32)
        self._fx, self._fy = np.float32(lens.fx / 2.0), np.float32(lens.fy / 2.0)
        self._across = ((self._columns[::2] - lens.cx) / lens.fx).astype(np.float32)[None, :]
        self._down = ((np.arange(0, lens.height, 2) - lens.cy) / lens.fy).astype(np.float32)[:, None]
        self._least = ((1.0 + self._across ** 2 + self._down ** 2)
                       * np.float32(math.sin(math.radians(settings.grazing)) ** 2))
        spare = (lens.height + _SPARE, lens.width + _SPARE)
        self._scatter = _patches(spare, dice)
        self._chance = dice.random(spare, dtype=np.float32)
        self._share = np.argsort(np.argsort(self._scatter, axis=None)).reshape(spare) / np.float32(self._scatter.size)
        """Rank of the scatter, 0 to 1: glass is lost in patches."""

    def measure(self, distance: np.ndarray, fronts: Optional[np.ndarray] = None) -> np.ndarray:
        """Apply noise, quantization and holes to depth.

        Args:
            distance: true depth along the optical axis, (height, width), metres.
            fronts: the same with transparent objects as if they were not; ``None`` without any.

        Returns:
            Measured depth, float32, metres; 0 without a measurement.
        """
        told = self._settings
        lost: Optional[np.ndarray] = None
        if fronts is not None:
            glass, patch = fronts < distance - _GLASS, self._window(self._share)
            lost = glass & (patch < _LOST)
            distance = np.where(glass & (patch > 1.0 - _RETURNS), fronts, distance)
        disparity = self._scale / distance
        jump = self._edges(distance)
        chance = self._window(self._chance)
        hole = self._shadowed(disparity)
        if lost is not None:
            hole |= lost
        hole |= jump & (chance < told.edge_holes)
        hole |= self._grazed(distance, chance)
        disparity += told.noise * self._window(self._scatter)
        if told.step > 0.0:
            disparity = np.rint(disparity / np.float32(told.step)) * np.float32(told.step)
        measured = self._scale / np.maximum(disparity, np.float32(1e-6))
        hole |= (measured < told.near) | (measured > told.far)
        measured[hole] = 0.0
        return np.asarray(measured, np.float32)

    def _window(self, field: np.ndarray) -> np.ndarray:
        height, width = self._shape
        row, column = self._dice.integers(0, _SPARE, 2)
        return field[row:row + height, column:column + width]

    def _shadowed(self, disparity: np.ndarray) -> np.ndarray:
        """Return the pixels of the left imager that a nearer object hides from the right one."""
        seen_at = self._columns - disparity
        nearest = np.minimum.accumulate(seen_at[:, ::-1], axis=1)[:, ::-1]
        hidden = np.zeros(self._shape, bool)
        hidden[:, :-1] = seen_at[:, :-1] >= nearest[:, 1:]
        return hidden

    @staticmethod
    def _edges(distance: np.ndarray) -> np.ndarray:
        """Both sides of every jump."""
        edge = np.zeros(distance.shape, bool)
        across = np.abs(np.diff(distance, axis=1)) > _JUMP * distance[:, 1:]
        down = np.abs(np.diff(distance, axis=0)) > _JUMP * distance[1:]
        edge[:, 1:] |= across
        edge[:, :-1] |= across
        edge[1:] |= down
        edge[:-1] |= down
        return edge

    def _grazed(self, distance: np.ndarray, chance: np.ndarray) -> np.ndarray:
        """Return where the angle between ray and surface is too small, with a blurred limit; in blocks of two by
        two pixels.
        """
        distance, chance = distance[::2, ::2], chance[::2, ::2]
        a = _slope(distance, 1) * self._fx / distance
        b = _slope(distance, 0) * self._fy / distance
        steep = a * a + b * b + (1.0 + a * self._across + b * self._down) ** 2  # Of the normal, squared.
        grazed = steep * self._least * (0.75 + 0.5 * chance) > 1.0
        height, width = self._shape
        return np.repeat(np.repeat(grazed, 2, axis=0), 2, axis=1)[:height, :width]


class ColourSensor:
    """Turns painted pixels into what a sensor makes of them under a light."""

    def __init__(self, settings: ColourSensing, lens: Lens, dice: np.random.Generator) -> None:
        self._settings = settings
        self._dice = dice
        self._shape = (lens.height, lens.width)
        spare = (lens.height + _SPARE, lens.width + _SPARE, 3)
        self._grain = np.rint(settings.noise * dice.standard_normal(spare, np.float32)).astype(np.int16)

    def expose(self, painted: np.ndarray, light: float = 1.0) -> np.ndarray:
        """Apply exposure and noise to colour.

        Args:
            painted: (height, width, 3), colours under the usual light.
            light: brightness; 1 is usual.

        Returns:
            The image, uint8.
        """
        factor = (light * self._settings.exposure) ** (1.0 / _GAMMA)
        height, width = self._shape
        row, column = self._dice.integers(0, _SPARE, 2)
        seen = painted.astype(np.int16)
        if factor != 1.0:
            seen = np.minimum(255.0, np.arange(256) * factor).astype(np.int16)[painted]
        seen += self._grain[row:row + height, column:column + width]
        return np.clip(seen, 0, 255, out=seen).astype(np.uint8)


def _slope(distance: np.ndarray, axis: int) -> np.ndarray:
    """Metres a pixel along an axis, to the side on which it changes less: not across an edge."""
    step = np.diff(distance, axis=axis)
    first, last = (step[:, :1], step[:, -1:]) if axis else (step[:1], step[-1:])
    before, after = np.concatenate((first, step), axis), np.concatenate((step, last), axis)
    return np.where(np.abs(before) < np.abs(after), before, after)


def _patches(shape: Tuple[int, int], dice: np.random.Generator) -> np.ndarray:
    """Return a field of unit variance in which neighbours go together, as blocks are matched and not pixels."""
    coarse = dice.standard_normal((shape[0] // 2 + 2, shape[1] // 2 + 2), np.float32)
    fine = np.repeat(np.repeat(coarse, 2, axis=0), 2, axis=1)
    smooth = fine[:-1, :-1] + fine[1:, :-1] + fine[:-1, 1:] + fine[1:, 1:]
    part = smooth[:shape[0], :shape[1]]
    return np.asarray(part / part.std(), np.float32)
