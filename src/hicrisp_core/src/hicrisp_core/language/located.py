"""Things that are told by what they lie in or stand on, or by what lies there: "the thing that is lying in
the bowl", "what's on the saucer", "whatever the cup is standing on".
"""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.mentions import Mention, fitting_words, mentions
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import WorldState

_HEADS = (("what",), ("whatever",), ("thing", "that"), ("thing", "which"), ("one", "that"), ("one", "which"),
          ("object", "that"), ("item", "that"))
_ANY = frozenset(word for head in _HEADS for word in head)
_IS = frozenset(("is", "lies", "sits", "stands", "rests"))
_LYING = frozenset(("lying", "sitting", "standing", "resting", "currently", "now", "right", "still"))
_WHATEVER = frozenset(("what", "whatever"))
_ENDS = frozenset((",", ".", "!", ";", ":", "and", "should", "goes", "must", "please", "needs"))
_AT = {"in": "in", "inside": "in", "on": "on", "upon": "on"}
_ARTICLES = frozenset(("the", "that", "this", "my", "your", "our"))


def named_by_where_it_is(text: str, domain: Domain, world: WorldState) -> str:
    """The text with the name of each thing that it tells by where it is now, where that is one alone."""
    said = words_in(text)
    words = [word.text for word in said]
    if words[:1] == ["what"] and "?" in words:
        return text
    changes = []
    for place in mentions(text, domain, world):
        found = _told(words, place, domain, world)
        below = _below(words, place, world)
        if found is not None:
            changes.append((*found, place.end))
        elif below is not None:
            changes.append(below)
    for start, name, end in reversed(changes):
        article = "" if start and words[start - 1] in _ARTICLES else "the "
        if text[said[start].start].isupper():
            article = article.capitalize()
        text = text[:said[start].start] + article + name.replace("_", " ") + text[said[end - 1].end:]
    return text


def _told(
    words: Sequence[str], place: Mention, domain: Domain, world: WorldState
) -> Optional[Tuple[int, str]]:
    """Where the words for what is at a place begin, and its name."""
    at = place.start
    while at and words[at - 1] in _ARTICLES:
        at -= 1
    relation = _AT.get(words[at - 1], "") if at else ""
    at -= 1
    while at > 0 and words[at - 1] in _LYING:
        at -= 1
    if len(place.fitting) != 1 or not relation or at < 1 or words[at - 1] not in _IS:
        return None
    at -= 1
    head = next((head for head in _HEADS if tuple(words[max(0, at - len(head)):at]) == head), None)
    if head is None:
        return None
    start = at - len(head)
    while start and words[start - 1] not in _ARTICLES and head[0] not in ("what", "whatever") and \
            fitting_words(words[start - 1:start], domain, world):
        start -= 1
    there = _there(relation, place.fitting[0], words[start:at], domain, world)
    return (start, there[0]) if len(there) == 1 else None


def _below(words: Sequence[str], item: Mention, world: WorldState) -> Optional[Tuple[int, str, int]]:
    """Where words like "what the cup is standing on" begin, the name of what is meant, and where they end."""
    start, end = item.start, item.end
    while start and words[start - 1] in _ARTICLES:
        start -= 1
    while end < len(words) and words[end] in _IS | _LYING:
        end += 1
    relation = _AT.get(words[end], "") if item.end < end < len(words) else ""
    if len(item.fitting) != 1 or not relation or end + 1 < len(words) and words[end + 1] not in _ENDS \
            or not start or words[start - 1] not in _WHATEVER:
        return None
    below = [fact.object for fact in world.relations
             if fact.predicate == relation and fact.subject == item.fitting[0]]
    return (start - 1, below[0], end + 1) if len(below) == 1 else None


def _there(relation: str, place: str, told: Sequence[str], domain: Domain, world: WorldState) -> List[str]:
    """The things at a place, of those that the words fit, such as "red thing"."""
    looks = [word for word in told if word not in _ANY]
    fitting = set(fitting_words(looks, domain, world) if looks else world.objects)
    return sorted(fact.subject for fact in world.relations
                  if fact.predicate == relation and fact.object == place and fact.subject in fitting)
