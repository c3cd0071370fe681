"""The rungs that search the domain, ask a person, or ask the brain."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import List, Optional

from hicrisp_core.corrector.clearing import must_make_room
from hicrisp_core.corrector.ladder import UNSEEN, CorrectionContext, Ladder
from hicrisp_core.corrector.situation import LASTING
from hicrisp_core.domain import Domain, GoalWords, apply_effects, described, named, words_of
from hicrisp_core.domain.checker import needless
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.planning import way_to
from hicrisp_core.goals.stages import about, final_conditions, without
from hicrisp_core.goals.truth import ended_by, holds
from hicrisp_core.model import OFFLINE_SOURCE, Cause, CauseKind, Command, Correction, Maker, MakerKind, Rung, Step
from hicrisp_core.model.feedback import Feedback, FeedbackKind
from hicrisp_core.ports.brain import PlanRequest, Usage
from hicrisp_core.ports.kinds import RungAnswer, RungKind
from hicrisp_core.time.deadline import Deadline

_NOT_REPAIRABLE = frozenset((
    FeedbackKind.INVALID, FeedbackKind.NOT_SEEN, FeedbackKind.STALE_POSE, FeedbackKind.NO_PLACE,
    FeedbackKind.UNREACHABLE))
"""Failures that no sequence of the domain's operators repairs."""
_SEARCHED = Maker(MakerKind.SEARCH)


class RepairRung(RungKind):
    """Searches the domain's own operators for what leads back to the failed command, without a model."""

    waits = True

    def answer(self, ladder: Ladder, question: CorrectionContext, _: Deadline) -> RungAnswer:
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
        other_target = ladder.policy.allows(Rung.OFFSET)
        if not commands and must_make_room(top, other_target, question.asked.world):
            cleared = _clear(ladder.domain, question)
            if cleared is not None:
                return cleared, Usage()
        if not commands and question.measured and other_target:
            return None, Usage()  # Nothing to prepare: the next rung corrects the aim or the target itself.
        if not commands and (top.feedback.kind in (FeedbackKind.PLANNING, FeedbackKind.BREAKS_CONDITION)
                             or top.feedback.kind is FeedbackKind.PRECONDITION and not top.feedback.unmet):
            return None, Usage()  # The same motion fails again: something else must change first.
        note = f"so that '{described(ladder.domain, top.command)}' can be tried again" if commands \
            else "everything that it needs holds: try again"
        return Correction(Rung.REPAIR, commands, note=note, maker=_SEARCHED), Usage()

    def pursue(self, ladder: Ladder, question: CorrectionContext, deadline: Deadline) -> RungAnswer:
        """Return the shortest way that keeps achieved conditions; without one, a way that states what it undoes."""
        request, domain, world = question.asked, ladder.domain, question.asked.world
        if request.goal is None:
            return None, Usage()
        barred = frozenset(str(each.command) for each in request.earlier
                           if each.kind in LASTING and each.command is not None and not each.stopped)
        goal = without(request.goal, about({each.name for each in world.unseen}))
        reached = tuple(each for each in final_conditions(goal, domain) if holds(each, world.relations, domain))
        way = way_to(question.searcher, world, goal, deadline, protect=reached, barred=barred)
        note = "so that the goal is reached"
        if not way.found and reached:
            way = way_to(question.searcher, world, goal, deadline, barred=barred)
            worlds = tuple(accumulate(way.commands, lambda state, each: apply_effects(domain, each, state),
                                      initial=world))
            ended = (each for before, after in zip(worlds, worlds[1:])
                     for each in ended_by(reached, domain, before, after))
            undone = GoalWords(domain).state(tuple(dict.fromkeys(ended)))
            note = f"this must be undone first, and is made again: {undone}"
        if way.found and not way.commands:
            note = UNSEEN
        elif not way.found:
            tried = f" without what was found impossible ({', '.join(sorted(barred))})" if barred else ""
            note = f"no way to the goal was found{tried}"
        steps = tuple(Step(domain.describe(each), each.action, each.arguments, each.robot) for each in way.commands)
        return Correction(Rung.REPAIR, steps=steps, note=note, maker=_SEARCHED), Usage()


class HelpRung(RungKind):
    """Asks a person to clear the way to a place, which no robot here can do."""

    waits = True

    def answer(self, ladder: Ladder, question: CorrectionContext, _: Deadline) -> RungAnswer:
        top = question.top
        if top.feedback.kind is not FeedbackKind.UNREACHABLE:
            return None, Usage()
        words = words_of(top.feedback, ladder.domain)
        note = f"{words.error} {words.reason} Please clear the way, and say so when it is done."
        return Correction(Rung.HELP, note=note, maker=Maker(MakerKind.PERSON)), Usage()


class LlmStepRung(RungKind):
    """Asks the brain for a corrective action (HiCRISP, Algorithm 1, line 8)."""

    def answer(self, ladder: Ladder, question: CorrectionContext, deadline: Deadline) -> RungAnswer:
        if ladder.brain is None or question.needs_plan:
            return None, Usage()
        request = question.asked
        answer = ladder.brain.correct(replace(request, feedback_level=ladder.policy.feedback_level), deadline)
        if answer.plan is None:
            return _refused(question, answer.refusal or answer.answer), answer.usage
        commands: List[Command] = []
        for step in answer.plan.steps:
            try:
                commands.append(ladder.domain.ground(step, request.world, question.top.command.robot))
            except DomainError as error:
                return _refused(question, str(error)), answer.usage
        if commands and not answer.drop and str(commands[-1]) == str(question.top.command):
            commands.pop()  # The retry of the top follows anyway (Algorithm 1, lines 13-14).
        return Correction(Rung.LLM_STEP, tuple(commands), drop=answer.drop, note=answer.plan.reasoning,
                          maker=Maker.of_plan(answer.plan.source)), answer.usage

    def pursue(self, ladder: Ladder, question: CorrectionContext, deadline: Deadline) -> RungAnswer:
        """Return a whole plan, unless another rung makes one: a single action does not lead to a goal."""
        if ladder.policy.allows(Rung.LLM_REPLAN):
            return None, Usage()
        return _planned(Rung.LLM_STEP, ladder, question, deadline)


class LlmReplanRung(RungKind):
    """Asks the brain for a new plan from the failed step on (BrainBody-LLM, CoPAL)."""

    def answer(self, ladder: Ladder, question: CorrectionContext, deadline: Deadline) -> RungAnswer:
        return _planned(Rung.LLM_REPLAN, ladder, question, deadline)

    pursue = answer


def _planned(rung: str, ladder: Ladder, question: CorrectionContext, deadline: Deadline) -> RungAnswer:
    """Ask the brain for a plan from here to the goal; it is not asked for what is only out of view."""
    if ladder.brain is None or question.goal_unseen:
        return None, Usage()
    request = question.asked
    if rung == Rung.LLM_REPLAN and request.replans_left < 1:
        used = ("it may have none" if ladder.policy.replans < 1 else f"its {ladder.policy.replans} are used up")
        return Correction(Rung.GIVE_UP, note=f"the task may have no other new plan: {used}"), Usage()
    failures = [*request.earlier, *(entry.feedback for entry in request.stack), *question.refusals]
    if request.missed is not None:
        failures.append(request.missed)
    answer = ladder.brain.plan(PlanRequest(
        request.task, request.world, tuple(failures), request.done, request.remaining,
        feedback_level=ladder.policy.feedback_level, goal=request.goal, conversation=request.conversation), deadline)
    if answer.plan is None or not answer.plan.steps and answer.plan.source != OFFLINE_SOURCE:
        # A model's word that nothing is left is not believed: the detector has just seen otherwise.
        return Correction(Rung.GIVE_UP, note=answer.refusal or answer.answer), answer.usage
    return Correction(rung, steps=answer.plan.steps, note=answer.plan.reasoning,
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


REPAIR, HELP, LLM_STEP, LLM_REPLAN = RepairRung(), HelpRung(), LlmStepRung(), LlmReplanRung()
