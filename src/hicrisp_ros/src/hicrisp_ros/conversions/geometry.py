"""Poses and vectors; a value that may be missing travels beside a flag."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

import rospy
from geometry_msgs.msg import Point, Quaternion, TransformStamped, Vector3
from geometry_msgs.msg import Pose as PoseMsg
from hicrisp_core.model import Pose, Vector
from tf2_msgs.msg import TFMessage


def pose_to_msg(pose: Optional[Pose]) -> PoseMsg:
    """A pose as a message; a missing one as the identity (its flag says that it is missing)."""
    if pose is None:
        return PoseMsg(orientation=Quaternion(0.0, 0.0, 0.0, 1.0))
    return PoseMsg(Point(*pose.position), Quaternion(*pose.orientation))


def pose_from_msg(message: PoseMsg, present: bool = True) -> Optional[Pose]:
    """The pose of a message, or ``None`` when its flag says that there is none."""
    if not present:
        return None
    p, q = message.position, message.orientation
    return Pose((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def seen_pose(message: PoseMsg, present: bool = True) -> Optional[Pose]:
    """The pose of something that was seen; ``None`` where its numbers are not finite, too, for nothing was
    seen then. A pose that somebody asks for is not read by this: it must be refused, not forgotten.
    """
    pose = pose_from_msg(message, present)
    return pose if pose is not None and pose.finite else None


def transform_to_msg(parent: str, child: str, pose: Pose, stamp: rospy.Time) -> TransformStamped:
    """A pose in its parent's frame as the frame of a child."""
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, stamp
    message.transform.translation = Vector3(*pose.position)
    message.transform.rotation = pose_to_msg(pose).orientation
    return message


def pose_from_transform(placed: TransformStamped) -> Pose:
    """The pose of a child in its parent's frame."""
    moved, turned = placed.transform.translation, placed.transform.rotation
    return Pose((moved.x, moved.y, moved.z), (turned.x, turned.y, turned.z, turned.w))


def frames_from_msg(message: TFMessage) -> Dict[str, Tuple[Pose, float]]:
    """The pose of each child of a message with its stamp, seconds."""
    return {each.child_frame_id: (pose_from_transform(each), each.header.stamp.to_sec()) for each in message.transforms}


def vector_to_msg(vector: Optional[Vector]) -> Vector3:
    """A vector as a message; a missing one as zero (its flag says that it is missing)."""
    return Vector3() if vector is None else Vector3(*vector)


def vector_from_msg(message: Vector3, present: bool = True) -> Optional[Vector]:
    """The vector of a message, or ``None`` when its flag says that there is none."""
    return (message.x, message.y, message.z) if present else None
