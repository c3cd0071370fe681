"""What the body is asked and answers: a step becomes commands, and a command gets its target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Tuple, Union, runtime_checkable

from hicrisp_core.model import Command, DecoderOffsets, Feedback, Step, WorldState
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
        """Translate a step into commands; :meth:`aim` chooses their poses just before each one runs.

        Args:
            step: the step, which may consist of words only.
            world: the latest observation.
            deadline: wall time by which the answer is due.

        Returns:
            The commands in execution order, or the reason for passing the step, or the feedback that says why no
            command was found.
        """

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """Choose the target and the aim of a command in the current world.

        Args:
            command: a command whose poses may still be missing.
            world: the latest observation; poses are in the world frame, metres.
            offsets: the learnt placement bias, which is subtracted from the target.
            deadline: wall time by which the answer is due.

        Returns:
            The command with ``target`` and ``aim`` set if its action needs them, or why no target was found.
        """


@runtime_checkable
class Foresight(Protocol):
    """A body that can translate a step before its turn: a model then thinks while the robot moves."""

    def prepare(self, step: Step, world: WorldState, deadline: Deadline) -> Usage:
        """Translate a step ahead of its turn and keep the answer for the actual translation.

        The kept answer is used only if the later question is identical to this one.

        Args:
            step: the step to translate.
            world: the state that is expected when the step begins.
            deadline: wall time by which the answer is due.

        Returns:
            What the question cost. The later translation does not report this cost again.
        """
