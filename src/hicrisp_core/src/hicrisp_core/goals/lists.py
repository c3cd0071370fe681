"""Towers and rows as one list: ``on(a,b,c)`` says on(a,b) and on(b,c), ``under(a,b,c)`` on(b,a) and on(c,b).

A list names things in the words' own order, which a small model copies more surely than pairs that turn it
round.
"""

from __future__ import annotations

import re
from typing import Dict, NamedTuple, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.vocabulary import goal_predicates

UNDER = "under"
"""The list from the bottom up, where the domain has no predicate of that name."""
_LIST = re.compile(r"\s*([\w.-]+)\s*\(([^()]*)\)\s*$")


class Listing(NamedTuple):
    """What a list's word says: the predicate of each two neighbours, and whether the later one is its
    subject.
    """

    predicate: str
    backwards: bool = False


def listings(domain: Domain) -> Dict[str, Listing]:
    """The words that lists begin with: what carries things, and what orders them in a direction."""
    carries = domain.roles.stands_on
    found: Dict[str, Listing] = {}
    for predicate in goal_predicates(domain):
        if len(predicate.arguments) == 2 and (predicate.name == carries or predicate.inverse):
            found[predicate.name] = Listing(predicate.name)
    if carries in found and UNDER not in domain.predicates:
        found[UNDER] = Listing(carries, True)
    return found


def unlisted(text: str, domain: Domain) -> Tuple[str, ...]:
    """The facts in writing that a list stands for; a text that is no list stands for itself."""
    match = _LIST.match(text)
    listing = listings(domain).get(match.group(1).lower()) if match else None
    names = match.group(2).split(",") if match else []
    if listing is None or len(names) < 2:
        return (text,)
    pairs = list(zip(names, names[1:]))
    if listing.backwards:
        pairs = [(upper, lower) for lower, upper in pairs]
    return tuple(f"{listing.predicate}({one.strip()},{other.strip()})" for one, other in pairs)
