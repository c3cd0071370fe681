"""The world: objects, relations, robots; and views of it."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional

import genpy
from geometry_msgs.msg import Vector3
from hicrisp_core.model import Motion, Pose, RobotState, Track, Tracks, Uncertainty, Visibility, WorldObject, WorldState
from hicrisp_core.model.joint import SLIDE, SWING, TURN, Joint
from hicrisp_core.model.way import Mark, Way
from hicrisp_core.model.world import Reach
from std_msgs.msg import Header

from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Part, Spread, codec, marked, named
from hicrisp_ros.conversions.form import form_from_text, form_to_text, known_shape
from hicrisp_ros.conversions.geometry import pose_to_msg, seen_pose
from hicrisp_ros.conversions.verdict import FACT

WORLD_FRAME = "world"
_JOINT_VALUES = 26


def _joint_to_msg(joint: Optional[Joint]) -> Dict[str, Any]:
    if joint is None:
        return {}
    home, handle = joint.home, joint.handle
    return {"joint": joint.kind, "fixture": joint.fixture, "joint_values": (
        *home.position, *home.orientation, *joint.axis, *joint.point, *joint.reach, *handle.position,
        *handle.orientation, *joint.bar, joint.latch, joint.guessed)}


def _joint_from_msg(message: msg.WorldObject) -> Optional[Joint]:
    values = tuple(message.joint_values)
    if len(values) != _JOINT_VALUES or message.joint not in (SLIDE, SWING, TURN):
        return None
    return Joint(message.joint, message.fixture, Pose(values[:3], values[3:7]), values[7:10], values[10:13],
                 values[13:15], Pose(values[15:18], values[18:22]), values[22:24], values[24], values[25] > 0.0)


def _motion_to_msg(motion: Optional[Motion]) -> msg.Motion:
    if motion is None:
        return msg.Motion()
    entered = sorted(motion.entered.items())
    way = motion.way
    return msg.Motion(motion.touches, motion.near_misses, [name for name, _ in entered],
                      [count for _, count in entered], motion.clearance, motion.path,
                      [x for x, _ in way.spots], [y for _, y in way.spots], way.count,
                      [mark.what for mark in way.marks], [mark.spot[0] for mark in way.marks],
                      [mark.spot[1] for mark in way.marks], way.marked)


def way_from_msg(message: msg.Motion) -> Way:
    """Convert the recent path of a base from a message.

    Args:
        message: the ROS message.

    Returns:
        The path and the marked spots on it, map frame, metres.
    """
    marks = zip(message.marks, zip(message.mark_x, message.mark_y))
    return Way(tuple(zip(message.way_x, message.way_y)), message.way_count,
               tuple(Mark(what, spot) for what, spot in marks), message.mark_count)


# Without a number a moment or an age is unknown; before the clock began a stamp is 0.
_TIME = Part(lambda seconds: genpy.Time.from_sec(max(0.0, seconds or 0.0)),
             lambda stamp: stamp.to_sec() if not stamp.is_zero() else -math.inf)
_HEADER = Spread(lambda seconds: {"header": Header(stamp=_TIME.to_msg(seconds), frame_id=WORLD_FRAME)},
                 lambda message: message.header.stamp.to_sec())
_AHEAD = Spread(lambda seconds: {"stamped_ahead": seconds}, lambda message: message.stamped_ahead)
_POSE = Part(pose_to_msg, seen_pose)
_SURE = Spread(lambda sure: {"position_sigma": sure.position, "height_sigma": sure.height, "yaw_sigma": sure.yaw},
               lambda message: Uncertainty(message.position_sigma, message.height_sigma, message.yaw_sigma))
_VISIBILITY = named(Visibility, Visibility.VISIBLE)
_THING = codec(
    WorldObject, msg.WorldObject, pose=_POSE, visibility=_VISIBILITY, uncertainty=_SURE, ahead=_AHEAD,
    joint=Spread(_joint_to_msg, _joint_from_msg), shape=Part(str, known_shape),
    own_form=Spread(lambda form: {}, lambda message: form_from_text(message.shape, message.form)),
    size=Part(lambda size: Vector3(*size), lambda size: (size.x, size.y, size.z)),
    attributes=Part(lambda said: [msg.KeyValue(*pair) for pair in said.items()],
                    lambda pairs: {pair.key: pair.value for pair in pairs}),
    pose_age=Part(float, lambda age: age if age >= 0.0 else math.inf))
_OBJECT = Part(lambda thing: _THING.to_msg(thing, form=form_to_text(thing)), _THING.from_msg)
_ROBOT = codec(
    RobotState, msg.RobotState, ahead=_AHEAD, pose=_POSE,
    motion=Part(_motion_to_msg, lambda message: Motion(
        message.touches, message.near_misses, dict(zip(message.zones, message.entered)), message.clearance,
        message.path, way_from_msg(message))),
    reach=Part(lambda reach: () if reach is None else (*reach.origin, reach.least, reach.greatest),
               lambda said: Reach(tuple(said[:2]), *said[2:]) if said else None))
FACTS = Part(lambda facts: FACT.each.to_msg(sorted(facts)),
             lambda messages: frozenset(map(FACT.from_msg, messages)))
"""Of a set; the messages are sorted."""


def _by_name(part: Part[Any]) -> Part[Any]:
    return Part(lambda values: part.each.to_msg(values.values()),
                lambda messages: {each.name: part.from_msg(each) for each in messages})


_EYE = Part(lambda eye: eye or (), lambda said: tuple(said) or None)
WORLD = codec(WorldState, msg.WorldState, objects=_by_name(_OBJECT), relations=FACTS, robots=_by_name(_ROBOT),
              stamp=_HEADER, viewed=marked(_TIME, "viewed", "has_view"), eye=_EYE)
"""Stamps are kept to the nanosecond; poses are in the world frame."""
_TRACK = codec(Track, msg.Track, pose=_POSE, uncertainty=_SURE, stamp=_TIME, visibility=_VISIBILITY,
               unknown=marked(_OBJECT, "thing", "unknown"))
VIEW = codec(Tracks, msg.TrackArray, stamp=_HEADER, eye=_EYE, tracks=Part(
    _TRACK.each.to_msg,
    lambda messages: tuple(each for each in map(_TRACK.from_msg, messages) if each.pose is not None)))
"""Tracks with an invalid pose are skipped."""
