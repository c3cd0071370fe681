"""Things as MoveIt's collision objects: the solids of their shapes."""

from __future__ import annotations

from typing import List, Optional, Tuple

from geometry_msgs.msg import Point, Quaternion
from geometry_msgs.msg import Pose as PoseMsg
from hicrisp_core.model import Pose, WorldObject
from hicrisp_ros.conversions.geometry import pose_to_msg
from moveit_msgs.msg import CollisionObject
from shape_msgs.msg import SolidPrimitive

Part = Tuple[int, List[float], Pose]
"""A primitive's type, its dimensions in metres, and where it is in the thing."""


def collision_object(thing: WorldObject, pose: Pose, frame: str) -> Optional[CollisionObject]:
    """The thing at a pose of its centre, to be added; ``None`` for what is no obstacle."""
    parts = _parts(thing)
    if not parts:
        return None
    message = CollisionObject(id=thing.name, operation=CollisionObject.ADD, pose=pose_to_msg(pose))
    message.header.frame_id = frame
    for kind, dimensions, place in parts:
        message.primitives.append(SolidPrimitive(type=kind, dimensions=dimensions))
        message.primitive_poses.append(pose_to_msg(place))
    return message


def removal(name: str, frame: str) -> CollisionObject:
    """Take a thing out of the scene."""
    message = CollisionObject(id=name, operation=CollisionObject.REMOVE)
    message.pose = PoseMsg(Point(), Quaternion(0.0, 0.0, 0.0, 1.0))
    message.header.frame_id = frame
    return message


def _parts(thing: WorldObject) -> List[Part]:
    if min(thing.size) <= 0.0:
        return []
    return [(SolidPrimitive.CYLINDER, [solid.size[2], solid.size[0] / 2.0], solid.pose)
            if solid.kind == "cylinder"
            else (SolidPrimitive.BOX, list(solid.size), solid.pose)
            for solid in thing.form.solids(thing.size)]
