"""A plan that a person looks at before it runs, and may change: every line is read and tried on the facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import List, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.saying import listed
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import GoalWords, words_of
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.stages import applies, chosen, final_conditions
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import Plan, Step, WorldState
from hicrisp_core.parsing.grounding import ground_steps
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan

_QUOTED = 60
"""Characters of a line that a message repeats."""


@dataclass(frozen=True)
class CheckedSteps:
    """Steps as they were read, and what is wrong with each line in words; empty if it can run.

    Args:
        readings: what each line is to the robot, in the domain's words; empty if it was not read.
        warning: what of the goal the steps do not bring about on the facts; empty if that is not known.
    """

    steps: Tuple[Step, ...]
    problems: Tuple[str, ...]
    readings: Tuple[str, ...] = ()
    warning: str = ""

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
        """The question to the user."""
        listed = "; ".join(f"{number}. {_said(step)}" for number, step in enumerate(self.plan.steps, start=1))
        return f"May this plan run? {listed}"

    def check(self, lines: Sequence[str]) -> CheckedSteps:
        """Read each line as one step, and apply the steps to the facts.

        A line of the plan itself is that step. A step in free words counts as executable, and so do the steps
        after it.

        Args:
            lines: the steps as edited by the user.

        Returns:
            Steps, problems and readings, one for each line.
        """
        known = list(self.plan.steps)
        steps: List[Step] = []
        problems: List[str] = []
        readings: List[str] = []
        states: List[Optional[WorldState]] = [self._world]
        for line in lines:
            step = self._read(line, known)
            if isinstance(step, str):
                problems.append(step)
                readings.append("")
                continue
            steps.append(step)
            problem, reading, after = self._try(step, states[-1])
            problems.append(problem)
            readings.append(reading)
            states.append(after)
        seen = [state for state in states if state is not None]
        warning = "" if len(seen) < len(states) or any(problems) else self._missed(seen)
        return CheckedSteps(tuple(steps), tuple(problems), tuple(readings), warning)

    def changed(self, checked: CheckedSteps) -> Plan:
        """Return the plan with other steps in sequence; their dependencies are computed again.

        Args:
            checked: steps without problems.

        Returns:
            The plan.
        """
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

    def _try(self, step: Step, state: Optional[WorldState]) -> Tuple[str, str, Optional[WorldState]]:
        """Return why a step cannot run in a state, what it is to the robot, and the state after it; ``None`` if
        that is unknown.
        """
        if not step.action:
            return "", "words that become a command when it begins", None
        try:
            command = self._domain.ground(step, state or self._world, step.robot)
        except DomainError as error:
            return str(error), "", state
        reading = f"{command.robot}: {self._domain.describe(command)}"
        if state is None:
            return "", reading, None
        refusal = check(self._domain, command, state)
        after = apply_effects(self._domain, command, state)
        if refusal is None:
            return "", reading, after
        words = words_of(refusal, self._domain)
        return " ".join(filter(None, (words.error, words.reason))), reading, after

    def _missed(self, states: Sequence[WorldState]) -> str:
        """Return what of the goal does not hold along the states, its stages in their order; empty without a goal."""
        if self.plan.goal is None:
            return ""
        facts = [state.relations for state in states]
        goal = chosen(self.plan.goal, facts[0], self._domain)
        stages = list(goal.stages)
        for each in facts:
            while stages and (stages[0].optional or not applies(stages[0], each, self._domain)
                              or not missing(stages[0].conditions, each, self._domain)):
                stages.pop(0)
        wanted = [*(one for stage in stages for one in stage.conditions), *final_conditions(goal, self._domain)]
        left = missing(wanted, facts[-1], self._domain)
        return f"These steps miss a part of the goal: {GoalWords(self._domain).wanted(left)}." if left else ""


def _said(step: Step) -> str:
    return step.text or str(step)
