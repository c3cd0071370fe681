"""The brain with a language model: its text becomes steps only through the parser and the domain's schema."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, Optional

from hicrisp_core.brain.plan_answer import read_plan_answer
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.model import WorldState
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.answer_schema import answer_schema
from hicrisp_core.prompting.asking import ask
from hicrisp_core.prompting.quarantine import quarantined
from hicrisp_core.prompting.remembered import remembered_text
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.time.deadline import Deadline


class ModelBrain:
    """Plans and corrects by chat completions.

    Args:
        prompts: the folder's templates.
        corrector: answers corrections; the planner's own model where none is given.
    """

    _worded = False
    """Whether it plans in sentences."""

    def __init__(
        self, client: ChatModel, domain: Domain, prompts: Prompts, corrector: Optional[ChatModel] = None
    ) -> None:
        self._client = client
        self._corrector = corrector or client
        self._domain = domain
        self._prompts = prompts
        self._system = prompts.render("system", description=domain.description,
                                      actions=describe.actions_text(domain), examples=self._examples())

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Ask for a plan, or from the failed step on for a new one."""
        world = self._world(request.world)
        if not request.feedback:
            prompt = remembered_text(request.examples, self._worded) \
                + self._prompts.render("plan", task=quarantined(request.task.text), **world)
        else:
            prompt = self._prompts.render(
                "replan", task=quarantined(request.task.text), **world,
                **describe.failure_texts(self._domain, request))
        client = self._client.afresh() if request.feedback else self._client
        answer = self._ask_plan(client, prompt, request.world, deadline)
        if answer.plan is not None and not answer.plan.steps:
            said = answer.plan.reasoning or "it is so already"
            return PlanAnswer(answer=f"The language model plans no steps: {said}", usage=answer.usage)
        return answer

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Ask for the corrective actions that the stack's top needs (HiCRISP, equation 3)."""
        return self._ask(self._corrector.afresh(), self._prompts.render(
            "correct", task=quarantined(request.task.text), **self._world(request.world),
            stack=describe.stack_text(self._domain, request.stack, request.feedback_level)), request.world,
            deadline)

    def _world(self, world: WorldState) -> Dict[str, str]:
        return {"objects": describe.objects_text(world, self._domain),
                "facts": describe.facts_text(self._domain, world),
                "triplets": describe.triplets_text(world),
                "available": describe.available_text(self._domain, world)}

    def _examples(self) -> str:
        return describe.examples_text(self._domain)

    def _ask_plan(self, client: ChatModel, prompt: str, world: WorldState, deadline: Deadline) -> PlanAnswer:
        return self._ask(client, prompt, world, deadline)

    def _ask(self, client: ChatModel, prompt: str, world: WorldState, deadline: Deadline) -> PlanAnswer:
        asked = ask(client, self._system, prompt, deadline, answer_schema(self._domain, world),
                    lambda said: read_plan_answer(said, self._domain, world, client.name))
        if asked.answer is None:
            return PlanAnswer(refusal=asked.trouble, usage=asked.usage)
        return replace(asked.answer, usage=asked.usage)
