"""The questions to a second witness: pictures from before and after, with closed questions, or with a failure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

from hicrisp_core.domain.saying import spoken
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.model import WorldObject
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import ParseFailure
from hicrisp_core.ports.witness import Finding, Ruling, Testimony
from hicrisp_core.prompting.answer_schema import closed, one_of
from hicrisp_core.prompting.asking import ask
from hicrisp_core.prompting.quarantine import plain
from hicrisp_core.prompting.templates import Placeholders, Prompts
from hicrisp_core.time.deadline import Deadline

PROMPTS = "witness"
PLACEHOLDERS: Mapping[str, Placeholders] = {"system": ("form", ""), "request": ("objects statements", ""),
                                            "failure_system": ("form", ""), "failure": ("objects failure", "")}
MOST = 12
"""Statements of one question."""
_LONGEST = 160
"""Characters of a reason, and of a statement."""
_FORM = '{"answers": [{"number": 1, "why": "...", "answer": "yes"}]}'
_EXPLANATION = '{"seen": "...", "reason": "...", "suggestion": "..."}'
_ANSWERS = tuple(each.value for each in Ruling)


def ask_witness(
    model: ChatModel, prompts: Prompts, statements: Sequence[str], objects: Sequence[WorldObject],
    pictures: Sequence[str], deadline: Deadline,
) -> Testimony:
    """Ask a model once whether statements hold.

    Args:
        model: takes pictures.
        prompts: of the folder ``witness``.
        statements: clauses in plain words; more than ``MOST`` are not asked about, and nobody can tell.
        objects: what they are about, as it was measured before.
        pictures: data URIs: before with the objects' names, before, and now.
        deadline: wall-clock limit of the call.

    Returns:
        An answer for each statement, or why there is none.
    """
    asked = statements[:MOST]
    told = "\n".join(f"{number}: {plain(each, _LONGEST)}" for number, each in enumerate(asked, 1))
    entry = closed({"number": {"type": "integer", "minimum": 1, "maximum": len(asked)},
                    "why": {"type": "string", "maxLength": _LONGEST}, "answer": one_of(_ANSWERS)})
    schema = closed({"answers": {"type": "array", "maxItems": len(asked), "items": entry}})
    request = prompts.render("request", objects=_sizes(objects), statements=told)
    reply = ask(model, prompts.render("system", form=_FORM), request, deadline, schema,
                lambda said: _read(said, len(asked)), images=pictures)
    if reply.answer is None:
        return Testimony(trouble=reply.trouble, usage=reply.usage)
    rest = (Finding(Ruling.CANNOT_TELL),) * (len(statements) - len(asked))
    return Testimony((*reply.answer, *rest), usage=reply.usage)


def ask_for_reason(
    model: ChatModel, prompts: Prompts, failure: Sequence[str], objects: Sequence[WorldObject], pictures: Sequence[str],
    deadline: Deadline,
) -> Testimony:
    """Ask a model once why a command failed, and what to do about it.

    Args:
        model: takes pictures.
        prompts: of the folder ``witness``.
        failure: the command and what was measured, as sentences.
        objects: what they are about, as it was measured before.
        pictures: data URIs: before with the objects' names, before, and now.
        deadline: wall-clock limit of the call.

    Returns:
        Reason and suggestion, or why there are none.
    """
    text = {"type": "string", "maxLength": _LONGEST}
    request = prompts.render("failure", objects=_sizes(objects), failure="\n".join(
        f"- {plain(each, 2 * _LONGEST)}" for each in failure))
    reply = ask(model, prompts.render("failure_system", form=_EXPLANATION), request, deadline,
                closed({"seen": text, "reason": text, "suggestion": text}), _explanation, images=pictures)
    return Testimony(trouble=reply.trouble, usage=reply.usage) if reply.answer is None \
        else replace(reply.answer, usage=reply.usage)


def _explanation(said: Completion) -> Union[Testimony, ParseFailure]:
    value = read_json(said.text, lambda each: isinstance(each, dict) and isinstance(each.get("reason"), str))
    if value is None:
        return ParseFailure("there is no JSON object with 'reason'")
    reason, suggestion = (plain(str(value.value.get(part) or ""), _LONGEST) for part in ("reason", "suggestion"))
    return Testimony(reason=reason, suggestion=suggestion)


def _sizes(objects: Sequence[WorldObject]) -> str:
    """Return each object with its extents in centimetres, height last."""
    extents = [(*sorted(each.size[:2], reverse=True), each.size[2]) for each in objects]
    return "\n".join(f"{spoken(each.name)}: {' x '.join(f'{100.0 * part:.0f}' for part in extent)}"
                     for each, extent in zip(objects, extents)) or "(none)"


def _read(said: Completion, count: int) -> Union[Tuple[Finding, ...], ParseFailure]:
    """Return the answers in order; what is left out, or answered both ways, nobody can tell."""
    value = read_json(said.text, lambda each: isinstance(each, dict) and isinstance(each.get("answers"), list))
    if value is None:
        return ParseFailure("there is no JSON object with 'answers'")
    found: Dict[int, List[Finding]] = {}
    for entry in value.value["answers"]:
        number: Any = entry.get("number") if isinstance(entry, dict) else None
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
            return ParseFailure(f"{plain(str(number), _LONGEST)} is no statement's number; there are 1 to {count}")
        answer = str(entry.get("answer", "")).strip().lower()
        if answer not in _ANSWERS:
            return ParseFailure(f"the answer to number {number} is none of: {', '.join(_ANSWERS)}")
        found.setdefault(number, []).append(Finding(Ruling(answer), plain(str(entry.get("why") or ""), _LONGEST)))
    return tuple(_one(found.get(number, [])) for number in range(1, count + 1))


def _one(said: Sequence[Finding]) -> Finding:
    answers = {each.answer for each in said}
    return said[0] if len(answers) == 1 else Finding(Ruling.CANNOT_TELL, "it contradicts itself" if answers else "")
