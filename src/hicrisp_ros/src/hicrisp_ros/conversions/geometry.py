"""Poses and vectors; a value that may be missing travels beside a flag."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

import rospy
from geometry_msgs.msg import Point, Quaternion, TransformStamped, Vector3
from geometry_msgs.msg import Pose as PoseMsg
from hicrisp_core.model import Pose, Vector
from tf2_msgs.msg import TFMessage


def pose_to_msg(pose: Optional[Pose]) -> PoseMsg:
    """Convert a pose to a message.

    Args:
        pose: metres and unit quaternion; may be missing.

    Returns:
        The message; the identity for a missing pose, which a flag of the enclosing message marks.
    """
    if pose is None:
        return PoseMsg(orientation=Quaternion(0.0, 0.0, 0.0, 1.0))
    return PoseMsg(Point(*pose.position), Quaternion(*pose.orientation))


def pose_from_msg(message: PoseMsg, present: bool = True) -> Optional[Pose]:
    """Convert a pose from a message.

    Args:
        message: the ROS message.
        present: flag of the enclosing message.

    Returns:
        The pose; ``None`` if it is not present.
    """
    if not present:
        return None
    p, q = message.position, message.orientation
    return Pose((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def seen_pose(message: PoseMsg) -> Optional[Pose]:
    """Convert an observed pose from a message.

    Use :func:`pose_from_msg` for requested poses: those must be refused if they are not finite.

    Args:
        message: the ROS message.

    Returns:
        The pose; ``None`` if it is not finite.
    """
    pose = pose_from_msg(message)
    return pose if pose is not None and pose.finite else None


def transform_to_msg(parent: str, child: str, pose: Pose, stamp: rospy.Time) -> TransformStamped:
    """Convert a pose to a transform.

    Args:
        parent: frame in which the pose is given.
        child: frame that the pose places.
        pose: of the child in the parent frame.
        stamp: ROS time.

    Returns:
        The transform.
    """
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, stamp
    message.transform.translation = Vector3(*pose.position)
    message.transform.rotation = pose_to_msg(pose).orientation
    return message


def pose_from_transform(placed: TransformStamped) -> Pose:
    """Convert a transform to a pose.

    Args:
        placed: the transform.

    Returns:
        Pose of the child in the parent frame.
    """
    moved, turned = placed.transform.translation, placed.transform.rotation
    return Pose((moved.x, moved.y, moved.z), (turned.x, turned.y, turned.z, turned.w))


def frames_from_msg(message: TFMessage) -> Dict[str, Tuple[Pose, float]]:
    """Convert the transforms of a message.

    Args:
        message: the ROS message.

    Returns:
        Pose in the parent frame and stamp (seconds) by child frame.
    """
    return {each.child_frame_id: (pose_from_transform(each), each.header.stamp.to_sec()) for each in message.transforms}


def vector_to_msg(vector: Optional[Vector]) -> Vector3:
    """Convert a vector to a message.

    Args:
        vector: x, y, z; may be missing.

    Returns:
        The message; zero for a missing vector, which a flag of the enclosing message marks.
    """
    return Vector3() if vector is None else Vector3(*vector)


def vector_from_msg(message: Vector3) -> Vector:
    """Convert a vector from a message.

    Args:
        message: the ROS message.

    Returns:
        The vector.
    """
    return message.x, message.y, message.z
