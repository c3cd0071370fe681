"""The world: objects, relations, robots."""

from __future__ import annotations

from typing import FrozenSet, Iterable, List, Optional

import genpy
from geometry_msgs.msg import Vector3
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Motion, Relation, RobotState, WorldObject, WorldState
from std_msgs.msg import Header

from hicrisp_msgs.msg import KeyValue
from hicrisp_msgs.msg import Motion as MotionMsg
from hicrisp_msgs.msg import Relation as RelationMsg
from hicrisp_msgs.msg import RobotState as RobotStateMsg
from hicrisp_msgs.msg import WorldObject as WorldObjectMsg
from hicrisp_msgs.msg import WorldState as WorldStateMsg
from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg

WORLD_FRAME = "world"


def _object_to_msg(thing: WorldObject) -> WorldObjectMsg:
    return WorldObjectMsg(
        name=thing.name,
        type=thing.type,
        shape=thing.shape,
        size=Vector3(*thing.size),
        attributes=[KeyValue(key, value) for key, value in thing.attributes.items()],
        has_pose=thing.pose is not None,
        pose=pose_to_msg(thing.pose),
        pose_age=thing.pose_age,
        movable=thing.movable,
        lost=thing.lost,
    )


def _object_from_msg(message: WorldObjectMsg) -> WorldObject:
    return WorldObject(
        name=message.name,
        type=message.type,
        shape=message.shape if message.shape in extensions().shapes else "box",  # By its bounding box.
        size=(message.size.x, message.size.y, message.size.z),
        attributes={pair.key: pair.value for pair in message.attributes},
        pose=pose_from_msg(message.pose, message.has_pose),
        pose_age=message.pose_age,
        movable=message.movable,
        lost=message.lost,
    )


def _robot_to_msg(robot: RobotState) -> RobotStateMsg:
    return RobotStateMsg(
        name=robot.name,
        kind=robot.kind,
        has_pose=robot.pose is not None,
        pose=pose_to_msg(robot.pose),
        has_opening=robot.opening is not None,
        opening=robot.opening or 0.0,
        has_motion=robot.motion is not None,
        motion=_motion_to_msg(robot.motion),
    )


def _motion_to_msg(motion: Optional[Motion]) -> MotionMsg:
    if motion is None:
        return MotionMsg()
    entered = sorted(motion.entered.items())
    return MotionMsg(motion.touches, motion.near_misses, [name for name, _ in entered],
                     [count for _, count in entered], motion.clearance, motion.path)


def _robot_from_msg(message: RobotStateMsg) -> RobotState:
    return RobotState(
        name=message.name,
        kind=message.kind,
        pose=pose_from_msg(message.pose, message.has_pose),
        opening=message.opening if message.has_opening else None,
        motion=_motion_from_msg(message.motion) if message.has_motion else None,
    )


def _motion_from_msg(message: MotionMsg) -> Motion:
    return Motion(message.touches, message.near_misses, dict(zip(message.zones, message.entered)),
                  message.clearance,
                  message.path)


def facts_to_msg(facts: Iterable[Relation]) -> List[RelationMsg]:
    """Facts as messages, in a fixed order."""
    return [RelationMsg(*fact) for fact in sorted(facts)]


def facts_from_msg(messages: Iterable[RelationMsg]) -> FrozenSet[Relation]:
    """The facts of messages."""
    return frozenset(Relation(fact.subject, fact.predicate, fact.object) for fact in messages)


def world_to_msg(world: WorldState) -> WorldStateMsg:
    """A world as a message; the stamp is kept to the nanosecond."""
    return WorldStateMsg(
        header=Header(stamp=genpy.Time.from_sec(world.stamp), frame_id=WORLD_FRAME),
        objects=[_object_to_msg(thing) for thing in world.objects.values()],
        relations=facts_to_msg(world.relations),
        robots=[_robot_to_msg(robot) for robot in world.robots.values()],
    )


def world_from_msg(message: WorldStateMsg) -> WorldState:
    """The world of a message."""
    return WorldState(
        objects={thing.name: _object_from_msg(thing) for thing in message.objects},
        relations=facts_from_msg(message.relations),
        robots={robot.name: _robot_from_msg(robot) for robot in message.robots},
        stamp=message.header.stamp.to_sec(),
    )
