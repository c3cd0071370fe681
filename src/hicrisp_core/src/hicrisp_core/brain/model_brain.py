"""The brain with a language model: its text becomes steps only through the parser and the domain's schema."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Union

from hicrisp_core.brain.answer_schema import answer_schema
from hicrisp_core.brain.ports import CorrectionRequest, PlanAnswer, PlanRequest, Usage
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.exchange import Completion, LlmFailure, Message
from hicrisp_core.model import Plan, WorldState
from hicrisp_core.parsing.grounding import Grounded, ground_steps
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import is_cut_off, parse_plan
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.quarantine import plain, quarantined
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.robot.deadline import Deadline

_ASKS = 2
"""How often a model is asked for one answer: an unreadable one is asked again with what is wrong with it."""
_KEYS = frozenset(("steps", "plan", "answer", "refusal", "reasoning"))


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
            prompt = self._prompts.render("plan", task=quarantined(request.task.text), **world)
        else:
            prompt = self._prompts.render(
                "replan", task=quarantined(request.task.text), **world,
                done=_listed(request.done), remaining=_listed([str(step) for step in request.remaining]),
                feedback=_listed([describe.feedback_text(entry) for entry in request.feedback]))
        answer = self._ask(prompt, request.world, deadline)
        if answer.plan is not None and not answer.plan.steps:
            said = answer.plan.reasoning or "it is so already"
            return PlanAnswer(answer=f"The language model plans no steps: {said}", usage=answer.usage)
        return answer

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
            answer = self._client.complete(messages, deadline, answer_schema(self._domain, world))
            usage = usage + _cost(answer)
            if isinstance(answer, LlmFailure):
                before = f" Its first answer could not be used: {trouble}" if len(messages) > 2 else ""
                return PlanAnswer(refusal=f"The language model gave no answer: {answer.message}.{before}", usage=usage)
            read = self._read(answer, world)
            if isinstance(read, PlanAnswer):
                return PlanAnswer(read.plan, read.answer, read.refusal, read.alternatives, usage)
            trouble = str(read)
            messages = [*messages, {"role": "assistant", "content": answer.text},
                        {"role": "user", "content": f"This cannot be used: {plain(trouble)} Answer again, in the "
                                                    "form that was asked for, with the names that are listed only."}]
        return PlanAnswer(refusal=f"The language model's answer cannot be used: {trouble}", usage=usage)

    def _read(self, answer: Completion, world: WorldState) -> Union[PlanAnswer, ParseFailure]:
        said = read_json(answer.text, lambda value: isinstance(value, dict) and not _KEYS.isdisjoint(value))
        words = said.value if said else {}
        raw = parse_plan(answer.text, self._domain)
        if answer.cut_off or is_cut_off(answer.text):
            # Its whole steps could be read, but a plan whose end is missing would pass for the whole task.
            return ParseFailure("the answer was cut off before its end: a shorter one is needed, or a higher "
                                "max_tokens", answer.text[-80:])
        if isinstance(raw, ParseFailure):
            return _spoken(words) or raw
        if not raw and _spoken(words):
            return _spoken(words) or ParseFailure("empty")
        grounded = ground_steps(raw, self._domain, world)
        if not isinstance(grounded, Grounded):
            return grounded
        reasoning = "; ".join(filter(None, (str(words.get("reasoning", "") or ""), *grounded.notes)))
        return PlanAnswer(Plan(grounded.steps, self._client.name, plain(reasoning)))


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
