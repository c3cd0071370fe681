"""The brains with one language model: a plan in actions, or in words for which the body finds the commands."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Mapping, Optional, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.model import Plan, Step, WorldState
from hicrisp_core.parsing.grounding import Grounded, ground_each, ground_steps
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import ParseFailure, RawStep, is_cut_off, parse_plan
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.prompting import answer_schema as schemas
from hicrisp_core.prompting.asking import ask
from hicrisp_core.prompting.plan_prompt import PlanPrompt, step_object, step_words
from hicrisp_core.prompting.quarantine import plain
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.time.deadline import Deadline

_KEYS = frozenset(("kind", "steps", "plan", "answer", "refusal", "reasoning"))
TOO_LONG = "the answer was cut off before its end: a shorter one is needed, or a higher max_tokens"
_NUMBERED = re.compile(r"^\s*(?:step\s*)?\d+\s*[.):]\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_LONGEST = 300
"""Characters of a step that are kept."""


def read_plan_answer(
    said: Completion, domain: Domain, world: WorldState, source: str, each: bool = False
) -> Union[PlanAnswer, ParseFailure]:
    """Read an answer in the form of :mod:`hicrisp_core.prompting.answer_schema`, with all its keys or its kind's only.

    Steps go before words beside them; ``answer`` and ``refusal`` are read as keys, too.

    Args:
        each: whether a step with a name that does not fit stays in the plan and fails when its turn comes,
            instead of making the whole answer one that cannot be used.
    """
    found = read_json(said.text, lambda value: isinstance(value, dict) and not _KEYS.isdisjoint(value))
    words = found.value if found else {}
    raw: Union[Tuple[RawStep, ...], ParseFailure] = ()
    kind = schemas.kind_of(words)
    if kind != schemas.RETRY and (kind != schemas.SKIP or words.get("steps")):
        raw = parse_plan(said.text, domain)
    if said.cut_off or is_cut_off(said.text):
        # Its whole steps could be read, but a plan whose end is missing would pass for the whole task.
        return ParseFailure(TOO_LONG, said.text[-80:])
    if isinstance(raw, ParseFailure) or not raw:
        text, why = words.get("text") or "", words.get("why") or ""
        answer = str(words.get("answer") or {schemas.ANSWER: text or why, schemas.PLAN: text}.get(kind, "")).strip()
        refusal = str(words.get("refusal") or {schemas.REFUSE: why or text, schemas.PLAN: why}.get(kind, "")).strip()
        if answer and kind != schemas.REFUSE:
            return PlanAnswer(answer=plain(answer))
        if refusal:
            return PlanAnswer(refusal=plain(refusal))
    if isinstance(raw, ParseFailure):
        return raw
    grounded = ground_each(raw, domain, world) if each else ground_steps(raw, domain, world)
    if not isinstance(grounded, Grounded):
        return grounded
    reasoning = "; ".join(filter(None, (str(words.get("reasoning", "") or ""), *grounded.notes)))
    return PlanAnswer(Plan(grounded.steps, source, plain(reasoning)), drop=kind == schemas.SKIP)


class ModelBrain:
    """Plans and corrects by chat completions.

    Args:
        prompts: the folder's templates.
        corrector: answers corrections; the planner's own model if none is given.
        worded: it plans in sentences, in JSON or in a numbered list (BrainBody-LLM, section 3.1); steps that it writes
            as actions are taken as those, and its corrections name actions, as those of every brain do.
    """

    def __init__(self, client: ChatModel, domain: Domain, prompts: Prompts, corrector: Optional[ChatModel] = None,
                 worded: bool = False) -> None:
        self._client = client
        self._corrector = corrector or client
        self._domain = domain
        self._worded = worded
        self._prompt = PlanPrompt(prompts, domain, step_words if worded else step_object, worded)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Ask for a plan, or from the failed step on for a new one."""
        client = self._client.afresh() if request.feedback else self._client
        schema = schemas.worded_schema() if self._worded else schemas.answer_schema(self._domain, request.world)
        answer = self._asked(client, self._prompt.plan(request), request.world, deadline, schema)
        if answer.plan is not None and not answer.plan.steps:
            said = answer.plan.reasoning or "it is so already"
            return PlanAnswer(answer=f"The language model plans no steps: {said}", usage=answer.usage)
        return answer

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Ask for the corrective actions that the stack's top needs (HiCRISP, equation 3)."""
        return self._asked(self._corrector.afresh(), self._prompt.correct(request), request.world, deadline,
                           schemas.correction_schema(self._domain, request.world), corrects=True)

    def _asked(self, client: ChatModel, prompt: str, world: WorldState, deadline: Deadline, schema: Mapping[str, Any],
               corrects: bool = False) -> PlanAnswer:
        def read(said: Completion) -> Union[PlanAnswer, ParseFailure]:
            worded = _in_words(said, client.name) if self._worded and not corrects else None
            return worded or read_plan_answer(said, self._domain, world, client.name)

        system, examples = self._prompt.opening(world)
        asked = ask(client, system, prompt, deadline, schema, read, () if corrects else examples,
                    keep=lambda found: found.plan is not None and bool(found.plan.steps))
        if asked.answer is None:
            return PlanAnswer(refusal=asked.trouble, usage=asked.usage)
        return replace(asked.answer, usage=asked.usage)


def _in_words(answer: Completion, source: str) -> Union[PlanAnswer, ParseFailure, None]:
    """Return sentences as steps without an action; ``None`` for any other form."""
    said = read_json(answer.text, lambda value: isinstance(value, dict) and "steps" in value)
    words = said.value if said else {}
    sentences = words["steps"] if said else _NUMBERED.findall(answer.text)
    if not sentences or not isinstance(sentences, list) or answer.cut_off or is_cut_off(answer.text) or not all(
            isinstance(each, str) and each.strip() for each in sentences):
        return None
    if len(sentences) > schemas.MOST_STEPS:
        return ParseFailure(f"the plan has {len(sentences)} steps; at most {schemas.MOST_STEPS} are taken")
    steps = tuple(Step(plain(sentence.strip(), _LONGEST), "") for sentence in sentences)
    return PlanAnswer(Plan(steps, source, plain(str(words.get("reasoning") or ""))))
