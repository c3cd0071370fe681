"""A run's events folded into its story: plan, steps, attempts, corrections, the stack, how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

from hicrisp_core.trace import events
from hicrisp_core.trace.read_event import events_of
from hicrisp_core.trace.records import FaultRecord, FeedbackRecord, StackRecord


@dataclass
class AttemptRecord:
    """One command: what was asked, what the driver claimed, what the detector saw."""

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
        """Measured deviation in metres (x, y, z); empty when it was not measured."""
        seen = self.verdict.deviation if self.verdict else None
        return seen or (self.feedback.deviation if self.feedback else None) or ()


@dataclass
class StepStory:
    """One step of the plan; ``moments`` are its attempts and its other events in their order."""

    index: int
    text: str
    moments: List[Any] = field(default_factory=list)
    ok: Optional[bool] = None
    robot: str = ""
    began: float = 0.0
    """Seconds of wall time since the task began; so is ``ended``."""
    ended: Optional[float] = None

    @property
    def attempts(self) -> List[AttemptRecord]:
        """The commands that were tried in this step."""
        return [moment for moment in self.moments if isinstance(moment, AttemptRecord)]


@dataclass
class Story:
    """A whole run."""

    task: events.TaskReceived = field(default_factory=events.TaskReceived)
    goal: Optional[events.GoalUnderstood] = None
    """What the task was understood to mean, the latest."""
    first_goal: Optional[events.GoalUnderstood] = None
    """The same before anybody changed it."""
    judged: Optional[events.GoalJudged] = None
    """The last look at the goal."""
    questions: List[events.QuestionAsked] = field(default_factory=list)
    remarks: List[events.UserSaid] = field(default_factory=list)
    """What the user said while it ran."""
    plans: List[events.PlanMade] = field(default_factory=list)
    steps: List[StepStory] = field(default_factory=list)
    offsets: Dict[str, events.OffsetLearnt] = field(default_factory=dict)
    stacks: List[Tuple[StackRecord, ...]] = field(default_factory=list)
    pictures: List[events.PictureTaken] = field(default_factory=list)
    drives: List[events.BaseDrove] = field(default_factory=list)
    """The ways of bases, one for each command."""
    faults: List[Tuple[Optional[float], FaultRecord]] = field(default_factory=list)
    """With the seconds at which it was injected; ``None`` for those of the scene."""
    recalled: List[events.Recalled] = field(default_factory=list)
    """What earlier runs gave this one."""
    answer: str = ""
    refusal: Optional[events.Refused] = None
    usage: events.UsageSoFar = field(default_factory=events.UsageSoFar)
    end: Optional[events.TaskFinished] = None
    seconds: float = 0.0
    sim_seconds: float = 0.0

    @property
    def text(self) -> str:
        """The user's words."""
        return self.task.text

    @property
    def robots(self) -> List[str]:
        """The robots that had a step, in the order in which they began."""
        return list(dict.fromkeys(step.robot for step in self.steps if step.robot))

    @property
    def attempts(self) -> List[AttemptRecord]:
        """Every command that was tried."""
        return [attempt for step in self.steps for attempt in step.attempts]

    @property
    def corrections(self) -> List[events.CorrectionMade]:
        """Every answer of the corrector."""
        return [moment for step in self.steps for moment in step.moments if isinstance(moment, events.CorrectionMade)]

    @property
    def remaining_stack(self) -> Tuple[StackRecord, ...]:
        """What was left on the feedback stack, the top last."""
        return self.stacks[-1] if self.stacks else ()

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


def verdict_words(verdict: str) -> str:
    """Word a verdict for the user.

    Args:
        verdict: the verdict in the event log.

    Returns:
        The words.
    """
    return "stopped by you" if verdict == "stopped" else verdict


_LATEST = {"task_received": "task", "goal": "goal", "goal_judged": "judged", "refused": "refusal", "usage": "usage",
           "task_finished": "end"}
"""The kinds of events of which the story keeps the last one, and where."""
_LISTED = {"question": "questions", "said": "remarks", "plan": "plans", "recalled": "recalled", "picture": "pictures",
           "drove": "drives"}
"""Those of which it keeps all, in their order."""
_ASIDE = ("task_received", "goal", "question", "step_started", "step_finished", "command", "outcome", "verdict",
          "drove", "usage", "task_finished")
"""Those that are no moments of a step by themselves."""


def story_of(entries: Iterable[Mapping[str, Any]]) -> Story:
    """Fold an event log into a story; unknown kinds are skipped.

    Args:
        entries: the events as JSON objects.

    Returns:
        The story.
    """
    story = Story()
    count = 0
    for event in events_of(entries):
        story.seconds = max(story.seconds, event.t)
        story.sim_seconds = max(story.sim_seconds, event.sim_t)
        if event.kind in _LATEST:
            setattr(story, _LATEST[event.kind], event)
        elif event.kind in _LISTED:
            getattr(story, _LISTED[event.kind]).append(event)
        if isinstance(event, events.TaskReceived):
            story.faults.extend((None, fault) for fault in event.faults)
        elif isinstance(event, events.GoalUnderstood):
            story.first_goal = story.first_goal or event
        elif isinstance(event, events.StepStarted):
            story.steps.append(StepStory(event.index or 0, event.text, robot=event.robot, began=event.t))
        elif isinstance(event, events.CommandTried):
            count += 1
            _step_of(story, event).moments.append(AttemptRecord(count, event))
        elif isinstance(event, (events.OutcomeClaimed, events.VerdictGiven)):
            _attach(story, event)
        elif isinstance(event, events.StepFinished):
            step = _step_of(story, event)
            step.ok, step.ended = event.ok, event.t
        elif isinstance(event, events.Answered):
            story.answer = event.text
        elif isinstance(event, events.OffsetLearnt):
            story.offsets[event.key] = event
        elif isinstance(event, events.StackChanged):
            story.stacks.append(event.entries)
        elif isinstance(event, events.FaultInjected):
            story.faults.append((event.t, FaultRecord(event.fault, event.target, event.magnitude, event.count)))
        if story.steps and event.kind not in _ASIDE:
            _step_of(story, event).moments.append(event)
    return story


def _step_of(story: Story, event: events.Event) -> StepStory:
    """Return the step that an event belongs to: the one it names, else the latest."""
    if not story.steps:
        story.steps.append(StepStory(0, story.text or "the task"))
    return next((step for step in reversed(story.steps) if step.index == event.index), story.steps[-1])


def _attach(story: Story, event: events.Event) -> None:
    attempts = _step_of(story, event).attempts
    if attempts and isinstance(event, events.OutcomeClaimed):
        attempts[-1].outcome = event
    elif attempts and isinstance(event, events.VerdictGiven):
        attempts[-1].verdict = event
