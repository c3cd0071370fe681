"""The brain with a language model: its text becomes steps only through the parser and the domain's schema."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from hicrisp_core.brain.plan_answer import read_plan_answer
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model import WorldState
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.prompting.answer_schema import answer_schema, correction_schema
from hicrisp_core.prompting.asking import Turn, ask
from hicrisp_core.prompting.plan_prompt import PlanPrompt, StepForm, step_object
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.time.deadline import Deadline

ReadAnswer = Callable[[Completion, WorldState, str], Union[PlanAnswer, ParseFailure]]
"""Reads an answer in a world; the name of the model that gave it is the source of the plan."""


class ModelBrain:
    """Plans and corrects by chat completions.

    Args:
        prompts: the folder's templates.
        corrector: answers corrections; the planner's own model where none is given.
    """

    def __init__(
        self, client: ChatModel, domain: Domain, prompts: Prompts, corrector: Optional[ChatModel] = None
    ) -> None:
        self._client = client
        self._corrector = corrector or client
        self._domain = domain
        self._prompt = PlanPrompt(prompts, domain, self._step_form)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Ask for a plan, or from the failed step on for a new one."""
        client = self._client.afresh() if request.feedback else self._client
        answer = self._ask_plan(client, self._prompt.plan(request), request.world, deadline)
        if answer.plan is not None and not answer.plan.steps:
            said = answer.plan.reasoning or "it is so already"
            return PlanAnswer(answer=f"The language model plans no steps: {said}", usage=answer.usage)
        return answer

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Ask for the corrective actions that the stack's top needs (HiCRISP, equation 3)."""
        return self._asked(
            self._corrector.afresh(), self._prompt.correct(request), request.world, deadline,
            correction_schema(self._domain, request.world), self._read_actions)

    @property
    def _step_form(self) -> StepForm:
        """How the examples write steps."""
        return step_object

    def _ask_plan(self, client: ChatModel, prompt: str, world: WorldState, deadline: Deadline) -> PlanAnswer:
        return self._asked(client, prompt, world, deadline, answer_schema(self._domain, world),
                           self._read_actions, self._prompt.opening(world)[1])

    def _asked(
        self, client: ChatModel, prompt: str, world: WorldState, deadline: Deadline,
        schema: Mapping[str, Any], read: ReadAnswer, examples: Sequence[Turn] = (),
    ) -> PlanAnswer:
        asked = ask(client, self._prompt.opening(world)[0], prompt, deadline, schema,
                    lambda said: read(said, world, client.name), examples,
                    keep=lambda found: found.plan is not None and bool(found.plan.steps))
        if asked.answer is None:
            return PlanAnswer(refusal=asked.trouble, usage=asked.usage)
        return replace(asked.answer, usage=asked.usage)

    def _read_actions(self, said: Completion, world: WorldState, source: str) -> Union[PlanAnswer, ParseFailure]:
        return read_plan_answer(said, self._domain, world, source)
