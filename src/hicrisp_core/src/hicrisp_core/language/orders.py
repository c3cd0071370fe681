"""Whether a tower or row of a goal has the order that the words tell: "from the bottom up", "left to right",
"the mug at the bottom".
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.mentions import Mention
from hicrisp_core.language.order_words import LEVEL, MIDDLE, UPRIGHT
from hicrisp_core.model import Relation

_JOINING = frozenset(("at", "as", "on", "in", "to", "the", "is", "goes", "being", "be", "very", "should", "a",
                      "must", "its", "comes", "stays", "with", "right", "all", "way", "up", "down", "for",
                      "far"))
"""Words between a thing and its place in a tower or row."""
_ENDING = frozenset(("and", "then", "while", "end", "side", "hand", "edge", "flank", "please"))
"""Words, besides marks, behind a place; "of" would say which thing it is a place beside."""
_SIDES = frozenset(("side", "hand", "edge", "flank"))
"""Words that make "the plate's right" a place beside the plate where no other word is between."""
_APART = frozenset(",.;:!?()\n")


class _Chain(NamedTuple):
    """Things in one order: from the bottom up or from left to right."""

    names: Tuple[str, ...]
    upright: bool


def misordered(
    words: Sequence[str], found: Sequence[Mention], facts: Sequence[Relation], domain: Domain
) -> bool:
    """Whether the words tell another order than a tower or row of these facts has.

    Args:
        words: of the request.
        found: the things that they name.
    """
    alone: Dict[str, int] = {}
    for each in found:
        if len(each.fitting) == 1:
            alone.setdefault(each.fitting[0], each.start)
    said = " ".join(words)
    for chain in _chains(facts, domain):
        spoken = sorted((name for name in chain.names if name in alone), key=lambda name: alone[name])
        if len(spoken) < 2:
            continue
        inner = [name for name in chain.names if name in spoken]
        wanted = _direction(said, chain.upright)
        if len(chain.names) > 2 and wanted is not None and spoken != (inner if wanted else inner[::-1]):
            return True
        if any(name in chain.names and (place != MIDDLE or len(chain.names) == 3)
               and name != chain.names[place] for name, place in _places(words, found, chain.upright)):
            return True
    return False


def _direction(said: str, upright: bool) -> Optional[bool]:
    """Whether the words go from the bottom or the left (true) or the other way; they may tell neither."""
    axis = UPRIGHT if upright else LEVEL
    told = bool(axis.onward.search(said)), bool(axis.back.search(said))
    return told[0] if told[0] != told[1] else None


def _places(words: Sequence[str], found: Sequence[Mention], upright: bool) -> List[Tuple[str, int]]:
    """The things whose place in a tower or row is told right behind them."""
    known = (UPRIGHT if upright else LEVEL).places
    places = []
    for number, each in enumerate(found):
        following = found[number + 1].start if number + 1 < len(found) else len(words)
        for at in range(each.end, following):
            place = known.get(words[at])
            if place is not None:
                after = words[at + 1] if at + 1 < len(words) else "."
                beside = at == each.end and after in _SIDES
                if len(each.fitting) == 1 and not beside and (after in _APART or after in _ENDING):
                    places.append((each.fitting[0], place))
                break
            if words[at] not in _JOINING:
                break
    return places


def _chains(facts: Sequence[Relation], domain: Domain) -> List[_Chain]:
    """The towers and the rows from left to right among some facts, as far as they branch nowhere."""
    upward = [(fact.object, fact.subject) for fact in facts if fact.predicate == domain.roles.stands_on]
    rightward = []
    for fact in facts:
        leftward = domain.predicates[fact.predicate].direction[1]
        if leftward:
            rightward.append((fact.subject, fact.object) if leftward > 0 else (fact.object, fact.subject))
    return [*_joined(upward, True), *_joined(rightward, False)]


def _joined(pairs: Sequence[Tuple[str, str]], upright: bool) -> List[_Chain]:
    after: Dict[str, List[str]] = {}
    for one, other in pairs:
        after.setdefault(one, []).append(other)
    starts = [one for one in after if all(one != other for _, other in pairs)]
    chains = []
    for start in starts:
        names = [start]
        while len(after.get(names[-1], ())) == 1 and after[names[-1]][0] not in names:
            names.append(after[names[-1]][0])
        if len(names) > 1:
            chains.append(_Chain(tuple(names), upright))
    return chains
