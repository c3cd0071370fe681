"""The corrector: climbs the ladder's rungs, cheapest first, until one answers the top of the stack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import List, Mapping, Optional, Tuple, TypeVar, Union

from hicrisp_core.corrector.clearing import Clearing, find_clearing, must_make_room
from hicrisp_core.corrector.goal_pursuit import GoalPursuit, mark, meeting, without_doubtful
from hicrisp_core.domain.checker import needless
from hicrisp_core.domain.saying import named
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Conditions, Ending, Searcher, preconditions_of
from hicrisp_core.domain.wording import described, words_of
from hicrisp_core.errors import DomainError
from hicrisp_core.extensions import extensions
from hicrisp_core.goals.planning import conditions_of
from hicrisp_core.model import OFFLINE_SOURCE, Cause, CauseKind, Command, Correction, Maker, MakerKind, Rung, WorldState
from hicrisp_core.model.feedback import Feedback, FeedbackKind
from hicrisp_core.model.goal import GoalError
from hicrisp_core.policy.policy import Policy
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.ports.brain import Brain, PlanRequest, Usage
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.ports.kinds import RungKind
from hicrisp_core.time.deadline import Deadline

_NOT_REPAIRABLE = frozenset((
    FeedbackKind.INVALID, FeedbackKind.NOT_SEEN, FeedbackKind.STALE_POSE, FeedbackKind.NO_PLACE,
    FeedbackKind.UNREACHABLE))
"""Failures that no sequence of the domain's operators repairs."""
_OUT_OF_VIEW = (FeedbackKind.NOT_SEEN, FeedbackKind.STALE_POSE)
"""Failures that no known action repairs: a model is not asked for one."""
_FIXED = frozenset((FeedbackKind.NO_PLACE, FeedbackKind.UNREACHABLE, CauseKind.OUT_OF_REACH, CauseKind.NO_PATH,
                    CauseKind.FORBIDDEN))
"""Kinds and causes of failures that no single command changes where nothing that can be moved is in the way: only
another plan helps.
"""
_SETTLED = frozenset((FeedbackKind.SAFETY, FeedbackKind.CANCELED))
"""Failures after which nothing is tried, unless a supervisor that was away is back."""
_OUT_OF_HAND = frozenset((
    CauseKind.STALE_SENSOR, CauseKind.AHEAD, CauseKind.NO_PICTURE, CauseKind.LOCALISATION,
    CauseKind.HARDWARE))
"""First causes that no command and no plan repairs: the same is tried once more, then it is given up with
the cause.
"""
_SEARCHED, _DECODED, _ASKED = Maker(MakerKind.SEARCH), Maker(MakerKind.DECODER), Maker(MakerKind.PERSON)


_OUT_OF_TIME = "the search for a repair ran out of time"


@dataclass(frozen=True)
class WayBack:
    """Commands after which a command may run, and that command: the failed one, or the same with another
    object."""

    commands: Tuple[Command, ...]
    command: Command


_Found = TypeVar("_Found", WayBack, Clearing)


def way_back(
    searcher: Searcher, command: Command, world: WorldState, limits: SearchLimits, deadline: Deadline,
    keep: Conditions = (), again: bool = True,
) -> Union[WayBack, Ending]:
    """Find a short way to a state in which a failed command can be tried again.

    Only reversible actions are used. If the domain says that any object of a type serves (one hand or the
    other), the same command with another object is a way too (CoPAL, Table II).

    Args:
        searcher: searches the domain.
        command: the failed command.
        world: observed objects, robots and facts; poses in the world frame.
        limits: its seconds cover all objects that may serve.
        deadline: wall-clock limit of the call.
        keep: conditions that no command may end while they hold.
        again: whether the command itself comes before what may serve instead.

    Returns:
        The way, or why there is none.
    """
    within = limits.deadline(deadline)
    best: Optional[WayBack] = None
    ending = Ending.NO_WAY
    others = (replace(command, arguments={**command.arguments, parameter.name: name})
              for parameter in searcher.domain.actions[command.action].parameters.values() if parameter.any
              for name in searcher.domain.objects_of(world, parameter.type)
              if name != command.arguments.get(parameter.name))
    for candidate in (command, *others) if again else (*others, command):
        if best is not None and (not best.commands or not again and candidate is command):
            break
        shorter = limits if best is None else replace(limits, depth=len(best.commands) - 1)
        answer = searcher.find(world, preconditions_of(searcher.domain, candidate), shorter, within,
                               undoable=True, keep=keep)
        if answer.found:
            best = WayBack(answer.commands, candidate)
        elif answer.out_of_time:
            ending = Ending.OUT_OF_TIME
    return best or ending


class CorrectionContext:
    """A request as the rungs read it: the way back to the failed command is searched once for all of them."""

    def __init__(self, request: CorrectorRequest, searcher: Searcher, limits: SearchLimits, deadline: Deadline) -> None:
        self.asked = request
        self.top = request.stack[-1]
        self.unsearched = False
        """Whether a search ran out of time, so that a repair may exist that it did not find."""
        self.searcher = searcher
        self.refusals: Tuple[Feedback, ...] = ()
        """Why cheaper rungs found nothing, for the one that plans anew."""
        self._limits = limits
        self._deadline = deadline
        keep = () if request.goal is None else conditions_of(request.goal.invariants, searcher.domain)
        self._keep = () if isinstance(keep, GoalError) else keep

    @cached_property
    def way_back(self) -> Optional[WayBack]:
        """The commands after which the failed one can run; ``None`` if no way was found."""
        return self._known(way_back(self.searcher, self.top.command, self.asked.world, self._limits,
                                    self._deadline, self._keep, self.top.feedback.kind is not FeedbackKind.PLANNING))

    @cached_property
    def clearing(self) -> Optional[Clearing]:
        """The commands that remove the blocking objects; ``None`` if none were found."""
        return self._known(find_clearing(self.searcher, self.asked.stack, self.asked.world, self.asked.made,
                                         self._limits, self._deadline, self._keep))

    def _known(self, found: Union[_Found, Ending]) -> Optional[_Found]:
        if not isinstance(found, Ending):
            return found
        self.unsearched = self.unsearched or found is Ending.OUT_OF_TIME
        return None


class Ladder:
    """Answers a failed command with a correction.

    Args:
        brain: asked on the LLM rungs; ``None`` when the policy has none.
        searcher: finds repairs; by default one of its own.
    """

    def __init__(
        self, domain: Domain, policy: Policy, brain: Optional[Brain] = None, searcher: Optional[Searcher] = None
    ) -> None:
        self.domain, self.policy, self.brain = domain, policy, brain
        self._searcher = searcher or Searcher(domain)
        self._pursuit = GoalPursuit(domain, policy, brain, self._searcher)
        self._kinds: Mapping[str, RungKind] = {rung: extensions().rungs.get(rung) for rung in policy.rungs}

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """Return the answer of the first rung that has one and was not tried in this situation.

        Without a failed command on the stack the goal was missed, and steps to it are searched.

        Args:
            request: the feedback stack, the world and the rungs tried so far.
            deadline: wall-clock limit of the call.

        Returns:
            The correction; ``GIVE_UP`` if no rung is left.
        """
        if not request.stack:
            return self._pursuit.correct(request, deadline)
        failed = request.stack[-1].feedback
        request = replace(request, world=without_doubtful(request.world, failed, self.domain))
        met = meeting(request.stack[-1], request.world)
        usage = Usage()
        question = CorrectionContext(request, self._searcher, self.policy.search, deadline)
        tried, said = False, ""
        for rung in self._rungs_for(failed, request.world):
            if mark(met, rung) in request.seen and not (rung == Rung.LLM_REPLAN and self.policy.repeat_replans):
                tried = True
                continue
            correction, cost = self._kinds[rung].answer(self, question, deadline)
            usage = usage + cost
            if correction is not None and correction.rung != Rung.GIVE_UP:
                # What is left out is not tried again: met once more, it is another step.
                left_out = correction.drop and not correction.commands
                remembered = "" if left_out else mark(met, rung)
                return CorrectorAnswer(_noted(correction, question), remembered, usage)
            said = correction.note if correction is not None else said
        note = said or ("every rung was tried in this situation" if tried else "nothing else is left to try")
        given_up = _noted(Correction(Rung.GIVE_UP, note=note), question)
        return CorrectorAnswer(given_up, mark(met, Rung.GIVE_UP), usage)

    def _rungs_for(self, failed: Feedback, world: WorldState) -> Tuple[str, ...]:
        """Return the policy's rungs that may repair a failure of its kind and cause."""
        passing = failed.cause is not None and failed.cause.supervisor_away
        if failed.kind in _SETTLED and not passing:
            return ()
        if passing or failed.cause is not None and failed.cause.kind in _OUT_OF_HAND:
            return tuple(rung for rung in self.policy.rungs if rung in (Rung.REPAIR, Rung.HELP))
        fixed = failed.kind in _FIXED or failed.cause is not None and failed.cause.kind in _FIXED
        in_the_way = any(name in world.objects and world.objects[name].movable for name in failed.blockers)
        if failed.kind in _OUT_OF_VIEW or fixed and not in_the_way:
            return tuple(rung for rung in self.policy.rungs if rung != Rung.LLM_STEP)
        return self.policy.rungs


class RepairRung(RungKind):
    """Searches the domain's own operators for what leads back to the failed command, without a model."""

    def answer(self, ladder: Ladder, question: CorrectionContext, _: Deadline) -> Tuple[Optional[Correction], Usage]:
        top = question.top
        if top.feedback.kind in _NOT_REPAIRABLE:
            return _clear(ladder.domain, question), Usage()
        beside_the_point = needless(ladder.domain, top.command, question.asked.world)
        if beside_the_point:
            return Correction(Rung.REPAIR, drop=True, note=beside_the_point, maker=_SEARCHED), Usage()
        if question.way_back is None:
            return None, Usage()
        commands, instead = question.way_back.commands, question.way_back.command
        if instead != top.command:
            note = f"'{described(ladder.domain, instead)}' instead of '{described(ladder.domain, top.command)}'"
            return Correction(Rung.REPAIR, (*commands, instead), drop=True, note=note, maker=_SEARCHED), Usage()
        if not commands and must_make_room(top, ladder.policy.allows(Rung.OFFSET), question.asked.world):
            cleared = _clear(ladder.domain, question)
            if cleared is not None:
                return cleared, Usage()
        measured = top.feedback.deviation is not None or _constrained(top.command)
        if not commands and measured and ladder.policy.allows(Rung.OFFSET):
            return None, Usage()  # Nothing to prepare: the next rung corrects the aim or the target itself.
        if not commands and (top.feedback.kind in (FeedbackKind.PLANNING, FeedbackKind.BREAKS_CONDITION)
                             or top.feedback.kind is FeedbackKind.PRECONDITION and not top.feedback.unmet):
            return None, Usage()  # The same motion fails again: something else must change first.
        note = f"so that '{described(ladder.domain, top.command)}' can be tried again" if commands \
            else "everything that it needs holds: try again"
        return Correction(Rung.REPAIR, commands, note=note, maker=_SEARCHED), Usage()


class OffsetRung(RungKind):
    """Corrects the aim or the target by what was measured, and tries the same action again."""

    def answer(self, ladder: Ladder, question: CorrectionContext, _: Deadline) -> Tuple[Optional[Correction], Usage]:
        top = question.top
        nothing_learnt = top.feedback.deviation is None and not _constrained(top.command)
        if nothing_learnt or top.feedback.kind is FeedbackKind.UNREACHABLE:
            return None, Usage()
        if question.way_back and question.way_back.commands:
            return None, Usage()  # Something else comes first: correcting the aim would not help.
        note = "corrects the aim by the measured deviation"
        if top.feedback.deviation is None:
            note = "takes another target: no motion led to this one" if top.command.avoid else \
                "takes another path, which keeps out of what stopped the last one"
        return Correction(Rung.OFFSET, note=note, maker=_DECODED), Usage()


class HelpRung(RungKind):
    """Asks a person to clear the way to a place, which no robot here can do."""

    def answer(self, ladder: Ladder, question: CorrectionContext, _: Deadline) -> Tuple[Optional[Correction], Usage]:
        top = question.top
        if top.feedback.kind is not FeedbackKind.UNREACHABLE:
            return None, Usage()
        words = words_of(top.feedback, ladder.domain)
        note = f"{words.error} {words.reason} Please clear the way, and say so when it is done."
        return Correction(Rung.HELP, note=note, maker=_ASKED), Usage()


class LlmStepRung(RungKind):
    """Asks the brain for a corrective action (HiCRISP, Algorithm 1, line 8)."""

    def answer(
        self, ladder: Ladder, question: CorrectionContext, deadline: Deadline
    ) -> Tuple[Optional[Correction], Usage]:
        if ladder.brain is None:
            return None, Usage()
        request = question.asked
        answer = ladder.brain.correct(replace(request, feedback_level=ladder.policy.feedback_level), deadline)
        if answer.plan is None:
            return _refused(question, answer.refusal or answer.answer), answer.usage
        commands: List[Command] = []
        for step in answer.plan.steps:
            try:
                commands.append(ladder.domain.ground(step, request.world, request.stack[-1].command.robot))
            except DomainError as error:
                return _refused(question, str(error)), answer.usage
        if commands and not answer.drop and str(commands[-1]) == str(request.stack[-1].command):
            commands.pop()  # The retry of the top follows anyway (Algorithm 1, lines 13-14).
        return Correction(Rung.LLM_STEP, tuple(commands), drop=answer.drop, note=answer.plan.reasoning,
                          maker=Maker.of_plan(answer.plan.source)), answer.usage


class LlmReplanRung(RungKind):
    """Asks the brain for a new plan from the failed step on (BrainBody-LLM, CoPAL)."""

    def answer(
        self, ladder: Ladder, question: CorrectionContext, deadline: Deadline
    ) -> Tuple[Optional[Correction], Usage]:
        if ladder.brain is None:
            return None, Usage()
        request = question.asked
        if request.replans_left < 1:
            used = ("it may have none" if ladder.policy.replans < 1 else f"its {ladder.policy.replans} are used up")
            return Correction(Rung.GIVE_UP, note=f"the task may have no other new plan: {used}"), Usage()
        answer = ladder.brain.plan(PlanRequest(
            request.task, request.world,
            (*request.earlier, *(entry.feedback for entry in request.stack), *question.refusals),
            request.done, request.remaining, feedback_level=ladder.policy.feedback_level, goal=request.goal,
            conversation=request.conversation), deadline)
        if answer.plan is None or not answer.plan.steps and answer.plan.source != OFFLINE_SOURCE:
            # A model's word that nothing is left is not believed: the detector has just seen otherwise.
            return Correction(Rung.GIVE_UP, note=answer.refusal or answer.answer), answer.usage
        return Correction(Rung.LLM_REPLAN, steps=answer.plan.steps, note=answer.plan.reasoning,
                          maker=Maker.of_plan(answer.plan.source), goal=answer.plan.goal), answer.usage


def _refused(question: CorrectionContext, why: str) -> Correction:
    """Return that a model has no corrective action, and keep why for a new plan."""
    top, cause = question.top, Cause(CauseKind.UNKNOWN, said=f"no single action corrects it: {why}")
    question.refusals += (Feedback(top.feedback.level, FeedbackKind.REFUSED, top.command, cause=cause),)
    return Correction(Rung.GIVE_UP, note=why)


def _clear(domain: Domain, question: CorrectionContext) -> Optional[Correction]:
    """Move one of the objects that are in the way, where the domain's operators can."""
    clearing = question.clearing
    if clearing is None:
        return None
    failed, robot = described(domain, question.top.command), clearing.blocker in question.asked.world.robots
    note = f"{named(clearing.blocker)} is in the way of '{failed}', and {'leaves' if robot else 'is moved away'}"
    return Correction(Rung.REPAIR, clearing.commands, note=note, maker=_SEARCHED)


def _constrained(command: Command) -> bool:
    """Check whether an earlier failure has left a constraint for the next target or trajectory."""
    return bool(command.avoid) or any(not each.name for each in command.keep_out)


def _noted(correction: Correction, question: CorrectionContext) -> Correction:
    """Return the correction; its note says so where a search before it ran out of time, but no question to a
    person does.
    """
    if not question.unsearched or correction.rung == Rung.HELP:
        return correction
    return replace(correction, note="; ".join(filter(None, (correction.note, _OUT_OF_TIME))))


REPAIR, OFFSET, HELP, LLM_STEP, LLM_REPLAN = RepairRung(), OffsetRung(), HelpRung(), LlmStepRung(), LlmReplanRung()
