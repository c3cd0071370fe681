"""Goals and conversations; conditions travel as text."""

from __future__ import annotations

from typing import Optional

from hicrisp_core.model import Choice, Goal, GoalError, Speaker, Turn
from hicrisp_core.model.goal_text import parse_goal

from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Part, codec, named


def _goal_to_msg(goal: Optional[Goal]) -> msg.TaskGoal:
    if goal is None:
        return msg.TaskGoal()
    texts = goal.texts
    return msg.TaskGoal(*(list(texts.get(part, ())) for part in ("stages", "otherwise", "invariants")),
                        goal.said, goal.source)


def _goal_from_msg(message: msg.TaskGoal) -> Optional[Goal]:
    found = parse_goal({"stages": message.stages, "otherwise": message.otherwise,
                        "invariants": message.invariants})
    if isinstance(found, GoalError):
        return None
    return Goal(found.stages, found.invariants, found.otherwise, message.said, message.source)


GOAL = Part(_goal_to_msg, _goal_from_msg)
"""Empty without a goal; ``None`` if it cannot be parsed."""
CHOICES = codec(Choice, msg.Choice, goal=GOAL).each
# An unknown speaker is the user, whose text is only data.
TURNS = codec(Turn, msg.Turn, speaker=named(Speaker, Speaker.USER)).each
