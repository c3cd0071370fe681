"""Everything that the executive talks to, and who it asks when nobody is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event
from typing import Callable, Container, Mapping, Optional, Protocol, Sequence, Tuple

from hicrisp_core.model import Command, Feedback, Goal, Outcome, Plan, Question, Step, Verdict, WorldState
from hicrisp_core.ports.body import Body
from hicrisp_core.ports.brain import Brain, Reporter
from hicrisp_core.ports.corrector import Corrector
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_core.ports.memory import Memory
from hicrisp_core.ports.observer import Namer, NamingRequest, Observer
from hicrisp_core.ports.remarks import Remarks
from hicrisp_core.ports.robot import RobotPort
from hicrisp_core.ports.witness import Witness


class TaskWatch(Protocol):
    """Knows what a task as a whole asks for, beyond its single steps: their order, and that none is
    missing.
    """

    def begin(self) -> None:
        """Forget the previous task; another one begins."""

    def follow(self, goal: Optional[Goal]) -> None:
        """Adopt a goal for the running task; what was observed so far still counts.

        Args:
            goal: the task's goal; ``None`` if it is unknown.
        """

    def out_of_reach(self, steps: Sequence[Step], world: WorldState) -> Tuple[str, ...]:
        """Return the places of some steps that no robot can reach, as far as is known now. Nothing moves.

        Args:
            steps: the steps to check.
            world: the latest observation.

        Returns:
            Names of the places, without repeats.
        """

    def see(self, world: WorldState) -> WorldState:
        """Add the watch's own facts to an observation.

        Args:
            world: the observed world.

        Returns:
            The same world with further relations.
        """

    def judge(self, command: Command, world: WorldState, verdict: Verdict) -> Verdict:
        """Check a verdict against what the task as a whole requires.

        Args:
            command: the command that was carried out.
            world: the observation after it.
            verdict: what the detector found.

        Returns:
            The verdict, changed if the command violates the task's order.
        """

    def unfinished(self, world: WorldState) -> Optional[Tuple[Optional[Command], Feedback]]:
        """Return what the task requires and no step did.

        Args:
            world: the latest observation.

        Returns:
            The feedback with the command that would do it (``None`` if no command applies); ``None`` if nothing is
            missing.
        """


class DetectorPort(Protocol):
    """Checks commands against observations."""

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Judge whether a command had its effects.

        Args:
            command: the command that was carried out.
            before: the observation before the command.
            after: the observation after it.
            outcome: what the driver claims, which is no evidence for success.

        Returns:
            The verdict, with the feedback if the command failed.
        """


@dataclass(frozen=True)
class Ports:
    """Everything that the executive talks to; without a person every plan and command is approved, and nobody answers.

    Args:
        approve: asked before an irreversible command, with what is not known of its consequences (mostly
            nothing: an empty text). Under full autonomy it is asked only where there is such a doubt.
        permit: asked before every other command, with its purpose: ``step``, ``correction`` or ``retry``.
        review: asked before a plan is begun; what shall be carried out, perhaps changed by a person, or
            ``None`` where it shall not.
        ask: asks the user what is meant, for at most so many wall seconds; the answer, empty where none came.
        help: asks a person for something, in words; whether the person says that it is done.
        reporter: words the end of a task for the user, when there is one.
        watch: checks what the task asks for as a whole; ``None`` to check its steps only.
        announce: gets each plan as it is carried out, with what its steps wait for.
        gate: called before each command; blocks while the task is paused, returns when canceled.
        memory: what earlier runs left, where it is on.
        remarks: what the user says while the task runs, where somebody may.
        interpreter: understands that.
        naming: the name that a text gives to an unknown object, or to one of these names; ``None`` if it asks for
            something else.
        namer: keeps the names of what no file describes, where such objects are observed.
        witness: says from pictures whether facts hold, where a model does.
        true_state: the world as a simulation knows it, for what the memory keeps; ``None`` from a real one.
    """

    brain: Brain
    body: Body
    robots: Mapping[str, RobotPort]
    detector: DetectorPort
    corrector: Corrector
    observer: Observer
    approve: Callable[[Command, str], bool] = field(default=lambda command, doubt: True)
    permit: Callable[[Command, str], bool] = field(default=lambda command, purpose: True)
    review: Callable[[Plan, WorldState], Optional[Plan]] = field(default=lambda plan, world: plan)
    ask: Callable[[Question, float], str] = field(default=lambda question, patience: "")
    help: Callable[[str], bool] = field(default=lambda wanted: False)
    announce: Callable[[Plan], None] = field(default=lambda plan: None)
    gate: Callable[[Event], None] = field(default=lambda cancel: None)
    reporter: Optional[Reporter] = None
    watch: Optional[TaskWatch] = None
    memory: Optional[Memory] = None
    remarks: Optional[Remarks] = None
    interpreter: Optional[Interpreter] = None
    naming: Callable[[str, Container[str]], Optional[NamingRequest]] = field(default=lambda text, known: None)
    namer: Optional[Namer] = None
    witness: Optional[Witness] = None
    true_state: Callable[[], Optional[WorldState]] = field(default=lambda: None)
