"""Shape and size of an undescribed object: those whose outline fits the segment best."""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import WorldObject
from scipy.optimize import minimize

from hicrisp_perception.shapes.contours import MeasuredSegment, spread_of
from hicrisp_perception.shapes.fitting import Fit, settle
from hicrisp_perception.shapes.outline import Projection, fit_outline
from hicrisp_perception.shapes.segments import Ground, Segment
from hicrisp_perception.shapes.shape_models import Lie, lies_of

LEAST_PIXELS = 60
LEAST_HEIGHT = 0.012
"""Of an object, metres."""
_LEAST_RIM = 0.02
_LEAST_WIDTH, _WIDEST = 0.012, 0.35
"""Metres."""
_GATE = 3.5
"""Pixels that a contour point counts at most."""
_WITHIN = 0.5
"""Pixels that the middles of an object's outermost pixels are within its outline."""
_ROUND, _SQUARE, _ODD = 0.83, 0.92, 6.0
"""Shares of its rectangle that a level face has: at most a round one, and at least a square one; and pixels of
error for each part that differs."""
_RIM = 0.75
"""Part of the rim's height above which the points are the rim's."""
_HOLLOW = 0.55
"""Part of the rim's height below which the middle of what is hollow lies."""
_TOP_POINTS = 12


class Guess(NamedTuple):
    """A shape of a size as it fits; ``error`` is in pixels, with what the picture says against it."""

    shape: str
    size: Tuple[float, float, float]
    fit: Fit
    error: float


def guesses_of(segment: Segment, seen: MeasuredSegment, hollow: bool, ground: Ground, bottom: float) -> List[Guess]:
    """Return the possible shapes of a segment with their best sizes.

    Args:
        segment: connected pixels that may show one object.
        seen: heights, positions and contour of the segment.
        hollow: whether it may be a bowl.
        ground: the current image, split into table and objects.
        bottom: height of its support, metres.

    Returns:
        The guesses, best first.
    """
    places: List[Tuple[str, Tuple[float, float, float], Tuple[float, float, float]]] = []
    ratio = 0.0
    if hollow:
        for part in (seen.height > _RIM * seen.high, seen.height > -1.0):
            low_x, high_x, low_y, high_y = (float(np.percentile(values[part], percent))
                                            for values in (seen.x, seen.y) for percent in (1.0, 99.0))
            wide = max(high_x - low_x, high_y - low_y)
            places.append(("bowl", (wide, wide, seen.high - bottom),
                           ((low_x + high_x) / 2.0, (low_y + high_y) / 2.0, 0.0)))
    else:
        high = seen.top - bottom
        on_top = np.abs(seen.height - seen.top) < max(0.005, 2.5 * ground.level.noise)
        if np.count_nonzero(on_top) >= _TOP_POINTS:
            (x, y), (along, across), angle = spread_of(seen.x[on_top], seen.y[on_top])
            wide = (along + across) / 2.0
            ratio = _fullness(seen.x[on_top], seen.y[on_top], along * across)
            places += [("box", (along, across, high), (x, y, angle)),
                       ("cylinder", (wide, wide, high), (x, y, 0.0))]
        x, y, wide, heading = _from_the_side(seen, ground)
        places.append(("cylinder", (wide, wide, high), (x, y, heading)))
    found: Dict[str, Guess] = {}
    for shape, size, start in places:
        if size[2] < LEAST_HEIGHT or max(size[:2]) > _WIDEST:
            continue
        guess = _sized(shape, size, start, bottom, segment, seen, ground)
        if guess is not None and ratio > 0.0:
            odd = max(0.0, ratio - _ROUND) if shape == "cylinder" else max(0.0, _SQUARE - ratio)
            guess = guess._replace(error=guess.error + _ODD * odd)
        if guess is not None and (shape not in found or guess.error < found[shape].error):
            found[shape] = guess
    return sorted(found.values(), key=lambda guess: guess.error)


def _from_the_side(seen: MeasuredSegment, ground: Ground) -> Tuple[float, float, float, float]:
    """Locate an object of which mostly the side towards the camera is visible: its middle, its width across the
    view (m), and the view's heading (rad).
    """
    x, y = float(np.median(seen.x)), float(np.median(seen.y))
    ahead = np.array([x, y]) - ground.view.rays.origin[:2]
    ahead /= max(1e-6, float(np.linalg.norm(ahead)))
    aside = seen.x * -ahead[1] + seen.y * ahead[0]
    low, high = np.percentile(aside, (1.0, 99.0))
    near = float(np.percentile(seen.x * ahead[0] + seen.y * ahead[1], 2.0))
    wide, middle = float(high - low), float(high + low) / 2.0
    x, y = (near + wide / 2.0) * ahead + middle * np.array([-ahead[1], ahead[0]])
    return float(x), float(y), wide, math.atan2(ahead[1], ahead[0])


def _fullness(x: np.ndarray, y: np.ndarray, rectangle: float) -> float:
    """Which part of the smallest rectangle around points their hull has; 0 for too few to say."""
    if len(x) < 3 * _TOP_POINTS or rectangle <= 0.0:
        return 0.0
    hull = cv2.convexHull(np.stack([x, y], axis=1).astype(np.float32))
    return float(cv2.contourArea(hull)) / rectangle


def filled(segment: Segment, ground: Ground) -> Optional[Segment]:
    """Fill the outline of a segment if its middle lies well below its rim.

    Args:
        segment: connected pixels that may show one object.
        ground: the current image, split into table and objects.

    Returns:
        The filled segment; ``None`` if it is not hollow.
    """
    mask = segment.mask.astype(np.uint8)
    hull = cv2.convexHull(cv2.findNonZero(mask))
    whole = np.zeros_like(mask)
    cv2.fillConvexPoly(whole, hull, 1)
    height, x, y = (each[segment.window] for each in (ground.height, ground.x, ground.y))
    own = segment.mask & (height > -1.0)
    if np.count_nonzero(own) < LEAST_PIXELS:
        return None
    high = float(np.percentile(height[own], 98.0))
    (cx, cy), (along, across), _ = spread_of(x[own], y[own])
    middle = (whole > 0) & (height > -1.0) & (np.hypot(x - cx, y - cy) < 0.2 * max(along, across))
    if np.count_nonzero(middle) < 2 * _TOP_POINTS or high < _LEAST_RIM:
        return None
    if float(np.median(height[middle])) > _HOLLOW * high:
        return None
    inside = segment.mask | ((whole > 0) & (height < _HOLLOW * high))
    return Segment(segment.window, inside, segment.family)


def _sized(shape: str, size: Tuple[float, float, float], start: Tuple[float, float, float], bottom: float,
           segment: Segment, seen: MeasuredSegment, ground: Ground) -> Optional[Guess]:
    """Return the size with which a shape's outline fits best."""
    count = 2 if shape == "box" else 1
    high = round(size[2], 4)

    def lie_of(widths: np.ndarray) -> Lie:
        x, y = (float(value) for value in np.clip(np.resize(widths, 2), _LEAST_WIDTH, _WIDEST))
        return lies_of(WorldObject("", shape, shape, (x, y, high)))[0]

    def cost(widths: np.ndarray) -> float:
        lie, middle = lie_of(widths), bottom + high / 2.0
        place = fit_outline(lie, start, middle, seen.contour, ground.view.rays)
        projection = Projection(lie.corners(), middle, ground.view.rays)
        outline = projection.outline(np.array([place.x, place.y, place.yaw]))[1]
        polygon = outline.astype(np.float32).reshape(-1, 1, 2)
        # The fit leaves open how far within its outline an object's outermost pixels are; the size does not.
        away = [min(_GATE, abs(cv2.pointPolygonTest(polygon, (float(x), float(y)), True) - _WITHIN))
                for x, y in seen.contour]
        return float(np.sqrt(np.mean(np.square(away))))

    begin = np.clip(np.array(size[:count]), _LEAST_WIDTH, _WIDEST)
    simplex = np.vstack([begin, *(begin + 0.006 * unit for unit in np.eye(count))])
    done = minimize(cost, begin, method="Nelder-Mead", options={
        "initial_simplex": simplex, "xatol": 3e-4, "fatol": 1e-3, "maxfev": 90})
    lie = lie_of(done.x)
    fit = settle(lie, start, bottom, True, segment, seen, ground)
    if fit is None:
        return None
    x, y, z = (round(value, 3) for value in lie.size)
    misfit = 2.0 * fit.evidence.pierced + fit.evidence.left
    return Guess(shape, (x, y, z), fit, float(done.fun) + misfit)
