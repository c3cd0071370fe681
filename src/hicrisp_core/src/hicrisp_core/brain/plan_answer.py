"""A model's text as a plan of grounded steps, or as an answer or a refusal in words."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model import Plan, WorldState
from hicrisp_core.parsing.grounding import Grounded, ground_each, ground_steps
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import is_cut_off, parse_plan
from hicrisp_core.parsing.raw import ParseFailure, RawStep
from hicrisp_core.ports.brain import PlanAnswer
from hicrisp_core.prompting.answer_schema import ANSWER, PLAN, REFUSE, RETRY, kind_of
from hicrisp_core.prompting.quarantine import plain

_KEYS = frozenset(("kind", "steps", "plan", "answer", "refusal", "reasoning"))
TOO_LONG = "the answer was cut off before its end: a shorter one is needed, or a higher max_tokens"


def read_plan_answer(
    said: Completion, domain: Domain, world: WorldState, source: str, each: bool = False
) -> Union[PlanAnswer, ParseFailure]:
    """Read an answer in the form of :mod:`hicrisp_core.prompting.answer_schema`, however it is written: with
    all of the schema's keys, or with those of its kind only.

    Steps go before words beside them; ``answer`` and ``refusal`` are read as keys, too.

    Args:
        each: whether a step with a name that does not fit stays in the plan and fails when its turn comes,
            instead of making the whole answer one that cannot be used.
    """
    found = read_json(said.text, lambda value: isinstance(value, dict) and not _KEYS.isdisjoint(value))
    words = found.value if found else {}
    raw: Union[Tuple[RawStep, ...], ParseFailure] = () if kind_of(words) == RETRY else parse_plan(said.text, domain)
    if said.cut_off or is_cut_off(said.text):
        # Its whole steps could be read, but a plan whose end is missing would pass for the whole task.
        return ParseFailure(TOO_LONG, said.text[-80:])
    told = _spoken(words)
    if told is not None and (isinstance(raw, ParseFailure) or not raw):
        return told
    if isinstance(raw, ParseFailure):
        return raw
    grounded = ground_each(raw, domain, world) if each else ground_steps(raw, domain, world)
    if not isinstance(grounded, Grounded):
        return grounded
    reasoning = "; ".join(filter(None, (str(words.get("reasoning", "") or ""), *grounded.notes)))
    return PlanAnswer(Plan(grounded.steps, source, plain(reasoning)))


def _spoken(words: Mapping[str, Any]) -> Optional[PlanAnswer]:
    """An answer or a refusal in words, when the model gave one instead of steps."""
    kind, text, why = kind_of(words), words.get("text") or "", words.get("why") or ""
    answer = str(words.get("answer") or {ANSWER: text or why, PLAN: text}.get(kind, "")).strip()
    refusal = str(words.get("refusal") or {REFUSE: why or text, PLAN: why}.get(kind, "")).strip()
    if answer and kind != REFUSE:
        return PlanAnswer(answer=plain(answer))
    return PlanAnswer(refusal=plain(refusal)) if refusal else None
