"""Shapes of objects that were measured: the nearest shape of ours, and where a hand takes what is too wide for it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import List, NamedTuple, Sequence, Tuple

import numpy as np
from shapely.geometry import MultiPoint
from shapely.geometry.polygon import orient

from hicrisp_core.model import Pose, Vector, WorldObject
from hicrisp_core.model.geometry import as_vector, from_axes, from_yaw, multiply, rotate
from hicrisp_core.model.keep_out import half_extents
from hicrisp_core.model.shapes import SHAPES, Grip, Handling, Shape, Solid, measured
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.gripper import Gripper
from hicrisp_core.robot.walls import walls_in

_FULL, _ALIKE = 0.9, 0.15
"""Share of its bounding rectangle that an object with corners fills, and by how much a round one's sides differ."""
_ODD = 0.7
"""Share of its bounding rectangle below which an object is much narrower where hands take it."""
_SUNK, _FLAT = 0.7, 0.25
"""Share of its height to which the middle of a hollow object reaches at most; height by width of a plate at most."""
_ROOM = 0.04
"""Least width of what is hollow, metres."""
_RIM = 0.8
"""Share of its height that the wall of a hollow object has all around."""
_MIDDLE = 0.35
"""Share of the half width that counts as the middle."""
_LEVELS, _NECK, _LONG = 20, 0.85, 0.02
"""Parts into which a round object is cut from bottom to top; share of its width below which it is a neck, and the least
length of one, metres."""
_STANDS = 0.005
"""Greatest height above the ground of what an object stands on, metres."""
_SIDES, _CELL, _SLIM = 8, 0.005, 0.5
"""Directions in which an object is looked at for where a level hand fits, and the cells of what is seen, metres; share
of the opening that what it holds fills at most: what is wider there is a round body."""
_FROM_AHEAD = from_axes((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
"""How what looks back along x is turned: its grid's x is level."""
_LEANS, _PINCHED = math.radians(20.0), 0.01
"""By how much the hand leans that pinches a plate's rim, so that its palm is above the ground, and how far apart the
fingers are around that, metres.
"""
_TAPER = 0.55
"""Share of a finger's thickness that its tip has."""
_ASKEW = 0.03
"""Tilt from which what is seen from above is not what it looks like when it stands, radians."""
THIN = 0.002
"""Least extent of a solid, metres."""


class MeasuredShape(NamedTuple):
    """What was measured of an object.

    Args:
        name: of the nearest shape of ours.
        size: extents of its bounding box, metres; what is round has equal x and y.
        foot: its frame, seen from the middle of the bounding box: the middle of what it stands on where hands take it
            by its walls.
    """

    name: str
    form: Shape
    size: Vector
    foot: Pose


def shape_from(
    size: Vector, heights: np.ndarray, solids: Tuple[Solid, ...], pose: Pose, hand: Gripper
) -> MeasuredShape:
    """Make a shape of what was measured of an object that hands may move.

    Args:
        size: extents of its bounding box, metres.
        heights: how high it is on a grid over that box as it stands, seen from above, first along the world's x and
            then along y, metres; negative where nothing is.
        solids: what it is made of, in the frame of the box.
        pose: of the middle of the box, world frame.
        hand: the gripper's measures.

    Returns:
        The shape, with grasps of its walls where it is too wide for the hand.
    """
    if pose.tilt > _ASKEW:  # It leaned on something.
        heights, pose = _seen(solids, Pose((0.0, 0.0, -size[2] / 2.0)), size[:2])[0], Pose((0.0, 0.0, 0.0))
    name, form = nearest_shape(size, heights, solids)
    if form.round:
        size = ((size[0] + size[1]) / 2.0,) * 2 + (size[2],)
    bands = _bands(size, heights) if form.rod else ()
    form = replace(form, grips=measured(bands)) if bands else form
    form = replace(form, profile=_profile(solids, size)) if form.rim else form
    odd = not form.round and 0.0 < float((heights >= 0.0).mean()) < _ODD
    wide = not form.rim and (odd or min(size[:2]) >= hand.widest)
    walls = _walls(size, heights, pose, hand) if wide else ()
    walls += _side_walls(solids, size, hand) if walls else ()
    if wide and form.dip and not walls:
        form = replace(form, walls=_rim_grips(solids, size, hand))
    foot = Pose((0.0, 0.0, 0.0))
    if walls:
        foot = _foot(solids, size)
        form = _by_walls(form, solids, walls, foot.inverse())
    return MeasuredShape(name, form, size, foot)


def nearest_shape(size: Vector, heights: np.ndarray, solids: Tuple[Solid, ...]) -> Tuple[str, Shape]:
    """Find the nearest shape of ours, by the outline and the heights that are seen from above.

    Args:
        size: extents of the bounding box, metres.
        heights: as of :func:`shape_from`.
        solids: what the object is made of, in the frame of the box.

    Returns:
        The shape's name and the shape.
    """
    rows, columns = ((index - (side - 1) / 2.0) / (side / 2.0)
                     for index, side in zip(np.indices(heights.shape), heights.shape))
    away, there = np.hypot(rows, columns), heights >= 0.0
    top = float(heights.max())
    inner = away <= max(_MIDDLE, away.min())  # Of two cells none is nearer.
    middle = float(np.median(np.maximum(heights[inner], 0.0)))
    alike = abs(size[0] - size[1]) < _ALIKE * max(size[:2])
    is_round = alike and float(there.mean()) < _FULL
    wall = [
        float(heights[part].max()) for part in (rows < -_MIDDLE, rows > _MIDDLE, columns < -_MIDDLE, columns > _MIDDLE)]
    if middle < _SUNK * top and min(wall) > _RIM * top and min(size[:2]) > _ROOM:
        if not is_round:
            return "tray", replace(SHAPES["tray"], solids=measured(solids))
        if size[2] > _FLAT * max(size[:2]):
            return "dish", SHAPES["dish"]
        return "cylinder", replace(SHAPES["cylinder"], dip=top - middle)
    return ("cylinder", SHAPES["cylinder"]) if is_round else ("box", SHAPES["box"])


def corners_of(solid: Solid) -> np.ndarray:
    """Return the corners of a solid's bounding box.

    Args:
        solid: in any frame.

    Returns:
        Array (8, 3) in that frame, metres.
    """
    half = np.array(solid.size) / 2.0
    return np.array([solid.pose.apply(as_vector(corner)) for corner in product(*zip(-half, half))])


def _bands(size: Vector, heights: np.ndarray) -> Tuple[Solid, ...]:
    """Return the body and the neck of an upright round object, as wide as seen from above; nothing if it has none."""
    top, cell = float(heights.max()), size[0] / heights.shape[0]
    levels = top * np.arange(1, _LEVELS) / _LEVELS
    widths = np.array([cell * max(np.ptp(each) + 1 for each in np.nonzero(heights >= level)) for level in levels])
    narrow = levels[widths < _NECK * size[0]]
    if not len(narrow) or top - narrow[0] < _LONG:
        return ()
    shoulder = float(narrow[0])
    thin = levels[widths <= widths[levels > shoulder].min() + 2.0 * cell]
    bands = ((0.0, shoulder, size[0]), (float(thin[0]), top, float(widths[levels >= thin[0]].max())))
    return tuple(Solid("cylinder", (width, width, high - low), Pose((0.0, 0.0, (low + high - size[2]) / 2.0)))
        for low, high, width in bands if high - low > THIN)


def _profile(solids: Tuple[Solid, ...], size: Vector) -> Tuple[Tuple[float, float], ...]:
    """Return how wide an upright round object is up to each of some heights, seen from below."""
    high = size[2]
    lowest = high - _seen(solids, Pose((0.0, 0.0, high / 2.0), DOWN), size[:2], THIN)[0]
    away = np.hypot(*((index - (side - 1) / 2.0) / side * extent
                      for index, side, extent in zip(np.indices(lowest.shape), lowest.shape, size)))
    levels = [high * part / _LEVELS for part in range(1, _LEVELS)]
    return tuple((level, min(size[0], 2.0 * float(away[lowest <= level].max(initial=0.0)))) for level in levels)


def _foot(solids: Tuple[Solid, ...], size: Vector) -> Pose:
    """Return the middle of what an object stands on: that of a pan is not the middle between its rim and its handle."""
    corners = np.array([corner for solid in solids for corner in corners_of(solid)])
    low = corners[corners[:, 2] < _STANDS - size[2] / 2.0]
    x, y, _ = map(float, (low.min(axis=0) + low.max(axis=0)) / 2.0)
    return Pose((x, y, 0.0))


def _by_walls(form: Shape, solids: Tuple[Solid, ...], walls: Tuple[Grip, ...], frame: Pose) -> Shape:
    """Return the shape of what hands take by its walls, in a frame that is seen from its own."""
    moved = tuple(replace(solid, pose=frame.compose(solid.pose)) for solid in solids)
    hull = orient(MultiPoint([corner[:2] for solid in moved for corner in corners_of(solid)]).convex_hull)
    outline = tuple((float(x), float(y)) for x, y in hull.exterior.coords[:-1])
    return replace(form, outline=measured(outline), solids=measured(moved),
        handling=Handling.NONE, walls=tuple(replace(grip, tool=frame.compose(grip.tool)) for grip in walls))


def _walls(size: Vector, heights: np.ndarray, pose: Pose, hand: Gripper) -> Tuple[Grip, ...]:
    """Return where the hand fits around parts of what is too wide for it, in its frame."""
    length, width, height = half_extents(WorldObject("", "", size=size), pose)
    x, y, z = pose.position
    grid = pose.inverse().compose(Pose((x, y, z - height)))
    return tuple(replace(grip, tool=grid.compose(grip.tool)) for grip in walls_in(
        heights, (2.0 * length, 2.0 * width), hand))


def _rim_grips(solids: Tuple[Solid, ...], size: Vector, hand: Gripper) -> Tuple[Grip, ...]:
    """Return where a hand that leans outward pinches the rim of a plate, with a finger as low under it as the ground
    allows, in the plate's frame.
    """
    corners = np.concatenate([corners_of(solid) for solid in solids])
    sine, cosine, half = math.sin(_LEANS), math.cos(_LEANS), hand.openings(_PINCHED)[1] / 2.0
    low = hand.tip * cosine + (half + _TAPER * hand.finger[1]) * sine - size[2] / 2.0
    found: List[Grip] = []
    for number in range(_SIDES):
        yaw = math.tau * number / _SIDES
        out, up = np.array([math.cos(yaw), math.sin(yaw), 0.0]), np.array([0.0, 0.0, 1.0])
        closing, ahead = cosine * out - sine * up, -sine * out - cosine * up
        along = float((corners @ closing).max()) + hand.spare / 8.0 - half
        at = as_vector(out * (along + low * sine) / cosine + low * up)
        for side in (closing, -closing):
            turn = from_axes(as_vector(np.cross(side, ahead)), as_vector(side), as_vector(ahead))
            found.append(Grip(Pose(at, turn), _PINCHED))
    return tuple(found)


def _side_walls(solids: Tuple[Solid, ...], size: Vector, hand: Gripper) -> Tuple[Grip, ...]:
    """Return where a level hand fits around parts of an object, such as a handle, in its frame."""
    found: List[Grip] = []
    wide = math.hypot(*size[:2])
    for number in range(_SIDES):
        yaw = from_yaw(math.tau * number / _SIDES)
        view = Pose(rotate(yaw, (-wide / 2.0, 0.0, 0.0)), multiply(yaw, _FROM_AHEAD))
        seen, thick = _seen(solids, view, (wide, size[2]))
        found += [replace(grip, tool=view.compose(grip.tool))
            for grip in walls_in(seen, (wide, size[2]), hand, 1, thick) if grip.width < _SLIM * hand.opening]
    return tuple(found)


def _seen(
    solids: Sequence[Solid], view: Pose, extents: Tuple[float, float], cell: float = _CELL
) -> Tuple[np.ndarray, np.ndarray]:
    """Return how far solids reach towards where a view looks from, on a grid across it, negative where nothing is; and
    how thick the foremost one is there.
    """
    xs, ys = ((np.arange(round(extent / cell)) + 0.5) / round(extent / cell) * extent - extent / 2.0
        for extent in extents)
    found: np.ndarray = np.full((len(xs), len(ys)), -1.0)
    thick: np.ndarray = np.zeros_like(found)
    places = np.stack([*np.meshgrid(xs, ys, indexing="ij"), np.zeros_like(found)], axis=-1)
    for solid in solids:
        frame = solid.pose.inverse().compose(view)
        axes, half = np.array(frame.axes), np.array(solid.size) / 2.0
        start, along = places @ axes + np.array(frame.position), np.where(np.abs(axes[2]) < 1e-9, 1e-9, axes[2])
        one, other = (-half - start) / along, (half - start) / along
        low, high = np.minimum(one, other).max(axis=-1), np.maximum(one, other).min(axis=-1)
        ahead = (low < high) & (high > found)
        found, thick = np.where(ahead, high, found), np.where(ahead, high - low, thick)
    return found, thick
