"""What became of a step: the records by which brains and correctors know what is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

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
