"""One task under way: its steps begin when what they wait for is done, those of different robots at once.

Only the caller's thread decides what begins and keeps the books; a step that is alone runs in it too, any
other in a thread of its own. The feedback stack belongs to the step, so steps at once are corrected apart.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, Dict, List, Optional, Sequence, Tuple

from hicrisp_core.corrector.situation import Situation
from hicrisp_core.domain import Domain, apply_effects, described, sentence, told, words_of
from hicrisp_core.domain.interference import ordered
from hicrisp_core.executive.attempt import THINK_LIMIT, Attempt
from hicrisp_core.executive.attempt_history import AttemptHistory
from hicrisp_core.executive.goal_keeper import SEEN, GoalKeeper
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.executive.schedule import LookAhead, Schedule, StepState, in_stages, said_of
from hicrisp_core.executive.second_witness import TASK
from hicrisp_core.executive.step import StepResult, StepRunner
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, Plan, StepRecord, Task, Verdict, WorldState
from hicrisp_core.model.correction import Maker, MakerKind, Rung
from hicrisp_core.model.goal import Goal, Holds
from hicrisp_core.model.meaning import Turn
from hicrisp_core.policy.policy import MODEL, OFF, Policy
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.ports.corrector import CorrectorRequest
from hicrisp_core.ports.executive import Ports
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import Noted, PlanMade, StepFinished, StepStarted

PLAN_LIMIT = 300.0
"""Wall seconds for one plan."""
NOT_APPROVED = "The plan was not approved, so it is not carried out."


_Ended = Tuple[StepResult, StepRecord]
"""How a step ended, and what was carried out for it."""


class TaskRun:
    """Carries out a plan; what is learnt of failures and of what is done goes into the next question to a brain."""

    def __init__(
        self, task: Task, conversation: Tuple[Turn, ...], plan: Plan, runner: StepRunner, ports: Ports,
        domain: Domain, policy: Policy, ledger: RunLog, world: WorldState,
    ) -> None:
        self._goal = GoalKeeper(domain, policy, ledger, plan.goal, world, runner.attempts.witness)
        runner.attempts.witness.keep(TASK, world)
        if plan.goal is not None:
            runner.attempts.keep(plan.goal.invariants)
        self._task = task
        self._schedule = Schedule(plan.steps)
        self._runner = runner
        self._ports = ports
        self._several = len(ports.robots) > 1
        self._domain = domain
        self._policy = policy
        self._ledger = ledger
        self._history = AttemptHistory(domain)
        self.records: Tuple[StepRecord, ...] = ()
        """The steps that were carried out, as data."""
        self._failed: List[Tuple[int, StepResult]] = []
        self._earlier: Tuple[Situation, ...] = ()
        """The failures that led to new plans, and those of steps that were given up."""
        self._replans = 0
        self._latest = 0
        """The step that ended last."""
        self._pursued = 0
        """How often a missed goal was gone after."""
        self._stuck = False
        """Whether a step was given up without which the task does not go on."""
        self._over = False
        """Whether nothing more may begin: the task was canceled, or one of its budgets is used up."""
        self._expected = world
        """The world as the steps make it by the domain's effects."""
        self._turned = False
        """Whether a stage of the goal turned out otherwise than the plan has it."""
        self._changed = False  # Whether the user has changed the task.
        self._talk = runner.attempts.conversation
        self._conversation = conversation
        self._talk.about(task, conversation, lambda: self._goal.goal)
        self._ahead = LookAhead(ports.body, domain, ledger,
                                policy.look_ahead and policy.worded and not self._several)
        self._tell_plan(plan, 0)

    def run(self) -> StepResult:
        """Run the task to its end.

        Returns:
            Whether it succeeded.
        """
        with closing(self._ahead):
            while True:
                self._carry_out()
                if self._take_up() or self._turn():
                    continue
                if self._failed and (self._stuck or self._over):
                    done = self._goal.judged and not self._runner.ended() and self._goal.judge(
                        self._runner.attempts.survey()) is None  # The report says what is missing.
                    return StepResult(True) if done else StepResult(False, reason=self._reasons())
                result = self._verify()  # What was undone is done again, until the plan holds or is abandoned.
                if self._take_up() or not self._runner.ended() and result.new_steps is None \
                        and not self._talk.closed():
                    continue
                if result.new_steps is not None:
                    self._replan(result)
                elif not result.ok:
                    return result if not self._failed else replace(
                        result, reason=f"{sentence(result.reason)} {sentence(self._reasons())}")
                else:
                    left_out = self._failed[0][1].reason if self._failed and self._goal.state != SEEN else ""
                    return StepResult(not left_out, reason=left_out)

    def exemplary(self) -> bool:
        """Check whether the run is an example of its task: the user changed nothing, and the goal is seen.

        Returns:
            False also if a simulation's true state contradicts the goal.
        """
        if self._goal.state != SEEN or self._changed:
            return False
        true = self._ports.true_state() if self._ports.memory is not None else None
        return true is None or self._goal.holds_in(
            true if self._ports.watch is None else self._ports.watch.see(true))

    @property
    def account(self) -> Dict[str, Any]:
        """What became of every step and of the goal, as :class:`TaskResult` has it."""
        return {"done": tuple(said_of(record.step) + (f" (not needed: {record.note})" if record.note else "")
                              for record in self.records),
                "given_up": tuple(said_of(self._schedule.step(index)) for index, _ in self._failed),
                "not_begun": tuple(said_of(self._schedule.step(index))
                                   for index in self._schedule.indices(StepState.WAITING)),
                "goal": self._goal.state}

    def _carry_out(self) -> None:
        """Run all steps that may run; on return none is under way."""
        running: "Dict[Future[_Ended], int]" = {}
        with ThreadPoolExecutor(max(1, len(self._ports.robots)), "step") as pool:
            while True:
                ready = [] if self._over or self._turned or self._talk.settled() else self._schedule.ready()
                for index in ready:
                    self._schedule.begin(index)
                if len(ready) == 1 and not running:
                    self._settle(ready[0], *self._step(ready[0]))
                    continue
                running.update({pool.submit(self._step, index): index for index in ready})
                if not running:
                    return
                for ended in wait(running, return_when=FIRST_COMPLETED).done:
                    self._settle(running.pop(ended), *ended.result())

    def _step(self, index: int) -> _Ended:
        step, part = self._schedule.step(index), self._schedule.part(index)
        ledger = self._ledger.within(index=index, robot=step.robot)
        ledger.tell(StepStarted(text=said_of(step), action=step.action))
        remaining = tuple(map(self._schedule.step, part))
        runner = self._runner.within(ledger, remaining)
        world = runner.attempts.observe()
        with ledger.thinking():
            translation = self._ports.body.translate(step, world, Deadline(THINK_LIMIT))
        ledger.used(translation.usage)
        result, made = StepResult(True), ()  # type: Tuple[StepResult, Tuple[Command, ...]]
        if len(remaining) > 1:
            self._ahead.begin(remaining[1], world, translation.commands)
        if translation.feedback is not None:
            named = Command(step.action or step.text, step.arguments, step.robot)
            ledger.failed(named, translation.feedback, step.text,
                          words_of(translation.feedback, self._domain).error)
            result = runner.correct(Attempt(named, Verdict(translation.feedback)),
                                    self._progress(world, part))
        for command in translation.commands:
            result = runner.run(command, partial(self._progress, world, part, made))
            if not result.ok:
                break
            made = (*made, *result.commands)
        if translation.pass_reason:
            ledger.tell(Noted(text=f"no command is needed: {translation.pass_reason}"))
        ledger.tell(StepFinished(ok=None if result.changed else result.ok))
        note = translation.pass_reason or (result.reason if result.ok else "")
        return result, StepRecord(step, made, note=note)

    def _settle(self, index: int, result: StepResult, record: StepRecord) -> None:
        """Write down how a step ended, and what that means for those that wait for it."""
        self._latest, robot = index, record.step.robot
        self._history.carried_out(record.commands)
        if result.changed:
            self._schedule.end(index, StepState.WAITING)
            return
        if result.ok:
            self._ledger.mended(robot)
        self._history.ended(robot or next(iter(self._ports.robots), ""), result.ok)
        for command in record.commands:
            self._expected = apply_effects(self._domain, command, self._expected)
        if self._goal.staged:
            self._turned |= self._goal.see(self._runner.attempts.observe(), self._expected)
        if result.ok:
            self._schedule.end(index, StepState.DONE)
            self.records += (record,)
        elif result.new_steps is not None:
            part = self._schedule.part(index)
            self._schedule.end(index, StepState.LEFT)
            self._schedule.drop(part[1:])
            self._ledger.left(robot)
            self._replan(result)
        elif not self._runner.ended() and self._goal.pass_over():
            self._ledger.tell(Noted(text=f"it is left out, as it may be: {result.reason}"))
            self._schedule.end(index, StepState.LEFT)
            self._ledger.left(robot)
            self._turned = True
        else:
            world = self._runner.attempts.latest()
            self._earlier += tuple(Situation.of(each, self._domain, world) for each in result.failures)
            self._failed.append((index, result))
            self._over = self._over or self._runner.ended()
            unseen = {each.name for each in world.unseen}
            lost = self._goal.judged and any(unseen.intersection(each.subjects) for each in result.failures)
            goes_on = (lost or self._policy.on_failed_step != "stop") and not self._over
            if goes_on and lost:  # What can be done without it is found by what the goal lacks.
                self._schedule.drop(self._schedule.part(index)[1:])
            if goes_on:
                self._ledger.left(robot)
            self._stuck = self._stuck or not goes_on
            self._schedule.end(index, StepState.LEFT if goes_on else StepState.FAILED)

    def _take_up(self) -> bool:
        """Plan again if the user has changed the task, and return whether; without a new plan it continues as it was.
        """
        change = self._talk.settled() if not self._over else None
        if change is None:
            return False
        world = self._talk.unordered(self._runner.attempts.observe())
        answer = self._plan(world, (change.feedback,), change.goal, change.conversation)
        if answer.plan is None and not answer.answer:
            self._talk.kept(change, f"{answer.refusal} The task goes on as it was.")
            return True
        self._conversation, self._changed = change.conversation, True
        self._goal.restated(change.goal, world)
        self._runner.attempts.keep(change.goal.invariants)
        if self._ports.watch is not None:
            self._ports.watch.follow(change.goal)
        self._talk.about(self._task, self._conversation, lambda: self._goal.goal)
        self._ledger.begun_anew()
        self._failed, self._stuck, self._pursued, self._history = [], False, 0, AttemptHistory(self._domain)
        self._schedule.drop(self._schedule.indices(StepState.WAITING))
        for index in self._schedule.indices(StepState.FAILED):
            self._schedule.end(index, StepState.LEFT)  # Nothing new waits for it.
        self._add(answer.plan or Plan((), change.goal.source), world)
        return True

    def _turn(self) -> bool:
        """Plan from here on what is left of a goal whose stages turned out otherwise; whether they did."""
        if not self._turned or self._over:
            return False
        self._turned = False
        world = self._runner.attempts.observe()
        self._goal.see(world)
        answer = self._plan(world, self._still(world), self._goal.goal, self._conversation)
        self._schedule.drop(self._schedule.indices(StepState.WAITING))
        if answer.plan is not None:
            self._add(answer.plan, world)
        elif answer.refusal:
            self._failed.append((self._latest, StepResult(False, reason=answer.refusal)))
            self._stuck = self._policy.on_failed_step == "stop"
        return True

    def _plan(
        self, world: WorldState, feedback: Tuple[Feedback, ...], goal: Optional[Goal],
        conversation: Tuple[Turn, ...]
    ) -> PlanAnswer:
        """Ask the brain for the steps to a goal from here on."""
        with self._ledger.thinking():
            answer = self._ports.brain.plan(
                PlanRequest(self._task, world, feedback, self.records, feedback_level=self._policy.feedback_level,
                            goal=goal, conversation=conversation[1:]), Deadline(PLAN_LIMIT))
        self._ledger.used(answer.usage)
        return answer

    def _verify(self) -> StepResult:
        """Look at every fact that the steps made and no later step undid; what is gone is corrected like a step."""
        reason = ""
        for _ in range(self._policy.threshold):
            world = self._runner.attempts.observe()
            missing = self._ports.watch.unfinished(world) if self._ports.watch is not None else None
            if missing is None and self._goal.judged:
                return self._judge(world)
            if missing is None and self._policy.verify_goal == MODEL:
                return self._asked_whether_done(world)
            undone = missing or self._history.undone(world)
            if undone is not None and missing is None and world.viewed is not None:
                undone = self._history.undone(self._runner.attempts.survey(self._history.unseen))
            if undone is None:
                return StepResult(True)
            command, feedback = undone
            reason = f"{told(feedback, self._domain)} ({self._policy.threshold} corrections did not help)"
            if command is None or self._policy.verify_goal == OFF or not self._policy.detect:
                return StepResult(False, reason=told(feedback, self._domain))
            self._ledger.failed(command, feedback, described(self._domain, command),
                                words_of(feedback, self._domain).error)
            self._history.lost((Holds(fact) for unmet in feedback.unmet for fact in unmet.facts), world)
            result = self._runner.correct(Attempt(command, Verdict(feedback)), self._progress(world))
            if not result.ok:
                return replace(result, reason=self._history.explained(result.reason))
            if result.command is None:  # Leaving the command out does not bring back what it made.
                return StepResult(False, reason=f"{told(feedback, self._domain)} ({result.reason})")
            self._ledger.mended()
            self._history.carried_out(result.commands)
        return StepResult(False, reason=self._history.explained(reason))

    def _judge(self, world: WorldState) -> StepResult:
        """Observe whether the goal holds, a second time if it does not, and with a camera with the arms out of
        sight; what is missing goes up the ladder.
        """
        missed = self._goal.judge(world) and self._goal.judge(self._runner.attempts.survey(self._goal.unseen))
        if missed is None:
            return StepResult(True)
        self._ledger.failed(None, missed, "the goal", words_of(missed, self._domain).error)
        self._pursued += 1
        if missed.kind is FeedbackKind.GOAL_MISSED:
            self._history.lost(missed.conditions, world)
        if self._pursued > self._policy.threshold:
            reason = f"{told(missed, self._domain)} ({self._policy.threshold} corrections did not help)"
            return StepResult(False, reason=self._history.explained(reason))
        result = self._runner.pursue(missed, self._progress(world))
        return replace(result, reason=self._history.explained(result.reason)) if self._pursued > 1 else result

    def _asked_whether_done(self, world: WorldState) -> StepResult:
        """Let the brain judge what the plan came to; what it plans then is left of the task (CoPAL, Table V)."""
        carried_out = Feedback(Level.HIGH, FeedbackKind.CARRIED_OUT)
        answer = self._plan(world, (*self._still(world), carried_out), self._goal.goal, self._conversation)
        if answer.plan is None:
            self._ledger.tell(Noted(text=f"the task is judged: {answer.answer or answer.refusal}"))
            return StepResult(bool(answer.answer), reason=answer.refusal)
        if self._replans >= self._policy.replans:
            return StepResult(False, reason=f"{answer.plan.source} finds something left to do, and all "
                                            f"{self._policy.replans} new plans are used up")
        maker = Maker.of_plan(answer.plan.source)
        self._ledger.corrected(Rung.LLM_REPLAN, maker)
        return StepResult(False, new_steps=answer.plan.steps, maker=maker, goal=answer.plan.goal)

    def _replan(self, result: StepResult) -> None:
        """New steps for a failed one and for all that waited for it; the other steps stay as they are."""
        world = self._runner.attempts.observe()
        self._replans += result.maker.kind is not MakerKind.SEARCH
        self._goal.restated(result.goal, world)
        self._earlier += tuple(Situation.of(each, self._domain, world) for each in result.failures)
        self._add(Plan(result.new_steps or (), result.maker.name or result.maker.kind.value), world)

    def _still(self, world: WorldState) -> Tuple[Feedback, ...]:
        """Return the earlier failures without what was impossible and may be possible now."""
        return tuple(each.failure for each in self._earlier if each.lasts(self._domain, world))

    def _add(self, plan: Plan, world: WorldState) -> None:
        """Let further steps be carried out, and tell them; those not begun stay as they are."""
        reviewed = self._ports.review(plan, world)
        if reviewed is None:
            self._failed.append((self._latest, StepResult(False, reason=NOT_APPROVED)))
            self._over = True
            return
        plan, self._expected = reviewed, world
        steps, before = plan.steps, self._schedule.indices()
        if self._several:
            kept = tuple(map(self._schedule.step, before))
            shifted = (step if step.after is None
                       else replace(step, after=tuple(at + len(kept) for at in step.after))
                       for step in steps)
            staged = in_stages((*(replace(step, after=None) for step in kept), *shifted), self._goal.goal,
                               self._domain, world)
            steps = ordered(staged, self._domain, world)[len(kept):]
        first = self._schedule.add(steps, before)
        self._tell_plan(replace(plan, steps=steps), first)

    def _progress(self, world: WorldState, part: Sequence[int] = (),
                  made: Tuple[Command, ...] = ()) -> CorrectorRequest:
        elsewhere = tuple(StepRecord(self._schedule.step(index), ok=False, elsewhere=True)
                          for index in self._schedule.indices() if index not in part) if self._several else ()
        return CorrectorRequest(
            self._task, (), world, (*self.records, *elsewhere), tuple(map(self._schedule.step, part)), self._goal.goal,
            self._conversation[1:], replans_left=self._policy.replans - self._replans,
            made=frozenset(self._history.made(world, made)), earlier=self._still(world))

    def _reasons(self) -> str:
        """Return why the task failed; with the step if several failed."""
        if len(self._failed) == 1:
            return self._failed[0][1].reason
        return "; ".join(f"{said_of(self._schedule.step(index))}: {result.reason}" for index, result in self._failed)

    def _tell_plan(self, plan: Plan, first: int) -> None:
        self._ports.announce(plan)
        self._ledger.tell(PlanMade(
            steps=tuple(map(said_of, plan.steps)), source=plan.source, reasoning=plan.reasoning, from_step=first,
            robots=tuple(step.robot for step in plan.steps), after=tuple(step.after for step in plan.steps)))
