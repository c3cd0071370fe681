"""What the executive needs of the rest: body, detector, corrector, robots, eyes, approval."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import Callable, Mapping, Optional, Protocol, Tuple, Union

from hicrisp_core.brain.ports import Brain, Reporter, Usage
from hicrisp_core.corrector.ladder import CorrectorAnswer, CorrectorRequest
from hicrisp_core.corrector.offsets import DecoderOffsets
from hicrisp_core.model import Command, Feedback, Outcome, Plan, Step, Task, Verdict, WorldState
from hicrisp_core.robot.deadline import Deadline
from hicrisp_core.robot.ports import Observer, RobotPort


@dataclass(frozen=True)
class Translation:
    """A step's commands; none with the reason why the body passes; or the feedback why it cannot be translated."""

    commands: Tuple[Command, ...] = ()
    pass_reason: str = ""
    feedback: Union[Feedback, None] = None
    usage: Usage = Usage()


class Body(Protocol):
    """Translates steps into commands and aims them."""

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """The commands for a step, by name; their poses are chosen by :meth:`aim` just before each runs."""

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """The command with its target and its aim in the world as it is now."""


class DetectorPort(Protocol):
    """Checks commands against observations."""

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Whether the command worked."""


class Corrector(Protocol):
    """Answers failures."""

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """A correction for the top of the stack."""


class TaskWatch(Protocol):
    """Knows what a task as a whole asks for, beyond its single steps: their order, and that none is missing."""

    def begin(self, task: Task) -> None:
        """Another task begins."""

    def see(self, world: WorldState) -> WorldState:
        """The observed world with the facts that the watch adds."""

    def judge(self, command: Command, world: WorldState, verdict: Verdict) -> Verdict:
        """The verdict with what the task as a whole has to say about it."""

    def unfinished(self, world: WorldState) -> Optional[Tuple[Optional[Command], Feedback]]:
        """What the task wants and no step did, with the command for it where there is one."""


def always(_: Command) -> bool:
    """Approve everything."""
    return True


def nobody(_: str) -> bool:
    """There is nobody to ask."""
    return False


def to_nobody(_: Plan) -> None:
    """Tell nobody of a plan."""


def no_gate(_: Event) -> None:
    """Never hold a command back."""


@dataclass(frozen=True)
class Ports:
    """Everything that the executive talks to.

    Args:
        approve: asked before an irreversible command unless autonomy is full.
        help: asks a person for something, in words; whether the person says that it is done.
        reporter: words the end of a task for the user, when there is one.
        watch: looks after what the task asks for as a whole, where there is such a thing.
        announce: gets each plan as it is carried out, with what its steps wait for.
        gate: called before each command; blocks while the task is paused, returns when canceled.
    """

    brain: Brain
    body: Body
    robots: Mapping[str, RobotPort]
    detector: DetectorPort
    corrector: Corrector
    observer: Observer
    approve: Callable[[Command], bool] = always
    help: Callable[[str], bool] = nobody
    announce: Callable[[Plan], None] = to_nobody
    gate: Callable[[Event], None] = no_gate
    reporter: Optional[Reporter] = None
    watch: Optional[TaskWatch] = None
