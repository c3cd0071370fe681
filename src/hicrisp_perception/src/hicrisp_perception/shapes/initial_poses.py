"""Where and how high a shape may lie in a segment: what its search begins with, the likeliest first."""

from __future__ import annotations

import math
from typing import Iterator, List, Optional, Tuple

import numpy as np

from hicrisp_perception.shapes.contours import MeasuredSegment, spread_of
from hicrisp_perception.shapes.fitting import ON_TABLE, Fit, Start
from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.shapes.shape_models import Lie

APART = 0.006
"""Distance at which two heights, or two places, count as different, metres."""
_CLEAN = 0.1
"""Cost above which an object may have another orientation."""
_TURNS = (0.5, 0.25, 0.75)
"""Fractions of the turn after which it looks the same."""
_LEAST_TOP = 20
"""Points that a level face needs to say where it is."""
_SHORT = 0.75
"""Part of its extent below which a face is seen in part only."""


def turned(fit_: Optional[Fit]) -> Iterator[Start]:
    """Yield turned starts for an object with little visible outline, which fits about as well in other orientations.

    Args:
        fit_: the best fit so far; may be missing.

    Yields:
        x, y (m) and yaw (rad).
    """
    if fit_ is not None and fit_.place.points and not fit_.lie.round and fit_.cost > _CLEAN:
        place = fit_.place
        for part in _TURNS:
            yield place.x, place.y, place.yaw + part * fit_.lie.period


def alike(one: Start, other: Start, period: float) -> bool:
    """Check whether two starts lead to the same result.

    Args:
        one: x, y (m) and yaw (rad).
        other: x, y (m) and yaw (rad).
        period: rotational symmetry of the shape, radians; 0 for a round one.

    Returns:
        True if they differ by little distance and turn, up to the symmetry.
    """
    if math.dist(one[:2], other[:2]) > APART:
        return False
    turn = abs(one[2] - other[2]) % (period or math.tau)
    return min(turn, (period or math.tau) - turn) < 0.2 or period == 0.0


def bottoms(lie: Lie, shown: MeasuredSegment, floors: Tuple[float, ...]) -> Iterator[Tuple[float, bool]]:
    """Yield heights at which a shape may stand, the most likely first.

    Args:
        lie: shape and size with the side that it lies on.
        shown: heights, positions and contour of the segment.
        floors: heights of possible supports, metres.

    Yields:
        The height of its lowest point (m), and whether a support is there.
    """
    given: List[float] = []
    for guess in (shown.top - lie.height, shown.high - lie.height, shown.low):
        near = min(floors, key=lambda floor: abs(floor - guess))
        resting = abs(near - guess) < ON_TABLE
        bottom = near if resting else guess
        afloat = not resting and shown.low < ON_TABLE < bottom
        new = all(abs(bottom - other) > APART for other in given)
        if new and bottom > -ON_TABLE and not (afloat and given):
            given.append(bottom)
            yield bottom, resting


def starts(lie: Lie, shown: MeasuredSegment, bottom: float, ground: Ground) -> Iterator[Start]:
    """Yield initial places for a fit, the most likely first.

    Args:
        lie: shape and size with the side that it lies on.
        shown: heights, positions and contour of the segment.
        bottom: height of the lowest point, metres.
        ground: the current image, split into table and objects.

    Yields:
        x, y (m) and yaw (rad).
    """
    window = max(0.005, 2.5 * ground.level.noise)
    top = np.abs(shown.height - bottom - lie.height) < window
    if np.count_nonzero(top) >= _LEAST_TOP:
        yield from _from_top(lie, shown.x[top], shown.y[top])
    yield from _from_sides(lie, shown, ground)


def _from_top(lie: Lie, x: np.ndarray, y: np.ndarray) -> Iterator[Start]:
    (cx, cy), (along, across), angle = spread_of(x, y)
    if lie.round:
        if lie.shape.hollow:
            yield cx, cy, 0.0
        yield float(x.mean()), float(y.mean()), 0.0
        return
    quarter = math.pi / 2.0
    ways = [(angle, along, across), (angle + quarter, across, along)]
    ways.sort(key=lambda way: abs(way[1] - lie.across[0]) + abs(way[2] - lie.across[1]))
    for yaw, first, second in ways if lie.period > quarter else ways[:1]:
        short, narrow = lie.across[0] - first, lie.across[1] - second
        if first > _SHORT * lie.across[0] and second > _SHORT * lie.across[1]:
            yield cx, cy, yaw
            if first < 1.3 * lie.across[0] and second < 1.3 * lie.across[1]:
                continue
        for one in (-0.5, 0.5):
            for other in (-0.5, 0.5):
                a, b = one * short, other * narrow
                yield (
                    cx + a * math.cos(yaw) - b * math.sin(yaw),
                    cy + a * math.sin(yaw) + b * math.cos(yaw),
                    yaw,
                )


def _from_sides(lie: Lie, shown: MeasuredSegment, ground: Ground) -> Iterator[Start]:
    """Yield starts half an object behind the sides that face the camera."""
    (cx, cy), (along, across), angle = spread_of(shown.x, shown.y)
    towards = np.array([cx, cy]) - ground.view.rays.origin[:2]
    towards /= max(1e-6, float(np.linalg.norm(towards)))
    behind = 0.5 * max(0.0, min(lie.across) - min(along, across))
    x, y = cx + behind * towards[0], cy + behind * towards[1]
    if lie.round:
        yield x, y, 0.0
        return
    yaw = angle if (along > across) == (lie.across[0] > lie.across[1]) else angle + math.pi / 2.0
    yield x, y, yaw
    if lie.period > math.pi / 2.0:
        yield x, y, yaw + math.pi / 2.0
