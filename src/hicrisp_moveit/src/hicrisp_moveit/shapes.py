"""Things as MoveIt's collision objects: boxes, cylinders, and bowls as boxes around a floor."""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from geometry_msgs.msg import Point, Quaternion
from geometry_msgs.msg import Pose as PoseMsg
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.footprint import BOWL_WALL
from hicrisp_core.model.geometry import from_yaw
from hicrisp_ros.conversions.geometry import pose_to_msg
from moveit_msgs.msg import CollisionObject
from shape_msgs.msg import SolidPrimitive

_STAVES = 12
"""Boxes that make the wall of a bowl."""
_NO_OBSTACLE = ("region",)

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
    here = Pose((0.0, 0.0, 0.0))
    width, depth, height = thing.size
    if thing.shape in _NO_OBSTACLE or min(thing.size) <= 0.0:
        return []
    if thing.shape == "cylinder":
        return [(SolidPrimitive.CYLINDER, [height, width / 2.0], here)]
    if thing.shape == "bowl":
        return _bowl(width / 2.0, height)
    return [(SolidPrimitive.BOX, [width, depth, height], here)]


def _bowl(radius: float, height: float) -> List[Part]:
    """A floor and a ring of boxes: the room inside is free."""
    half = BOWL_WALL / 2.0
    parts: List[Part] = [(SolidPrimitive.CYLINDER, [BOWL_WALL, radius - half], Pose((0.0, 0.0, half - height / 2.0)))]
    for stave in range(_STAVES):
        angle = math.tau * stave / _STAVES
        x, y = (radius - half) * math.cos(angle), (radius - half) * math.sin(angle)
        size = [BOWL_WALL, 2.0 * radius * math.tan(math.pi / _STAVES), height]
        parts.append((SolidPrimitive.BOX, size, Pose((x, y, 0.0), from_yaw(angle))))
    return parts
