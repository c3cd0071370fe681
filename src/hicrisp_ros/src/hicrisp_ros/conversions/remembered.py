"""What the memory offers, as messages and back."""

from __future__ import annotations

from hicrisp_core.model.remembered import KnownWay, Remembered

from hicrisp_msgs.msg import KnownWay as KnownWayMsg
from hicrisp_msgs.msg import RememberedTask
from hicrisp_ros.conversions.goal import goal_from_msg, goal_to_msg
from hicrisp_ros.conversions.task import step_from_msg, step_to_msg


def remembered_to_msg(task: Remembered) -> RememberedTask:
    """Convert a remembered task to a message.

    Args:
        task: the user's request with its id.

    Returns:
        The message.
    """
    return RememberedTask(task.id, task.text, [step_to_msg(step) for step in task.steps],
                          task.goal is not None, goal_to_msg(task.goal), task.likeness)


def remembered_from_msg(message: RememberedTask) -> Remembered:
    """Convert a remembered task from a message.

    Args:
        message: the ROS message.

    Returns:
        The task.
    """
    return Remembered(message.id, message.text, tuple(step_from_msg(step) for step in message.steps),
                      goal_from_msg(message.goal, message.has_goal), message.likeness)


def way_to_msg(way: KnownWay) -> KnownWayMsg:
    """Convert a remembered correction to a message.

    Args:
        way: the correction.

    Returns:
        The message.
    """
    return KnownWayMsg(way.id, [step_to_msg(step) for step in way.steps], way.instead, way.times)


def way_from_msg(message: KnownWayMsg) -> KnownWay:
    """Convert a remembered correction from a message.

    Args:
        message: the ROS message.

    Returns:
        The correction.
    """
    return KnownWay(message.id, tuple(step_from_msg(step) for step in message.steps), message.instead,
                    message.times)
