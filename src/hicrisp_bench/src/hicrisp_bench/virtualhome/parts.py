"""What the executive needs beside the world: a brain that recites, a body that leaves no step out, a
detector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from hicrisp_core.detector.detector import Detector
from hicrisp_core.domain.checker import malformed
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Feedback, Outcome, Plan, Status, Step, Verdict, WorldState
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.ports.body import Translation
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.virtualhome.answers import feedback_of


@dataclass(frozen=True)
class RecordedBrain:
    """Answers every task with one recorded plan, and no correction."""

    plan_: Plan

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The recorded plan."""
        del request, deadline  # It was written long ago.
        return PlanAnswer(self.plan_)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Nothing was recorded for this."""
        del request, deadline
        return PlanAnswer(refusal="a recording corrects nothing")


@dataclass(frozen=True)
class VerbatimBody:
    """Grounds each step; leaves none out because its effects hold: in a home, washing clean hands is a
    deed.
    """

    domain: Domain

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """The step's one command, or the feedback that lists the valid names."""
        del deadline  # Grounding never waits.
        try:
            return Translation((self.domain.ground(step, world, step.robot),))
        except DomainError as error:
            return Translation(feedback=malformed(error, step=step))

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """The command as it is: nothing is aimed in a graph."""
        del world, offsets, deadline
        return command


class HomeDetector:
    """The executor's refusal as a Feedback; its claim of success is checked against what is seen."""

    def __init__(self, domain: Domain) -> None:
        self._seen = Detector(domain)

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Whether the command worked."""
        if outcome.status in (Status.PRECONDITION, Status.INVALID):
            return Verdict(feedback_of(outcome.message, command))
        return self._seen.check(command, before, after, outcome)
