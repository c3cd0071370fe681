"""Objects that touch each other, told apart by the ground that they cover and by their heights."""

from __future__ import annotations

from typing import Set, Tuple

import cv2
import numpy as np

_WAIST = 0.7
"""Width of the ground at which two objects touch, as a share of the width of each, at most."""
_LEAST, _SHORT = 2.2, 1.5
"""Half the width of an object at least, and half the length of what is narrow between two at most, cells."""
_STEP = 0.02
"""By how much a higher object rises from beside a lower one at least, metres."""
_NEAR = 3
"""Cells around a step that tell how high it is."""
_LOW, _STANDS = 0.5, 3
"""Share of its height to which the lower one is seen, at most, and in how many cells: what is not stands on nothing."""
_BESIDE = 0.1
"""Part of an object that may lie within the hull of one beside it."""


def filled(there: np.ndarray) -> np.ndarray:
    """Add what is enclosed.

    Args:
        there: boolean (n, m).

    Returns:
        Boolean (n, m), true within the outlines, too.
    """
    outlines, _ = cv2.findContours(there.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(cv2.drawContours(np.zeros(there.shape, np.uint8), outlines, -1, 1, cv2.FILLED) > 0)


def ground_covered(there: np.ndarray, bare: np.ndarray, camera: Tuple[float, float]) -> np.ndarray:
    """Add to what is seen of an object from above what it hides itself, like the inside of its wall.

    Args:
        there: boolean (n, m), true for the cells of the ground above which a surface is seen.
        bare: boolean (n, m), true for those at which the ground itself is seen.
        camera: row and column above which the camera is; often outside.

    Returns:
        The cells, with those before and behind which the object is seen.
    """
    rows, columns = (index - at for index, at in zip(np.indices(there.shape), camera))
    away, angle = np.hypot(rows, columns), np.arctan2(rows, columns)
    heading = np.round((angle - angle.flat[0] + np.pi) % (2.0 * np.pi) * float(away.mean())).astype(int)
    heading -= heading.min()
    nearest, farthest = np.full(heading.max() + 1, np.inf), np.zeros(heading.max() + 1)
    np.minimum.at(nearest, heading[there], away[there])
    np.maximum.at(farthest, heading[there], away[there])
    return filled(there | ~bare & (away > nearest[heading]) & (away < farthest[heading]))


def told_apart(covered: np.ndarray, top: np.ndarray, bottom: np.ndarray) -> Tuple[np.ndarray, Set[int]]:
    """Number the objects that cover the ground together.

    Args:
        covered: boolean (n, m), true for the cells of the ground that they cover.
        top: array (n, m), greatest height of what is seen in each cell, metres; 0 where nothing is.
        bottom: array (n, m), least height of it, metres; infinite where nothing is.

    Returns:
        Array (n, m) with numbers from 1, 0 where nothing is; and the numbers of those that may be two: what is long and
        narrow between wide parts is of one object, or touches another with its end.
    """
    found, left, doubtful = np.zeros(covered.shape, np.int32), [covered], set()
    while left:
        part = left.pop()
        rows, columns = (slice(int(each.min()), int(each.max()) + 1) for each in np.nonzero(part))
        own = part[rows, columns]
        cut, long = _at_step(own, top[rows, columns], bottom[rows, columns]), False
        if cut.max() < 2:
            cut, long = _at_waist(own)
        if cut.max() > 1:
            for number in range(1, int(cut.max()) + 1):
                left.append(np.zeros(part.shape, bool))
                left[-1][rows, columns] = cut == number
        else:
            found[part] = found.max() + 1
            doubtful |= {int(found.max())} if long else set()
    return found, doubtful


def _at_waist(covered: np.ndarray) -> Tuple[np.ndarray, bool]:
    """Cut where the ground is narrow beside the width of what is on either side, and for a short way only: that of a
    shaft or a neck is longer, and what only sticks out, like a handle, gets no wider behind it. Also return whether
    there is a longer one.
    """
    inner, long = _depth_in(covered), False
    for waist in np.arange(0.5, _WAIST * float(inner.max()) + 0.5, 0.5):
        count, cores = cv2.connectedComponents((inner > waist).astype(np.uint8), connectivity=8)
        wide = [cores == number for number in range(1, count)
                if float(inner[cores == number].max()) > max(_LEAST, waist / _WAIST)]
        away = [_away_from(core) - waist for core in wide]  # From what each core was cut from.
        near = [one for number, one in enumerate(away) if any(
            float(np.maximum(one, other)[covered].min()) < _SHORT for other in away[:number] + away[number + 1:])]
        if len(near) > 1:
            return np.where(covered, np.argmin(near, axis=0) + 1, 0), False
        long |= len(wide) > 1
    return covered.astype(np.int32), long


def _at_step(covered: np.ndarray, top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """Cut where a higher object rises from beside a lower one that stands on the ground, too."""
    for level in np.arange(_STEP, float(top[covered].max()), _STEP / 2.0):
        high = filled(covered & (top > level))
        low = covered & ~_grown(high)
        inner = _depth_in(low)
        count, cores = cv2.connectedComponents((inner > 0.5).astype(np.uint8), connectivity=8)
        for core in (cores == number for number in range(1, count)):
            if float(inner[core].max()) < _LEAST:
                continue
            own = low & _grown(core)
            foot, wall = own & _grown(high, _NEAR), high & _grown(core, _NEAR)
            if foot.any() and wall.any() and np.median(top[wall]) - np.median(top[foot]) >= _STEP and (
                    np.count_nonzero(bottom[own] < _LOW * np.median(top[core])) >= _STANDS) and (
                    _common(core, high) <= _BESIDE):
                return np.where(covered, np.where(_away_from(core) < _away_from(high), 2, 1), 0)
    return covered.astype(np.int32)


def _depth_in(covered: np.ndarray) -> np.ndarray:
    """Return how far each cell is from the edge of what is covered, cells."""
    return np.asarray(cv2.distanceTransform(np.pad(covered, 1).astype(np.uint8), cv2.DIST_L2, 5)[1:-1, 1:-1] - 0.5)


def _away_from(there: np.ndarray) -> np.ndarray:
    """Return how far each cell is from some, cells."""
    return np.asarray(cv2.distanceTransform((~there).astype(np.uint8), cv2.DIST_L2, 5))


def _grown(there: np.ndarray, cells: int = 1) -> np.ndarray:
    return np.asarray(cv2.dilate(there.astype(np.uint8), np.ones((3, 3), np.uint8), iterations=cells) > 0)


def _common(one: np.ndarray, other: np.ndarray) -> float:
    """Return the part of the smaller of two pieces that the hulls of both have in common."""
    hulls = [cv2.convexHull(cv2.findNonZero(each.astype(np.uint8))) for each in (one, other)]
    first, second = (cv2.fillConvexPoly(np.zeros(one.shape, np.uint8), hull, 1) for hull in hulls)
    return np.count_nonzero(first & second) / min(np.count_nonzero(one), np.count_nonzero(other))
