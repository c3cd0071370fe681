"""Goals, conversations and meanings; conditions travel as text."""

from __future__ import annotations

from typing import Optional

from hicrisp_core.model.goal import Goal, GoalError
from hicrisp_core.model.goal_text import parse_goal
from hicrisp_core.model.meaning import Choice, Speaker, Turn

from hicrisp_msgs.msg import Choice as ChoiceMsg
from hicrisp_msgs.msg import TaskGoal
from hicrisp_msgs.msg import Turn as TurnMsg
from hicrisp_ros.conversions.codec import Codec, Part, named


def goal_to_msg(goal: Optional[Goal]) -> TaskGoal:
    """Convert a goal to a message.

    Args:
        goal: the goal; may be missing.

    Returns:
        The message; empty without a goal.
    """
    if goal is None:
        return TaskGoal()
    texts = goal.texts
    return TaskGoal(*(list(texts.get(part, ())) for part in ("stages", "otherwise", "invariants")),
                    goal.said, goal.source)


def goal_from_msg(message: TaskGoal, present: bool) -> Optional[Goal]:
    """Convert a goal from a message.

    Args:
        message: the ROS message.
        present: flag of the enclosing message.

    Returns:
        The goal; ``None`` if it is not present or cannot be parsed.
    """
    if not present:
        return None
    found = parse_goal({"stages": message.stages, "otherwise": message.otherwise,
                        "invariants": message.invariants})
    if isinstance(found, GoalError):
        return None
    return Goal(found.stages, found.invariants, found.otherwise, message.said, message.source)


GOAL = Part(goal_to_msg, lambda message: goal_from_msg(message, True))
_CHOICES = Codec(Choice, ChoiceMsg, goal=GOAL).each
choices_to_msg, choices_from_msg = _CHOICES.to_msg, _CHOICES.from_msg
# An unknown speaker is the user, whose text is only data.
_TURNS = Codec(Turn, TurnMsg, speaker=named(Speaker, Speaker.USER)).each
turns_to_msg, turns_from_msg = _TURNS.to_msg, _TURNS.from_msg
