"""A task rehearsed on the facts alone: planned and checked, nothing moves."""

from __future__ import annotations

from dataclasses import replace
from typing import List, Tuple

from hicrisp_core.domain import Domain, apply_effects, check
from hicrisp_core.model import Task
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.ports.executive import Ports
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import TaskFinished

PLAN_LIMIT = 300.0
SEE_LIMIT = 30.0
TRANSLATE_LIMIT = 60.0


def rehearse(domain: Domain, ports: Ports, task: Task, history: Tuple[str, ...] = ()) -> TaskFinished:
    """Plan a task and follow its steps through the domain's effects.

    Returns:
        How it would end, with the plan as its message, or the first step that cannot run and why.
    """
    world = ports.observer.observe(Deadline(SEE_LIMIT))
    answer = ports.brain.plan(PlanRequest(task, world, history=history), Deadline(PLAN_LIMIT))
    if answer.plan is None:
        asked = answer.question.text if answer.question is not None else ""
        return TaskFinished(success=bool(answer.answer), message=answer.answer or asked or answer.refusal)
    said: List[str] = []
    for index, step in enumerate(answer.plan.steps, 1):
        addressed = replace(step, robot=step.robot or task.robot)
        translation = ports.body.translate(addressed, world, Deadline(TRANSLATE_LIMIT))
        refusal = translation.feedback
        for command in translation.commands:
            refusal = refusal or check(domain, command, world)
            if refusal is None:
                world = apply_effects(domain, command, world)
                said.append(f"{index}. {domain.describe(command)}")
        if refusal is not None:
            return TaskFinished(message=f"step {index}, {step.text}: {refusal}")
        if translation.pass_reason:
            said.append(f"{index}. nothing ({translation.pass_reason})")
    meant = f"I understand: {answer.plan.goal.said}. " if answer.plan.goal is not None else ""
    return TaskFinished(success=True, message=f"{meant}would do: {'; '.join(said)}")
