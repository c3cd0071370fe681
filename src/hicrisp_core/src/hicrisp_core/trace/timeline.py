"""The timeline of a run: its events folded once, one by one; the page, the terminal, RViz, the result and the
explanation are views of it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple
from typing import Counter as Counted

from hicrisp_core.trace import events
from hicrisp_core.trace.read_event import event_of
from hicrisp_core.trace.records import FaultRecord, FeedbackRecord, StackRecord

PLANNING, RUNNING, CORRECTING, ENDED = "planning", "running", "correcting", "ended"
"""The phases of a run."""
WAITING, DONE, FAILED, CHANGED = "waiting", "done", "failed", "changed"
"""The states of a step besides ``RUNNING``; ``CHANGED``: it was stopped because the user changed the task."""


@dataclass
class AttemptRecord:
    """One command: what was asked, what the driver claimed, what the detector saw.

    Args:
        number: counts the commands of the run, from 1.
    """

    number: int
    command: events.CommandTried
    outcome: Optional[events.OutcomeClaimed] = None
    verdict: Optional[events.VerdictGiven] = None

    @property
    def ok(self) -> Optional[bool]:
        """The detector's word; ``None`` when the run ended before it."""
        return self.verdict.ok if self.verdict else None

    @property
    def text(self) -> str:
        """The command as a sentence."""
        return self.command.text or self.command.command

    @property
    def name(self) -> str:
        """The command by its action and arguments."""
        return self.command.command or self.text

    @property
    def failure(self) -> Tuple[object, ...]:
        """What failed how, so that the same failure is known again: its data, not its words."""
        seen = self.feedback or FeedbackRecord()
        return self.name, seen.kind, seen.label, seen.subjects, seen.blockers, seen.unmet, seen.cause

    @property
    def feedback(self) -> Optional[FeedbackRecord]:
        """Why it failed; ``None`` for a success."""
        return self.verdict.feedback if self.verdict else None

    @property
    def stopped(self) -> bool:
        """Whether it was stopped because the user changed the task, which is not a failure."""
        return self.feedback is not None and self.feedback.kind == "said_by_user"

    @property
    def deviation(self) -> Tuple[float, ...]:
        """Measured deviation in metres (x, y, z) in the target's frame; empty when it was not measured."""
        seen = self.verdict.deviation if self.verdict else None
        return seen or (self.feedback.deviation if self.feedback else None) or ()

    @property
    def achieved(self) -> Optional[List[float]]:
        """Where the object ended up in the world frame, metres; ``None`` if a value is missing."""
        target, turn, measured = self.command.target, self.command.turn, self.deviation
        if not target or not turn or (len(target), len(turn), len(measured)) != (3, 4, 3):
            return None
        x, y, z, w = turn
        a, b, c = measured
        twice = (2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a))
        off = (a + w * twice[0] + y * twice[2] - z * twice[1], b + w * twice[1] + z * twice[0] - x * twice[2],
               c + w * twice[2] + x * twice[1] - y * twice[0])
        return [round(at + by, 5) for at, by in zip(target, off)]


@dataclass
class TimelineStep:
    """One step of a plan; ``moments`` are its attempts and its other events in their order."""

    index: int
    text: str
    robot: str = ""
    after: Tuple[int, ...] = ()
    """The steps that it waits for, where robots share a plan."""
    moments: List[Any] = field(default_factory=list)
    began: Optional[float] = None
    """Seconds of wall time since the task began; so is ``ended``."""
    ended: Optional[float] = None
    ok: Optional[bool] = None

    @property
    def state(self) -> str:
        """Where it stands, in one word."""
        if self.began is None:
            return WAITING
        if self.ended is None:
            return RUNNING
        return CHANGED if self.ok is None else DONE if self.ok else FAILED


@dataclass
class Timeline:
    """A run up to its latest event."""

    task: events.TaskReceived = field(default_factory=events.TaskReceived)
    phase: str = PLANNING
    seconds: float = 0.0
    sim_seconds: float = 0.0
    goal: Optional[events.GoalUnderstood] = None
    """What the task was understood to mean, the latest."""
    first_goal: Optional[events.GoalUnderstood] = None
    """The same before anybody changed it."""
    judged: Optional[events.GoalJudged] = None
    """The last look at the goal."""
    questions: List[events.QuestionAsked] = field(default_factory=list)
    remarks: List[events.UserSaid] = field(default_factory=list)
    """What the user said while it ran."""
    said: List[events.Event] = field(default_factory=list)
    """Whatever was asked, said, remembered, injected or noted."""
    plans: List[events.PlanMade] = field(default_factory=list)
    planned: Dict[int, TimelineStep] = field(default_factory=dict)
    """The steps as they are planned now, those that wait included, by index."""
    steps: List[TimelineStep] = field(default_factory=list)
    """The steps that began, those of earlier plans included, in that order."""
    attempts: List[AttemptRecord] = field(default_factory=list)
    corrections: List[events.CorrectionMade] = field(default_factory=list)
    rungs: Counted[str] = field(default_factory=Counter)
    offsets: Dict[str, events.OffsetLearnt] = field(default_factory=dict)
    stacks: List[Tuple[float, Tuple[StackRecord, ...]]] = field(default_factory=list)
    """The feedback stack after each of its changes, with the seconds of the change."""
    deepest: int = 0
    pictures: List[events.PictureTaken] = field(default_factory=list)
    drives: List[events.BaseDrove] = field(default_factory=list)
    """The ways of bases, one for each command."""
    faults: List[Tuple[Optional[float], FaultRecord]] = field(default_factory=list)
    """With the seconds at which it was injected; ``None`` for those of the scene."""
    recalled: List[events.Recalled] = field(default_factory=list)
    """What earlier runs gave this one."""
    testimonies: List[events.Witnessed] = field(default_factory=list)
    """What a second witness said."""
    answer: str = ""
    refusal: Optional[events.Refused] = None
    usage: events.UsageSoFar = field(default_factory=events.UsageSoFar)
    waiting: str = ""
    """What the task waits for now."""
    message: str = ""
    """What was told the user last."""
    doing: Dict[str, str] = field(default_factory=dict)
    """The command under way by robot, in words."""
    end: Optional[events.TaskFinished] = None
    touched: Set[int] = field(default_factory=set)
    """The indices of the planned steps that the latest event changed."""

    def take(self, entry: Mapping[str, Any]) -> Optional[events.Event]:
        """Fold a written event.

        Args:
            entry: the event as a JSON object.

        Returns:
            The event; ``None`` for an unknown kind, which changes nothing.
        """
        event = event_of(entry)
        if event is not None:
            self.fold(event)
        return event

    def fold(self, event: events.Event) -> None:
        """Fold an event.

        Args:
            event: what happened next.
        """
        self.touched = set()
        self.seconds, self.sim_seconds = max(self.seconds, event.t), max(self.sim_seconds, event.sim_t)
        if event.kind in _LATEST:
            setattr(self, _LATEST[event.kind], event)
        elif event.kind in _LISTED:
            getattr(self, _LISTED[event.kind]).append(event)
        if event.kind in _SAID:
            self.said.append(event)
        if isinstance(event, events.TaskReceived):
            self.faults.extend((None, fault) for fault in event.faults)
        elif isinstance(event, events.GoalUnderstood):
            self.first_goal = self.first_goal or event
        elif isinstance(event, events.PlanMade):
            self._plan(event)
        elif isinstance(event, events.StepStarted):
            self._begin(event)
        elif isinstance(event, (events.CommandTried, events.OutcomeClaimed, events.VerdictGiven, events.StepFinished)):
            self._step(event)
        elif isinstance(event, events.CorrectionMade):
            self.rungs[event.rung] += 1
            self.phase, self.message = CORRECTING, event.note
        elif isinstance(event, events.StackChanged):
            self.stacks.append((event.t, event.entries))
            self.deepest = max(self.deepest, len(event.entries))
            self.phase = CORRECTING if event.entries else RUNNING
        elif isinstance(event, events.Answered):
            self.answer = event.text
        elif isinstance(event, events.OffsetLearnt):
            self.offsets[event.key] = event
        elif isinstance(event, events.FaultInjected):
            self.faults.append((event.t, FaultRecord(event.fault, event.target, event.magnitude, event.count)))
        elif isinstance(event, events.Waiting):
            self.waiting = self.message = event.text
        elif isinstance(event, events.UserSaid):
            self.message = event.reply
        elif isinstance(event, events.TaskFinished):
            self.phase = ENDED
            self.doing.clear()
        if event.kind not in _ASIDE and (self.steps or isinstance(event, events.CorrectionMade)):
            self._step_of(event).moments.append(event)

    def _plan(self, event: events.PlanMade) -> None:
        for index in [each for each in self.planned if each >= event.from_step]:
            del self.planned[index]
            self.touched.add(index)
        for at, text in enumerate(event.steps):
            index = event.from_step + at
            after = event.after[at] if at < len(event.after) else None
            self.planned[index] = TimelineStep(index, text, event.robots[at] if at < len(event.robots) else "",
                                               tuple(event.from_step + each for each in after or ()))
            self.touched.add(index)
        self.phase, self.waiting, self.message = RUNNING, "", ""

    def _begin(self, event: events.StepStarted) -> None:
        index = event.index or 0
        step = self.planned.get(index)
        if step is None or step.began is not None:
            step = self.planned[index] = TimelineStep(index, event.text, event.robot)
        step.text, step.robot, step.began = event.text or step.text, event.robot or step.robot, event.t
        self.steps.append(step)
        self.phase = RUNNING
        self.touched.add(index)

    def _step(self, event: events.Event) -> None:
        step = self._step_of(event)
        tried = next((each for each in reversed(step.moments) if isinstance(each, AttemptRecord)), None)
        if isinstance(event, events.CommandTried):
            attempt = AttemptRecord(len(self.attempts) + 1, event)
            step.moments.append(attempt)
            self.attempts.append(attempt)
            self.doing[event.robot] = attempt.text
            return
        self.doing.pop(event.robot, None)
        if isinstance(event, events.StepFinished):
            step.ok, step.ended = event.ok, event.t
        elif isinstance(event, events.OutcomeClaimed):
            self.waiting = ""
            if tried is not None:
                tried.outcome = event
        elif isinstance(event, events.VerdictGiven) and tried is not None:
            tried.verdict = event

    def _step_of(self, event: events.Event) -> TimelineStep:
        """Return the step that an event names, else the latest; one is made for events that come before any."""
        if event.index is None and self.steps:
            self.touched.add(self.steps[-1].index)
            return self.steps[-1]
        index = event.index or 0
        step = self.planned.get(index)
        if step is None:
            step = self.planned[index] = TimelineStep(index, self.task.text or "the task", event.robot)
        if step.began is None:
            step.began = event.t
            self.steps.append(step)
        self.touched.add(index)
        return step

    @property
    def text(self) -> str:
        """The user's words."""
        return self.task.text

    @property
    def robots(self) -> List[str]:
        """The robots that had a step, in the order in which they began."""
        return list(dict.fromkeys(step.robot for step in self.steps if step.robot))

    @property
    def several(self) -> bool:
        """Whether several robots share a plan."""
        return any(len(set(plan.robots)) > 1 for plan in self.plans)

    @property
    def step_count(self) -> int:
        """The number of planned steps."""
        return max(self.planned, default=-1) + 1

    @property
    def stack(self) -> Tuple[StackRecord, ...]:
        """The feedback stack as it stands, the top last."""
        return self.stacks[-1][1] if self.stacks else ()

    @property
    def goal_state(self) -> str:
        """What is known of the goal: ``seen``, ``missed``, ``unknown``; empty if it was not judged."""
        return self.end.goal if self.end is not None else ""

    @property
    def verdict(self) -> str:
        """How it ended, in one word."""
        if self.end is None:
            return "unfinished"
        if self.end.canceled:
            return "canceled"
        if self.end.interrupted:
            return "interrupted"
        if self.refusal is not None:
            return "refused"
        if self.answer:
            return "answered"
        return "succeeded" if self.end.success else "stopped" if self.end.stopped else "failed"


def timeline_of(entries: Iterable[Mapping[str, Any]]) -> Timeline:
    """Fold an event log; unknown kinds are skipped.

    Args:
        entries: the events as JSON objects.

    Returns:
        The timeline.
    """
    timeline = Timeline()
    for entry in entries:
        timeline.take(entry)
    return timeline


def verdict_words(verdict: str) -> str:
    """Word a verdict for the user.

    Args:
        verdict: the verdict in the event log.

    Returns:
        The words.
    """
    return "stopped by you" if verdict == "stopped" else verdict


def counted(number: int, noun: str) -> str:
    """Word a number of things: ``1 step``, ``2 steps``.

    Args:
        number: how many.
        noun: for one.

    Returns:
        The words.
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


_LATEST = {"task_received": "task", "goal": "goal", "goal_judged": "judged", "refused": "refusal", "usage": "usage",
           "task_finished": "end"}
"""The kinds of events of which the last one is kept, and where."""
_LISTED = {"question": "questions", "said": "remarks", "plan": "plans", "recalled": "recalled", "picture": "pictures",
           "drove": "drives", "correction": "corrections", "witnessed": "testimonies"}
"""Those of which all are kept, in their order."""
_SAID = ("question", "said", "approval", "recalled", "fault", "note", "witnessed")
_ASIDE = ("task_received", "goal", "goal_judged", "witnessed", "plan", "question", "step_started", "step_finished",
          "command", "outcome", "verdict", "drove", "usage", "task_finished")
"""Those that are no moments of a step by themselves."""
