"""What the body is asked and answers: a step becomes commands, and a command gets its target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Tuple, Union, runtime_checkable

from hicrisp_core.model import Command, Feedback, Step, WorldState
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class Translation:
    """A step's commands; none with the reason why the body passes; or the feedback why it cannot be
    translated.
    """

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


@runtime_checkable
class Foresight(Protocol):
    """A body that can translate a step before its turn: a model then thinks while the robot moves."""

    def prepare(self, step: Step, world: WorldState, deadline: Deadline) -> Usage:
        """Translate a step in the world as it will be, and keep the answer for when the step is translated.

        It is used then where the question is the very same; what it cost is told here alone.
        """
