"""What is tried on the facts before it runs: irreversible commands, and plans that a person has changed.

BrainBody-LLM (section 6) assumes that every error can be undone and leaves the others open: "incorporating
simulators into the planning loop". Here the domain's transition function is the simulator: an irreversible command
is carried out on the facts alone before anybody is asked for leave. It must be able to run, and it must not take
the way to a later step of the plan that there is without it. Ways to later steps use only actions that can be
undone, as every repair does: nobody asked for others.

A rehearsal that runs out of time refuses nothing, for nothing speaks against the command; but nor does
anything show that the plan can go on after it. A person decides that: the request for approval says what is
not known, and it is made under full autonomy too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import List, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.goal_wording import GoalWords
from hicrisp_core.domain.saying import listed, spoken
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Ending, Searcher, preconditions_of
from hicrisp_core.domain.wording import described, words_of
from hicrisp_core.errors import DomainError
from hicrisp_core.executive.schedule import said_of
from hicrisp_core.goals.stages import applies, chosen, final_conditions
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, Plan, Step, WorldState
from hicrisp_core.parsing.grounding import ground_steps
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline

_QUOTED = 60
"""Characters of a line that a message repeats."""


@dataclass(frozen=True)
class Rehearsal:
    """What a command made of the facts, as sentences, or why it should not be carried out.

    Args:
        doubt: what is not known of it because time ran out, as a sentence; empty if all later steps were
            followed.
    """

    changes: Tuple[str, ...] = ()
    refusal: Optional[Feedback] = None
    doubt: str = ""


def rehearse(
    searcher: Searcher, command: Command, world: WorldState, later: Sequence[Step],
    limits: SearchLimits, deadline: Deadline,
) -> Rehearsal:
    """Apply a command and then the plan's later steps to the facts; nothing moves.

    Args:
        searcher: searches the domain.
        command: the action with its arguments and constraints.
        world: observed objects, robots and facts; poses in the world frame.
        later: the steps after the command; the first one in free words ends the rehearsal, since its command is
            not known yet.
        limits: of each search on the way; its seconds cover the whole rehearsal.
        deadline: wall-clock limit of the call.

    Returns:
        The changes as sentences, or the refusal; with a doubt if time ran out.
    """
    domain = searcher.domain
    refusal = check(domain, command, world)
    if refusal is not None:
        return Rehearsal(refusal=refusal)
    after = apply_effects(domain, command, world)
    changes = (*map(domain.fact_text, sorted(after.relations - world.relations)),
               *(domain.fact_text(fact, denied=True) for fact in sorted(world.relations - after.relations)))
    barred = _barred(searcher, command, after, world, later, limits, limits.deadline(deadline))
    return Rehearsal(changes, doubt=barred) if isinstance(barred, str) else Rehearsal(changes, barred)


def _barred(
    searcher: Searcher, command: Command, with_: WorldState, without: WorldState, later: Sequence[Step],
    limits: SearchLimits, deadline: Deadline,
) -> Union[Feedback, str, None]:
    """Return the feedback for the first later step that the command takes the way to, if there is one; or the
    doubt.

    The later steps are followed with the command and without it: a step that has no way in either is wrong by
    itself, and is refused when its turn comes.
    """
    domain = searcher.domain
    for step in later:
        try:
            following = domain.ground(step, with_, step.robot or command.robot)
        except DomainError:
            if not step.action:
                return None
            continue
        after = _after(searcher, following, with_, limits, deadline)
        otherwise = _after(searcher, following, without, limits, deadline)
        if Ending.OUT_OF_TIME in (after, otherwise):
            return f"It is not known whether the robot can still {described(domain, following)} afterwards: " \
                   f"the search ran out of time."
        if after is Ending.NO_WAY and isinstance(otherwise, WorldState):
            refusal = check(domain, following, with_)
            later_step = Step(step.text, following.action, following.arguments, following.robot)
            return Feedback(Level.HIGH, FeedbackKind.BARS_LATER_STEP, command, later_step,
                            unmet=refusal.unmet if refusal is not None else ())
        with_ = after if isinstance(after, WorldState) else with_
        without = otherwise if isinstance(otherwise, WorldState) else without
    return None


def _after(
    searcher: Searcher, command: Command, state: WorldState, limits: SearchLimits, deadline: Deadline
) -> Union[WorldState, Ending]:
    """Return the facts after a command and what must come before it, or why there are none."""
    before = searcher.find(state, preconditions_of(searcher.domain, command), limits, deadline, undoable=True)
    if not before.found:
        return before.ending
    for each in (*before.commands, command):
        state = apply_effects(searcher.domain, each, state)
    return state


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
        steps = "; ".join(f"{number}. {said_of(step)}" for number, step in enumerate(self.plan.steps, start=1))
        return f"May this plan run? {steps}"

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
        same = next((step for step in known if said_of(step) == spoken(line.strip())), None)
        if same is not None:
            known.remove(same)
            return same
        if not line.strip():
            return "The line is empty: write a step, or remove it."
        raw = parse_plan(line, self._domain)
        if isinstance(raw, ParseFailure):
            return (f"'{line.strip()[:_QUOTED]}' is no step. The robot's actions: "
                    f"{listed(spoken(name) for name in self._domain.actions)}.")
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
        reading = f"{command.robot}: {described(self._domain, command)}"
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
