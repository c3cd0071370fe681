"""What a segment shows: its own outline, without what covers it, and the points of its surface."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, Tuple

import cv2
import numpy as np

from hicrisp_perception.shapes.segments import Ground, Segment
from hicrisp_perception.view import NEIGHBOURS

_APART = 3
"""Pixels on either side of an outline that are compared."""
_BEHIND = 0.012
"""How much farther what is beside an object must be for the edge to be the object's own, metres."""
_UP = 0.0015
"""How much higher an object is beside an edge that is its own, metres."""
_MANY = 700
"""Points of a surface that are used, about."""
_MOST = 80
"""Contour points that are used."""
_FILLED = 0.7
"""Share of a circle that a round outline fills, whose farther edge may be missing; a square fills 0.64."""
_BIN = 0.002
_PLATEAU = 3
"""Bins of heights that are one level face."""
_LEVEL = 2.0
"""How many times as full a level face is as a part of a side of its height."""
_STRONG = 0.55
"""Part of the fullest bin that makes a level face."""


@dataclass(frozen=True, eq=False)
class MeasuredSegment:
    """A segment measured.

    Args:
        contour: (N, 2) the outermost pixels where the outline is the object's own, columns first.
        x, y, height: of its points, metres; only of pixels with depth.
        top: height of the highest level face, metres.
        low, high: heights of its lowest and highest points without outliers, metres.
        level, other: colours of the highest level face and of the rest; ``None`` with too few pixels.
    """

    contour: np.ndarray
    x: np.ndarray
    y: np.ndarray
    height: np.ndarray
    top: float
    low: float
    high: float
    level: Optional[np.ndarray]
    other: Optional[np.ndarray]


def measure(segment: Segment, ground: Ground, faces: bool = True) -> Optional[MeasuredSegment]:
    """Measure heights, positions and contour of a segment.

    Args:
        segment: connected pixels that may show one object.
        ground: the current image, split into table and objects.
        faces: whether to measure the colours of its faces.

    Returns:
        The measurements; ``None`` with too little depth.
    """
    window = segment.window
    height = ground.height[window]
    valid = segment.mask & (height > -1.0)
    if np.count_nonzero(valid) < 12:
        return None
    heights = height[valid]
    step = max(1, len(heights) // _MANY)
    heights = heights[::step].astype(float)
    low, high = (float(value) for value in np.percentile(heights, (2.0, 98.0)))
    top = _top(heights)
    level, other = _faces(segment, ground, height, heights, top, high - low) if faces else (None, None)
    return MeasuredSegment(_contour(segment, ground), ground.x[window][valid][::step].astype(float),
                 ground.y[window][valid][::step].astype(float), heights, top, low, high, level, other)


def _faces(segment: Segment, ground: Ground, height: np.ndarray, heights: np.ndarray, top: float,
           extent: float) -> Tuple[Optional[np.ndarray], Optional[np.ndarray]]:
    """Return the colours of the highest level face and of the rest.

    Args:
        height: of the window's pixels, metres.
        heights: of the segment's used pixels, metres.
        extent: from its lowest to its highest, metres.
    """
    inner = cv2.erode(segment.mask.astype(np.uint8), NEIGHBOURS, borderValue=0) > 0
    if np.count_nonzero(inner) < 12:
        inner = segment.mask
    band = max(0.004, 2.0 * ground.level.noise)
    near = np.abs(height - top) < band
    # Of an upright side as many points lie at any height.
    even = 2.0 * band / max(2.0 * band, extent)
    if np.count_nonzero(np.abs(heights - top) < band) < min(_LEVEL * even, 0.5) * len(heights):
        near &= False
    colour = ground.view.colour[segment.window]
    return _colour(colour, inner & near), _colour(colour, inner & ~near & (height > -1.0))


def _top(heights: np.ndarray) -> float:
    """Return the highest height that many points share."""
    first = float(heights.min()) - _BIN
    counts = np.bincount(((heights - first) / _BIN).astype(int))
    sums = np.convolve(counts, np.ones(_PLATEAU), mode="same")
    at = int(np.flatnonzero(sums >= _STRONG * sums.max())[-1])
    peak = first + (at + 0.5) * _BIN
    # From the upper flank of a plateau back to its middle.
    for _ in range(3):
        peak = float(np.median(heights[np.abs(heights - peak) < 2.0 * _BIN]))
    return peak


def _colour(colour: np.ndarray, where: np.ndarray) -> Optional[np.ndarray]:
    if np.count_nonzero(where) < 12:
        return None
    pixels = colour[where]
    return np.median(pixels[::max(1, len(pixels) // 200)], axis=0)


def _contour(segment: Segment, ground: Ground) -> np.ndarray:
    """Return the pixels of the outline beyond which there is table, or something clearly farther."""
    rim = _APART + 2
    mask = np.pad(segment.mask.astype(np.uint8), rim)
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    points = max(found, key=len)[:, 0, :]
    if len(points) > _MOST:
        points = points[np.linspace(0, len(points) - 1, _MOST).astype(int)]
    soft = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 1.5)
    columns, rows = points[:, 0], points[:, 1]
    across = soft[rows, columns + 1] - soft[rows, columns - 1]
    down = soft[rows + 1, columns] - soft[rows - 1, columns]
    length = np.maximum(np.hypot(across, down), 1e-6)
    normal = -np.stack([across, down], axis=1) / length[:, None]
    here = points + np.array([segment.window[1].start - rim, segment.window[0].start - rim])
    height, width = ground.view.shape
    outside = np.rint(here + _APART * normal).astype(int)
    inside = np.rint(here - 2.0 * normal).astype(int)
    framed = ((outside >= 0) & (outside < (width, height))).all(axis=1)
    outside, inside = (np.clip(each, 0, (width - 1, height - 1)) for each in (outside, inside))
    beyond, own = (_at(ground.depth, each) for each in (outside, inside))
    other = ground.things[outside[:, 1], outside[:, 0]]
    robot = ground.robot[outside[:, 1], outside[:, 0]]
    compared = (beyond > 0.0) & (own > 0.0)
    behind = compared & (beyond > own + _BEHIND)
    nearer = compared & (beyond < own - _BEHIND)
    # Where two objects touch, the edge is that of the one which stands up from it.
    up = _at(ground.height, inside) - _at(ground.height, outside)
    upper = compared & other & ~nearer & (up > _UP)
    # Beyond the table, colour alone does not say what is an object.
    table = ground.bare[outside[:, 1], outside[:, 0]]
    return here[framed & ~robot & ~nearer & (~other | behind | upper) & (table | behind)].astype(float)


def _at(values: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    return values[pixels[:, 1], pixels[:, 0]]


def spread_of(x: np.ndarray, y: np.ndarray) -> Tuple[Tuple[float, float], Tuple[float, float], float]:
    """Return the smallest rectangle around points.

    Args:
        x: array (n,), metres.
        y: array (n,), metres.

    Returns:
        Its centre, its extents (m), and the direction of the first extent, radians.
    """
    points = np.stack([x, y], axis=1).astype(np.float32)
    (cx, cy), (along, across), angle = cv2.minAreaRect(points)
    return (float(cx), float(cy)), (float(along), float(across)), float(np.radians(angle))


def circle_around(x: np.ndarray, y: np.ndarray) -> Optional[Tuple[Tuple[float, float], Tuple[float, float], float]]:
    """Return the smallest circle around points that fill it: an edge that the camera does not see may be missing.

    Args:
        x: array (n,), metres.
        y: array (n,), metres.

    Returns:
        Its centre, its extents (m) and 0.0 for its direction; ``None`` for an outline that is not round.
    """
    points = np.stack([x, y], axis=1).astype(np.float32)
    (cx, cy), radius = cv2.minEnclosingCircle(points)
    if cv2.contourArea(cv2.convexHull(points)) < _FILLED * math.pi * radius ** 2:
        return None
    return (float(cx), float(cy)), (2.0 * float(radius),) * 2, 0.0
