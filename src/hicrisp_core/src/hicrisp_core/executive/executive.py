"""The executive: plan a task, run its steps, correct each inside itself, look again at the end."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Dict, FrozenSet, List, Optional, Tuple

from hicrisp_core.brain.ports import PlanRequest
from hicrisp_core.corrector.offsets import DecoderOffsets
from hicrisp_core.detector.relations import see
from hicrisp_core.domain.effects import apply_action, names_of, type_test
from hicrisp_core.domain.schema import Domain
from hicrisp_core.executive.attempt import THINK_LIMIT, Attempt, Attempts
from hicrisp_core.executive.ledger import Ledger, Listener, TaskResult
from hicrisp_core.executive.policy import Policy
from hicrisp_core.executive.ports import Ports
from hicrisp_core.executive.reporting import words_for_user
from hicrisp_core.executive.step import Progress, StepResult, StepRunner
from hicrisp_core.model import Command, Feedback, Level, Plan, Relation, Rung, Step, Task, Verdict, WorldState
from hicrisp_core.robot.deadline import Deadline

_PLAN_LIMIT = 300.0
"""Wall seconds for one plan."""


class Executive:
    """Runs tasks over ports; the same object may run one task after another and keeps the learnt offsets.

    Args:
        on_event: follows everything that happens; see the trace package for the kinds of events.
        cancel: when set, the robot is stopped and the task ends.
    """

    def __init__(
        self, ports: Ports, domain: Domain, policy: Policy, on_event: Listener, cancel: Optional[Event] = None,
        offsets: Optional[DecoderOffsets] = None,
    ) -> None:
        self._ports = ports
        self._domain = domain
        self._policy = policy
        self._on_event = on_event
        self._cancel = cancel or Event()
        self.offsets = offsets or DecoderOffsets(settings=policy.offset)

    def run(self, task: Task, history: Tuple[str, ...] = ()) -> TaskResult:
        """Plan the task and carry it out.

        Args:
            history: what was said and done before, for a brain that talks with the user.

        Returns:
            The result; a refused task is a failure whose message says what would have been understood.
        """
        ledger = Ledger(self._policy.budget, self._on_event)
        attempts = Attempts(self._ports, self._domain, self._policy, ledger, self.offsets, self._cancel)
        runner = StepRunner(attempts, self._ports.corrector, self._domain, self._policy, ledger, self._cancel.is_set)
        if self._ports.watch is not None:
            self._ports.watch.begin(task)
        answer = self._ports.brain.plan(PlanRequest(task, attempts.observe(), history=history),
                                        Deadline(_PLAN_LIMIT))
        ledger.used(answer.usage)
        if answer.plan is None:
            if answer.answer:
                ledger.tell("answer", text=answer.answer)
                return self._finish(ledger, True, answer.answer, ())
            ledger.tell("refused", text=answer.refusal, alternatives=list(answer.alternatives))
            return self._finish(ledger, False, answer.refusal, ())
        understood = replace(task, text=answer.plan.request or task.text)
        under_way = _TaskRun(understood, answer.plan, runner, self._ports, self._domain, self._policy, ledger)
        result = under_way.run()
        self.offsets = attempts.offsets
        if self._cancel.is_set():
            for robot in self._ports.robots.values():
                robot.stop(Deadline(THINK_LIMIT))
        plan = tuple(step.text or str(step) for step in answer.plan.steps)
        reason, done = result.reason or "done", under_way.done
        reporter = None if self._cancel.is_set() else self._ports.reporter
        words = words_for_user(reporter, task, result.ok, reason, done, ledger, history)
        return self._finish(ledger, result.ok, words, plan, reason, done)

    def _finish(
        self, ledger: Ledger, success: bool, message: str, plan: Tuple[str, ...], reason: str = "",
        done: Tuple[str, ...] = (),
    ) -> TaskResult:
        result = ledger.result(success, message, plan, self._cancel.is_set(), done)
        ledger.tell(
            "task_finished", success=result.success, message=result.message, reason=reason or message,
            steps_executed=result.steps_executed,
            corrections=result.corrections, llm_calls=result.llm_calls, tokens=result.tokens,
            failures=[vars(failure) for failure in result.failures], placement_error_m=result.placement_error_m,
            first_motion_s=result.first_motion_s, wall_s=result.wall_s, sim_s=result.sim_s,
            canceled=result.canceled)
        return result


class _TaskRun:
    """One task under way: its remaining steps, what is done, and the facts that its steps have made."""

    def __init__(
        self, task: Task, plan: Plan, runner: StepRunner, ports: Ports, domain: Domain, policy: Policy, ledger: Ledger
    ) -> None:
        self._task = task
        self._steps: List[Step] = list(plan.steps)
        self._runner = runner
        self._ports = ports
        self._domain = domain
        self._policy = policy
        self._ledger = ledger
        self.done: Tuple[str, ...] = ()
        self._earlier: List[Feedback] = []
        self._commands: List[Command] = []
        self._left = False
        """Whether the last step was begun and given up: what only passes may have passed meanwhile."""
        self._replans = 0
        self._index = 0
        self._tell_plan(plan.source, plan.reasoning, 0)

    def run(self) -> StepResult:
        """Run the remaining steps, then whatever was undone meanwhile, until all holds or it is given up."""
        left_out = ""
        while True:
            while self._steps:
                result = self._step(self._steps[0])
                if result.new_steps is not None:
                    self._replan(result)
                    continue
                if not result.ok and (self._policy.on_failed_step == "stop" or self._runner.ended()):
                    return result
                left_out = left_out or result.reason
                self._steps.pop(0)
            result = self._verify()
            if result.new_steps is None:
                return result if not result.ok else StepResult(not left_out, reason=left_out)
            self._replan(result)

    def _step(self, step: Step) -> StepResult:
        self._ledger.tell("step_started", index=self._index, text=step.text or str(step), action=step.action)
        world = self._runner.attempts.observe()
        self._runner.attempts.later = tuple(self._steps[1:])
        translation = self._ports.body.translate(step, world, Deadline(THINK_LIMIT))
        self._ledger.used(translation.usage)
        result = StepResult(True)
        if translation.feedback is not None:
            named = Command(step.action or step.text, step.arguments, step.robot)
            self._ledger.failed(step.text, translation.feedback)
            result = self._runner.correct(Attempt(named, Verdict(translation.feedback)), self._progress(world))
        for command in translation.commands:
            result = self._runner.run(command, self._progress(world))
            if not result.ok:
                break
            self._made(result)
        if translation.pass_reason:
            self._ledger.tell("note", text=f"no command is needed: {translation.pass_reason}")
        self._left = not result.ok
        self._ledger.tell("step_finished", index=self._index, ok=result.ok)
        if result.ok:
            passed = f" (passed over: {translation.pass_reason})" if translation.pass_reason else ""
            self.done = (*self.done, (step.text or str(step)) + passed)
        self._index += 1
        return result

    def _verify(self) -> StepResult:
        """Look at every fact that the steps made and no later step undid; what is gone is corrected like a step.

        A policy without correction at the end is told the truth all the same.
        """
        for _ in range(self._policy.threshold):
            world = self._runner.attempts.observe()
            missing = self._ports.watch.unfinished(world) if self._ports.watch is not None else None
            undone = missing or self._undone(world)
            if undone is None:
                return StepResult(True)
            command, feedback = undone
            if command is None or not (self._policy.verify_goal and self._policy.detect):
                return StepResult(False, reason=str(feedback) if command is None else feedback.error)
            self._ledger.failed(self._domain.describe(command), feedback)
            result = self._runner.correct(Attempt(command, Verdict(feedback)), self._progress(world))
            if not result.ok:
                return result
            self._made(result)
        return StepResult(False, reason="what the steps made does not stay")

    def _undone(self, world: WorldState) -> Optional[Tuple[Optional[Command], Feedback]]:
        """A fact that a step made and that is gone again, with the command that makes it once more."""
        made = self._makers(world)
        for fact in sorted(made):
            if self._passing(fact) and (self._left or made[fact] is not self._commands[-1]):
                continue
            if not see(self._domain, fact, world).holds:
                said = self._domain.describe(made[fact])
                return made[fact], Feedback(
                    Level.HIGH, "undone", f"It no longer holds that {self._domain.fact_text(fact)}.",
                    f"It was so after '{said}'.", f"{said} again.")
        return None

    def _makers(self, world: WorldState) -> Dict[Relation, Command]:
        """The facts that the finished commands made and no later one undid, with the command that made each."""
        facts: FrozenSet[Relation] = frozenset()
        maker: Dict[Relation, Command] = {}
        is_a = type_test(self._domain, world)
        for command in self._commands:
            after = apply_action(self._domain.actions[command.action], names_of(command), facts, is_a)
            for fact in after - facts:
                maker[fact] = command
            facts = after
        return {fact: maker[fact] for fact in facts}

    def _made(self, result: StepResult) -> None:
        """Remember what was carried out, for the look at the end."""
        if result.command is not None:
            self._commands.append(result.command)

    def _passing(self, fact: Relation) -> bool:
        """Whether a fact is only a means, as what a hand holds between two steps."""
        predicate = self._domain.predicates.get(fact.predicate)
        return predicate is not None and predicate.transient

    def _replan(self, result: StepResult) -> None:
        self._replans += 1
        self._steps = list(result.new_steps or ())
        self._earlier.extend(result.failures)
        self._tell_plan(Rung.LLM_REPLAN.value, "", self._index)

    def _progress(self, world: WorldState) -> Progress:
        return Progress(self._task, self.done, tuple(self._steps), self._policy.replans - self._replans,
                        frozenset(self._makers(world)), tuple(self._earlier))

    def _tell_plan(self, source: str, reasoning: str, from_step: int) -> None:
        self._ledger.tell("plan", steps=[step.text or str(step) for step in self._steps], source=source,
                          reasoning=reasoning, from_step=from_step)
