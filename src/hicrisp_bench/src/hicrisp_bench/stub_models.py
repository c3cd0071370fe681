"""Brains and language models that need no prompt: a brain over another one, a plan that is fixed, one stub in every
role, and what the schema of an answer asks for.
"""

from __future__ import annotations

from typing import Any, List, Mapping

from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.models import Models, RoleModel
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Plan
from hicrisp_core.ports.brain import Brain, CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline

TOKENS = 40
"""What a stub's answer counts for, each way."""


class StubModels(Models):
    """The same stub in every role of a policy.

    Args:
        stub: answers whatever is asked.
    """

    def __init__(self, stub: ChatModel) -> None:
        super().__init__(LlmSettings(stub.name, model=stub.name, base_url="http://127.0.0.1:9/v1", retries=0,
                                     probe=False, cache=0))
        self._stub = stub

    def of(self, role: str) -> ChatModel:
        """Return the model of a role."""
        return RoleModel(self._stub, role, self.settings)


class OverBrain(Brain):
    """Passes on to another brain what it is asked.

    Args:
        brain: answers.
    """

    def __init__(self, brain: Brain) -> None:
        self._brain = brain

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """See ``Brain``."""
        return self._brain.plan(request, deadline)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """See ``Brain``."""
        return self._brain.correct(request, deadline)


class FixedBrain:
    """Answers every task with one plan at once, and corrects nothing."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Return the plan."""
        return PlanAnswer(self._plan)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Refuse: nothing is corrected."""
        return PlanAnswer(refusal="there is one plan alone, and no correction")


def kinds_of(schema: Mapping[str, Any]) -> List[str]:
    """List the kinds that an answer with this schema may have.

    Args:
        schema: a JSON schema.

    Returns:
        Kinds; empty if it names none.
    """
    found: List[str] = []
    for each in schema.get("anyOf", (schema,)):
        kind = each.get("properties", {}).get("kind", {})
        found += [kind["const"]] if "const" in kind else kind.get("enum", ())
    return found
