"""The body without a model: a step names its action already, so translating is grounding and aiming."""

from __future__ import annotations

from typing import Tuple, Union

from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.domain.checker import effects_hold, malformed
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Cause, CauseKind, Command, Feedback, FeedbackKind, Level, Step, WorldState
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.ports.body import Translation
from hicrisp_core.time.deadline import Deadline


class Aiming:
    """What every body does alike: it gives commands their target and their aim."""

    def __init__(self, decoder: ActionDecoder) -> None:
        self._decoder = decoder

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """The command with its target and its aim."""
        del deadline  # Decoding never waits.
        return self._decoder.decode(command, world, offsets)


class DirectBody(Aiming):
    """Grounds a step in the domain; says ``pass`` when the step's effects hold already."""

    def __init__(self, domain: Domain, decoder: ActionDecoder) -> None:
        super().__init__(decoder)
        self._domain = domain

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """The step's one command, or the feedback that lists the valid names."""
        del deadline  # Grounding never waits.
        try:
            command = self._domain.ground(step, world, step.robot)
        except DomainError as error:
            return Translation(feedback=malformed(error, step=step))
        return translated(self._domain, command, world)


def translated(domain: Domain, command: Command, world: WorldState) -> Translation:
    """The one command, or a pass when its effects hold already."""
    if effects_hold(domain, command, world):
        return Translation(pass_reason=f"'{domain.describe(command)}' holds already")
    return Translation((command,))


def not_translated(step: Step, why: str, alternatives: Tuple[str, ...] = ()) -> Translation:
    """The feedback for a step that no command was found for; ``why`` in the words of whoever looked for
    one.
    """
    return Translation(feedback=Feedback(
        Level.HIGH, FeedbackKind.INVALID, step=step, alternatives=alternatives,
        cause=Cause(CauseKind.MALFORMED, said=why)))
