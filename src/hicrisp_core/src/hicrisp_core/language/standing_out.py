"""Things that are told by what stands out: "the leftmost box", "the bigger bowl", "the bowl on the right".

Which one it is follows from sizes and places, so that it needs no reading: the phrase is replaced by the
thing's name before a request is read. Where it is not clear at a glance, the words stay.
"""

from __future__ import annotations

import math
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.extremes import APART, CLEARLY
from hicrisp_core.language.mentions import fitting_words
from hicrisp_core.language.tokens import Word, words_in
from hicrisp_core.model import WorldObject, WorldState

Measure = Callable[[WorldObject], Optional[float]]


def _place(axis: int, sign: int) -> Measure:
    return lambda thing: sign * thing.pose.position[axis] if thing.pose and not thing.unseen else None


def _height(thing: WorldObject) -> Optional[float]:
    return thing.size[2]


def _low(thing: WorldObject) -> Optional[float]:
    return -thing.size[2]


def _volume(thing: WorldObject) -> Optional[float]:
    return math.prod(thing.size)


def _smallness(thing: WorldObject) -> Optional[float]:
    return -math.prod(thing.size)


def _length(thing: WorldObject) -> Optional[float]:
    return max(thing.size)


_LEFT, _RIGHT, _FRONT, _REAR = _place(1, 1), _place(1, -1), _place(0, -1), _place(0, 1)
"""World frame: x forward, y left (REP-103); the user sits where the robot stands."""
_MOST: Mapping[str, Measure] = {
    "tallest": _height, "highest": _height, "flattest": _low, "thinnest": _low, "lowest": _low,
    "biggest": _volume, "largest": _volume, "smallest": _smallness, "tiniest": _smallness,
    "longest": _length, "leftmost": _LEFT, "rightmost": _RIGHT, "frontmost": _FRONT, "foremost": _FRONT,
    "rearmost": _REAR, "backmost": _REAR, "hindmost": _REAR}
_OF_TWO: Mapping[str, Measure] = {
    "taller": _height, "higher": _height, "flatter": _low, "lower": _low, "bigger": _volume,
    "larger": _volume, "smaller": _smallness, "longer": _length, "left": _LEFT, "right": _RIGHT,
    "front": _FRONT, "back": _REAR, "rear": _REAR}
"""Said where there are two."""
_BEHIND: Mapping[Tuple[str, ...], Tuple[Measure, bool]] = {
    (*before, *middle, side): (measure, far)
    for side, measure in (("left", _LEFT), ("right", _RIGHT), ("front", _FRONT), ("back", _REAR))
    for before in (("on", "the"), ("at", "the"), ("to", "the"), ("furthest", "to", "the"),
                   ("farthest", "to", "the"), ("furthest",), ("farthest",))
    for middle, far in (((), before[0] in ("furthest", "farthest")), (("far",), True), (("very",), True))}
"""What may follow a noun: which end, and whether it says that it is the outermost."""
_LONGEST = max(map(len, _BEHIND))
_THINGS = frozenset(("thing", "one", "object", "item"))
_MOST_WORDS = 4
_DEFINITE = frozenset(("the", "that", "this", "my", "your", "our"))
_SORTING = frozenset(("each", "every", "all", "everything", "sort"))
"""Words by which "the right bowl" may be the one that something belongs in."""
_NOT_BEHIND = frozenset(("of", "side", "hand", "end", "edge", "corner", "from"))
"""What makes "on the right" something else than where a thing stands."""
_RELATING = frozenset(phrase.split()[0] for phrases in lexicon.RELATIONS.values() for phrase in phrases)
_UPON, _SURFACES = ("on", "of"), frozenset(lexicon.NOUNS["surface"])
_GOING_ON = frozenset(("goes", "should", "must", "shall", "belongs", "needs", "has", "is", "ought"))


class _Found(NamedTuple):
    name: str
    start: int
    end: int


def named_by_place_and_size(text: str, domain: Domain, world: WorldState) -> str:
    """The text with the names of things that it tells by what stands out."""
    words = words_in(text)
    changes: List[_Found] = []
    at = 0
    while at < len(words):
        found = _in_front(words, at, domain, world) or _after(words, at, domain, world)
        if found is not None:
            changes.append(found)
        at = found.end if found else at + 1
    for found in reversed(changes):
        said = found.name.replace("_", " ")
        text = text[:words[found.start].start] + said + text[words[found.end - 1].end:]
    return text


def _in_front(words: Sequence[Word], at: int, domain: Domain, world: WorldState) -> Optional[_Found]:
    """"Tallest box", "bigger of the two bowls", "left bowl"."""
    said = words[at].text
    measure = _MOST.get(said) or _OF_TWO.get(said)
    if measure is None or (said in _OF_TWO and (at == 0 or words[at - 1].text not in _DEFINITE)):
        return None
    if said == "right" and any(word.text in _SORTING for word in words):
        return None
    start = at + 1
    if [word.text for word in words[start:start + 2]] == ["of", "the"]:
        start += 3 if words[start + 2:] and words[start + 2].text in lexicon.NUMBERS else 2
    group, end = _group(words, start, domain, world)
    if not group or said in _OF_TWO and (len(group) != 2 or words[start].text in _THINGS):
        return None
    name = _outermost(group, measure)
    return _Found(name, at, _past_the_table(words, end)) if name else None


def _past_the_table(words: Sequence[Word], end: int) -> int:
    """Where "on the table" ends that says nothing more: "the tallest thing on the table goes ..."."""
    said = [word.text for word in words[end:end + 4]]
    surplus = len(said) == 4 and said[0] in _UPON and said[1] in _DEFINITE and said[2] in _SURFACES
    return end + 3 if surplus and (said[3] in _GOING_ON or said[3] in _RELATING) else end


def _after(words: Sequence[Word], at: int, domain: Domain, world: WorldState) -> Optional[_Found]:
    """"Box on the far left", "container on the right"."""
    if at == 0 or words[at - 1].text not in _DEFINITE:
        return None
    group, end = _group(words, at, domain, world)
    if len(group) < 2:
        return None
    for length in range(min(_LONGEST, len(words) - end), 1, -1):
        known = _BEHIND.get(tuple(word.text for word in words[end:end + length]))
        after = words[end + length].text if end + length < len(words) else ""
        if known is None or after in _NOT_BEHIND:
            continue
        measure, far = known
        told = at > 1 and words[at - 2].text in _RELATING or after in _RELATING or after in _GOING_ON
        if not far and (len(group) != 2 or not told):
            return None  # "Put the bowl on the right" may say where it goes.
        name = _outermost(group, measure)
        return _Found(name, at, end + length) if name else None
    return None


def _group(
    words: Sequence[Word], start: int, domain: Domain, world: WorldState
) -> Tuple[Dict[str, WorldObject], int]:
    """The movable things that the next words fit, as many words as fit any; and where these words end."""
    best: Tuple[Dict[str, WorldObject], int] = ({}, start)
    for end in range(start + 1, min(start + _MOST_WORDS, len(words)) + 1):
        said = [word.text for word in words[start:end]]
        names = list(world.objects) if set(said) <= _THINGS else fitting_words(said, domain, world)
        group = {name: world.objects[name] for name in names if world.objects[name].movable}
        if not group:
            break
        best = (group, end)
    return best


def _outermost(group: Mapping[str, WorldObject], measure: Measure) -> str:
    """The name of the one that has most of something, clearly; empty where nobody could tell."""
    measured = {name: measure(thing) for name, thing in group.items()}
    values = sorted(((value, name) for name, value in measured.items() if value is not None), reverse=True)
    if len(values) != len(measured) or len(values) < 2:
        return ""
    (most, name), (next_, _) = values[0], values[1]
    if measure in (_LEFT, _RIGHT, _FRONT, _REAR):
        return name if most - next_ >= APART else ""
    more, less = (most, next_) if most > 0 else (-next_, -most)
    return name if more >= CLEARLY * less else ""
