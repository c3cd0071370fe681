"""Goals, conversations and meanings; conditions travel as text."""

from __future__ import annotations

from typing import Iterable, List, Optional, Sequence, Tuple

from hicrisp_core.model.goal import Goal, GoalError
from hicrisp_core.model.goal_text import parse_goal
from hicrisp_core.model.meaning import Choice, Question, Speaker, Turn

from hicrisp_msgs.msg import Choice as ChoiceMsg
from hicrisp_msgs.msg import TaskGoal
from hicrisp_msgs.msg import Turn as TurnMsg


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


def choices_to_msg(choices: Iterable[Choice]) -> List[ChoiceMsg]:
    """Convert the choices of a question to messages.

    Args:
        choices: texts, with the goal that each means.

    Returns:
        The messages.
    """
    return [ChoiceMsg(each.text, each.goal is not None, goal_to_msg(each.goal)) for each in choices]


def question_from_msg(text: str, choices: Iterable[ChoiceMsg]) -> Question:
    """Convert a question from messages.

    Args:
        text: the question.
        choices: its choices.

    Returns:
        The question.
    """
    read = (Choice(each.text, goal_from_msg(each.goal, each.has_goal)) for each in choices)
    return Question(text, tuple(read))


def turns_to_msg(turns: Sequence[Turn]) -> List[TurnMsg]:
    """Convert a conversation to messages.

    Args:
        turns: the turns, oldest first.

    Returns:
        The messages in the same order.
    """
    return [TurnMsg(each.speaker.value, each.text) for each in turns]


def turns_from_msg(messages: Iterable[TurnMsg]) -> Tuple[Turn, ...]:
    """Convert a conversation from messages.

    Args:
        messages: the turns, oldest first.

    Returns:
        The turns; an unknown speaker becomes the user, whose text is only data.
    """
    speakers = {Speaker.ROBOT.value: Speaker.ROBOT}
    return tuple(Turn(speakers.get(each.speaker, Speaker.USER), each.text) for each in messages)
