"""The body without a model: a step names its action already, so translating is grounding and aiming."""

from __future__ import annotations

from typing import Union

from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.corrector.offsets import DecoderOffsets
from hicrisp_core.domain.checker import effects_hold
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.executive.ports import Translation
from hicrisp_core.model import Command, Feedback, Level, Step, WorldState
from hicrisp_core.robot.deadline import Deadline


class DirectBody:
    """Grounds a step in the domain; says ``pass`` when the step's effects hold already."""

    def __init__(self, domain: Domain, decoder: ActionDecoder) -> None:
        self._domain = domain
        self._decoder = decoder

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """The step's one command, or the feedback that lists the valid names."""
        del deadline  # Grounding never waits.
        try:
            command = self._domain.ground(step, world, step.robot)
        except DomainError as error:
            return Translation(feedback=Feedback(
                Level.HIGH, "invalid", f"'{step.text or step}' cannot be carried out.", f"{error}.",
                alternatives=error.alternatives))
        if effects_hold(self._domain, command, world):
            return Translation(pass_reason=f"'{self._domain.describe(command)}' holds already")
        return Translation((command,))

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """The command with its target and its aim."""
        del deadline  # Decoding never waits.
        return self._decoder.decode(command, world, offsets)
