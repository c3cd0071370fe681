"""A brain that answers with one plan that is given: a recorded one, grounded step by step."""

from __future__ import annotations

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Plan
from hicrisp_core.parsing.grounding import ground_each
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline


class RecordedBrain:
    """Answers the first question with the recorded text and refuses every other: no model is asked."""

    def __init__(self, domain: Domain, text: str, source: str) -> None:
        self._domain = domain
        self._text = text
        self._source = source

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The recorded plan; a step that does not fit stays in it and fails when its turn comes."""
        del deadline  # Reading never waits.
        if request.feedback:
            return PlanAnswer(refusal="a recording has no other plan")
        raw = parse_plan(self._text, self._domain)
        if isinstance(raw, ParseFailure):
            return PlanAnswer(refusal=str(raw))
        grounded = ground_each(raw, self._domain, request.world)
        return PlanAnswer(Plan(grounded.steps, self._source, "; ".join(grounded.notes)))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Nothing was recorded for it."""
        del request, deadline
        return PlanAnswer(refusal="a recording has no corrections")
