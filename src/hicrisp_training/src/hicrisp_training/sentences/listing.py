"""Towers and rows of an answer as lists, in the order in which the sentence names their things."""

from __future__ import annotations

import re
from typing import List, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.lists import UNDER, listings

from hicrisp_training.sentences.slots import split_arguments

_FACT = re.compile(r"(\w+)\(([^(),]+),([^(),]+)\)$")
_TOWER = re.compile(r"tower\((.*)\)$")
_USUAL = (UNDER, "left_of", "in_front_of")
"""The words of lists whose things the sentence names in no order: from the bottom up, from the left, from
the front."""


def pairs_in(conditions: Sequence[str]) -> List[str]:
    """Those of a frame's conditions that are towers of two: told from the bottom up, as taller ones are."""
    towers = ((each, _TOWER.match(each)) for each in conditions)
    return [each for each, match in towers if match and len(split_arguments(match.group(1))) == 2]


def listed(
    conditions: Sequence[str], upwards: Sequence[str], spoken: Sequence[str], domain: Domain
) -> List[str]:
    """Conditions in which facts that lead on from one to the next are one list; what the sentence does not
    name stands in none.

    Args:
        upwards: facts of two that are told from the bottom up.
        spoken: the names in the order of the sentence.
    """
    words = listings(domain)
    found: List[str] = []
    run: List[Tuple[str, str, str]] = []
    for text in (*conditions, ""):
        match = _FACT.match(text)
        fact = match.groups() if match and match.group(1) in words else None
        if fact and not {*fact[1:]} <= {*spoken}:
            fact = None
        if run and not (fact and fact[0] == run[-1][0] and _leads_on(run, fact)):
            found.append(_written(run, upwards, spoken, domain))
            run = []
        if fact:
            run.append(fact)
        elif text:
            found.append(text)
    return found


def _leads_on(run: Sequence[Tuple[str, str, str]], fact: Tuple[str, str, str]) -> bool:
    """Whether a fact continues a chain at its end, in the direction in which it goes."""
    _, one, other = run[-1]
    down, up = fact[1] == other, fact[2] == one
    if len(run) > 1 and down != (run[0][2] == run[1][1]):
        return False
    return (down or up) and not {fact[1], fact[2]} <= {name for each in run for name in each[1:]}


def _written(
    run: Sequence[Tuple[str, str, str]], upwards: Sequence[str], spoken: Sequence[str], domain: Domain
) -> str:
    predicate = run[0][0]
    text = f"{predicate}({run[0][1]},{run[0][2]})"
    other = {listing.predicate: word for word, listing in listings(domain).items() if listing.backwards}.get(
        predicate, domain.predicates[predicate].inverse
    )
    down = len(run) == 1 or run[0][2] == run[1][1]
    chain = (
        [run[0][1], *(each[2] for each in run)]
        if down
        else [run[-1][1], *(each[2] for each in reversed(run))]
    )
    order = [list(spoken).index(name) for name in chain]
    if len(run) == 1:
        turned = text in upwards and order[0] > order[1]
    elif order in (sorted(order), sorted(order, reverse=True)):
        turned = order[0] > order[-1]
    else:
        turned = predicate not in _USUAL
    return f"{other}({','.join(reversed(chain))})" if turned and other else f"{predicate}({','.join(chain)})"
