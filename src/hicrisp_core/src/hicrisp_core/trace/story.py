"""A run's events folded into its story: plan, steps, attempts, corrections, the stack, how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

EventDict = Mapping[str, Any]


@dataclass
class Attempt:
    """One command: what was asked, what the driver said, what the detector saw."""

    number: int
    command: EventDict
    outcome: EventDict = field(default_factory=dict)
    verdict: EventDict = field(default_factory=dict)

    @property
    def ok(self) -> Optional[bool]:
        """The detector's word; ``None`` when the run ended before it."""
        return self.verdict.get("ok")

    @property
    def depth(self) -> int:
        """Entries on the feedback stack when it was tried."""
        return int(self.command.get("depth") or 0)

    @property
    def text(self) -> str:
        """The command as a sentence."""
        return str(self.command.get("text") or self.command.get("command") or "")

    @property
    def name(self) -> str:
        """The command by its action and arguments."""
        return str(self.command.get("command") or self.text)

    @property
    def failure(self) -> Tuple[object, ...]:
        """What failed how, so that the same failure is known again: its data, not its words."""
        told = self.feedback
        about = ("kind", "label", "subjects", "blockers", "unmet", "cause")
        return (self.name, *(repr(told.get(key)) for key in about))

    @property
    def feedback(self) -> EventDict:
        """Why it failed; empty for a success."""
        return self.verdict.get("feedback") or {}

    @property
    def deviation(self) -> List[float]:
        """Measured deviation in metres (x, y, z); empty when it was not measured."""
        measured = self.verdict.get("deviation") or self.feedback.get("deviation") or []
        return [float(value or 0.0) for value in measured]


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
    def attempts(self) -> List[Attempt]:
        """The commands that were tried in this step."""
        return [moment for moment in self.moments if isinstance(moment, Attempt)]


@dataclass
class Story:
    """A whole run."""

    task: Dict[str, Any] = field(default_factory=dict)
    plans: List[EventDict] = field(default_factory=list)
    steps: List[StepStory] = field(default_factory=list)
    offsets: Dict[str, EventDict] = field(default_factory=dict)
    stacks: List[List[EventDict]] = field(default_factory=list)
    pictures: List[EventDict] = field(default_factory=list)
    faults: List[EventDict] = field(default_factory=list)
    answer: str = ""
    refusal: Optional[EventDict] = None
    usage: EventDict = field(default_factory=dict)
    end: Optional[EventDict] = None
    seconds: float = 0.0
    sim_seconds: float = 0.0

    @property
    def text(self) -> str:
        """The user's words."""
        return str(self.task.get("text", ""))

    @property
    def robots(self) -> List[str]:
        """The robots that had a step, in the order in which they began."""
        return list(dict.fromkeys(step.robot for step in self.steps if step.robot))

    @property
    def attempts(self) -> List[Attempt]:
        """Every command that was tried."""
        return [attempt for step in self.steps for attempt in step.attempts]

    @property
    def corrections(self) -> List[EventDict]:
        """Every answer of the corrector."""
        return [moment for step in self.steps for moment in step.moments
                if not isinstance(moment, Attempt) and moment.get("kind") == "correction"]

    @property
    def remaining_stack(self) -> List[EventDict]:
        """What was left on the feedback stack, the top last."""
        return self.stacks[-1] if self.stacks else []

    @property
    def verdict(self) -> str:
        """How it ended, in one word."""
        if self.end is None:
            return "unfinished"
        if self.end.get("canceled"):
            return "canceled"
        if self.refusal is not None:
            return "refused"
        if self.answer:
            return "answered"
        return "succeeded" if self.end.get("success") else "failed"


def story_of(events: Iterable[EventDict]) -> Story:
    """Fold events; kinds that are not known are kept as moments of their step."""
    story = Story()
    count = 0
    for event in events:
        kind = event.get("kind")
        story.seconds = max(story.seconds, float(event.get("t") or 0.0))
        story.sim_seconds = max(story.sim_seconds, float(event.get("sim_t") or 0.0))
        if kind == "task_received":
            story.task = dict(event)
            story.faults.extend(fault for fault in event.get("faults") or [] if isinstance(fault, dict))
        elif kind == "step_started":
            story.steps.append(StepStory(int(event.get("index") or 0), str(event.get("text", "")),
                                         robot=str(event.get("robot") or ""), began=float(event.get("t") or 0.0)))
        elif kind == "command":
            count += 1
            _step_of(story, event).moments.append(Attempt(count, event))
        elif kind in ("outcome", "verdict"):
            _attach(story, str(kind), event)
        elif kind == "step_finished":
            step = _step_of(story, event)
            step.ok, step.ended = bool(event.get("ok")), float(event.get("t") or 0.0)
        elif kind == "task_finished":
            story.end = event
        else:
            _note(story, event)
    return story


def _note(story: Story, event: EventDict) -> None:
    kind = event.get("kind")
    if kind == "plan":
        story.plans.append(event)
    elif kind == "answer":
        story.answer = str(event.get("text", ""))
    elif kind == "refused":
        story.refusal = event
    elif kind == "usage":
        story.usage = event
        return
    elif kind == "offset":
        story.offsets[str(event.get("key", ""))] = event
    elif kind == "stack":
        story.stacks.append(list(event.get("entries") or []))
    elif kind == "picture":
        story.pictures.append(event)
    elif kind == "fault":
        story.faults.append(event)
    if story.steps:
        _step_of(story, event).moments.append(event)


def _step_of(story: Story, event: EventDict) -> StepStory:
    """The step that an event belongs to: the one it names, else the latest."""
    if not story.steps:
        story.steps.append(StepStory(0, story.text or "the task"))
    index = event.get("index")
    return next((step for step in reversed(story.steps) if step.index == index), story.steps[-1])


def _attach(story: Story, kind: str, event: EventDict) -> None:
    attempts = _step_of(story, event).attempts
    if not attempts:
        return
    if kind == "outcome":
        attempts[-1].outcome = event
    else:
        attempts[-1].verdict = event
