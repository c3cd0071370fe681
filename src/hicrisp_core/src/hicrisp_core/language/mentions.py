"""The things that a text names, wherever in a sentence, without reading the sentence.

What a model understood can be compared with it: a thing that is named and not in the goal, a phrase that fits
several things of which the goal has one.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, NamedTuple, Sequence, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.names import own_words
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import WorldState

_DEFINITE = ("the", "that", "this", "my", "your", "our")
_ANY = ("one", "thing", "object", "item", "things", "objects", "items", "ones")
_SEVERAL = ("all", "both", "every", "each", "two", "three", "four", "other", "any", "either")
_NUMBERS = {word: str(number) for word, number in lexicon.NUMBERS.items()}
_TYPES: Dict[str, str] = {word: type_ for type_, words in lexicon.NOUNS.items() for word in words
                          if type_ not in ("thing", "surface")}
_AFTER = {",", ".", ";", "!", "?", "and", "or", "is", "are", "should", "shall", "must", "goes", "comes",
          "has", "please",
          *(phrase.split()[0] for phrases in lexicon.RELATIONS.values() for phrase in phrases)}
"""What follows a colour that stands for a thing."""
_TELLING = ("that", "which", "who", "whose", "with", "for", "of", "from", "you", "we", "i", "like", "looking",
            "coloured", "colored", "shaped", "below", "beneath", "under", "underneath", "at", "one")
"""Words by which a phrase goes on to say which one is meant."""
_INTO = frozenset(("in", "into", "inside", "within"))
_LONGEST = 5
_MODAL = "can"
"""The one word that is both a thing and a verb of asking."""


class Mention(NamedTuple):
    """A phrase of a text.

    Args:
        words: as they were said, without the article.
        fitting: the names of the things that it fits.
        definite: whether it means one thing that the user thinks of: "the red one", not "a box", "the boxes"
            or the beginning of words that nobody here knows ("the red flag").
        start: the number of its first word in the text.
        end: the number of the word behind it.
        several: whether it is in the plural.
    """

    words: str
    fitting: Tuple[str, ...]
    definite: bool
    start: int = 0
    end: int = 0
    several: bool = False


def mentions(text: str, domain: Domain, world: WorldState) -> Tuple[Mention, ...]:
    """The phrases of a text that name things of a world by name, type or attributes, in their order."""
    words = [word.text for word in words_in(text)]
    known = {name: own_words(name, thing) for name, thing in world.objects.items()}
    found: List[Mention] = []
    at = 0
    while at < len(words):
        asking = words[at] == _MODAL and (at == 0 or words[at - 1] not in _DEFINITE)
        length, fitting = (0, ()) if asking else _longest(words[at:at + _LONGEST], known, domain, world)
        if not length:
            at += 1
            continue
        phrase, before = words[at:at + length], words[max(0, at - 3):at]
        fitting = _reachable(before, fitting, domain, world)
        definite = bool(before) and before[-1] in _DEFINITE and not set(before) & set(_SEVERAL)
        plural = any(_is_plural(word, fitting, known) for word in phrase)
        after = words[at + length] if at + length < len(words) else "."
        whole = after not in _TELLING and (after in _AFTER or not _is_paint(phrase, fitting, world))
        found.append(Mention(" ".join(phrase), fitting, definite and whole and not plural, at, at + length,
                             plural))
        at += length
    return tuple(found)


def _reachable(
    before: Sequence[str], fitting: Tuple[str, ...], domain: Domain, world: WorldState
) -> Tuple[str, ...]:
    """Of the things that a phrase fits those that something can be in, where "in" stands before it."""
    leading = [word for word in before[-2:] if word not in _DEFINITE][-1:]
    if not set(leading) & _INTO:
        return fitting
    return tuple(name for name in fitting if domain.takes_in(world.objects[name].type)) or fitting


def fitting_words(words: Sequence[str], domain: Domain, world: WorldState) -> Tuple[str, ...]:
    """The names of the things that some words fit together, without more of them: "red box", "big bowl"."""
    known = {name: own_words(name, thing) for name, thing in world.objects.items()}
    length, fitting = _longest(words, known, domain, world)
    return fitting if length == len(words) else ()


def _longest(
    words: Sequence[str], known: Mapping[str, Set[str]], domain: Domain, world: WorldState
) -> Tuple[int, Tuple[str, ...]]:
    """How many of the first words name things together, and which; 0 where the first word does not."""
    best: Tuple[int, Tuple[str, ...]] = (0, ())
    for length in range(1, len(words) + 1):
        exact = "_".join(_NUMBERS.get(word, word) if place else word
                         for place, word in enumerate(words[:length]))
        if exact in known:
            best = (length, (exact,))
            continue
        telling = [(place, word) for place, word in enumerate(words[:length]) if word not in _ANY]
        if not telling:
            return best
        fitting = tuple(sorted(
            name for name, own in known.items()
            if all(_fits(word, place, own, name, domain, world) for place, word in telling)))
        if not fitting:
            return best
        best = (length, fitting)
    return best


def _fits(word: str, place: int, own: Set[str], name: str, domain: Domain, world: WorldState) -> bool:
    type_ = _TYPES.get(word, "")
    return (word in own or (place > 0 and _NUMBERS.get(word, word) in own)
            or (word.endswith("s") and word[:-1] in own)
            or (type_ in domain.types and domain.is_a(world.objects[name].type, type_)))


def _is_paint(phrase: Sequence[str], fitting: Sequence[str], world: WorldState) -> bool:
    """Whether the words are attributes alone, as a colour is: what they belong to may follow."""
    values = {str(value).lower() for name in fitting for value in world.objects[name].attributes.values()}
    return set(phrase) <= values


def _is_plural(word: str, fitting: Sequence[str], known: Mapping[str, Set[str]]) -> bool:
    return word.endswith("s") and any(word not in known[name] for name in fitting)
