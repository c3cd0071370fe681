"""Wrong orders that are injected into the first plan of a task."""

from __future__ import annotations

from dataclasses import replace
from typing import Tuple

from hicrisp_core.model import Plan, Step
from hicrisp_core.ports.brain import Brain, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.stub_models import OverBrain

INJECTIONS = ("swap", "omission", "repetition")


class WrongOrder(OverBrain):
    """A brain whose first plan has a mistake in its order; what it is asked afterwards it answers as the
    real one.
    """

    def __init__(self, brain: Brain, mistake: str, seed: int) -> None:
        super().__init__(brain)
        self._mistake = mistake
        self._seed = seed

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        answer = super().plan(request, deadline)
        if answer.plan is None or request.remaining or request.feedback:
            return answer
        steps = mistaken(answer.plan.steps, self._mistake, self._seed)
        return replace(answer, plan=Plan(steps, "injected", f"injected: {self._mistake}"))


def mistaken(steps: Tuple[Step, ...], mistake: str, seed: int) -> Tuple[Step, ...]:
    """Steps with two neighbours swapped, one left out, or one repeated after the next; the seed says which."""
    if mistake == "omission":
        gone = seed % len(steps)
        return (*steps[:gone], *steps[gone + 1:])
    first = seed % (len(steps) - 1)
    a, b = steps[first:first + 2]
    return (*steps[:first], *((b, a) if mistake == "swap" else (a, b, a)), *steps[first + 2:])
