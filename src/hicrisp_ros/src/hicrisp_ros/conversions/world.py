"""The world: objects, relations, robots."""

from __future__ import annotations

import math
from typing import FrozenSet, Iterable, List, Optional, Tuple

import genpy
from geometry_msgs.msg import Vector3
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Motion, Pose, Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.joint import SLIDE, SWING, TURN, Joint
from hicrisp_core.model.track import Track, Uncertainty, View, Visibility
from hicrisp_core.model.way import Mark, Way
from hicrisp_core.model.world import Reach
from std_msgs.msg import Header

from hicrisp_msgs.msg import KeyValue, TrackArray
from hicrisp_msgs.msg import Motion as MotionMsg
from hicrisp_msgs.msg import Relation as RelationMsg
from hicrisp_msgs.msg import RobotState as RobotStateMsg
from hicrisp_msgs.msg import Track as TrackMsg
from hicrisp_msgs.msg import WorldObject as WorldObjectMsg
from hicrisp_msgs.msg import WorldState as WorldStateMsg
from hicrisp_ros.conversions.codec import Codec, Part, named
from hicrisp_ros.conversions.geometry import pose_to_msg, seen_pose

WORLD_FRAME = "world"
_JOINT_VALUES = 25


_AHEAD = {"ahead": "stamped_ahead"}
_POSE = Part(pose_to_msg, seen_pose)
_VISIBILITY = named(Visibility, Visibility.VISIBLE)
_OBJECT = Codec(
    WorldObject, WorldObjectMsg, _AHEAD, pose=_POSE, visibility=_VISIBILITY, uncertainty=None, own_form=None,
    joint=None,
    size=Part(lambda size: Vector3(*size), lambda size: (size.x, size.y, size.z)),
    attributes=Part(lambda said: [KeyValue(*pair) for pair in said.items()],
                    lambda pairs: {pair.key: pair.value for pair in pairs}),
    pose_age=Part(lambda age: age, lambda age: age if age >= 0.0 else math.inf))  # Without a number it is unknown.


def _object_to_msg(item: WorldObject) -> WorldObjectMsg:
    sure, joint = item.uncertainty, item.joint
    return _OBJECT.to_msg(
        item, position_sigma=sure.position, height_sigma=sure.height, yaw_sigma=sure.yaw,
        joint=joint.kind if joint else "", fixture=joint.fixture if joint else "",
        joint_values=_joint_values(joint) if joint else ())


def _joint_values(joint: Joint) -> Tuple[float, ...]:
    home, handle = joint.home, joint.handle
    return (*home.position, *home.orientation, *joint.axis, *joint.point, *joint.reach, *handle.position,
            *handle.orientation, *joint.bar, joint.latch)


def _joint_from_msg(message: WorldObjectMsg) -> Optional[Joint]:
    values = tuple(message.joint_values)
    if len(values) != _JOINT_VALUES or message.joint not in (SLIDE, SWING, TURN):
        return None
    return Joint(message.joint, message.fixture, Pose(values[:3], values[3:7]), values[7:10], values[10:13],
                 values[13:15], Pose(values[15:18], values[18:22]), values[22:24], values[24])


def _object_from_msg(message: WorldObjectMsg) -> WorldObject:
    shapes = extensions().shapes
    shape = message.shape if message.shape in shapes else "box"  # By its bounding box.
    return _OBJECT.from_msg(message, shape=shape, own_form=shapes.get(shape), uncertainty=Uncertainty(
        message.position_sigma, message.height_sigma, message.yaw_sigma), joint=_joint_from_msg(message))


def _motion_to_msg(motion: Optional[Motion]) -> MotionMsg:
    if motion is None:
        return MotionMsg()
    entered = sorted(motion.entered.items())
    way = motion.way
    return MotionMsg(motion.touches, motion.near_misses, [name for name, _ in entered],
                     [count for _, count in entered], motion.clearance, motion.path,
                     [x for x, _ in way.spots], [y for _, y in way.spots], way.count,
                     [mark.what for mark in way.marks], [mark.spot[0] for mark in way.marks],
                     [mark.spot[1] for mark in way.marks], way.marked)


_ROBOT = Codec(
    RobotState, RobotStateMsg, _AHEAD, pose=_POSE,
    motion=Part(_motion_to_msg, lambda message: Motion(
        message.touches, message.near_misses, dict(zip(message.zones, message.entered)), message.clearance,
        message.path, way_from_msg(message))),
    reach=Part(lambda reach: () if reach is None else (*reach.origin, reach.least, reach.greatest),
               lambda said: Reach(tuple(said[:2]), *said[2:]) if said else None))


def way_from_msg(message: MotionMsg) -> Way:
    """Convert the recent path of a base from a message.

    Args:
        message: the ROS message.

    Returns:
        The path and the marked spots on it, map frame, metres.
    """
    marks = zip(message.marks, zip(message.mark_x, message.mark_y))
    return Way(tuple(zip(message.way_x, message.way_y)), message.way_count,
               tuple(Mark(what, spot) for what, spot in marks), message.mark_count)


def facts_to_msg(facts: Iterable[Relation]) -> List[RelationMsg]:
    """Convert facts to messages.

    Args:
        facts: predicate, subject and object of each.

    Returns:
        The messages, sorted.
    """
    return [RelationMsg(*fact) for fact in sorted(facts)]


def facts_from_msg(messages: Iterable[RelationMsg]) -> FrozenSet[Relation]:
    """Convert facts from messages.

    Args:
        messages: the messages.

    Returns:
        The facts.
    """
    return frozenset(Relation(fact.subject, fact.predicate, fact.object) for fact in messages)


def world_to_msg(world: WorldState) -> WorldStateMsg:
    """Convert a world to a message; its stamp is kept to the nanosecond.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        The message.
    """
    return WorldStateMsg(
        header=Header(stamp=genpy.Time.from_sec(world.stamp), frame_id=WORLD_FRAME),
        objects=[_object_to_msg(item) for item in world.objects.values()],
        relations=facts_to_msg(world.relations),
        robots=list(map(_ROBOT.to_msg, world.robots.values())),
        has_view=world.viewed is not None,
        viewed=_time(world.viewed or 0.0),
        trouble=world.trouble,
    )


def world_from_msg(message: WorldStateMsg) -> WorldState:
    """Convert a world from a message.

    Args:
        message: the ROS message.

    Returns:
        The world.
    """
    return WorldState(
        objects={item.name: _object_from_msg(item) for item in message.objects},
        relations=facts_from_msg(message.relations),
        robots={robot.name: _ROBOT.from_msg(robot) for robot in message.robots},
        stamp=message.header.stamp.to_sec(),
        viewed=_seconds(message.viewed) if message.has_view else None,
        trouble=message.trouble,
    )


def view_to_msg(view: View) -> TrackArray:
    """Convert a view to a message.

    Args:
        view: tracks of one or more cameras.

    Returns:
        The message.
    """
    return TrackArray(header=Header(stamp=_time(view.stamp), frame_id=WORLD_FRAME),
                      tracks=[_track_to_msg(track) for track in view.tracks], trouble=view.trouble)


def view_from_msg(message: TrackArray) -> View:
    """Convert a view from a message.

    Args:
        message: the ROS message.

    Returns:
        The view; tracks with an invalid pose are skipped.
    """
    return View(message.header.stamp.to_sec(),
                tuple(track for track in map(_track_from_msg, message.tracks) if track is not None),
                message.trouble)


def _track_to_msg(track: Track) -> TrackMsg:
    sure = track.uncertainty
    item = _object_to_msg(track.unknown) if track.unknown is not None else WorldObjectMsg()
    return TrackMsg(track.name, pose_to_msg(track.pose), sure.position, sure.height, sure.yaw,
                    _time(track.stamp), track.visibility.value, track.unknown is not None, item)


def _track_from_msg(message: TrackMsg) -> Optional[Track]:
    pose = seen_pose(message.pose)
    if pose is None:
        return None
    sure = Uncertainty(message.position_sigma, message.height_sigma, message.yaw_sigma)
    return Track(message.name, pose, sure, _seconds(message.stamp), _VISIBILITY.from_msg(message.visibility),
                 _object_from_msg(message.thing) if message.unknown else None)


def _time(seconds: float) -> genpy.Time:
    """Return a stamp; 0 for a moment before the clock began."""
    return genpy.Time.from_sec(max(0.0, seconds))


def _seconds(stamp: genpy.Time) -> float:
    """Return the time of a stamp, seconds; minus infinity for 0."""
    return stamp.to_sec() if not stamp.is_zero() else -math.inf
