"""What drivers claim, what the detector says of it, and the record of a step: Outcome, Verdict, StepRecord."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from hicrisp_core.model.cause import Cause, CauseKind
from hicrisp_core.model.feedback import Feedback, Status
from hicrisp_core.model.geometry import Planar, Vector
from hicrisp_core.model.task import Command, Step


@dataclass(frozen=True)
class StepRecord:
    """A step that was carried out, or that goes on beside the question.

    Args:
        commands: what was carried out for it; none where it needed none.
        ok: whether it holds; false while it is still under way.
        note: why it needed no command, in the body's words; no code reads it.
        elsewhere: another robot's step that goes on apart from this: a new plan leaves it out.
    """

    step: Step
    commands: Tuple[Command, ...] = ()
    ok: bool = True
    note: str = ""
    elsewhere: bool = False

    def names(self) -> Tuple[str, ...]:
        """The names in the step's and the commands' arguments."""
        each = (self.step.arguments, *(command.arguments for command in self.commands))
        return tuple(dict.fromkeys(str(value) for arguments in each for value in arguments.values()))


@dataclass(frozen=True)
class Outcome:
    """What a driver says of one command. It is a claim, never an observation.

    Args:
        message: the driver's own words, for people; no code reads them.
        blockers: names of the objects that collided in the best motion that was planned, when none was found.
        cause: what began the failure, where the driver knows it.
        missed: metres in the world's plane by which its approaches ended beside where they were sent, on
            average, as the object was seen before it was let go; ``None`` where nobody looked.
        alike: whether several of these approaches missed alike, so that it is a bias.
    """

    status: Status
    message: str = ""
    blockers: Tuple[str, ...] = ()
    cause: Optional[Cause] = None
    missed: Optional[Planar] = None
    alike: bool = False

    @classmethod
    def because(
        cls, kind: CauseKind, status: Status, message: str, *names: str, seconds: Optional[float] = None
    ) -> "Outcome":
        """Return a failure with its first cause, which quotes the message.

        Args:
            kind: kind of the cause.
            status: how the command ended.
            message: what happened, for people.
            *names: what the cause is about, as ``CauseKind`` says.
            seconds: age or limit, as ``CauseKind`` says.

        Returns:
            The outcome.
        """
        return cls(status, message, cause=Cause(kind, names, seconds, message))

    def stopped(self, halted: "Outcome", between: str = "; ") -> "Outcome":
        """Return this failure after its robot was told to stop.

        Args:
            halted: what came of that.
            between: what stands between the two messages.

        Returns:
            The failure; SAFETY if the robot is not known to stand, and LOST if neither could reach it.
        """
        if halted.ok:
            return self
        lost = self.status is Status.LOST and halted.status is Status.LOST
        return Outcome(Status.LOST if lost else Status.SAFETY, f"{self.message}{between}{halted.message}",
                       self.blockers, self.cause)

    @property
    def ok(self) -> bool:
        return self.status is Status.SUCCESS


@dataclass(frozen=True)
class Verdict:
    """What the detector says of one command: it worked, or the feedback that says why not.

    ``deviation`` is also given for a success where it was measured, so that the decoder learns from both.
    """

    feedback: Optional[Feedback] = None
    deviation: Optional[Vector] = None
    note: str = ""

    @property
    def ok(self) -> bool:
        return self.feedback is None
