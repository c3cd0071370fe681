"""A plan that a person looks at before it runs, and may change: every line is read and tried on the facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import List, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.saying import listed
from hicrisp_core.domain.schema import Domain, apply_effects
from hicrisp_core.domain.wording import words_of
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Plan, Step, WorldState
from hicrisp_core.parsing.grounding import ground_steps
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan

_QUOTED = 60
"""Characters of a line that a message repeats."""


@dataclass(frozen=True)
class CheckedSteps:
    """Steps as they were read, and what is wrong with each line in words; empty where it can run."""

    steps: Tuple[Step, ...]
    problems: Tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every line was read and can run after the ones before it."""
        return not any(self.problems)


class PlanReview:
    """A plan on offer in the world for which it was made."""

    def __init__(self, plan: Plan, domain: Domain, world: WorldState) -> None:
        self.plan = plan
        self._domain = domain
        self._world = world

    @property
    def question(self) -> str:
        """What the person is asked."""
        listed = "; ".join(f"{number}. {_said(step)}" for number, step in enumerate(self.plan.steps, start=1))
        return f"May this plan run? {listed}"

    def check(self, lines: Sequence[str]) -> CheckedSteps:
        """Read each line as one step, and follow the steps on the facts.

        A line of the plan itself is that step. A step that is only words can run as far as anybody knows, and
        so can those behind it.
        """
        known = list(self.plan.steps)
        steps: List[Step] = []
        problems: List[str] = []
        state: Optional[WorldState] = self._world
        for line in lines:
            step = self._read(line, known)
            if isinstance(step, str):
                problems.append(step)
                continue
            steps.append(step)
            problem, state = self._try(step, state)
            problems.append(problem)
        return CheckedSteps(tuple(steps), tuple(problems))

    def changed(self, checked: CheckedSteps) -> Plan:
        """The plan with other steps, one after another; what each waits for is found anew."""
        return replace(self.plan, steps=tuple(replace(step, after=None) for step in checked.steps))

    def _read(self, line: str, known: List[Step]) -> Union[Step, str]:
        same = next((step for step in known if _said(step) == line.strip()), None)
        if same is not None:
            known.remove(same)
            return same
        if not line.strip():
            return "The line is empty: write a step, or remove it."
        raw = parse_plan(line, self._domain)
        if isinstance(raw, ParseFailure):
            return (f"'{line.strip()[:_QUOTED]}' is no step. The robot's actions: "
                    f"{listed(name.replace('_', ' ') for name in self._domain.actions)}.")
        if len(raw) != 1:
            return f"This line holds {len(raw)} steps; write one in each line."
        found = ground_steps(raw, self._domain, self._world)
        return found.message if isinstance(found, ParseFailure) else found.steps[0]

    def _try(self, step: Step, state: Optional[WorldState]) -> Tuple[str, Optional[WorldState]]:
        """Why a step cannot run in a state, and the state after it; ``None`` where nobody knows that."""
        if state is None or not step.action:
            return "", None
        try:
            command = self._domain.ground(step, state, step.robot)
        except DomainError as error:
            return str(error), state
        refusal = check(self._domain, command, state)
        after = apply_effects(self._domain, command, state)
        if refusal is None:
            return "", after
        words = words_of(refusal, self._domain)
        return " ".join(filter(None, (words.error, words.reason))), after


def _said(step: Step) -> str:
    return step.text or str(step)
