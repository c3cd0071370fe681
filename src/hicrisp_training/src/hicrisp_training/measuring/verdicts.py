"""Answers judged against what is right."""

from __future__ import annotations

import json
from typing import Any, List, Mapping, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.normal import normal_goal
from hicrisp_core.language.doubts import doubt
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model.goal import AnswerOnly, Ask, Goal, Refuse, Understanding
from hicrisp_core.prompting.goal_prompt import read_goal_answer

from hicrisp_training.sentences.samples import Sample

RIGHT, ASKED, REFUSED, WRONG = "right", "asked", "refused", "wrong"


def verdict_of(sample: Sample, said: str, domain: Domain) -> str:
    """Whether an answer is right; else whether it asks or refuses, so that nothing moves, or is wrong."""
    found = doubted(sample, read(sample, said, domain), domain)[0]
    wanted = read(sample, json.dumps(sample.answer), domain)
    if found is None:
        return REFUSED
    if _same(found, wanted, domain):
        return RIGHT
    if isinstance(found, Ask):
        return ASKED
    return REFUSED if isinstance(found, (Refuse, AnswerOnly)) else WRONG


def read(sample: Sample, said: str, domain: Domain) -> Optional[Understanding]:
    """What an answer means; nothing where it cannot be read or does not fit the world."""
    found = read_goal_answer(Completion(said), domain, sample.world)
    return found if isinstance(found, (Goal, Ask, Refuse, AnswerOnly)) else None


def doubted(
    sample: Sample, found: Optional[Understanding], domain: Domain
) -> Tuple[Optional[Understanding], bool]:
    """What an answer becomes beside the words of its request, as at run time; whether it is asked back."""
    if not isinstance(found, Goal):
        return found, False
    against = doubt(sample.text, found, domain, sample.world)
    return (Ask(against.which), False) if against.which else (found, against.unsure)


def _same(found: Understanding, wanted: Optional[Understanding], domain: Domain) -> bool:
    if isinstance(found, Goal) and isinstance(wanted, Goal):
        one, other = normal_goal(found, domain), normal_goal(wanted, domain)
        return (one.end, one.keep, one.first, one.robot) == (other.end, other.keep, other.first, other.robot)
    if isinstance(found, Ask) and isinstance(wanted, Ask):
        # Which things it asks about is not what decides: it asks.
        return True
    if isinstance(found, Refuse) and isinstance(wanted, Refuse):
        return True
    return isinstance(found, AnswerOnly) and isinstance(wanted, AnswerOnly)


def thresholds(judged: List[Tuple[float, str]]) -> List[Mapping[str, Any]]:
    """What becomes of the answers when those that are less sure than a bound are asked back, by bound.

    Args:
        judged: how sure each answer was, and its verdict.
    """
    rows: List[Mapping[str, Any]] = []
    for bound in sorted({round(sure, 2) for sure, _ in judged} | {0.0}):
        kept = [verdict for sure, verdict in judged if sure >= bound]
        rows.append(
            {
                "bound": bound,
                "right": kept.count(RIGHT) / len(judged),
                "wrong": kept.count(WRONG) / len(judged),
                "asked": 1.0 - len(kept) / len(judged),
            }
        )
    return rows
