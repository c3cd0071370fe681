"""A scene of ours from what the benchmark's model measures: shapes, sizes, parts that move, and where the robot stands.

The world frame has its origin below the robot's base, on the plane on which the objects stand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

import numpy as np
from hicrisp_core.model import Pose, Vector, WorldObject
from hicrisp_core.model.geometry import IDENTITY, as_vector, from_axes, rotate
from hicrisp_core.model.joint import SLIDE, SWING, TURN, Joint
from hicrisp_core.model.shapes import Handling, Shape, Solid, measured, rectangle
from hicrisp_core.robot.gripper import Gripper
from hicrisp_core.robot.measured_shape import THIN, corners_of, nearest_shape, shape_from
from hicrisp_core.scene import Scene
from hicrisp_core.scene.scene import TABLE, Stand

from hicrisp_libero.kinds import COMPARTMENT, ROBOT, Translation

_OPEN = "open"
_STRAIGHT = 1.02
"""How much larger than itself the box is, along an object's axes, around a solid that stands straight."""


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
        movable = bool(bodies[each]["movable"])
        if movable:
            shape, form, size, foot = shape_from(size, heights, solids, poses[each], hand)
            frames[each], poses[each] = (frame.compose(foot), size), poses[each].compose(foot)
        else:
            shape, form = nearest_shape(size, heights, solids)
            size = size if not form.round else ((size[0] + size[1]) / 2.0,) * 2 + (size[2],)
            form = replace(form, handling=Handling.NONE)
            form = form if form.round else replace(form, solids=measured(solids))
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
    looks = {own: _looks(bodies[each]["looks"], frames[each][0]) for each, own in translation.names.items()
        if each in frames and bodies[each].get("looks")}
    looks.update({own: _looks(joint["looks"], _frame(pose_from(joint["pose"]), joint["boxes"])[0])
        for own, (number, _) in parts.items() for joint in [told["joints"][number]] if joint.get("looks")})
    described = {own: (item.pose.position[0] + middle_x - x, item.pose.position[1] + middle_y - y)
        for own, item in kinds.items() if own in looks and objects[own].movable and item.pose is not None}
    for own, joint in ((each, objects[each].joint) for each in parts):
        if joint is not None and translation.world.holds(_OPEN, own):  # What is in it is where it goes.
            described.update({fact.subject: joint.moved(joint.home, joint.reach[1]).position[:2]
                for fact in translation.world.relations if fact.object == own and fact.subject in described})
    scene = Scene(name, "libero", (ROBOT,), objects, masses, task=told["instruction"],
        stands={ROBOT: Stand(ROBOT, Pose((0.0, 0.0, height - ground)))}, looks=looks, described=described)
    return Measured(scene, placed, Pose((x, y, ground)), parts)


def _frame(pose: Pose, boxes: Sequence[Sequence[float]]) -> Tuple[Pose, Vector]:
    """Return the frame of an object on its body, upright as it stands, and the extents of its bounding box."""
    axes = np.eye(3)
    up = np.array(rotate(pose.inverse().orientation, (0.0, 0.0, 1.0)))
    z = int(np.argmax(np.abs(up)))
    third = axes[z] * np.sign(up[z])
    first = axes[(z + 1) % 3]
    second = np.cross(third, first)
    corners = np.concatenate([corners_of(_box(each)) for each in boxes])
    low, high = corners.min(axis=0), corners.max(axis=0)
    extents = np.abs(np.array([first, second, third]) @ (high - low))
    middle = (low + high) / 2.0
    return Pose(as_vector(middle), from_axes(as_vector(first), as_vector(second), as_vector(third))), as_vector(extents)


def _looks(rows: Sequence[Sequence[float]], frame: Pose) -> np.ndarray:
    """Return points with their colours and normals in an object's frame."""
    told, axes = np.array(rows), np.array(frame.axes)
    return np.hstack([(told[:, :3] - frame.position) @ axes.T, 255.0 * told[:, 3:6], told[:, 6:] @ axes.T])


def _box(told: Sequence[float]) -> Solid:
    """Return a box that is told by its least and greatest corner in a turned frame, and by the turn, in its body's
    frame.
    """
    low, high = np.array(told[:3]), np.array(told[3:6])
    x, y, z, w = map(float, told[6:])
    turned = Pose((0.0, 0.0, 0.0), (x, y, z, w))
    return Solid("box", as_vector(high - low), turned.compose(Pose(as_vector((low + high) / 2.0))))


def _solids(boxes: Sequence[Sequence[float]], frame: Pose) -> Tuple[Solid, ...]:
    """Return the boxes of a body's geometry as solids in an object's frame, turned only where they stand askew."""
    found: List[Solid] = []
    for each in map(_box, boxes):
        box = replace(each, size=as_vector(np.maximum(each.size, THIN)), pose=frame.inverse().compose(each.pose))
        corners = corners_of(replace(box, size=each.size))
        low, high = corners.min(axis=0), corners.max(axis=0)
        around = np.maximum(high - low, THIN)
        straight = np.prod(around) < _STRAIGHT * np.prod(box.size)
        found.append(Solid("box", as_vector(around), Pose(as_vector((low + high) / 2.0))) if straight else box)
    return tuple(found)


def _part(joint: Mapping[str, Any], fixture: str, back: Pose, kind_of: WorldObject) -> Tuple[WorldObject, float]:
    """Return a part of a fixture on its joint, and the sign by which its positions differ from the benchmark's."""
    pose = back.compose(pose_from(joint["pose"]))
    anchor = back.apply(as_vector(joint["anchor"]))
    low, high = joint["range"]
    sign = -1.0 if abs(low) > abs(high) else 1.0
    axis = as_vector(sign * np.array(joint["axis"]))
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
    bar = from_axes(as_vector(np.cross(-outward, along)), as_vector(-outward), as_vector(along))
    handle = start.inverse().compose(Pose(start.apply(grip.pose.position), bar))
    rest = tuple(solid for solid in solids if solid is not grip)
    form = Shape(rectangle, measured(rest or solids), Handling.NONE, hollow=kind == SLIDE)
    hung = Joint(kind, fixture, start, axis, anchor, (closed, wide), handle, (extents[1], extents[2]))
    hung = replace(hung, home=hung.moved(start, -sign * joint["position"]))
    return replace(kind_of, shape="tray", size=size, pose=start, movable=False, own_form=form, joint=hung), sign
