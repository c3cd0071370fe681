"""Goals and the questions about them; conditions travel as text."""

from __future__ import annotations

from typing import Iterable, List, Optional, Tuple

from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import statements_of
from hicrisp_core.ports.brain import Choice, Question

from hicrisp_msgs.msg import Choice as ChoiceMsg
from hicrisp_msgs.msg import TaskGoal


def goal_to_msg(goal: Optional[Goal]) -> TaskGoal:
    """A goal as a message; an empty one for none."""
    if goal is None:
        return TaskGoal()
    return TaskGoal(list(map(str, goal.first)), list(map(str, goal.end)), list(map(str, goal.keep)),
                    goal.robot,
                    goal.said, goal.source)


def goal_from_msg(message: TaskGoal, present: bool) -> Optional[Goal]:
    """The goal of a message; ``None`` where there is none."""
    if not present:
        return None
    return Goal(statements_of(message.end), statements_of(message.keep), statements_of(message.first),
                message.robot, message.said, message.source)


def choices_to_msg(question: Optional[Question]) -> List[ChoiceMsg]:
    """The choices of a question as messages."""
    choices: Iterable[Choice] = question.choices if question is not None else ()
    return [ChoiceMsg(each.text, each.goal is not None, goal_to_msg(each.goal)) for each in choices]


def choices_from_msg(messages: Iterable[ChoiceMsg]) -> Tuple[Choice, ...]:
    """The choices of messages."""
    return tuple(Choice(each.text, goal_from_msg(each.goal, each.has_goal)) for each in messages)
