"""Everything that the executive talks to, and who it asks when nobody is there."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import Callable, Mapping, Optional, Protocol, Sequence, Tuple

from hicrisp_core.model import Command, Feedback, Outcome, Plan, Step, Verdict, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Question
from hicrisp_core.ports.body import Body
from hicrisp_core.ports.brain import Brain, Reporter
from hicrisp_core.ports.corrector import Corrector
from hicrisp_core.ports.eyes import Namer, NamingRequest, Observer
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_core.ports.memory import Memory
from hicrisp_core.ports.remarks import Remarks
from hicrisp_core.ports.robot import RobotPort


class TaskWatch(Protocol):
    """Knows what a task as a whole asks for, beyond its single steps: their order, and that none is
    missing.
    """

    def begin(self) -> None:
        """Another task begins; nothing was seen for it yet."""

    def follow(self, goal: Optional[Goal]) -> None:
        """The task means this from now on; what was seen so far still counts."""

    def out_of_reach(self, steps: Sequence[Step], world: WorldState) -> Tuple[str, ...]:
        """The places of some steps that no robot can get to, by what is known now; nothing moves."""

    def see(self, world: WorldState) -> WorldState:
        """The observed world with the facts that the watch adds."""

    def judge(self, command: Command, world: WorldState, verdict: Verdict) -> Verdict:
        """The verdict with what the task as a whole has to say about it."""

    def unfinished(self, world: WorldState) -> Optional[Tuple[Optional[Command], Feedback]]:
        """What the task wants and no step did, with the command for it where there is one."""


class DetectorPort(Protocol):
    """Checks commands against observations."""

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Whether the command worked."""


def always(_: Command, __: str) -> bool:
    """Approve everything."""
    return True


def nobody(_: str) -> bool:
    """There is nobody to ask."""
    return False


def to_nobody(_: Plan) -> None:
    """Tell nobody of a plan."""


def as_it_is(plan: Plan, _: WorldState) -> Optional[Plan]:
    """Every plan is carried out."""
    return plan


def no_answer(_: Question, __: float) -> str:
    """Nobody answers."""
    return ""


def no_gate(_: Event) -> None:
    """Never hold a command back."""


def no_naming(_: str) -> None:
    """No text gives a name."""


def not_simulated() -> Optional[WorldState]:
    """Nobody knows the true state of a real world."""
    return None


@dataclass(frozen=True)
class Ports:
    """Everything that the executive talks to.

    Args:
        approve: asked before an irreversible command, with what is not known of its consequences (mostly
            nothing: an empty text). Under full autonomy it is asked only where there is such a doubt.
        permit: asked before every other command, with its purpose: ``step``, ``correction`` or ``retry``.
        review: asked before a plan is begun; what shall be carried out, perhaps changed by a person, or
            ``None`` where it shall not.
        ask: asks the user what is meant, for at most so many wall seconds; the answer, empty where none came.
        help: asks a person for something, in words; whether the person says that it is done.
        reporter: words the end of a task for the user, when there is one.
        watch: looks after what the task asks for as a whole, where there is such a thing.
        announce: gets each plan as it is carried out, with what its steps wait for.
        gate: called before each command; blocks while the task is paused, returns when canceled.
        memory: what earlier runs left, where it is on.
        remarks: what the user says while the task runs, where somebody may.
        interpreter: understands that.
        naming: the name that a text gives to such an object; ``None`` if it asks for something else.
        namer: keeps the names that the user gives to what no file describes, where somebody sees such things.
        true_state: the world as a simulation knows it, for what the memory keeps; ``None`` from a real one.
    """

    brain: Brain
    body: Body
    robots: Mapping[str, RobotPort]
    detector: DetectorPort
    corrector: Corrector
    observer: Observer
    approve: Callable[[Command, str], bool] = always
    permit: Callable[[Command, str], bool] = always
    review: Callable[[Plan, WorldState], Optional[Plan]] = as_it_is
    ask: Callable[[Question, float], str] = no_answer
    help: Callable[[str], bool] = nobody
    announce: Callable[[Plan], None] = to_nobody
    gate: Callable[[Event], None] = no_gate
    reporter: Optional[Reporter] = None
    watch: Optional[TaskWatch] = None
    memory: Optional[Memory] = None
    remarks: Optional[Remarks] = None
    interpreter: Optional[Interpreter] = None
    naming: Callable[[str], Optional[NamingRequest]] = no_naming
    namer: Optional[Namer] = None
    true_state: Callable[[], Optional[WorldState]] = not_simulated
