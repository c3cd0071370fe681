"""How something moves that was pulled: along a line or about an upright axis, by its handle's path and its turn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, Sequence

import numpy as np
from hicrisp_core.model.geometry import Pose, Vector
from hicrisp_core.model.joint import SLIDE, SWING

_SLID, _SWUNG = 0.035, 0.01
"""Metres of the handle above which its path shows that it slides, and that it turns."""
_OFF, _TURNED = 0.002, np.radians(1.5)
"""Standard deviations of a place of the handle, metres, and of its turn, radians."""
_CLEARLY = 9.0
"""By how many squared deviations a circle must explain the path better than a line."""
_WIDEST = 0.6
"""Distance of a handle from the axis about which it turns, at most, metres."""
_RADII, _BESIDE, _ROUNDS = np.geomspace(0.04, _WIDEST, 25), np.linspace(-0.2, 0.2, 11), 12
"""Where the axis is looked for: metres to both sides of the path, and ahead of its begin; then nearer and nearer."""


@dataclass(frozen=True)
class PulledMotion:
    """A line or a circle in the world frame.

    Args:
        kind: ``slide`` or ``swing``.
        axis: unit vector along which it slides, or about which it turns so that the path is followed forwards.
        point: on that axis, metres.
    """

    kind: str
    axis: Vector
    point: Vector


def motion_of(path: Sequence[Pose], turned: Sequence[bool]) -> Optional[PulledMotion]:
    """Return the motion that explains a path.

    Args:
        path: poses of a handle in the order in which they were measured, world frame; x points out of its front, which
            stays upright.
        turned: whether the turn of each was measured, too; of the first it was.

    Returns:
        The motion; ``None`` while the path is too short to tell.
    """
    begin = np.array(path[0].position)
    shifts = np.array([pose.position for pose in path]) - begin
    turns = np.array([math.remainder(pose.yaw - path[0].yaw, math.tau) for pose in path])
    far = int(np.argmax(np.linalg.norm(shifts, axis=1)))
    way = float(np.linalg.norm(shifts[far]))
    if way < _SWUNG:
        return None
    known, middle = np.array(turned, float), shifts - shifts.mean(axis=0)
    along = np.linalg.svd(middle, full_matrices=False)[2][0]
    along *= math.copysign(1.0, float(along @ shifts[far]))
    out = np.array(path[0].axes[0])  # What slides comes straight out of its front.
    across = middle - np.outer(middle @ out, out)
    off = turns - float(turns @ known) / known.sum()
    line = float(np.sum((np.linalg.norm(across, axis=1) / _OFF) ** 2 + known * (off / _TURNED) ** 2))
    level = along[:2] / max(1e-9, float(np.linalg.norm(along[:2])))
    frame = np.array([level, [-level[1], level[0]]])
    path_2d = shifts[:, :2] @ frame.T
    ahead, aside = np.meshgrid(_BESIDE, np.concatenate([-_RADII, _RADII]))
    best, circle, span = np.zeros(2), math.inf, np.array([_BESIDE[1] - _BESIDE[0], 0.15])
    for _ in range(_ROUNDS):
        centres = np.column_stack([ahead.ravel(), aside.ravel()])
        costs = _misfit(centres, path_2d, turns, known)
        if float(costs.min()) < circle:
            best, circle = centres[int(np.argmin(costs))], float(costs.min())
        ahead, aside = np.meshgrid(*(at + np.linspace(-1.0, 1.0, 9) * width for at, width in zip(best, span)))
        span /= 2.0
    if line - circle < _CLEARLY:
        return PulledMotion(SLIDE, _vector(along), _vector(begin)) if way > _SLID else None
    x, y = best @ frame + begin[:2]
    return PulledMotion(SWING, (0.0, 0.0, math.copysign(1.0, best[1])), (float(x), float(y), float(begin[2])))


def _misfit(centres: np.ndarray, path: np.ndarray, turns: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return for each centre the squared deviations of a path (n, 2) from a turn about it; known weighs the turns."""
    arms = path[None] - centres[:, None]
    radii = np.linalg.norm(arms, axis=2)
    angles = np.arctan2(arms[..., 1], arms[..., 0])
    off = np.angle(np.exp(1j * (turns - angles + angles[:, :1])))
    found: np.ndarray = (((radii - radii.mean(axis=1, keepdims=True)) / _OFF) ** 2
                         + known * ((off - (off @ known / known.sum())[:, None]) / _TURNED) ** 2).sum(axis=1)
    found[radii.mean(axis=1) > _WIDEST] = math.inf
    return found


def _vector(values: np.ndarray) -> Vector:
    x, y, z = values.tolist()
    return x, y, z
