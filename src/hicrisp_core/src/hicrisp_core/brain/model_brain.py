"""The brain with a language model: its text becomes steps only through the parser and the domain's schema."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Union

from hicrisp_core.brain.ports import CorrectionRequest, PlanAnswer, PlanRequest, Usage
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.exchange import Completion, LlmFailure, Message
from hicrisp_core.model import Plan, WorldState
from hicrisp_core.parsing.grounding import Grounded, ground_steps
from hicrisp_core.parsing.json_text import find_json
from hicrisp_core.parsing.plan_text import parse_plan
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.quarantine import plain, quarantined
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.robot.deadline import Deadline

_ASKS = 2
"""How often a model is asked for one answer: an unreadable one is asked again with what is wrong with it."""


class ModelBrain:
    """Plans and corrects by chat completions.

    Args:
        prompts: the folder's templates.
    """

    def __init__(self, client: ChatClient, domain: Domain, prompts: Prompts) -> None:
        self._client = client
        self._domain = domain
        self._prompts = prompts
        self._system = prompts.render("system", description=domain.description,
                                      actions=describe.actions_text(domain), examples=describe.examples_text(domain))

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Ask for a plan, or from the failed step on for a new one."""
        world = self._world(request.world)
        if not request.feedback:
            return self._ask(self._prompts.render("plan", task=quarantined(request.task.text), **world), request.world,
                             deadline)
        return self._ask(self._prompts.render(
            "replan", task=quarantined(request.task.text), **world,
            done=_listed(request.done), remaining=_listed([str(step) for step in request.remaining]),
            feedback=_listed([describe.feedback_text(entry) for entry in request.feedback])), request.world, deadline)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Ask for the corrective actions that the stack's top needs (HiCRISP, equation 3)."""
        return self._ask(self._prompts.render(
            "correct", task=quarantined(request.task.text), **self._world(request.world),
            stack=describe.stack_text(self._domain, request.stack)), request.world, deadline)

    def _world(self, world: WorldState) -> Dict[str, str]:
        return {"objects": describe.objects_text(world), "facts": describe.facts_text(self._domain, world)}

    def _ask(self, prompt: str, world: WorldState, deadline: Deadline) -> PlanAnswer:
        messages: List[Message] = [{"role": "system", "content": self._system}, {"role": "user", "content": prompt}]
        usage = Usage()
        trouble = "the model was not asked"
        for _ in range(_ASKS):
            answer = self._client.complete(messages, deadline, answer_schema(self._domain))
            usage = usage + _cost(answer)
            if isinstance(answer, LlmFailure):
                return PlanAnswer(refusal=f"The language model gave no answer: {answer.message}.", usage=usage)
            read = self._read(answer, world)
            if isinstance(read, PlanAnswer):
                return PlanAnswer(read.plan, read.answer, read.refusal, read.alternatives, usage)
            trouble = str(read)
            messages = [*messages, {"role": "assistant", "content": answer.text},
                        {"role": "user", "content": f"This cannot be used: {plain(trouble)} Answer again, in the "
                                                    "form that was asked for, with the names that are listed only."}]
        return PlanAnswer(refusal=f"The language model's answer cannot be used: {trouble}", usage=usage)

    def _read(self, answer: Completion, world: WorldState) -> Union[PlanAnswer, ParseFailure]:
        said = find_json(answer.text)
        words = said if isinstance(said, dict) else {}
        raw = parse_plan(answer.text, self._domain)
        if isinstance(raw, ParseFailure):
            if answer.cut_off:
                return ParseFailure("the answer was cut off before its first step", raw.quote)
            return _spoken(words) or raw
        if not raw and _spoken(words):
            return _spoken(words) or ParseFailure("empty")
        grounded = ground_steps(raw, self._domain, world)
        if not isinstance(grounded, Grounded):
            return grounded
        reasoning = "; ".join(filter(None, (str(words.get("reasoning", "") or ""), *grounded.notes)))
        return PlanAnswer(Plan(grounded.steps, self._client.name, plain(reasoning)))


def answer_schema(domain: Domain) -> Dict[str, Any]:
    """The JSON schema of an answer: reasoning, steps by the domain's action names, or an answer or refusal in words."""
    step = {
        "type": "object", "required": ["action", "arguments"],
        "properties": {"action": {"type": "string", "enum": sorted(domain.actions)}, "arguments": {"type": "object"}}}
    return {"type": "object", "required": ["steps"], "properties": {
        "reasoning": {"type": "string"}, "steps": {"type": "array", "items": step}, "answer": {"type": "string"},
        "refusal": {"type": "string"}}}


def _spoken(words: Dict[str, Any]) -> Optional[PlanAnswer]:
    """An answer or a refusal in words, when the model gave one instead of steps."""
    answer, refusal = (str(words.get(key) or "").strip() for key in ("answer", "refusal"))
    if answer:
        return PlanAnswer(answer=plain(answer))
    return PlanAnswer(refusal=plain(refusal)) if refusal else None


def _cost(answer: Union[Completion, LlmFailure]) -> Usage:
    if isinstance(answer, LlmFailure):
        return Usage(answer.calls)
    return Usage(answer.calls, answer.prompt_tokens, answer.completion_tokens, answer.seconds)


def _listed(entries: Sequence[str]) -> str:
    return "\n".join(f"- {plain(entry)}" for entry in entries) or "- nothing"
