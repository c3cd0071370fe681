"""Colours that are told by what they are like: "the block with the colour of a carrot" is the orange block.

The lexicon of ``config/words`` says what colours are likened to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, FrozenSet, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.associations import GENERIC, associations, content, words_of_phrase
from hicrisp_core.language.names import words_of
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import WorldState

_COLOUR = ("colour", "color", "shade", "hue")
_COLOURED = ("coloured", "colored")
_LIKE = (*_COLOURED, "looks", "looking")
_LEADING = frozenset(("in", "with", "of", "has", "have", "having", "is", "are", "that", "which", "the", "a",
                      "it"))
"""What may stand between the noun and the words for its colour."""
_ARTICLES = frozenset(("a", "an", "the", "some", "ripe"))
_LONGEST = 3
_HEADS = GENERIC | frozenset(word for words in lexicon.NOUNS.values() for word in words)
_TELLS_NOTHING = frozenset(content((*_COLOUR, *_COLOURED, "looks")))


class _Found(NamedTuple):
    """The words from ``start`` up to ``end`` are to be said as ``plainly``."""

    start: int
    end: int
    plainly: str


def coloured_by_name(text: str, world: WorldState) -> str:
    """The text with the colours that it tells by what they are like, where one of the world's is meant."""
    said = words_in(text)
    words = [word.text for word in said]
    here = frozenset(str(value).lower() for thing in world.objects.values()
                     for value in thing.attributes.values())
    heads = _HEADS | words_of(world)
    at = len(words) - 1
    while at > 0:
        found = _behind(words, at, here, heads) or _before(words, at, here, heads)
        if found is not None:
            first, last = said[found.start], said[found.end - 1]
            text = text[:first.start] + found.plainly + text[last.end:]
            at = found.start
        at -= 1
    return text


def _behind(
    words: Sequence[str], at: int, here: FrozenSet[str], heads: FrozenSet[str]
) -> Optional[_Found]:
    """"The block with the colour of a carrot", "... coloured like a carrot", "... as orange as a carrot"."""
    pair = tuple(words[at:at + 2])
    if len(pair) < 2:
        return None
    likening = pair[0] in _COLOUR and pair[1] == "of" or pair[0] in _LIKE and pair[1] == "like"
    plainly = words[at - 1] == "as" and pair[1] == "as" and pair[0] in here
    if not likening and not plainly:
        return None
    end, colours = _likened(words, at + 2)
    if pair[0] not in _COLOUR and heads.intersection(words[at + 2:end]):
        return None  # It is like something that is here.
    meant = {pair[0]} if plainly and end else colours & here
    start = at - 1
    while start > 0 and (words[start] in _LEADING or plainly and words[start] == "as"):
        start -= 1
    if len(meant) != 1 or words[start] not in heads:
        return None
    head = start + 1
    while start and words[start - 1] in heads - here:  # "The butter dish".
        start -= 1
    if start and words[start - 1] in here:
        return None
    return _Found(start, end, " ".join((meant.pop(), *words[start:head])))


def _before(
    words: Sequence[str], at: int, here: FrozenSet[str], heads: FrozenSet[str]
) -> Optional[_Found]:
    """"The carrot-coloured block"."""
    if words[at] not in _COLOURED or at + 1 >= len(words) or words[at + 1] not in heads:
        return None
    for start in range(max(0, at - _LONGEST), at):
        meant = _likes().get(content(words[start:at]), frozenset()) & here
        if len(meant) == 1 and content(words[start:start + 1]):
            return _Found(start, at + 1, next(iter(meant)))
    return None


def _likened(words: Sequence[str], at: int) -> Tuple[int, Set[str]]:
    """Where the words for what a colour is like end, and the colours that they may be."""
    while at < len(words) and words[at] in _ARTICLES:
        at += 1
    for end in range(min(len(words), at + _LONGEST), at, -1):
        colours = _likes().get(content(words[at:end]))
        if colours and content(words[end - 1:end]):
            return end, set(colours)
    return 0, set()


@lru_cache(maxsize=1)
def _likes() -> Mapping[Tuple[str, ...], FrozenSet[str]]:
    """The colours that things are said to have, by the stems of their names; a polar bear is no bear."""
    whole: Dict[Tuple[str, ...], Set[str]] = {}
    heads: Dict[Tuple[str, ...], Set[str]] = {}
    for colour, phrases in associations().colours.items():
        for phrase in phrases:
            stems = tuple(stem for stem in content(words_of_phrase(phrase)) if stem not in _TELLS_NOTHING)
            if stems:
                whole.setdefault(stems, set()).add(colour)
                heads.setdefault(stems[-1:], set()).add(colour)
    return {stems: frozenset(colours) for stems, colours in {**heads, **whole}.items()}
