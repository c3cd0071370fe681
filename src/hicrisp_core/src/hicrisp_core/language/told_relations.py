"""Relations that a request tells plainly: two things, each named by words that fit it alone, with nothing but
"left of" or the like and small words between.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.typed import mended
from hicrisp_core.language import lexicon
from hicrisp_core.language.mentions import Mention, mentions
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Holds, facts_in

_TOLD = ("left_of", "right_of", "in_front_of", "behind", "next_to", "on", "in")
_PHRASES: Dict[Tuple[str, ...], str] = {
    tuple(phrase.split()): relation for relation in _TOLD for phrase in lexicon.RELATIONS[relation]}
_LONGEST = 5
"""Words of a relation, at most."""
_UNDER = "under"
_PHRASES.update({(word,): _UNDER for word in ("under", "underneath", "beneath", "below")})
_FRONTED = frozenset(("there", "should", "ought", "to", "must", "shall", "be", "is", "i", "want", "would",
                      "like", "goes", "go", "comes", "put", "place", "set", "stand", "stands", "sits",
                      "belongs", "please", "i'd", ","))
"""What may stand between the two things of "on the box there should be the mug"."""
_BEGIN = frozenset((",", ";", ".", ":", "and", "so", "ok", "please"))
_END = frozenset((",", ";", ".", "!", "?", "and", "please", "thanks"))
_BEFORE = frozenset(("goes", "go", "is", "be", "should", "must", "shall", "to", "stands", "stand", "sits",
                     "sit", "comes", "ends", "up", "belongs", "placed", "put", "moves", "directly",
                     "straight", "just", "please", "now", "right"))
_AFTER = frozenset(("the", "a", "an", "my", "your", "our", "its", "that", "this"))
_ITS_SIDES = frozenset(("left", "right", "front", "back", "rear", "side"))
"""What follows "the plate's" where a place beside it is meant."""
_SIDES = {"left": "left_of", "right": "right_of"}
_AT = frozenset(("on", "at", "to"))
_TURNING = frozenset(("not", "no", "never", "nobody", "nothing", "without", "instead", "swap",
                      "exchange", "other", "opposite", "than", "but", "wrong", "reverse", "mirror", "until",
                      "correction"))
"""Words by which a relation may be denied or turned round, wherever they stand."""


def unsaid(
    words: Sequence[str], found: Sequence[Mention], facts: Sequence[Relation], domain: Domain,
    world: WorldState,
) -> Tuple[Relation, ...]:
    """The relations that the words tell plainly and a goal's facts do not have; what is so already may only
    tell which thing is meant.

    Args:
        words: of the request.
        found: the things that they name.
    """
    told, elsewhere = _read(words, found, domain, world)
    had = frozenset(facts)
    return tuple(each for each in told
                 if each not in world.relations and not holds(Holds(each), had, domain)
                 and not any(_is_rather(each, fact, elsewhere) for fact in had))


def told_plainly(text: str, domain: Domain, world: WorldState) -> FrozenSet[Relation]:
    """The relations that a text tells plainly."""
    words = [word.text for word in words_in(text)]
    return frozenset(_read(words, mentions(text, domain, world), domain, world)[0])


def _read(
    words: Sequence[str], found: Sequence[Mention], domain: Domain, world: WorldState
) -> Tuple[List[Relation], str]:
    """The relations that words tell, and the words without those between the things of a relation."""
    told: List[Relation] = []
    if set(words) & _TURNING:
        return told, ""
    left = list(words)
    described: Optional[Mention] = None
    for one, other in zip(found, found[1:]):
        subject, described = described or one, None
        relation, reference = _between(words[one.end:other.start]), other
        if not relation:
            relation, subject, reference = _fronted(words, one, other), other, one
        at_side = set(words[other.end:other.end + 1]) & _ITS_SIDES
        if at_side:
            relation, reference = _at_its_side(words, one, other), other
        if relation == _UNDER:
            relation, subject, reference = domain.roles.stands_on, reference, subject
        if relation not in domain.predicates or len(subject.fitting) != 1 or len(reference.fitting) != 1 \
                or subject.fitting == reference.fitting:
            continue
        meant = mended(Holds(Relation(subject.fitting[0], relation, reference.fitting[0])), domain, world)
        if set(facts_in(meant)) <= world.relations:
            described = subject  # "The fork in the bowl goes on the box": what goes is the fork.
        told.extend(facts_in(meant))
        start = one.end if subject is not other or reference is not one else max(0, one.start - _LONGEST)
        left[start:other.start] = [""] * (other.start - start)
        if at_side:
            left[other.end] = ""
    return told, f" {' '.join(left)} "


def _is_rather(told: Relation, wanted: Relation, elsewhere: str) -> bool:
    """Whether a goal has the things in another relation that the words tell, too: "the mug is behind the tin
    and should be in front".
    """
    return {told.subject, told.object} == {wanted.subject, wanted.object} and any(
        f" {phrase[:-3] if phrase.endswith(' of') else phrase} " in elsewhere
        for phrase in lexicon.RELATIONS.get(wanted.predicate, ()))


def _fronted(words: Sequence[str], one: Mention, other: Mention) -> str:
    """The relation of "under the yellow box there should be the green one", whose first thing comes last."""
    after = words[other.end] if other.end < len(words) else "."
    if after not in _END or not set(words[one.end:other.start]) <= _FRONTED | _AFTER:
        return ""
    end = one.start
    while end and words[end - 1] in _AFTER:
        end -= 1
    starts = (start for start in range(max(0, end - _LONGEST), end)
              if start == 0 or words[start - 1] in _BEGIN)
    return next((_PHRASES[tuple(words[start:end])] for start in starts
                 if tuple(words[start:end]) in _PHRASES), "")


def _at_its_side(words: Sequence[str], one: Mention, other: Mention) -> str:
    """The relation of "the mug on the bowl's right"; empty for other sides, and where more is between."""
    said = [word for word in words[one.end:other.start] if word not in _AFTER]
    plain = said[-1:] and said[-1] in _AT and set(said[:-1]) <= _BEFORE | {"over"}
    return _SIDES.get(words[other.end], "") if plain else ""


def _between(words: Sequence[str]) -> str:
    """The relation that these words between two things tell; empty where they are others."""
    end = len(words)
    while end and words[end - 1] in _AFTER:
        end -= 1
    for start in range(end):
        relation = _PHRASES.get(tuple(words[start:end]))
        if relation:
            return relation
        if words[start] not in _BEFORE:
            break
    return ""
