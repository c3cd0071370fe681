"""The brain without a model: a grammar for task sentences and a search over the domain."""

from __future__ import annotations

import re
from typing import FrozenSet, Set, Tuple

from hicrisp_core.brain import lexicon
from hicrisp_core.brain.builder import PlanBuilder
from hicrisp_core.brain.nouns import Names
from hicrisp_core.brain.ports import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.brain.questions import answer, is_question
from hicrisp_core.brain.reader import NotUnderstood, read
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import find_commands, preconditions_of
from hicrisp_core.model import Feedback, Plan, Status, Step, WorldState
from hicrisp_core.robot.deadline import Deadline

SOURCE = "offline"


class OfflineBrain:
    """Plans what its grammar reads; refuses the rest and lists what it can read."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The steps of the task in the world as it is now.

        After a failure the remaining steps are planned anew; when things could not be reached, the whole sentence
        is, and its indefinite phrases ("a box") choose others.
        """
        del deadline  # The grammar and the search are bounded by themselves.
        if is_question(request.task.text):
            return PlanAnswer(answer=answer(request.task.text, self._domain, request.world))
        avoid = _out_of_reach(request.feedback, request.world)
        builder = PlanBuilder(self._domain, request.world, Names(self._domain, request.world, avoid))
        try:
            if request.remaining and not avoid:
                builder.redo(request.remaining)
            else:
                builder.build(read(request.task.text))
        except NotUnderstood as error:
            return PlanAnswer(refusal=_refusal(str(error), request.world), alternatives=lexicon.EXAMPLES)
        stuck = sorted(name for name in avoid if any(name in step.arguments.values() for step in builder.steps))
        if stuck:
            return PlanAnswer(refusal=f"{', '.join(stuck)} cannot be reached, and the task names no other thing.")
        if not builder.steps:
            return PlanAnswer(answer="Nothing needs to be done: it is so already.")
        return PlanAnswer(Plan(tuple(builder.steps), SOURCE, "; ".join(builder.notes)))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The steps that make the preconditions of the stack's top true."""
        del deadline
        top = request.stack[-1]
        if top.command.action not in self._domain.actions:
            return PlanAnswer(refusal=f"'{top.command.action}' is no action of this domain")
        commands = find_commands(self._domain, request.world, preconditions_of(self._domain, top.command))
        if commands is None:
            return PlanAnswer(refusal=f"no way was found to where '{self._domain.describe(top.command)}' can be tried")
        steps = tuple(Step(self._domain.describe(c), c.action, c.arguments, c.robot) for c in commands)
        return PlanAnswer(Plan(steps, SOURCE, "what the failed action needs"))


def _out_of_reach(feedback: Tuple[Feedback, ...], world: WorldState) -> FrozenSet[str]:
    """The things whose own motion was not found, as the feedback names them."""
    named: Set[str] = set()
    for entry in feedback:
        if entry.kind == Status.PLANNING.value and "pick" in entry.error:
            named.update(name for name in world.objects if re.search(rf"\b{re.escape(name)}\b", entry.error))
    return frozenset(named)


def _refusal(why: str, world: WorldState) -> str:
    things = ", ".join(sorted(world.objects))
    return f"I cannot do this: {why}. Things here: {things}. I can read, for example: {'; '.join(lexicon.EXAMPLES)}."
