"""The corrector: climbs the ladder's rungs, cheapest first, until one answers the top of the stack."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import List, Mapping, Optional, Tuple, TypeVar, Union

from hicrisp_core.corrector.clearing import Clearing, find_clearing, must_make_room
from hicrisp_core.corrector.guard import mark, meeting
from hicrisp_core.corrector.ways import WayBack, way_back
from hicrisp_core.domain.checker import needless
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Ending, Searcher
from hicrisp_core.errors import DomainError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Command, Correction, Feedback, Rung, Status
from hicrisp_core.model.itinerary import UNREACHABLE
from hicrisp_core.policy.policy import Policy
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.ports.brain import Brain, CorrectionRequest, PlanRequest, Usage
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.ports.kinds import RungKind
from hicrisp_core.time.deadline import Deadline

_NOT_REPAIRABLE = ("invalid", "not_seen", "stale_pose", "no_place", UNREACHABLE)
"""Failures that no sequence of the domain's operators mends."""
_SETTLED = ("safety", "canceled")
"""Failures after which nothing is tried."""


_Found = TypeVar("_Found", WayBack, Clearing)
_OUT_OF_TIME = "the search for a repair ran out of time"


class Question:
    """A request as the rungs read it: the way back to the failed command is searched once for all of them."""

    def __init__(
        self, request: CorrectorRequest, searcher: Searcher, limits: SearchLimits, deadline: Deadline
    ) -> None:
        self.asked = request
        self.top = request.stack[-1]
        self.unsearched = False
        """Whether a search ran out of time, so that there may be a repair that nobody found."""
        self._searcher = searcher
        self._limits = limits
        self._deadline = deadline

    @cached_property
    def way_back(self) -> Optional[WayBack]:
        """The commands after which the failed one may run; ``None`` where no way was found."""
        return self._known(way_back(self._searcher, self.top.command, self.asked.world, self._limits, self._deadline))

    @cached_property
    def clearing(self) -> Optional[Clearing]:
        """The commands that move away what is in the way; ``None`` where none were found."""
        return self._known(find_clearing(self._searcher, self.asked.stack, self.asked.world, self.asked.made,
                                         self._limits, self._deadline))

    def _known(self, found: Union[_Found, Ending]) -> Optional[_Found]:
        if not isinstance(found, Ending):
            return found
        self.unsearched = self.unsearched or found is Ending.OUT_OF_TIME
        return None


class Ladder:
    """Answers a failed command with a correction.

    Args:
        brain: asked on the LLM rungs; ``None`` when the policy has none.
    """

    def __init__(self, domain: Domain, policy: Policy, brain: Optional[Brain] = None) -> None:
        self._domain = domain
        self._policy = policy
        self._brain = brain
        self._searcher = Searcher(domain)
        self._kinds: Mapping[Rung, RungKind] = {rung: extensions().rungs.get(rung.value) for rung in policy.rungs}

    @property
    def domain(self) -> Domain:
        """What may be done."""
        return self._domain

    @property
    def policy(self) -> Policy:
        """Which rungs are on, and their limits."""
        return self._policy

    @property
    def brain(self) -> Optional[Brain]:
        """The brain of the rungs with a language model; ``None`` when the policy has none."""
        return self._brain

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """The first rung that has an answer which was not tried in this very situation."""
        met = meeting(request.stack[-1], request.world)
        usage = Usage()
        kind = request.stack[-1].feedback.kind
        question = Question(request, self._searcher, self._policy.search, deadline)
        tried, said = False, ""
        for rung in self._policy.rungs if kind not in _SETTLED else ():
            if mark(met, rung) in request.seen and not (rung is Rung.LLM_REPLAN and self._policy.repeat_replans):
                tried = True
                continue
            correction, cost = self._kinds[rung].answer(self, question, deadline)
            usage = usage + cost
            if correction is not None and correction.rung is not Rung.GIVE_UP:
                return CorrectorAnswer(_noted(correction, question), mark(met, rung), usage)
            said = correction.note if correction is not None else said
        note = said or ("every rung was tried in this situation" if tried else "no rung has an answer")
        given_up = _noted(Correction(Rung.GIVE_UP, note=note), question)
        return CorrectorAnswer(given_up, mark(met, Rung.GIVE_UP), usage)

    def _repair(self, question: Question, _: Deadline) -> Tuple[Optional[Correction], Usage]:
        top = question.top
        if top.feedback.kind in _NOT_REPAIRABLE:
            return self._clear(question), Usage()
        beside_the_point = needless(self._domain, top.command, question.asked.world)
        if beside_the_point:
            return Correction(Rung.REPAIR, drop=True, note=beside_the_point), Usage()
        if question.way_back is None:
            return None, Usage()
        commands, instead = question.way_back.commands, question.way_back.command
        if instead != top.command:
            note = f"'{self._domain.describe(instead)}' instead of '{self._domain.describe(top.command)}'"
            return Correction(Rung.REPAIR, (*commands, instead), drop=True, note=note), Usage()
        if not commands and must_make_room(top, self._policy.allows(Rung.OFFSET)):
            cleared = self._clear(question)
            if cleared is not None:
                return cleared, Usage()
        measured = top.feedback.deviation is not None or _constrained(top.command)
        if not commands and measured and self._policy.allows(Rung.OFFSET):
            return None, Usage()  # Nothing to prepare: the next rung corrects the aim or the target itself.
        if not commands and top.feedback.kind in (Status.PLANNING.value, Status.PRECONDITION.value):
            return None, Usage()  # The same motion fails again: something else must change first.
        note = f"leads back to where '{self._domain.describe(top.command)}' can be tried" if commands \
            else "the preconditions hold: try again"
        return Correction(Rung.REPAIR, commands, note=note), Usage()

    def _clear(self, question: Question) -> Optional[Correction]:
        """Move one of the things that are in the way, where the domain's operators can."""
        clearing = question.clearing
        if clearing is None:
            return None
        failed = self._domain.describe(question.top.command)
        note = f"the {clearing.blocker.replace('_', ' ')} is moved away, it is in the way of '{failed}'"
        return Correction(Rung.REPAIR, clearing.commands, note=note)

    def _offset(self, question: Question, _: Deadline) -> Tuple[Optional[Correction], Usage]:
        top = question.top
        if top.feedback.deviation is None and not _constrained(top.command) or top.feedback.kind == UNREACHABLE:
            return None, Usage()
        if question.way_back and question.way_back.commands:
            return None, Usage()  # Only reached without the repair rung, or when that was tried: the aim alone is vain.
        note = "the aim is corrected by the measured deviation"
        if top.feedback.deviation is None:
            note = "another target is chosen: something is in the way of this one" if top.command.avoid else \
                "another trajectory is chosen, which keeps out of what stopped the last one"
        return Correction(Rung.OFFSET, note=note), Usage()

    def _help(self, question: Question, _: Deadline) -> Tuple[Optional[Correction], Usage]:
        """What no robot here can do may be a small thing for a person: to clear the way to a place."""
        top = question.top
        if top.feedback.kind != UNREACHABLE:
            return None, Usage()
        said = f"{top.feedback.error} {top.feedback.reason}".strip()
        return Correction(Rung.HELP, note=f"{said} Please clear the way, and say so when it is done."), Usage()

    def _llm_step(self, question: Question, deadline: Deadline) -> Tuple[Optional[Correction], Usage]:
        if self._brain is None:
            return None, Usage()
        request = question.asked
        stack = tuple(replace(entry, feedback=self._told(entry.feedback)) for entry in request.stack)
        answer = self._brain.correct(CorrectionRequest(request.task, request.world, stack), deadline)
        if answer.plan is None:
            return None, answer.usage
        commands: List[Command] = []
        for step in answer.plan.steps:
            try:
                commands.append(self._domain.ground(step, request.world, request.stack[-1].command.robot))
            except DomainError:
                return None, answer.usage
        if commands and str(commands[-1]) == str(request.stack[-1].command):
            commands.pop()  # The retry of the top follows anyway (Algorithm 1, lines 13-14).
        return Correction(Rung.LLM_STEP, tuple(commands), note=answer.plan.reasoning), answer.usage

    def _llm_replan(self, question: Question, deadline: Deadline) -> Tuple[Optional[Correction], Usage]:
        if self._brain is None:
            return None, Usage()
        request = question.asked
        if request.replans_left < 1:
            used = "it may have none" if self._policy.replans < 1 else f"its {self._policy.replans} are used up"
            return Correction(Rung.GIVE_UP, note=f"the task may have no other new plan: {used}"), Usage()
        answer = self._brain.plan(PlanRequest(
            request.task, request.world,
            tuple(map(self._told, (*request.earlier, *(entry.feedback for entry in request.stack)))),
            request.done, request.remaining), deadline)
        if answer.plan is None or not answer.plan.steps:
            # That nothing is left to do is not believed: the detector has just seen otherwise.
            return Correction(Rung.GIVE_UP, note=answer.refusal or answer.answer), answer.usage
        return Correction(Rung.LLM_REPLAN, steps=answer.plan.steps, note=answer.plan.reasoning), answer.usage

    def _told(self, feedback: Feedback) -> Feedback:
        """As much of the feedback as the policy tells a model (CoPAL: H0 what, H1 why, H2 how)."""
        if self._policy.feedback_level == "what":
            return replace(feedback, reason="", suggestion="")
        if self._policy.feedback_level == "why":
            return replace(feedback, suggestion="")
        return feedback


def _constrained(command: Command) -> bool:
    """Whether an earlier failure has left a constraint for the next target or trajectory."""
    return bool(command.avoid) or any(not each.name for each in command.keep_out)


def _noted(correction: Correction, question: Question) -> Correction:
    """The correction; its note says so where a search before it ran out of time, but no question to a person does."""
    if not question.unsearched or correction.rung is Rung.HELP:
        return correction
    return replace(correction, note="; ".join(filter(None, (correction.note, _OUT_OF_TIME))))


REPAIR = RungKind(Ladder._repair)
OFFSET = RungKind(Ladder._offset)
HELP = RungKind(Ladder._help)
LLM_STEP = RungKind(Ladder._llm_step)
LLM_REPLAN = RungKind(Ladder._llm_replan)
