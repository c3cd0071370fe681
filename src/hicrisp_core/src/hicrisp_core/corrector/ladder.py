"""The corrector: climbs the ladder's rungs, cheapest first, until one answers the top of the stack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Mapping, Optional, Tuple

from hicrisp_core.corrector.clearing import Clearing, find_clearing
from hicrisp_core.corrector.situation import meeting, without_doubtful
from hicrisp_core.domain import Domain, Ending, Searcher, preconditions_of
from hicrisp_core.extensions import extensions
from hicrisp_core.goals.planning import conditions_of
from hicrisp_core.model import CauseKind, Command, Correction, MakerKind, Rung, StackEntry
from hicrisp_core.model.feedback import Feedback, FeedbackKind
from hicrisp_core.model.goal import GoalError
from hicrisp_core.policy.policy import Policy
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.ports.brain import Brain, Usage
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.ports.kinds import RungKind
from hicrisp_core.time.deadline import Deadline

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
_OUT_OF_TIME = "the search for a repair ran out of time"
UNSEEN = "no step brings it back into view"
"""The note where nothing is known to bring an object of the goal back into view."""


@dataclass(frozen=True)
class WayBack:
    """Commands after which a command may run, and that command: the failed one, or the same with another
    object."""

    commands: Tuple[Command, ...]
    command: Command


class CorrectionContext:
    """A request as the rungs read it: the way back to the failed command is searched once for all of them."""

    def __init__(self, request: CorrectorRequest, searcher: Searcher, limits: SearchLimits, deadline: Deadline) -> None:
        self.asked = request
        self.unsearched = False
        """Whether a search ran out of time, so that a repair may exist that it did not find."""
        self.searcher = searcher
        self.refusals: Tuple[Feedback, ...] = ()
        """Why cheaper rungs found nothing, for the one that plans anew."""
        self._limits = limits
        self._deadline = deadline
        keep = () if request.goal is None else conditions_of(request.goal.invariants, searcher.domain)
        self._keep = () if isinstance(keep, GoalError) else keep

    @property
    def top(self) -> StackEntry:
        """The failed command and why it failed; a missed goal has none."""
        return self.asked.stack[-1]

    @property
    def measured(self) -> bool:
        """Whether a failure has measured where to aim instead, or left a constraint for the next motion."""
        command = self.top.command
        return bool(self.top.feedback.deviation is not None or command.avoid
                    or any(not each.name for each in command.keep_out))

    @property
    def needs_plan(self) -> bool:
        """Whether no single command changes the failure: nothing that can be moved is in the way."""
        failed, world = self.top.feedback, self.asked.world
        fixed = failed.kind in _FIXED or failed.cause is not None and failed.cause.kind in _FIXED
        return failed.kind in _OUT_OF_VIEW or fixed and not any(
            name in world.objects and world.objects[name].moves for name in failed.blockers)

    @property
    def goal_unseen(self) -> bool:
        """Whether all that is missing of the goal is a view of it."""
        missed = self.asked.missed
        return missed is not None and missed.kind is FeedbackKind.GOAL_UNSEEN and not missed.unmet

    @cached_property
    def way_back(self) -> Optional[WayBack]:
        """A short way to a state in which the failed command can be tried again; ``None`` if none was found.

        Only reversible actions are used. If the domain says that any object of a type serves (one hand or the
        other), the same command with another object is a way too (CoPAL, Table II).
        """
        domain, command, world = self.searcher.domain, self.top.command, self.asked.world
        within, again = self._limits.deadline(self._deadline), self.top.feedback.kind is not FeedbackKind.PLANNING
        best: Optional[WayBack] = None
        out_of_time = False
        others = (replace(command, arguments={**command.arguments, parameter.name: name})
                  for parameter in domain.actions[command.action].parameters.values() if parameter.any
                  for name in domain.objects_of(world, parameter.type)
                  if name != command.arguments.get(parameter.name))
        for candidate in (command, *others) if again else (*others, command):
            if best is not None and (not best.commands or not again and candidate is command):
                break
            shorter = self._limits if best is None else replace(self._limits, depth=len(best.commands) - 1)
            answer = self.searcher.find(world, preconditions_of(domain, candidate), shorter, within, undoable=True,
                                        keep=self._keep)
            best = WayBack(answer.commands, candidate) if answer.found else best
            out_of_time |= answer.out_of_time
        self.unsearched |= best is None and out_of_time
        return best

    @cached_property
    def clearing(self) -> Optional[Clearing]:
        """The commands that remove the blocking objects; ``None`` if none were found."""
        found = find_clearing(self.searcher, self.asked.stack, self.asked.world, self.asked.made, self._limits,
                              self._deadline, self._keep)
        self.unsearched |= found is Ending.OUT_OF_TIME
        return None if isinstance(found, Ending) else found


class Ladder:
    """Answers a failed command, or a missed goal, with a correction.

    Args:
        brain: asked on the LLM rungs; ``None`` when the policy has none.
        searcher: finds repairs; by default one of its own.
    """

    def __init__(
        self, domain: Domain, policy: Policy, brain: Optional[Brain] = None, searcher: Optional[Searcher] = None
    ) -> None:
        self.domain, self.policy, self.brain = domain, policy, brain
        self._searcher = searcher or Searcher(domain)
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
        failed = request.stack[-1].feedback if request.stack else request.missed
        if failed is None:
            return CorrectorAnswer(Correction(Rung.GIVE_UP, note="nothing is missing"))
        request = replace(request, world=without_doubtful(request.world, failed, self.domain))
        met = meeting(request.stack[-1] if request.stack else failed, request.world)
        usage, said = Usage(), ""
        question = CorrectionContext(request, self._searcher, self.policy.search, deadline)
        passing = failed.cause is not None and failed.cause.supervisor_away
        waits = passing or failed.cause is not None and failed.cause.kind in _OUT_OF_HAND
        note = UNSEEN if question.goal_unseen else "nothing else is left to try"
        for rung, kind in self._kinds.items():
            if failed.kind in _SETTLED and not passing or waits and not kind.waits:
                continue
            repeats = rung == Rung.LLM_REPLAN and self.policy.repeat_replans and request.stack
            mark = f"{met}:{rung}"
            if mark in request.seen and not repeats:
                note = "every rung was tried in this situation"
                continue
            correction, cost = (kind.answer if request.stack else kind.pursue)(self, question, deadline)
            usage = usage + cost
            if correction is None:
                continue
            if correction.rung != Rung.GIVE_UP and (request.stack or correction.steps):
                # What is left out is not tried again: met once more, it is another step.
                left_out = correction.drop and not correction.commands
                return CorrectorAnswer(_noted(correction, question), "" if left_out else mark, usage)
            said = correction.note or said
        given_up = _noted(Correction(Rung.GIVE_UP, note=said or note), question)
        return CorrectorAnswer(given_up, f"{met}:{Rung.GIVE_UP}", usage)


def _noted(correction: Correction, question: CorrectionContext) -> Correction:
    """Return the correction; its note says so where a search before it ran out of time, but no question to a
    person does.
    """
    if not question.unsearched or correction.maker.kind is MakerKind.PERSON:
        return correction
    return replace(correction, note="; ".join(filter(None, (correction.note, _OUT_OF_TIME))))
