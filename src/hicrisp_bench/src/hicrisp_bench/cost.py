"""What the language models of trials cost, by role."""

from __future__ import annotations

from statistics import mean, stdev
from typing import Any, Dict, Iterable, List, Mapping, Sequence

from hicrisp_core.llm.answers import prompt_key
from hicrisp_core.trace.exchange import Exchange

QUESTIONS, BY_ROLE = "questions", "by_role"
"""Columns: of a trial, its questions in order; of a row, what a trial costs on average, role by role."""
PARTS = ("calls", "tokens", "seconds")


def questions_of(events: Iterable[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """List the questions that a run asked language models.

    Args:
        events: of the run, in order; the requests of one question follow each other.

    Returns:
        ``role``, ``calls`` (requests that were sent; 0 for a remembered answer), ``tokens`` and wall
        ``seconds`` of each, and what a repetition needs: the ``prompt``'s fingerprint, the ``answer``, the
        model that it was ``answered_by``, and the tokens of both.
    """
    found: List[Dict[str, Any]] = []
    for event in events:
        if event["kind"] != Exchange.kind:
            continue
        if event["attempt"] <= 1:
            found.append({"role": event["role"], "tokens": 0, "prompt": prompt_key(event["messages"])})
        tokens = found[-1]["tokens"] + event["prompt_tokens"] + event["completion_tokens"]
        found[-1].update(calls=event["attempt"], tokens=tokens, seconds=event["seconds"], **{
            each: event[each] for each in ("answer", "answered_by", "prompt_tokens", "completion_tokens")})
    return found


def cost_of(results: Sequence[Mapping[str, Any]]) -> Dict[str, Dict[str, Dict[str, float]]]:
    """Average what trials cost.

    Args:
        results: of trials, with their ``questions``; those of crashed ones are unknown.

    Returns:
        ``by_role``: the mean calls, tokens and seconds of a trial by role; empty if no model was asked.
    """
    whole = [result.get(QUESTIONS, ()) for result in results if "crashed" not in result]
    roles = sorted({each["role"] for asked in whole for each in asked})
    return {BY_ROLE: {role: {part: sum(each[part] for asked in whole for each in asked if each["role"] == role)
                             / len(whole) for part in PARTS} for role in roles}}


def answer_times(results: Sequence[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """Tabulate how long each role's model takes to answer (CoPAL, Fig. 4).

    Args:
        results: of trials, with their ``questions``.

    Returns:
        A row a role: ``n`` questions that were sent, mean and standard deviation of their wall seconds.
    """
    seconds: Dict[str, List[float]] = {}
    for result in results:
        for each in result.get(QUESTIONS, ()):
            if each["calls"]:
                seconds.setdefault(each["role"], []).append(each["seconds"])
    return [{"role": role, "n": len(own), "seconds": mean(own), "seconds_sd": stdev(own) if len(own) > 1 else None}
            for role, own in sorted(seconds.items())]
