"""Fronts of drawers and doors without a model: upright panels with a bar or a knob that stands off from each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, Vector
from hicrisp_core.model.geometry import IDENTITY, from_axes, from_yaw

from hicrisp_perception.shapes.segments import Ground, Window, pieces_in
from hicrisp_perception.view import NEIGHBOURS

THICK = 0.016
"""What a front is taken to be thick, which nobody sees while it is shut, metres."""
ON_PLANE = 0.007
"""Distance from a plane within which a point is on it, metres."""
_LEAST_PIXELS, _LEAST_SIDE = 400, 0.06
"""Pixels and extents of a front, metres, at least."""
_STANDS_OFF, _BEFORE = 0.014, 0.09
"""How far what a hand takes is before its front, metres."""
_HANDLE_PIXELS, _LONGEST, _OFF_TABLE = 10, 0.3, 0.03
"""Pixels of a handle at least; its length at most and its height above the table at least, metres."""
_THIN, _POST = 0.006, 0.012
"""Thickness of a bar at least, and how far behind its outermost points what bears it begins, metres."""
_BLUR = 0.002
"""By how much noise and the pixels make what is thin seem thicker, metres."""
_BAR = 1.8
"""How many times as long as thick a bar is; else it is a knob."""
_TRIES, _APART, _SAMPLE = 120, 0.08, 2500
"""Pairs of points through which a plane is laid, their least distance, metres, and points that it is compared with."""
_NOT_TOP = 0.012
"""Metres below the highest point of a piece above which its top is seen."""


@dataclass(frozen=True)
class Handle:
    """A bar or a knob.

    Args:
        pose: of its middle in the frame of its front, whose x points out of it: z along the bar.
        bar: its thickness and length, metres.
    """

    pose: Pose
    bar: Tuple[float, float]


@dataclass(frozen=True)
class Front:
    """A panel with its handle.

    Args:
        pose: of its middle, world frame; x points out of it, z up.
        size: thickness, width and height, metres.
        pixels: by which it was seen.
    """

    pose: Pose
    size: Vector
    handle: Handle
    pixels: int


@dataclass(frozen=True)
class Case:
    """What fronts close.

    Args:
        pose: of the middle of the box behind them, world frame; x points out of the fronts.
        size: its extents, metres.
        fronts: what was seen of them.
    """

    pose: Pose
    size: Vector
    fronts: Tuple[Front, ...]


def cases_in(ground: Ground, claimed: np.ndarray) -> List[Case]:
    """Return what has fronts with handles.

    Args:
        ground: the current image, split into table and objects.
        claimed: pixels that known objects account for.

    Returns:
        One case for each piece of the image with at least one front.
    """
    found = [_case(ground, window, mask) for window, mask in pieces_in(ground, claimed)
             if np.count_nonzero(mask) >= _LEAST_PIXELS]
    return [case for case in found if case is not None]


def upright_plane(points: np.ndarray, tries: int = _TRIES) -> Optional[Tuple[float, float]]:
    """Return the upright plane on which most of some points are.

    Args:
        points: array (n, 3), metres.
        tries: how many planes are tried.

    Returns:
        Direction of its normal, radians, and its distance from the origin along that; ``None`` without points.
    """
    if len(points) < 20:
        return None
    dice = np.random.default_rng(0)
    some = points[dice.choice(len(points), min(len(points), _SAMPLE), replace=False), :2]
    pairs = some[dice.integers(len(some), size=(tries, 2))]
    ways = pairs[:, 1] - pairs[:, 0]
    lengths = np.linalg.norm(ways, axis=1)
    ways, starts = ways[lengths > _APART] / lengths[lengths > _APART, None], pairs[lengths > _APART, 0]
    if not len(ways):
        return None
    normals = np.column_stack([-ways[:, 1], ways[:, 0]])
    offsets = (normals * starts).sum(axis=1)
    near = np.abs(some @ normals.T - offsets) < ON_PLANE
    best = int(np.argmax(near.sum(axis=0)))
    normal, offset = normals[best], offsets[best]
    for _ in range(3):
        own = points[np.abs(points[:, :2] @ normal - offset) < ON_PLANE, :2]
        if len(own) < 20:
            return None
        middle = own.mean(axis=0)
        normal = np.linalg.svd((own - middle).T @ (own - middle))[0][:, 1]
        offset = float(middle @ normal)
    return math.atan2(normal[1], normal[0]), offset


def _case(ground: Ground, window: Window, mask: np.ndarray) -> Optional[Case]:
    mask = mask & (ground.depth[window] > 0.0)
    x, y, z = (each[window] for each in (ground.x, ground.y, ground.height))
    points = ground.points(window, mask)
    if len(points) < _LEAST_PIXELS:
        return None
    top = float(np.percentile(points[:, 2], 99.0))
    plane = upright_plane(points[(points[:, 2] > _OFF_TABLE) & (points[:, 2] < top - _NOT_TOP)])
    if plane is None:
        return None
    yaw, offset = plane
    eye = ground.view.rays.origin
    if math.cos(yaw) * eye[0] + math.sin(yaw) * eye[1] < offset:
        yaw, offset = yaw + math.pi, -offset
    out = x * math.cos(yaw) + y * math.sin(yaw) - offset
    along = y * math.cos(yaw) - x * math.sin(yaw)
    frame = Pose((offset * math.cos(yaw), offset * math.sin(yaw), 0.0), from_yaw(yaw))
    to_eye = np.array(frame.seen((float(eye[0]), float(eye[1]), float(eye[2]))))
    handles = _handles(mask, out, along, z)
    fronts: List[Front] = []
    panels = cv2.morphologyEx((mask & (np.abs(out) < ON_PLANE)).view(np.uint8), cv2.MORPH_OPEN, NEIGHBOURS)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(panels, connectivity=4)
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] < _LEAST_PIXELS:
            continue
        own = labels == label
        (left, right), (low, high) = (np.percentile(each[own], (0.7, 99.3)) for each in (along, z))
        if min(right - left, high - low) < _LEAST_SIDE:
            continue
        middle = ((left + right) / 2.0, (low + high) / 2.0)
        inside = [points for points in handles if left < np.median(points[:, 1]) < right
                  and low < np.median(points[:, 2]) < high]
        if inside:
            points = max(inside, key=len)
            shift = np.array([-THICK / 2.0, *middle])
            handle = handle_in(points - shift, to_eye - shift)
            x0, y0, z0 = shift.tolist()
            fronts.append(Front(frame.compose(Pose((x0, y0, z0))), (THICK, float(right - left), float(high - low)),
                                handle, int(stats[label, cv2.CC_STAT_AREA])))
    if not fronts:
        return None
    behind = mask & (out < ON_PLANE)
    back = min(-_LEAST_SIDE, float(np.percentile(out[behind], 1.0)))
    left, right = (float(value) for value in np.percentile(along[behind], (0.5, 99.5)))
    size = (-THICK - back, right - left, top)
    return Case(frame.compose(Pose(((back - THICK) / 2.0, (left + right) / 2.0, top / 2.0))), size, tuple(fronts))


def _handles(mask: np.ndarray, out: np.ndarray, along: np.ndarray, z: np.ndarray) -> List[np.ndarray]:
    """Return points (n, 3) of what stands off a plane and nowhere reaches down to the table: out, along and up."""
    before = (mask & (out > _STANDS_OFF)).view(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(before, connectivity=8)
    found = []
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] < _HANDLE_PIXELS:
            continue
        own = labels == label
        points = np.stack([each[own] for each in (out, along, z)], axis=1)
        spread = np.ptp(points, axis=0)
        if points[:, 2].min() > _OFF_TABLE and np.median(points[:, 0]) < _BEFORE and max(spread[1:]) < _LONGEST:
            found.append(points)
    return found


def handle_in(points: np.ndarray, eye: np.ndarray) -> Handle:
    """Return the bar or the knob of which points are the side that is seen.

    Args:
        points: array (n, 3) in the frame of its front, metres.
        eye: where the camera is, array (3,), same frame.

    Returns:
        The handle.
    """
    grip = points[points[:, 0] > float(np.percentile(points[:, 0], 85.0)) - _POST]
    middle = np.median(grip, axis=0)
    extents = [float(np.ptp(np.percentile(grip[:, axis], (2.0, 98.0)))) for axis in (1, 2)]
    long = max(extents)
    knob = long < _BAR * min(extents)
    thin, lies = max(_THIN, min(extents) - (0.0 if knob else _BLUR)), not knob and extents[0] > extents[1]
    if not knob:
        axis = 1 if lies else 2
        middle[axis] = float(np.mean(np.percentile(grip[:, axis], (2.0, 98.0))))
    x, y, z = (middle - (eye - middle) / np.linalg.norm(eye - middle) * thin / 2.0).tolist()
    turn = from_axes((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) if lies else IDENTITY
    return Handle(Pose((x, y, z), turn), (thin, extents[1] if knob else long))
