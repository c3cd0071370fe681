"""What happens in a run, as data: one class for each kind of event, and one table of all kinds.

Writers make these objects, so a kind or a field that is not here cannot be written. On the disk and on the
topic ``events`` an event is a flat JSON object with its ``kind``; ``event_of`` reads one back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Dict, Mapping, Optional, Tuple, Type

from hicrisp_core.trace import records
from hicrisp_core.trace.plain import plain


@dataclass(frozen=True)
class Event:
    """Something that happened.

    Args:
        t: wall seconds since the task began.
        sim_t: the robot's clock, seconds since the first observation.
        index: the plan's step that it belongs to, from 0; ``None`` outside the steps.
        robot: that step's robot.
    """

    kind: ClassVar[str] = ""
    t: float = 0.0
    sim_t: float = 0.0
    index: Optional[int] = None
    robot: str = ""

    def as_dict(self, **tags: Any) -> Dict[str, Any]:
        """Return the event as it is written.

        Args:
            **tags: fields with other values than the event's own.

        Returns:
            JSON values, ``kind`` first; step index and robot if it has them.
        """
        told = {"kind": self.kind, **vars(self), **tags}
        if told["index"] is None:
            del told["index"]
        if not told["robot"]:
            del told["robot"]
        return plain(told)


@dataclass(frozen=True)
class GoalUnderstood(Event):
    """What the task was understood to mean, before anything moves: in words, and its parts in writing.

    ``known`` is false if the meaning of the whole task is unknown; then only its steps are judged.
    """

    kind: ClassVar[str] = "goal"
    known: bool = False
    said: str = ""
    source: str = ""
    stages: Tuple[str, ...] = ()
    otherwise: Tuple[str, ...] = ()
    invariants: Tuple[str, ...] = ()


@dataclass(frozen=True)
class QuestionAsked(Event):
    """The user was asked what is meant, with choices; ``answer`` is empty if none came in time."""

    kind: ClassVar[str] = "question"
    text: str = ""
    choices: Tuple[str, ...] = ()
    answer: str = ""


@dataclass(frozen=True)
class UserSaid(Event):
    """What the user said while the task ran.

    ``effect`` is ``changed`` (goal and plan are others from here on), ``kept`` (the task goes on as it was;
    ``reply`` says why) or ``canceled``. ``stopped`` are the commands that were stopped in their motion for it.
    """

    kind: ClassVar[str] = "said"
    text: str = ""
    effect: str = ""
    reply: str = ""
    stopped: Tuple[str, ...] = ()
    feedback: Optional[records.FeedbackRecord] = None


@dataclass(frozen=True)
class GoalJudged(Event):
    """What the detector sees of the goal once the steps are done; ``missing`` in words."""

    kind: ClassVar[str] = "goal_judged"
    seen: bool = False
    missing: str = ""


@dataclass(frozen=True)
class Witnessed(Event):
    """What a model says of a statement from pictures, and why; ``measured`` is what the detector says (``None`` where
    nothing measures it), ``holds`` what counts (``None``: open).
    """

    kind: ClassVar[str] = "witnessed"
    statement: str = ""
    answer: str = ""
    why: str = ""
    measured: Optional[bool] = None
    sure: bool = False
    holds: Optional[bool] = None


@dataclass(frozen=True)
class Recalled(Event):
    """What earlier runs gave: ``what`` is ``examples`` or ``offsets``, ``texts`` the requests or the offsets' keys."""

    kind: ClassVar[str] = "recalled"
    what: str = ""
    ids: Tuple[str, ...] = ()
    texts: Tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskReceived(Event):
    """A task was taken; ``faults`` are those that the scene injects."""

    kind: ClassVar[str] = "task_received"
    task_id: str = ""
    text: str = ""
    policy: str = ""
    llm: str = ""
    scene: str = ""
    seed: Optional[int] = None
    faults: Tuple[records.FaultRecord, ...] = ()


@dataclass(frozen=True)
class PlanMade(Event):
    """A plan from the step ``from_step`` on.

    ``after`` holds, for each step, the indices in this list of those that it waits for; ``None`` for the one before.
    """

    kind: ClassVar[str] = "plan"
    steps: Tuple[str, ...] = ()
    source: str = ""
    reasoning: str = ""
    from_step: int = 0
    robots: Tuple[str, ...] = ()
    after: Tuple[Optional[Tuple[int, ...]], ...] = ()


@dataclass(frozen=True)
class Answered(Event):
    """The task was a question, and this is the answer."""

    kind: ClassVar[str] = "answer"
    text: str = ""


@dataclass(frozen=True)
class Refused(Event):
    """The task is not carried out; ``alternatives`` are sentences that would be."""

    kind: ClassVar[str] = "refused"
    text: str = ""
    alternatives: Tuple[str, ...] = ()


@dataclass(frozen=True)
class StepStarted(Event):
    """A step of the plan began; ``action`` is empty if the plan only has words."""

    kind: ClassVar[str] = "step_started"
    text: str = ""
    action: str = ""


@dataclass(frozen=True)
class StepFinished(Event):
    """A step ended: ``ok`` when it holds, if need be after corrections."""

    kind: ClassVar[str] = "step_finished"
    ok: Optional[bool] = None


@dataclass(frozen=True)
class CommandTried(Event):
    """A command is tried.

    ``purpose`` is ``step``, ``correction`` or ``retry``; ``depth`` counts the stack's entries; ``target`` and
    ``aim`` are points in the world frame, metres; ``turn`` is the target's orientation (x, y, z, w), in whose
    frame deviations are measured.
    """

    kind: ClassVar[str] = "command"
    command: str = ""
    text: str = ""
    purpose: str = ""
    target: Optional[records.Numbers] = None
    aim: Optional[records.Numbers] = None
    turn: Optional[records.Numbers] = None
    depth: int = 0
    action: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OutcomeClaimed(Event):
    """What the driver claims of the latest command."""

    kind: ClassVar[str] = "outcome"
    status: str = ""
    message: str = ""
    blockers: Tuple[str, ...] = ()
    cause: Optional[records.CauseRecord] = None


@dataclass(frozen=True)
class VerdictGiven(Event):
    """What the detector sees of the latest command; ``deviation`` in metres in the goal's frame."""

    kind: ClassVar[str] = "verdict"
    ok: Optional[bool] = None
    note: str = ""
    feedback: Optional[records.FeedbackRecord] = None
    deviation: Optional[records.Numbers] = None


@dataclass(frozen=True)
class CorrectionMade(Event):
    """What the corrector answers, by the rung of the ladder, and who made it; perhaps in place of the plan's rest."""

    kind: ClassVar[str] = "correction"
    rung: str = ""
    commands: Tuple[str, ...] = ()
    note: str = ""
    maker: records.MakerRecord = records.MakerRecord()
    replaces_plan: bool = False


@dataclass(frozen=True)
class StackChanged(Event):
    """The feedback stack as it stands now, bottom first."""

    kind: ClassVar[str] = "stack"
    entries: Tuple[records.StackRecord, ...] = ()


@dataclass(frozen=True)
class LookedAgain(Event):
    """The camera looked once more on purpose: at ``names``, with the arms ``cleared`` moved out of sight."""

    kind: ClassVar[str] = "look"
    names: Tuple[str, ...] = ()
    cleared: Tuple[str, ...] = ()
    seen: bool = False


@dataclass(frozen=True)
class OffsetLearnt(Event):
    """What the decoder has learnt for ``key`` (robot, action, frame), metres; ``applied`` corrects other commands than
    the one that missed, and is zero until several ``samples`` agree.
    """

    kind: ClassVar[str] = "offset"
    key: str = ""
    mean: records.Numbers = ()
    applied: records.Numbers = ()
    sigma: records.Numbers = ()
    samples: float = 0.0


@dataclass(frozen=True)
class ApprovalAsked(Event):
    """A person allowed a command or not; ``rehearsed`` is what it would change, ``doubt`` what is unknown of that."""

    kind: ClassVar[str] = "approval"
    command: str = ""
    granted: bool = False
    rehearsed: Tuple[str, ...] = ()
    doubt: str = ""


@dataclass(frozen=True)
class PictureTaken(Event):
    """A picture; ``file`` is relative to the run folder, ``eye`` is ``camera`` for what the perception saw in it."""

    kind: ClassVar[str] = "picture"
    file: str = ""
    caption: str = ""
    eye: str = ""


@dataclass(frozen=True)
class BaseDrove(Event):
    """The way of a base in a command as it was seen, a point every 5 cm; metres in the world frame.

    ``planned`` is the path that it set out on, where its planner tells; ``stop`` is where it stood afterwards
    (x, y, and its heading in radians).
    """

    kind: ClassVar[str] = "drove"
    driven: Tuple[records.Numbers, ...] = ()
    planned: Tuple[records.Numbers, ...] = ()
    stop: records.Numbers = ()
    marks: Tuple[records.MarkRecord, ...] = ()


@dataclass(frozen=True)
class FaultInjected(Event):
    """Something was made to go wrong on purpose; the fields are those of ``FaultRecord``."""

    kind: ClassVar[str] = "fault"
    fault: str = ""
    target: str = ""
    magnitude: records.Numbers = ()
    count: int = 0


@dataclass(frozen=True)
class UsageSoFar(Event):
    """What the task has used of language models up to now; ``seconds`` of their time."""

    kind: ClassVar[str] = "usage"
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Waiting(Event):
    """What the task waits for before it goes on."""

    kind: ClassVar[str] = "waiting"
    text: str = ""


@dataclass(frozen=True)
class Noted(Event):
    """A remark for those who follow the run."""

    kind: ClassVar[str] = "note"
    text: str = ""


@dataclass(frozen=True)
class TaskFinished(Event):
    """How the task ended: the message for the user, the plain reason, and the figures; ``None`` if not counted."""

    kind: ClassVar[str] = "task_finished"
    success: bool = False
    message: str = ""
    reason: str = ""
    canceled: bool = False
    interrupted: bool = False
    """Whether the supervisor ended under it."""
    stopped: bool = False
    """Whether the user's emergency stop ended it."""
    steps_executed: Optional[int] = None
    corrections: Optional[Mapping[str, int]] = None
    failures: Optional[Tuple[records.FailureRecord, ...]] = None
    llm_calls: Optional[int] = None
    tokens: Optional[int] = None
    placement_error_m: Optional[float] = None
    first_motion_s: Optional[float] = None
    wall_s: Optional[float] = None
    sim_s: Optional[float] = None
    done: Tuple[str, ...] = ()
    given_up: Tuple[str, ...] = ()
    not_begun: Tuple[str, ...] = ()
    goal: str = ""
    """What is known of the goal: ``seen``, ``missed``, ``unknown``, or empty if it is not judged."""
    corrected_by: Optional[Mapping[str, int]] = None
    """``corrections`` are counted by rung, these by who made them: a model by its name, ``search``, ``offline``,
    ``decoder``, ``person`` or ``memory``."""


EVENTS: Mapping[str, Type[Event]] = {each.kind: each for each in (
    TaskReceived, PlanMade, GoalUnderstood, QuestionAsked, UserSaid, GoalJudged, Answered, Refused,
    StepStarted, StepFinished, CommandTried, OutcomeClaimed, VerdictGiven,
    CorrectionMade, StackChanged, LookedAgain, OffsetLearnt, ApprovalAsked, PictureTaken,
    BaseDrove, FaultInjected,
    UsageSoFar, Waiting, Noted, Recalled, Witnessed,
    TaskFinished)}
"""The table of kinds."""
