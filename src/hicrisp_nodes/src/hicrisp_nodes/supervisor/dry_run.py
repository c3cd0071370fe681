"""A task rehearsed on the facts alone: planned and checked, nothing moves."""

from __future__ import annotations

from dataclasses import replace
from typing import List, Tuple

from hicrisp_core.domain import Domain, apply_effects, check, described, goal_words
from hicrisp_core.model import Answer, Goal, Meaning, Reason, Refusal, Task
from hicrisp_core.policy.policy import GOAL, Policy
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.ports.executive import Ports
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import TaskFinished

PLAN_LIMIT = 300.0
SEE_LIMIT = 30.0
TRANSLATE_LIMIT = 60.0


def rehearse(
    domain: Domain, policy: Policy, ports: Ports, task: Task, history: Tuple[str, ...] = ()
) -> TaskFinished:
    """Plan a task as the executive does and follow its steps through the domain's effects.

    Returns:
        How it would end, with the plan as its message, or the first step that cannot run and why.
    """
    world = ports.observer.observe(Deadline(SEE_LIMIT))
    request = PlanRequest(task, world, history=history)
    answer, goal = PlanAnswer(needs_goal=True), None
    if not policy.interprets:
        answer = ports.brain.plan(request, Deadline(PLAN_LIMIT))
    if answer.needs_goal:
        meaning: Meaning = Refusal(Reason.NOTHING_TO_DO, "No interpreter is configured.")
        if ports.interpreter is not None:
            found = ports.interpreter.understand(Request(task.text, world, history=history), Deadline(PLAN_LIMIT))
            meaning = found.meaning or Refusal(Reason.NOTHING_TO_DO, found.trouble)
        goal = meaning if isinstance(meaning, Goal) else None
        if goal is not None or policy.brain != GOAL:
            answer = ports.brain.plan(replace(request, goal=goal), Deadline(PLAN_LIMIT))
        if answer.needs_goal and not isinstance(meaning, Goal):
            return TaskFinished(success=isinstance(meaning, Answer), message=meaning.text)
    if answer.plan is None:
        return TaskFinished(success=bool(answer.answer), message=answer.answer or answer.refusal)
    said: List[str] = []
    for index, step in enumerate(answer.plan.steps, 1):
        addressed = replace(step, robot=step.robot or task.robot)
        translation = ports.body.translate(addressed, world, Deadline(TRANSLATE_LIMIT))
        refusal = translation.feedback
        for command in translation.commands:
            refusal = refusal or check(domain, command, world)
            if refusal is None:
                world = apply_effects(domain, command, world)
                said.append(f"{index}. {described(domain, command)}")
        if refusal is not None:
            return TaskFinished(message=f"step {index}, {step.text}: {refusal}")
        if translation.pass_reason:
            said.append(f"{index}. nothing ({translation.pass_reason})")
    goal = answer.plan.goal or goal
    meant = f"I understand: {goal.said or goal_words(goal, domain)}. " if goal is not None else ""
    return TaskFinished(success=True, message=f"{meant}would do: {'; '.join(said)}")
