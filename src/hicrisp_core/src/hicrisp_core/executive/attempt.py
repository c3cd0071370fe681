"""One attempt at one command: check, aim, approve, execute, observe, detect, learn."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Lock
from typing import Callable, FrozenSet, Iterable, List, Optional, Tuple

from hicrisp_core.corrector.offset import AimLearner
from hicrisp_core.domain import Domain, GoalWords, Searcher, apply_effects, check, described, expected_facts, names_of
from hicrisp_core.errors import DomainError
from hicrisp_core.executive.conversation import Conversation
from hicrisp_core.executive.goal_keeper import InvariantGuard
from hicrisp_core.executive.observation import OUT_OF_VIEW, ActiveObserver, look_within, out_of_sight
from hicrisp_core.executive.rehearsal import Rehearsal, rehearse
from hicrisp_core.executive.run_log import RunLog, in_words
from hicrisp_core.executive.schedule import Passage, Traffic
from hicrisp_core.executive.second_witness import SecondWitness
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Outcome,
    Pose,
    Relation,
    Status,
    Step,
    Unmet,
    Verdict,
    WorldState,
)
from hicrisp_core.model.feedback import cause_record, said
from hicrisp_core.model.goal import Statement
from hicrisp_core.policy.policy import ON, Policy
from hicrisp_core.ports.executive import Ports
from hicrisp_core.ports.observer import PartObserver
from hicrisp_core.ports.robot import AWAITED
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace import events

THINK_LIMIT = 60.0
"""Wall seconds for body, detector and observation."""
RETRY = "retry"
"""The purpose of an attempt that repeats a failed command."""
_LEAST = 1.0
"""Seconds that a command gets, however little of the task's time is left."""


@dataclass(frozen=True)
class Attempt:
    """What came of one attempt: the command as it was aimed, and the verdict on it."""

    command: Command
    verdict: Verdict


class Attempts:
    """Carries out commands, those of one step one at a time."""

    def __init__(
        self, ports: Ports, domain: Domain, policy: Policy, ledger: RunLog, aim: AimLearner,
        cancel: Event, searcher: Searcher,
    ) -> None:
        self._ports = ports
        self._domain = domain
        self._policy = policy
        self._ledger = ledger
        self._cancel = cancel
        self._traffic = Traffic(domain)
        self._searcher = searcher
        self._looking = ActiveObserver(ports.robots, cancel)
        self.aim = aim
        self.witness = SecondWitness(ports.witness, domain, policy.witness, ledger)
        self._watching = Lock()
        self._asking = Lock()
        self._keeping = InvariantGuard(domain)
        self._steps: Tuple[Step, ...] = ()
        self._seen: List[WorldState] = []
        self.conversation = Conversation(ports, domain, ledger, cancel, policy.ask_time_limit, self.latest,
                                         searcher)

    def keep(self, conditions: Tuple[Statement, ...]) -> None:
        """Refuse commands that would end a condition of the task, starting now.

        Args:
            conditions: the invariants of the goal.
        """
        self._keeping = InvariantGuard(self._domain, conditions)

    def within(self, ledger: RunLog, steps: Tuple[Step, ...]) -> "Attempts":
        """Return a view for the attempts of one step.

        Args:
            ledger: counters and event log of the step.
            steps: it and those of the plan after it; an irreversible command must leave a way to them, and what a hand
                takes is taken for where it goes.

        Returns:
            The view.
        """
        view = copy(self)
        view._ledger, view._steps = ledger, steps
        return view

    def observe(self, mine: Optional[Passage] = None) -> WorldState:
        """Return the current world; what other robots are doing counts as not yet done.

        Args:
            mine: the running command, whose own effects are returned as observed.

        Returns:
            The world.
        """
        world = self._look() if len(self._ports.robots) < 2 else self._traffic.observe(mine, self._look)
        self._ledger.saw(world.stamp)
        if self._ports.watch is not None:
            with self._watching:
                world = self._ports.watch.see(world)
        world = self.witness.see(world)
        self._seen[:] = [world]
        return world

    def survey(self, doubt: Callable[[WorldState], Iterable[str]] = out_of_sight) -> WorldState:
        """Observe until nothing relevant is in doubt, with the arms out of sight if that is needed.

        No robot may be executing a command.

        Args:
            doubt: returns the names of objects to look for; by default all movable ones that are not visible.

        Returns:
            The world as observed last.
        """
        return self._looking.until(self.observe(), doubt, self._ports.robots, self.observe, self._ledger)

    def latest(self) -> WorldState:
        """Return the world as observed last, without another observation.

        Returns:
            The world.
        """
        return self._seen[0] if self._seen else WorldState()

    def _look(self, moving: Callable[[], FrozenSet[str]] = frozenset) -> WorldState:
        observer, limit = self._ports.observer, Deadline(THINK_LIMIT)
        if len(self._ports.robots) > 1 and isinstance(observer, PartObserver):
            return observer.observe_beside(moving, limit)
        return observer.observe(limit)

    def run(self, command: Command, purpose: str, depth: int) -> Attempt:
        """Try a command once; it starts when it does not interfere with any running command.

        Args:
            command: the action with its arguments and constraints.
            purpose: ``step``, ``correction`` or ``retry``.
            depth: number of entries on the feedback stack, for the event log.

        Returns:
            The command as it was executed, with outcome and verdict.
        """
        with self._ledger.for_a_person():
            self._ports.gate(self._cancel)
        change = self.conversation.settled()
        if change is not None:
            return Attempt(command, Verdict(replace(change.feedback, command=command)))
        with self._traffic.passage(command, self._cancel) as passage:
            return self._try(command, purpose, depth, passage)

    def _try(self, command: Command, purpose: str, depth: int, passage: Passage) -> Attempt:
        observe = partial(self.observe, passage)
        named = names_of(command).values()
        before = passage.before = self._looking.until(
            observe(), lambda seen: [name for name in named if name in seen.objects and seen.objects[name].unseen],
            (command.robot,), observe, self._ledger)
        aimed, refusal = self._prepare(command, before, purpose)
        self._ledger.tell(events.CommandTried(
            command=str(aimed), text=described(self._domain, aimed), action=aimed.action,
            arguments=said(aimed.arguments),
            purpose=purpose, target=_point(aimed.target), aim=_point(aimed.aim), depth=depth,
            turn=aimed.target.orientation if aimed.target is not None else None, robot=aimed.robot))
        after = before
        if refusal is not None:
            verdict = Verdict(refusal)
        else:
            if self.witness.explains or self.witness.witnessed(_changes(self._domain, aimed)):
                self.witness.keep(aimed.robot, before)
            outcome, told = self._execute(aimed, before)
            self._ledger.tell(events.OutcomeClaimed(
                status=outcome.status.value, message=outcome.message, blockers=outcome.blockers,
                cause=cause_record(outcome.cause)))
            after = observe()
            verdict = Verdict(told)
            if told is None:
                after, verdict = self._judged(aimed, before, after, outcome, observe)
            if verdict.feedback is not None and told is None:
                verdict = replace(verdict, feedback=self.witness.explained(verdict.feedback, after))
            for statement in self._keeping.ended(before, after):  # The goal sees to it that it holds in the end.
                words = GoalWords(self._domain).now(statement)
                self._ledger.tell(events.Noted(text=f"this was to stay so and does not: {words}"))
            if verdict.deviation is not None:
                self._ledger.placed(verdict.deviation)
            learnt = self.aim.learn(aimed, after, outcome, verdict)
            if learnt is not None:
                self._ledger.tell(learnt)
        if self._ports.watch is not None and not told_by_user(verdict):
            with self._watching:
                verdict = self._ports.watch.judge(aimed, after, verdict)
        record = in_words(verdict.feedback, self._domain)
        self._ledger.tell(events.VerdictGiven(ok=verdict.ok, note=verdict.note, deviation=verdict.deviation,
                                              feedback=record))
        if verdict.feedback is not None and record is not None and not told_by_user(verdict):
            self._ledger.failed(command, verdict.feedback, described(self._domain, command), record.error)
            aimed = self.aim.constrained(aimed, verdict.feedback, after)
        return Attempt(aimed, verdict)

    def _judged(
        self, command: Command, before: WorldState, after: WorldState, outcome: Outcome,
        observe: Callable[[], WorldState],
    ) -> Tuple[WorldState, Verdict]:
        """Return the detector's verdict, and its world: observed again if the view supports no verdict.
        """
        verdict = self._checked(command, before, after, outcome)

        def doubt(world: WorldState) -> Tuple[str, ...]:
            nonlocal verdict
            if world is not after:
                verdict = self._checked(command, before, world, outcome)
            found = verdict.feedback
            return found.subjects if found is not None and found.kind in OUT_OF_VIEW else ()

        return self._looking.until(after, doubt, (command.robot,), observe, self._ledger), verdict

    def _checked(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Return the detector's verdict, to which the witness tells what nothing else shows."""
        facts = self.witness.witnessed(_changes(self._domain, command)) if outcome.ok else ()
        self.witness.hear(facts, after, command.robot)
        for fact in facts:
            doubt = self.witness.doubts.get(fact)
            if doubt is not None:
                negated = fact not in expected_facts(self._domain, command)[0]
                return Verdict(Feedback(Level.HIGH, FeedbackKind.CANNOT_TELL, command, subjects=doubt.names,
                                        cause=doubt, unmet=(Unmet((fact,), negated=negated),)))
        return self._ports.detector.check(command, before, self.witness.see(after), outcome)

    def help(self, wanted: str) -> bool:
        """Ask a person for help, and wait.

        Args:
            wanted: what the person should do, as a sentence.

        Returns:
            Whether it was done.
        """
        with self._asking, self._ledger.for_a_person():
            done = self._ports.help(wanted)
        self._ledger.tell(events.Noted(
            text=f"a person was asked: {wanted} {'It was done.' if done else 'Nobody did it.'}"))
        return done

    def _prepare(
        self, command: Command, world: WorldState, purpose: str
    ) -> Tuple[Command, Optional[Feedback]]:
        """Everything that may refuse a command before a robot moves."""
        if self._cancel.is_set():
            return command, Feedback(Level.LOW, FeedbackKind.CANCELED, command)
        if command.robot not in self._ports.robots:
            return command, Feedback(
                Level.HIGH, FeedbackKind.INVALID, command, parameter="robot", subjects=(command.robot,),
                alternatives=tuple(sorted(self._ports.robots)))
        action = self._domain.actions.get(command.action)
        refusal = check(self._domain, command,
                        world) if self._policy.check_preconditions or action is None else None
        refusal = refusal or self._keeping.refusal(command, world)
        if refusal is not None or action is None:
            return command, refusal
        rehearsal = None if action.reversible else rehearse(
            self._searcher, command, world, self._steps[1:], self._policy.search, Deadline(THINK_LIMIT))
        if rehearsal is not None and rehearsal.refusal is not None:
            return command, rehearsal.refusal
        offsets = self.aim.offsets if purpose == RETRY else self.aim.offsets.agreed()
        aimed = self._keeping.aimed(command, world, lambda each: self._ports.body.aim(
            each, world, offsets, Deadline(THINK_LIMIT)))
        if isinstance(aimed, Feedback):
            return command, aimed
        if rehearsal is not None and (self._policy.autonomy != "full" or rehearsal.doubt):
            ask = partial(self._ports.approve, aimed, rehearsal.doubt)
            refusal = self._leave(aimed, ask, rehearsal)
        else:
            refusal = self._leave(aimed, partial(self._ports.permit, aimed, purpose))
        if refusal is not None:
            return aimed, refusal
        if self._policy.look_before_release == ON:
            aimed = replace(aimed, look_within=look_within(self._domain, aimed, world))
        return aimed, None

    def _leave(
        self, command: Command, ask: Callable[[], bool], rehearsal: Optional[Rehearsal] = None
    ) -> Optional[Feedback]:
        """Explain why a command is not carried out after a person was asked; ``None`` if it is."""
        remarks = self._ports.remarks
        with self._asking:  # One question at a time: the answer does not say which one it is for.
            while True:
                before = remarks.count if remarks is not None else 0
                with self._ledger.for_a_person():
                    granted = ask()
                if self._ledger.person_was_asked:
                    self._ledger.saw(self._look().stamp)  # The motion that follows counts again.
                instead = not granted and remarks is not None and remarks.count > before
                change = self.conversation.settled()  # A remark may come instead of an answer, and change the task.
                if granted or change is not None or not instead or self._cancel.is_set():
                    break
        if change is not None:
            return replace(change.feedback, command=command)
        if rehearsal is not None:
            self._ledger.tell(events.ApprovalAsked(
                command=described(self._domain, command), granted=granted,
                rehearsed=tuple(rehearsal.changes), doubt=rehearsal.doubt))
        elif not granted:
            self._ledger.tell(events.ApprovalAsked(command=described(self._domain, command)))
        return None if granted else Feedback(Level.HIGH, FeedbackKind.SAFETY, command,
                                             cause=Cause(CauseKind.NOT_APPROVED))

    def _execute(self, command: Command, before: WorldState) -> Tuple[Outcome, Optional[Feedback]]:
        """Return what the driver claims; with the user's words if they stopped the motion and the robot stands."""
        self._ledger.moved()
        self._looking.moved(command.robot)
        robot = self._ports.robots[command.robot]
        with self.conversation.motion(command, before) as stop:
            # Within what is left of the task's seconds, and with a deadline in wall time.
            limited = replace(command, time_limit=min(command.time_limit, max(_LEAST, self._ledger.time_left)),
                              target=command.target or self._next_place(command, before))
            wall = min(THINK_LIMIT + 2.0 * limited.time_limit, max(_LEAST, self._ledger.wall_left))
            outcome = robot.execute(limited, Deadline(wall), stop, self._tell_phase)
            told = self.conversation.stopped(command) if stop.is_set() and not self._cancel.is_set() else None
        if told is None or outcome.ok:
            return outcome, None
        if outcome.status is Status.CANCELED:
            return outcome, told
        standing = robot.stop(Deadline(THINK_LIMIT))
        return (outcome, told) if standing.ok else (standing, None)

    def _next_place(self, command: Command, world: WorldState) -> Optional[Pose]:
        """Return where the plan puts next what a command takes; ``None`` where it takes nothing or no place is known.
        """
        item, holders = self._domain.item(command), self._domain.roles.holders
        if holders(apply_effects(self._domain, command, world).relations).get(item) != command.robot:
            return None
        for step in self._steps:
            try:
                later = self._domain.ground(step, world, step.robot)
            except DomainError:
                continue
            if later.robot == command.robot and self._domain.item(later) == item \
                    and self._domain.actions[later.action].places:
                aimed = self._ports.body.aim(later, world, self.aim.offsets, Deadline(THINK_LIMIT))
                return None if isinstance(aimed, Feedback) else aimed.target
        return None

    def _tell_phase(self, phase: str, _: float) -> None:
        if phase.startswith(AWAITED):
            self._ledger.tell(events.Waiting(text=phase))


def told_by_user(verdict: Verdict) -> bool:
    """Check whether a verdict only states that the user has changed the task.

    Args:
        verdict: the detector's judgement of a command.

    Returns:
        True if the command was stopped or not started for this reason.
    """
    return verdict.feedback is not None and verdict.feedback.kind is FeedbackKind.SAID_BY_USER


def _changes(domain: Domain, command: Command) -> Tuple[Relation, ...]:
    made, removed = expected_facts(domain, command)
    return (*made, *removed)


def _point(pose: Optional[Pose]) -> Optional[Tuple[float, ...]]:
    return None if pose is None else tuple(round(value, 5) for value in pose.position)
