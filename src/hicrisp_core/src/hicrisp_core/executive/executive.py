"""The executive: plans a task, runs its steps and reports the end."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from threading import Event
from typing import Any, Optional, Tuple

from hicrisp_core.corrector.offset import AimLearner
from hicrisp_core.domain import Domain, Searcher, listed, sentence, spoken, told
from hicrisp_core.domain.interference import ordered
from hicrisp_core.executive.attempt import Attempts
from hicrisp_core.executive.conversation import settle
from hicrisp_core.executive.goal_keeper import GoalKeeper
from hicrisp_core.executive.memory_session import MemorySession
from hicrisp_core.executive.run_log import Listener, RunLog, TaskResult
from hicrisp_core.executive.schedule import in_stages, said_of
from hicrisp_core.executive.step import StepRunner
from hicrisp_core.executive.task_run import NOT_APPROVED, PLAN_LIMIT, TaskRun
from hicrisp_core.model import Answer, DecoderOffsets, Goal, Refusal, Rung, Task, Turn, WorldState
from hicrisp_core.policy.policy import GOAL, Policy
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest, ReportRequest
from hicrisp_core.ports.executive import Ports
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import Answered, Noted, Refused, TaskFinished

REPORT_LIMIT = 30.0
"""Longest wait for the wording of a message (CoPAL, section III-A), wall seconds."""
_MOST_FAILURES = 10
_STOP_LIMIT = 2.5
"""Wall seconds in which a robot confirms that it stands once the task was canceled."""


@dataclass(frozen=True)
class _Begun:
    """What a task begins with: a plan, an answer or a refusal, and the turns that led to it."""

    answer: PlanAnswer
    conversation: Tuple[Turn, ...] = ()
    alternatives: Tuple[str, ...] = ()


class Executive:
    """Runs tasks over ports; the same object may run one task after another and keeps the learnt offsets.

    Args:
        on_event: follows everything that happens; see the trace package for the kinds of events.
        cancel: when set, every robot is stopped and the task ends.
        searcher: rehearses irreversible commands; by default one of its own.
    """

    def __init__(
        self, ports: Ports, domain: Domain, policy: Policy, on_event: Listener,
        cancel: Optional[Event] = None,
        offsets: Optional[DecoderOffsets] = None, searcher: Optional[Searcher] = None,
    ) -> None:
        self._ports = ports
        self._domain = domain
        self._policy = policy
        self._on_event = on_event
        self._cancel = cancel or Event()
        self._searcher = searcher or Searcher(domain)
        self.offsets = offsets or DecoderOffsets(settings=policy.offset)

    def run(self, task: Task, history: Tuple[str, ...] = ()) -> TaskResult:
        """Plan the task and carry it out.

        Args:
            history: what was said and done before, for a brain that talks with the user.

        Returns:
            The result; a refused task did not succeed, and its message says why.
        """
        earlier = MemorySession(self._ports.memory, self._on_event)
        ledger = RunLog(self._policy.budget, earlier.hear)
        if self._policy.allows(Rung.OFFSET):
            self.offsets = earlier.offsets(self.offsets, self._ports.robots, ledger)
        aim = AimLearner(self._domain, self._policy, self.offsets)
        attempts = Attempts(self._ports, self._domain, self._policy, ledger, aim, self._cancel, self._searcher)
        with attempts.conversation.open():
            return self._run(task, history, earlier, ledger, attempts)

    def _run(
        self, task: Task, history: Tuple[str, ...], earlier: MemorySession, ledger: RunLog, attempts: Attempts
    ) -> TaskResult:
        runner = StepRunner(attempts, self._ports.corrector, self._domain, self._policy, ledger,
                            self._cancel.is_set, earlier.ways)
        if self._ports.watch is not None:
            self._ports.watch.begin()
        world = attempts.survey()
        if world.trouble and not (world.objects or world.robots):
            ledger.tell(Refused(text=sentence(world.trouble)))
            return self._finish(ledger, False, sentence(world.trouble))
        wanted = self._ports.naming(task.text, world.objects) if self._ports.namer is not None else None
        if wanted is not None and self._ports.namer is not None:
            naming = self._ports.namer.give_name(wanted)
            ledger.tell(Answered(text=naming.message) if naming.ok else Refused(text=naming.message))
            return self._finish(ledger, naming.ok, naming.message)
        with ledger.thinking():
            begun = self._planned(task, world, history, earlier, ledger)
        earlier.tell_examples(ledger)
        answer = begun.answer
        if answer.plan is None:
            said = answer.answer or ("the task was canceled" if self._cancel.is_set() else answer.refusal)
            if answer.answer:
                ledger.tell(Answered(text=said))
            elif not self._cancel.is_set():
                ledger.tell(Refused(text=said, alternatives=begun.alternatives))
            return self._finish(ledger, bool(answer.answer), said, conversation=begun.conversation)
        if self._ports.watch is not None:
            self._ports.watch.follow(answer.plan.goal)
        understood = replace(task, text=answer.plan.request or task.text)
        reviewed = self._ports.review(answer.plan, world)
        if reviewed is None:
            if self._cancel.is_set():
                return self._finish(ledger, False, "the task was canceled")
            ledger.tell(Refused(text=NOT_APPROVED))
            return self._finish(ledger, False, NOT_APPROVED)
        plan = reviewed
        if len(self._ports.robots) > 1:  # They may move at once: each step says what it waits for.
            staged = in_stages(plan.steps, plan.goal, self._domain, world)
            plan = replace(plan, steps=ordered(staged, self._domain, world))
        closed = self._ports.watch.out_of_reach(plan.steps, world) if self._ports.watch is not None else ()
        if closed:
            ledger.tell(Noted(text=f"No path leads to {listed(map(spoken, closed))} by what is known now. The task "
                                   "begins all the same, and leaves out what stays out of reach."))
        under_way = TaskRun(understood, begun.conversation, plan, runner, self._ports, self._domain,
                            self._policy, ledger, world)
        result = under_way.run()
        self.offsets = attempts.aim.offsets
        went_well = result.ok and not self._cancel.is_set() and under_way.exemplary()
        earlier.learn(understood, world, plan.goal, went_well, self.offsets, ledger)
        reason = result.reason or "done"
        if self._cancel.is_set():
            reason = self._stop_all(reason)
        words = reason
        if self._ports.reporter is not None and not self._cancel.is_set() and not ledger.exhausted():
            report = self._ports.reporter.report(ReportRequest(
                task, result.ok, reason, under_way.records, ledger.failed_commands[-_MOST_FAILURES:], history),
                Deadline(REPORT_LIMIT))
            ledger.used(report.usage)
            words = report.text or reason
        return self._finish(ledger, result.ok, words, reason, plan=tuple(map(said_of, plan.steps)),
                            conversation=attempts.conversation.turns, **under_way.account)

    def _planned(
        self, task: Task, world: WorldState, history: Tuple[str, ...], earlier: MemorySession, ledger: RunLog
    ) -> "_Begun":
        """Ask what the task means, if the policy or its brain wants to know, and for a plan to it.

        A brain that plans by itself gets the words all the same; the meaning then only judges its end, and it
        plans what the interpreter cannot use.
        """
        examples = earlier.examples(task, world, ledger)
        request = PlanRequest(task, world, history=history, examples=examples)
        answer = PlanAnswer(needs_goal=True)
        if not self._policy.interprets:
            answer = self._ports.brain.plan(request, Deadline(PLAN_LIMIT))
            ledger.used(answer.usage)
        if not answer.needs_goal:
            return _Begun(answer)
        settled = settle(self._ports, ledger, Request(task.text, world, history=history, examples=examples),
                         self._policy.ask_time_limit)
        meaning, turns = settled.meaning, settled.conversation
        goal = meaning if isinstance(meaning, Goal) else None
        asked_back = isinstance(meaning, Refusal) and len(turns) > 1
        if goal is not None or not (self._policy.brain == GOAL or asked_back):
            answer = self._ports.brain.plan(replace(request, goal=goal, conversation=turns[1:]),
                                            Deadline(PLAN_LIMIT))
            ledger.used(answer.usage)
        if goal is not None:
            if answer.plan is not None and answer.plan.goal is None:
                answer = replace(answer, plan=replace(answer.plan, goal=goal))
            left = GoalKeeper(self._domain, self._policy, ledger, goal, world).judge(world) if answer.answer else None
            if left is not None:  # An answer in place of steps does not make the goal hold.
                answer = replace(answer, answer="", refusal=f"{sentence(answer.answer)} {told(left, self._domain)}")
            return _Begun(answer, turns)
        if not answer.needs_goal:
            return _Begun(answer, turns)
        if isinstance(meaning, Answer):
            return _Begun(PlanAnswer(answer=meaning.text), turns)
        if isinstance(meaning, Refusal):
            return _Begun(PlanAnswer(refusal=meaning.text), turns, meaning.alternatives)
        return _Begun(PlanAnswer(refusal=settled.trouble), turns)

    def _stop_all(self, reason: str) -> str:
        """Stop every robot; why the task ended, and which robots are known to stand."""
        stopped = {name: robot.stop(Deadline(_STOP_LIMIT))
                   for name, robot in sorted(self._ports.robots.items())}
        loose = [f"{name} ({outcome.message})" for name, outcome in stopped.items() if not outcome.ok]
        if loose:
            return f"canceled, but not known to stand still: {', '.join(loose)}"
        stand = "stand" if len(stopped) > 1 else "stands"
        return f"{reason}; {' and '.join(stopped)} {stand} still" if stopped else reason

    def _finish(self, ledger: RunLog, success: bool, message: str, reason: str = "", **more: Any) -> TaskResult:
        result = replace(ledger.result(), success=success, message=message, canceled=self._cancel.is_set(), **more)
        ledger.tell(TaskFinished(reason=reason or message, **{
            each.name: getattr(result, each.name) for each in fields(TaskFinished) if hasattr(result, each.name)}))
        return result
