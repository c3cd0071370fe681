"""What a new task means: planned by the brain, and asked back where it has several readings."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Optional, Tuple

from hicrisp_core.domain.wording import quantity
from hicrisp_core.executive.ledger import Ledger
from hicrisp_core.language.clarifying import clarified
from hicrisp_core.model import Task, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest, Question
from hicrisp_core.ports.executive import Ports
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.goal_events import QuestionAsked

Recall = Callable[[Task, WorldState], Tuple[Remembered, ...]]
_PLAN_LIMIT = 300.0
"""Wall seconds for one plan."""
_MOST_QUESTIONS = 3
"""How often the user is asked back about one task."""


def no_examples(_: Task, __: WorldState) -> Tuple[Remembered, ...]:
    """Nothing is remembered."""
    return ()


def understand(
    ports: Ports, ledger: Ledger, task: Task, world: WorldState, history: Tuple[str, ...], patience: float,
    recall: Recall = no_examples,
) -> Tuple[Task, PlanAnswer]:
    """The brain's answer to a task, without questions that are left, and the task with what the user added.

    Args:
        patience: wall seconds that the user has for an answer.
        recall: finds earlier tasks like this one, for the brain.
    """
    goal: Optional[Goal] = None
    question = Question("")
    for _ in range(_MOST_QUESTIONS + 1):
        request = PlanRequest(task, world, history=history, goal=goal, examples=recall(task, world))
        answer = ports.brain.plan(request, Deadline(_PLAN_LIMIT))
        ledger.used(answer.usage)
        if answer.question is None:
            return task, answer
        question = answer.question
        said = ports.ask(question, patience)
        ledger.tell(QuestionAsked(text=question.text, choices=tuple(each.text for each in question.choices),
                                  answer=said))
        if not said:
            why = f"Nobody answered within {quantity(patience, 's')}, so nothing was moved."
            return task, PlanAnswer(refusal=f"{_with_choices(question)} {why}")
        choice = question.chosen(said)
        goal = choice.goal if choice is not None else None
        if goal is None:
            task = replace(task, text=clarified(task.text, choice.text if choice is not None else said))
    why = "The answers so far did not settle it. Say the whole task in other words."
    return task, PlanAnswer(refusal=f"{_with_choices(question)} {why}")


def _with_choices(question: Question) -> str:
    """A question with its choices, where they are sentences of their own."""
    goals = [each.text for each in question.choices if each.goal is not None]
    listed = "; ".join(f"{number}. {text}" for number, text in enumerate(goals, start=1))
    return f"{question.text} {listed}." if listed else question.text
