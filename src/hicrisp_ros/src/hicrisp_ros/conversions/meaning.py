"""What is asked and what a request means, as goals and results of actions and back."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

from hicrisp_core.model import Task
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Answer, Meaning, Question, Reason, Refusal
from hicrisp_core.ports.brain import CorrectionRequest, PlanRequest
from hicrisp_core.ports.interpreter import Request, Understood

from hicrisp_msgs.msg import UnderstandGoal, UnderstandResult
from hicrisp_ros.conversions.goal import (
    choices_from_msg,
    choices_to_msg,
    goal_from_msg,
    goal_to_msg,
    turns_from_msg,
    turns_to_msg,
)
from hicrisp_ros.conversions.task import (
    record_from_msg,
    record_to_msg,
    remembered_from_msg,
    remembered_to_msg,
    step_from_msg,
    step_to_msg,
    usage_from_msg,
    usage_to_msg,
)
from hicrisp_ros.conversions.world import facts_from_msg, facts_to_msg, world_from_msg, world_to_msg

_GOAL, _QUESTION, _ANSWER, _REFUSAL = "goal", "question", "answer", "refusal"


def context_to_msg(request: Union[PlanRequest, CorrectionRequest]) -> Dict[str, Any]:
    """Convert what the goals for plans and for corrections share.

    Args:
        request: what is asked, with task, world, steps and conversation.

    Returns:
        Values by the names of the goals' fields.
    """
    return {"task": request.task.text, "task_id": request.task.id, "robot": request.task.robot,
            "world": world_to_msg(request.world), "done": list(map(record_to_msg, request.done)),
            "remaining": list(map(step_to_msg, request.remaining)), "has_goal": request.goal is not None,
            "goal": goal_to_msg(request.goal), "conversation": turns_to_msg(request.conversation)}


def context_from_msg(message: Any) -> Dict[str, Any]:
    """Convert what the goals for plans and for corrections share back.

    Args:
        message: the goal of the action.

    Returns:
        Values by the names of the requests' fields.
    """
    return {"task": Task(message.task, message.task_id, message.robot), "world": world_from_msg(message.world),
            "done": tuple(map(record_from_msg, message.done)),
            "remaining": tuple(map(step_from_msg, message.remaining)),
            "goal": goal_from_msg(message.goal, message.has_goal), "conversation": turns_from_msg(message.conversation)}


def request_to_msg(request: Request) -> UnderstandGoal:
    """Convert a request to an action goal.

    Args:
        request: text of the user, the conversation before it, and the observed world.

    Returns:
        The message.
    """
    return UnderstandGoal(
        text=request.text, world=world_to_msg(request.world), conversation=turns_to_msg(request.conversation),
        history=list(request.history), has_goal=request.goal is not None, goal=goal_to_msg(request.goal),
        handled=list(request.handled), examples=list(map(remembered_to_msg, request.examples)))


def request_from_msg(message: UnderstandGoal) -> Request:
    """Convert a request from an action goal.

    Args:
        message: the ROS message.

    Returns:
        The request.
    """
    return Request(
        message.text, world_from_msg(message.world), turns_from_msg(message.conversation),
        tuple(message.history), goal_from_msg(message.goal, message.has_goal), tuple(message.handled),
        tuple(map(remembered_from_msg, message.examples)))


def understood_to_msg(found: Understood, task_id: str = "") -> UnderstandResult:
    """Convert the meaning of a request to an action result.

    Args:
        found: the meaning with its cost.
        task_id: id of the task that pays for the cost.

    Returns:
        The message.
    """
    result = UnderstandResult(sure=-1.0 if found.sure is None else found.sure,
                              usage=usage_to_msg(found.usage, task_id=task_id))
    meaning = found.meaning
    if isinstance(meaning, Goal):
        result.kind, result.goal = _GOAL, goal_to_msg(meaning)
    elif isinstance(meaning, Question):
        result.kind, result.text, result.choices = _QUESTION, meaning.text, choices_to_msg(meaning.choices)
    elif isinstance(meaning, Answer):
        result.kind, result.text = _ANSWER, meaning.text
        result.facts = facts_to_msg(meaning.facts)
    elif isinstance(meaning, Refusal):
        result.kind, result.text, result.reason = _REFUSAL, meaning.text, meaning.reason.value
        result.alternatives = list(meaning.alternatives)
    else:
        result.text = found.trouble
    return result


def understood_from_msg(message: UnderstandResult) -> Understood:
    """Convert the meaning of a request from an action result.

    Args:
        message: the ROS message.

    Returns:
        The meaning; with ``trouble`` set if its goal cannot be parsed.
    """
    meaning = _meaning(message)
    trouble = ""
    if meaning is None:
        stages = " > ".join(message.goal.stages)
        trouble = f"The goal '{stages}' cannot be read." if message.kind == _GOAL else message.text
    return Understood(meaning, trouble, usage_from_msg(message.usage),
                      message.sure if message.sure >= 0.0 else None)


def _meaning(message: UnderstandResult) -> Optional[Meaning]:
    if message.kind == _GOAL:
        return goal_from_msg(message.goal, present=True)
    if message.kind == _QUESTION:
        return Question(message.text, choices_from_msg(message.choices))
    if message.kind == _ANSWER:
        return Answer(message.text, tuple(sorted(facts_from_msg(message.facts))))
    if message.kind == _REFUSAL:
        reason = next((each for each in Reason if each.value == message.reason), Reason.IMPOSSIBLE)
        return Refusal(reason, message.text, tuple(message.alternatives))
    return None
