"""A scene of ours from what the benchmark's model measures: shapes, sizes, parts that move, and where the robot stands.

The world frame has its origin below the robot's base, on the plane on which the objects stand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

import numpy as np
from hicrisp_core.model import Pose, Vector, WorldObject
from hicrisp_core.model.geometry import IDENTITY, from_axes, from_yaw, multiply, rotate
from hicrisp_core.model.joint import SLIDE, SWING, TURN, Joint
from hicrisp_core.model.keep_out import half_extents
from hicrisp_core.model.shapes import SHAPES, Grip, Handling, Shape, Solid, measured, rectangle
from hicrisp_core.robot.gripper import Gripper
from hicrisp_core.robot.walls import walls_in
from hicrisp_core.scene import Scene
from hicrisp_core.scene.scene import TABLE, Stand
from shapely.geometry import MultiPoint
from shapely.geometry.polygon import orient

from hicrisp_libero.kinds import COMPARTMENT, ROBOT, Translation

_FULL, _ALIKE = 0.9, 0.15
"""Share of its bounding rectangle that an object with corners fills, and by how much a round one's sides differ."""
_SUNK, _FLAT = 0.7, 0.25
"""Share of its height to which the middle of a hollow object reaches at most; height by width of a plate at most."""
_RIM = 0.8
"""Share of its height that the wall of a hollow object has all around."""
_MIDDLE = 0.35
"""Share of the half width that counts as the middle."""
_LEVELS, _NECK, _LONG = 20, 0.85, 0.02
"""Parts into which a round object is cut from bottom to top; share of its width below which it is a neck, and the least
length of one, metres."""
_STRAIGHT = 1.02
"""How much larger than itself the box is, along an object's axes, around a solid that stands straight."""
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
_THIN = 0.002
"""Least extent of a solid, metres."""


@dataclass(frozen=True)
class Measured:
    """What is made of a benchmark's model.

    Args:
        scene: as our planning and skills know scenes.
        placed: for each movable object the pose of its frame, the middle of its bounding box with z up as it stood, in
            that of the benchmark's body.
        origin: pose of our world frame in the benchmark's.
        parts: for each part of a fixture the number of the benchmark's joint, and the sign of its positions.
    """

    scene: Scene
    placed: Mapping[str, Pose]
    origin: Pose
    parts: Mapping[str, Tuple[int, float]]


def pose_from(values: Union[Sequence[float], np.ndarray]) -> Pose:
    """Return a pose from position and quaternion (x, y, z, w).

    Args:
        values: seven numbers.

    Returns:
        The pose.
    """
    x, y, z, qx, qy, qz, qw = map(float, values)
    return Pose((x, y, z), (qx, qy, qz, qw))


def measure(told: Mapping[str, Any], translation: Translation, name: str, hand: Gripper) -> Measured:
    """Make a scene of what the benchmark tells of its model.

    Args:
        told: the answer to ``make``; ``heights`` of an object is how high it is on a square grid seen from above,
            metres, negative where nothing is.
        translation: what its objects are called here, and of which types they are.
        name: of the scene.
        hand: the robot's gripper.

    Returns:
        The scene with what links it to the benchmark.
    """
    bodies, kinds = told["bodies"], translation.world.objects
    frames = {each: _frame(pose_from(body["pose"]), body["boxes"]) for each, body in bodies.items() if body["boxes"]}
    poses = {each: pose_from(bodies[each]["pose"]).compose(frame) for each, (frame, _) in frames.items()}
    ground = min(
        poses[each].position[2] - size[2] / 2.0 for each, (_, size) in frames.items() if bodies[each]["movable"])
    x, y, height = told["base"][:3]
    back = Pose((x, y, ground)).inverse()
    middle_x, middle_y, length, width = told["table"]
    objects = {TABLE: WorldObject(TABLE, "surface", "surface", (length, width, 0.04), movable=False,
        pose=Pose((middle_x - x, middle_y - y, -0.02)))}
    masses: Dict[str, float] = {}
    for each, (frame, size) in frames.items():
        own = translation.names[each]
        heights = np.array(bodies[each]["heights"])
        solids = _solids(bodies[each]["boxes"], frame)
        shape, form = _shape(size, heights, solids)
        if form.round:
            size = ((size[0] + size[1]) / 2.0,) * 2 + (size[2],)
        movable = bool(bodies[each]["movable"])
        bands = _bands(size, heights) if form.rod else ()
        form = replace(form, grips=measured(bands)) if bands else form
        form = form if movable else _fixed(form, solids)
        wide = movable and not form.rim and min(size[:2]) >= hand.opening
        walls = _walls(size, heights, poses[each], hand) if wide else ()
        walls += _side_walls(solids, size, hand) if walls else ()
        if wide and form.dip and not walls:
            form = replace(form, walls=_rim_grips(solids, size, hand))
        if walls:
            foot = _foot(solids, size)
            frames[each], poses[each] = (frame.compose(foot), size), poses[each].compose(foot)
            form = _by_walls(form, solids, walls, foot.inverse())
        objects[own] = replace(
            kinds[own], shape=shape, size=size, pose=back.compose(poses[each]), movable=movable, own_form=form)
        masses.update({own: float(bodies[each]["mass"])} if movable else {})
    parts: Dict[str, Tuple[int, float]] = {}
    called = {site["body"]: translation.places[each].name for each, site in told["sites"].items()
        if each in translation.places}
    for number, joint in enumerate(told["joints"]):
        fixture = translation.names.get(joint["root"], "")
        if fixture not in objects or not joint["boxes"]:
            continue
        own = called.get(joint["body"], "")
        own = own if own in kinds and own != fixture else joint["name"]
        part, sign = _part(joint, fixture, back, kinds.get(own, WorldObject(own, "part")))
        objects[own], parts[own], masses[own] = part, (number, sign), 1.0
    for each, site in told["sites"].items():
        own = translation.places[each].name if each in translation.places else TABLE
        if own not in objects and kinds[own].type == COMPARTMENT:
            half = np.array(site["size"]) / 2.0
            at, size = _frame(pose_from(site["pose"]), [[*-half, *half, *IDENTITY]])
            objects[own] = replace(kinds[own], shape="compartment", size=size,
                pose=back.compose(pose_from(site["pose"]).compose(at)), movable=False)
            whole = kinds[own].whole
            objects[whole] = replace(objects[whole], own_form=replace(objects[whole].form, hollow=False))
    placed = {translation.names[each]: frame for each, (frame, _) in frames.items() if bodies[each]["movable"]}
    scene = Scene(name, "libero", (ROBOT,), objects, masses, task=told["instruction"],
        stands={ROBOT: Stand(ROBOT, Pose((0.0, 0.0, height - ground)))})
    return Measured(scene, placed, Pose((x, y, ground)), parts)


def _frame(pose: Pose, boxes: Sequence[Sequence[float]]) -> Tuple[Pose, Vector]:
    """Return the frame of an object on its body, upright as it stands, and the extents of its bounding box."""
    axes = np.eye(3)
    up = np.array(rotate(pose.inverse().orientation, (0.0, 0.0, 1.0)))
    z = int(np.argmax(np.abs(up)))
    third = axes[z] * np.sign(up[z])
    first = axes[(z + 1) % 3]
    second = np.cross(third, first)
    corners = np.concatenate([_corners(_box(each)) for each in boxes])
    low, high = corners.min(axis=0), corners.max(axis=0)
    extents = np.abs(np.array([first, second, third]) @ (high - low))
    middle = (low + high) / 2.0
    return Pose(_vector(middle), from_axes(_vector(first), _vector(second), _vector(third))), _vector(extents)


def _box(told: Sequence[float]) -> Solid:
    """Return a box that is told by its least and greatest corner in a turned frame, and by the turn, in its body's
    frame.
    """
    low, high = np.array(told[:3]), np.array(told[3:6])
    x, y, z, w = map(float, told[6:])
    turned = Pose((0.0, 0.0, 0.0), (x, y, z, w))
    return Solid("box", _vector(high - low), turned.compose(Pose(_vector((low + high) / 2.0))))


def _corners(solid: Solid) -> np.ndarray:
    half = np.array(solid.size) / 2.0
    return np.array([solid.pose.apply(_vector(corner)) for corner in product(*zip(-half, half))])


def _solids(boxes: Sequence[Sequence[float]], frame: Pose) -> Tuple[Solid, ...]:
    """Return the boxes of a body's geometry as solids in an object's frame, turned only where they stand askew."""
    found: List[Solid] = []
    for each in map(_box, boxes):
        box = replace(each, size=_vector(np.maximum(each.size, _THIN)), pose=frame.inverse().compose(each.pose))
        corners = _corners(replace(box, size=each.size))
        low, high = corners.min(axis=0), corners.max(axis=0)
        around = np.maximum(high - low, _THIN)
        straight = np.prod(around) < _STRAIGHT * np.prod(box.size)
        found.append(Solid("box", _vector(around), Pose(_vector((low + high) / 2.0))) if straight else box)
    return tuple(found)


def _fixed(form: Shape, solids: Tuple[Solid, ...]) -> Shape:
    """Return the shape of a fixture: what no hand takes, made of what was measured where it has corners."""
    form = replace(form, handling=Handling.NONE)
    return form if form.round else replace(form, solids=measured(solids))


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
        for low, high, width in bands if high - low > _THIN)


def _foot(solids: Tuple[Solid, ...], size: Vector) -> Pose:
    """Return the middle of what an object stands on: that of a pan is not the middle between its rim and its handle."""
    corners = np.array([corner for solid in solids for corner in _corners(solid)])
    low = corners[corners[:, 2] < _STANDS - size[2] / 2.0]
    x, y, _ = map(float, (low.min(axis=0) + low.max(axis=0)) / 2.0)
    return Pose((x, y, 0.0))


def _by_walls(form: Shape, solids: Tuple[Solid, ...], walls: Tuple[Grip, ...], frame: Pose) -> Shape:
    """Return the shape of what hands take by its walls, in a frame that is seen from its own."""
    moved = tuple(replace(solid, pose=frame.compose(solid.pose)) for solid in solids)
    hull = orient(MultiPoint([corner[:2] for solid in moved for corner in _corners(solid)]).convex_hull)
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
    corners = np.concatenate([_corners(solid) for solid in solids])
    sine, cosine, half = math.sin(_LEANS), math.cos(_LEANS), hand.openings(_PINCHED)[1] / 2.0
    low = hand.tip * cosine + (half + _TAPER * hand.finger[1]) * sine - size[2] / 2.0
    found: List[Grip] = []
    for number in range(_SIDES):
        yaw = math.tau * number / _SIDES
        out, up = np.array([math.cos(yaw), math.sin(yaw), 0.0]), np.array([0.0, 0.0, 1.0])
        closing, ahead = cosine * out - sine * up, -sine * out - cosine * up
        along = float((corners @ closing).max()) + hand.spare / 8.0 - half
        at = _vector(out * (along + low * sine) / cosine + low * up)
        for side in (closing, -closing):
            turn = from_axes(_vector(np.cross(side, ahead)), _vector(side), _vector(ahead))
            found.append(Grip(Pose(at, turn), _PINCHED))
    return tuple(found)


def _side_walls(solids: Tuple[Solid, ...], size: Vector, hand: Gripper) -> Tuple[Grip, ...]:
    """Return where a level hand fits around parts of an object, such as a handle, in its frame."""
    found: List[Grip] = []
    wide = math.hypot(*size[:2])
    for number in range(_SIDES):
        yaw = from_yaw(math.tau * number / _SIDES)
        view = Pose(rotate(yaw, (-wide / 2.0, 0.0, 0.0)), multiply(yaw, _FROM_AHEAD))
        seen = _seen(solids, view, (wide, size[2]))
        found += [replace(grip, tool=view.compose(grip.tool)) for grip in walls_in(seen, (wide, size[2]), hand, 1)
            if grip.width < _SLIM * hand.opening]
    return tuple(found)


def _seen(solids: Sequence[Solid], view: Pose, extents: Tuple[float, float]) -> np.ndarray:
    """Return how far solids reach towards where a view looks from, on a grid across it; negative where nothing is."""
    xs, ys = ((np.arange(round(extent / _CELL)) + 0.5) / round(extent / _CELL) * extent - extent / 2.0
        for extent in extents)
    found = np.full((len(xs), len(ys)), -1.0)
    places = np.stack([*np.meshgrid(xs, ys, indexing="ij"), np.zeros_like(found)], axis=-1)
    for solid in solids:
        frame = solid.pose.inverse().compose(view)
        axes, half = np.array(frame.axes), np.array(solid.size) / 2.0
        start, along = places @ axes + np.array(frame.position), np.where(np.abs(axes[2]) < 1e-9, 1e-9, axes[2])
        ends = np.sort(np.stack([(-half - start) / along, (half - start) / along]), axis=0)
        low, high = ends[0].max(axis=-1), ends[1].min(axis=-1)
        found = np.maximum(found, np.where(low < high, high, -1.0))
    return found


def _shape(size: Vector, heights: np.ndarray, solids: Tuple[Solid, ...]) -> Tuple[str, Shape]:
    """Return the nearest shape of ours, by the outline and the heights that are seen from above."""
    side = heights.shape[0]
    rows, columns = (np.indices(heights.shape) - (side - 1) / 2.0) / (side / 2.0)
    away, there = np.hypot(rows, columns), heights >= 0.0
    top = float(heights.max())
    middle = float(np.median(np.maximum(heights[away < _MIDDLE], 0.0)))
    alike = abs(size[0] - size[1]) < _ALIKE * max(size[:2])
    is_round = alike and float(there.mean()) < _FULL
    wall = [
        float(heights[part].max()) for part in (rows < -_MIDDLE, rows > _MIDDLE, columns < -_MIDDLE, columns > _MIDDLE)]
    if middle < _SUNK * top and min(wall) > _RIM * top:
        if not is_round:
            return "tray", replace(SHAPES["tray"], solids=measured(solids))
        if size[2] > _FLAT * max(size[:2]):
            return "dish", SHAPES["dish"]
        return "cylinder", replace(SHAPES["cylinder"], dip=top - middle)
    return ("cylinder", SHAPES["cylinder"]) if is_round else ("box", SHAPES["box"])


def _part(joint: Mapping[str, Any], fixture: str, back: Pose, kind_of: WorldObject) -> Tuple[WorldObject, float]:
    """Return a part of a fixture on its joint, and the sign by which its positions differ from the benchmark's."""
    pose = back.compose(pose_from(joint["pose"]))
    anchor = back.apply(_vector(joint["anchor"]))
    low, high = joint["range"]
    sign = -1.0 if abs(low) > abs(high) else 1.0
    axis = _vector(sign * np.array(joint["axis"]))
    closed, wide = sorted((sign * low, sign * high))
    frame, size = _frame(pose, joint["boxes"])
    start = pose.compose(frame)
    kind = SLIDE if joint["kind"] == "slide" else SWING
    outward = np.array(axis) if kind == SLIDE else np.cross(axis, np.array(start.position) - np.array(anchor))
    length = float(np.linalg.norm(outward))
    if kind == SWING and length < 0.02:
        kind = TURN
    outward = outward / max(length, 1e-9) if kind != TURN else np.array(axis)
    solids = _solids(joint["boxes"], frame)
    ahead = [float(np.dot(start.apply(solid.pose.position), outward)) for solid in solids]
    grip = solids[int(np.argmax(ahead))]
    extents = sorted(grip.size)
    along = np.array(start.compose(grip.pose).axes[int(np.argmax(grip.size))])
    bar = from_axes(_vector(np.cross(-outward, along)), _vector(-outward), _vector(along))
    handle = start.inverse().compose(Pose(start.apply(grip.pose.position), bar))
    rest = tuple(solid for solid in solids if solid is not grip)
    form = Shape(rectangle, measured(rest or solids), Handling.NONE, hollow=kind == SLIDE)
    hung = Joint(kind, fixture, start, axis, anchor, (closed, wide), handle, (extents[1], extents[2]))
    hung = replace(hung, home=hung.moved(start, -sign * joint["position"]))
    return replace(kind_of, shape="tray", size=size, pose=start, movable=False, own_form=form, joint=hung), sign


def _vector(values: Union[Sequence[float], np.ndarray]) -> Vector:
    x, y, z = map(float, values)
    return (x, y, z)
