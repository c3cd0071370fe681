"""Grasps of what is wider than the hand, by what is narrower on it: a wall, a bar or a knob that is seen from above."""

from __future__ import annotations

import math
from typing import Callable, List, Optional, Sequence, Tuple

import numpy as np

from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw, multiply
from hicrisp_core.model.shapes import Grip
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.gripper import Gripper

_YAWS = 12
"""Directions in which fingers are closed."""
_STEP = 0.002
"""Distance of the samples along such a direction, metres."""
_DEPTHS = (0.02, 0.0125, 0.005)
"""How far below the top of what it holds the tool centre point is, as deep as there is room, metres."""
_GROUND = 0.004
"""Least height of a finger's tip, and what it keeps to what is below it, metres."""
_APART = 0.012
"""Least distance of two grasps with the same closing direction, metres."""
_FAR = 1000
"""Samples to the end of what has none within the hand's reach."""
_OBLIQUE = 1.3
"""How much wider than in the best direction a part may be between the fingers."""
_WEDGE = 0.006
"""By how much what is held may be wider at one side of a finger than at the other, metres: a corner slips out."""


def walls_in(
    heights: np.ndarray, extents: Sequence[float], hand: Gripper, yaws: int = _YAWS,
    thick: Optional[np.ndarray] = None
) -> Tuple[Grip, ...]:
    """Find where fingers that point down fit around a part of an object.

    Args:
        heights: how high it is on a grid seen from above, first along x and then along y, metres; negative where
            nothing is.
        extents: of the grid along x and y, metres.
        hand: the gripper's measures.
        yaws: directions in which fingers are closed, from the grid's x axis.
        thick: how thick along the fingers the parts on the grid are, metres, which then are between the fingers' tips:
            what is held farther up them turns over; any by default.

    Returns:
        The grasps, in a frame in the middle of the grid on the ground.
    """
    seen, half = np.maximum(heights, 0.0), np.array(extents) / 2.0
    cell = 2.0 * half / heights.shape
    spots = np.argwhere(heights > 0.0)
    if not len(spots):
        return ()
    middles, tops = (spots + 0.5) * cell - half, seen[tuple(spots.T)]
    deep = np.full(len(spots), math.inf) if thick is None else thick[tuple(spots.T)]
    found: List[Tuple[float, np.ndarray, float]] = []
    for number in range(yaws):
        angle, kept = math.pi * number / yaws, np.zeros((0, 2))
        closing = np.array([math.cos(angle), math.sin(angle)])
        around = _Around(middles, tops, deep, closing, hand, _heights_at(seen, half, cell))
        for depth in _DEPTHS:
            places, tops_held, widths = around.free(depth)
            for at, top, width in zip(places, tops_held, widths):
                if (np.hypot(*(kept - at).T) >= _APART).all():
                    kept = np.vstack([kept, at])
                    found.append((angle, np.append(at, top - depth), float(width)))
    places = np.array([[*at[:2], width] for _, at, width in found]).reshape(-1, 3)
    narrow: List[Grip] = []
    for angle, at, width in found:
        near = np.hypot(*(places[:, :2] - at[:2]).T) < _APART
        if width <= _OBLIQUE * places[near, 2].min():
            x, y, z = map(float, at)
            narrow += [Grip(Pose((x, y, z), multiply(from_yaw(angle + turn), DOWN)), width)
                       for turn in (-math.pi / 2.0, math.pi / 2.0)]
    return tuple(narrow)


class _Around:
    """What is around each of those spots that are narrow enough, along a direction in which fingers close.

    Args:
        middles: the spots, array (n, 2), metres.
        tops: their heights, array (n,), metres.
        deep: how deep what is there reaches below them, array (n,), metres.
        closing: unit vector.
        hand: the gripper's measures.
        read: returns the heights at places.
    """

    def __init__(self, middles: np.ndarray, tops: np.ndarray, deep: np.ndarray, closing: np.ndarray, hand: Gripper,
                 read: Callable[[np.ndarray], np.ndarray]) -> None:
        across = np.array([-closing[1], closing[0]])
        self._hand, self._all, self._tall = hand, middles, tops
        self._along, aside = _samples(hand.opening + hand.finger[1]), _samples(hand.finger[0] / 2.0)
        self._closing, self._across = closing, across
        # What is too wide along the one line through its middle, least deep, needs no closer look.
        line = read(middles[:, None] + self._along[:, None] * closing)
        narrow = self._ends(line[:, None], tops, min(_DEPTHS))[-1]
        self._middles, self._tops, self._deep = middles[narrow], tops[narrow], deep[narrow]
        self._heights = read(self._middles[:, None, None] + aside[:, None, None] * across
                             + self._along[:, None] * closing)
        self._core = np.abs(aside) < hand.finger[0] / 4.0

    def _ends(self, heights: np.ndarray, tops: np.ndarray, depth: float
              ) -> Tuple[np.ndarray, np.ndarray, List[np.ndarray], np.ndarray]:
        """Return which samples are filled, which of any row are, how far those around the middle go to both sides,
        metres, and whether that is narrow enough for the hand.
        """
        level = tops - depth - self._hand.tip - _GROUND
        filled = heights > level[:, None, None]
        any_ = np.logical_or.reduce(filled, axis=1)
        middle = len(self._along) // 2
        gaps = ~any_[:, middle::-1], ~any_[:, middle:]
        ends = [np.where(gap.any(axis=1), gap.argmax(axis=1) - 0.5, float(_FAR)) * _STEP for gap in gaps]
        # A cell is some millimetres.
        return filled, any_, ends, (level >= 0.0) & (ends[0] + ends[1] + self._hand.spare / 2.0 <= self._hand.opening)

    def free(self, depth: float) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find where something fits between the fingers, and they and the palm beside it and above it.

        Args:
            depth: of the tool centre point below the spots, metres.

        Returns:
            Where it does: the middles of what is between the fingers, the heights of the spots, and the widths; metres.
        """
        hand, tops, along = self._hand, self._tops, self._along
        filled, any_, ends, narrow = self._ends(self._heights, tops, depth)
        widths = ends[0] + ends[1]
        at = np.where(narrow, (ends[1] - ends[0]) / 2.0, 0.0)
        off = np.abs(along - at[:, None])
        between = off <= np.where(narrow, widths, 0.0)[:, None] / 2.0
        beside = ~between & (off < hand.openings(0.0)[1] / 2.0 + np.where(narrow, widths, 0.0)[:, None] / 2.0
                             + hand.finger[1])
        rows = (filled[:, self._core] & between[:, None]).sum(axis=2) * _STEP
        parallel = (rows > 0.0).all(axis=1) & (np.abs(rows[:, 0] - rows[:, -1]) <= _WEDGE)
        highest = np.where(between, self._heights[:, len(self._core) // 2], 0.0).max(axis=1)
        good = narrow & parallel & ~(any_ & beside).any(axis=1) & (highest <= tops + _GROUND) & (
            depth <= self._deep + hand.tip)
        held, tops, widths = (self._middles + at[:, None] * self._closing)[good], tops[good], widths[good]
        apart = np.abs((self._all[None] - held[:, None]) @ np.stack([self._closing, self._across], axis=1))
        under = (apart < np.array(hand.palm[1::-1]) / 2.0).all(axis=2)
        free = np.where(under, self._tall, 0.0).max(axis=1) <= tops - depth + hand.depth
        return held[free], tops[free], widths[free]


def _samples(reach: float) -> np.ndarray:
    half = round(reach / _STEP)
    return np.arange(-half, half + 1) * _STEP


def _heights_at(seen: np.ndarray, half: np.ndarray, cell: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return what reads the heights at places; the ground's outside of the grid."""

    low, high, last = np.zeros(2), np.array(seen.shape) + 1.0, seen.shape[1] + 2
    flat = np.pad(seen, 1).ravel()

    def read(places: np.ndarray) -> np.ndarray:
        index = np.clip((places + half) / cell + 1.0, low, high).astype(np.intp)
        found: np.ndarray = flat[index[..., 0] * last + index[..., 1]]
        return found

    return read
