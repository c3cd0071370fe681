"""Things that are described instead of named, called by their names: "the thing you drink from" is the mug
that is here.

The lexicon of ``config/words`` says what people associate with everyday nouns. A description is replaced only
where one thing of the world fits it clearly, and no other noun of the lexicon fits it better: then it is that
one, which is not here.
"""

from __future__ import annotations

from typing import AbstractSet, Dict, List, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.associations import GENERIC, Associations, associations, content, stem
from hicrisp_core.language.described_spans import Span, spans
from hicrisp_core.language.described_words import (
    AFTER_RELATIONS,
    COLOURS,
    COMMON_LOOKS,
    DEFINITE,
    DOING,
    NO_THINGS,
    PLURALS,
    RELATING,
    ROUND,
    SEVERAL,
    SHAPES,
)
from hicrisp_core.language.names import own_words, words_of
from hicrisp_core.language.tokens import Word, words_in
from hicrisp_core.model import WorldState

CLEAR = 0.4
"""The least that the words must fit a thing, 0 to 1."""
AHEAD = 0.2
"""How much better they must fit it than any other thing that is here ..."""
ABSENT = 0.1
"""... and how much better a noun may fit them that is not here."""
AKIN = 0.2
"""... and one of a kind with the thing, for which it may be meant."""
_TYPES: Dict[str, str] = {word: type_ for type_, words in lexicon.NOUNS.items() for word in words
                          if type_ not in ("thing", "surface")}
_CALLED = frozenset(word for meaning, words in lexicon.NOUNS.items() for word in words if meaning != "thing")
_LOOKS, _SHAPES = frozenset(map(stem, COMMON_LOOKS)), frozenset(map(stem, SHAPES))


def described_by_name(text: str, domain: Domain, world: WorldState) -> str:
    """The text with each thing that it describes called by its name; what is not clear stays as it is."""
    said = words_in(text)
    words = [word.text for word in said]
    if not words or words[0] == "what" and "?" in words:
        return text
    grounding = _Grounding(domain, world, associations())
    if not grounding.nouns:
        return text
    changes = (grounding.change(words, span) for span in spans(words, grounding.naming))
    return _replaced(text, said, [change for change in changes if change is not None])


class _Change(NamedTuple):
    """The words from ``start`` up to ``end`` are to be said as ``name``."""

    start: int
    end: int
    name: str


def _replaced(text: str, said: Sequence[Word], changes: Sequence[_Change]) -> str:
    for start, end, name in reversed(changes):
        first, last = said[start].start, said[end - 1].end
        name = name[0].upper() + name[1:] if text[first].isupper() else name
        text = text[:first] + name + text[last:]
    return text


class _Grounding:
    """Says which things of a world descriptions mean.

    Attributes:
        nouns: by name of a thing, the noun of the lexicon that it is.
        naming: words by which the things are called.
    """

    def __init__(self, domain: Domain, world: WorldState, known: Associations) -> None:
        self._domain, self._world, self._known = domain, world, known
        still = {name for role in (domain.roles.surface, domain.roles.area) if role
                 for name in domain.objects_of(world, role)}
        self._things = [name for name in sorted(world.objects) if name not in still]
        filled = domain.predicates[domain.roles.inside].arguments[-1] if domain.roles.inside else ""
        nouns = {name: known.noun_of(name, bool(filled) and domain.is_a(world.objects[name].type, filled))
                 for name in self._things}
        self.nouns = {name: noun for name, noun in nouns.items() if noun}
        self._colours = {str(value).lower() for thing in world.objects.values()
                         for value in thing.attributes.values()} | COLOURS
        self.naming = words_of(world) | self._colours | frozenset(world.robots) | _CALLED
        self._heads = {name.rstrip("_0123456789").split("_")[-1] for name in world.objects}
        self._heads.update(self.nouns.values())

    def change(self, words: Sequence[str], span: Span) -> Optional[_Change]:
        """What a description is to be replaced with; ``None`` where it is not clear."""
        before = list(words[max(0, span.start - 3):span.start])
        if span.noun and span.noun[-1] in self._known.groups:
            return self._group(before, span)
        if not span.sayable or set(before[-2:]) & SEVERAL:
            return None
        both = words[span.start] == "both"
        if both != bool(span.noun and span.noun[-1] in PLURALS) or not self._opens(words[span.start], span):
            return None
        things = self._told(span)
        stems = self._stems(span)
        if not things or not stems or set(stems) <= _LOOKS:
            return None
        meant = self._meant(stems, span, things, 2 if both else 1)
        return _Change(span.start, span.end, " and ".join(map(_plain, meant))) if meant else None

    def _opens(self, word: str, span: Span) -> bool:
        """Whether a description may begin so: "a thing to cut with", but not "a sharp thing"."""
        return word in DEFINITE or not span.noun or word == "both" or (
            word in ("a", "an") and bool(span.tail) and span.noun[-1] in GENERIC)

    def _told(self, span: Span) -> List[str]:
        """The things that have the colours and the type that are told; none where the phrase names things as
        they are.
        """
        noun = [word for word in span.noun if word not in self._colours]
        head = noun[-1] if noun else ""
        type_ = _TYPES.get(head, "")
        if self._colours & set(span.tail) or self._heads & set(noun):
            return []
        if type_ and type_ not in self._domain.types:
            return []
        if head not in GENERIC and not type_ and (head.rstrip("s") in NO_THINGS or head in self.naming):
            return []
        if span.tail and span.tail[0] in RELATING and any(
                one in DEFINITE and other in self._heads for one, other in zip(span.tail, span.tail[1:])):
            return []  # "The thing with the lid on."
        told = self._colours & set(span.noun)
        return [name for name, thing in ((name, self._world.objects[name]) for name in self._things)
                if told <= own_words(name, thing) and not self._is_spoken_of(name, span.tail)
                and (not type_ or self._domain.is_a(thing.type, type_))]

    def _is_spoken_of(self, name: str, tail: Sequence[str]) -> bool:
        """Whether what tells more speaks of the thing, so that another one is meant: "what you spread butter
        with".
        """
        return any(word.rstrip("s") in (name, self.nouns.get(name)) and (not at or tail[at - 1] not in DOING)
                   for at, word in enumerate(tail))

    def _stems(self, span: Span) -> Tuple[str, ...]:
        noun = [word for word in span.noun if word not in self._colours and word not in _TYPES]
        return content((*noun, *span.tail))

    def _meant(
        self, stems: Sequence[str], span: Span, things: Sequence[str], count: int
    ) -> Tuple[str, ...]:
        """The things that the words fit clearly, as many as are asked for; else none."""
        fitting = sorted(((self._score(stems, span, name), name) for name in things), reverse=True)
        meant, others = fitting[:count], fitting[count:]
        if len(meant) < count:
            return ()
        least = meant[-1][0]
        if least < CLEAR or others and least - others[0][0] < AHEAD:
            return ()
        if set(stems) <= _SHAPES and self._shares_its_type(meant[0][1]):
            return ()
        names = tuple(sorted(name for _, name in meant))
        return () if self._is_absent(stems, span, least, {self.nouns[name] for name in names}) else names

    def _is_absent(self, stems: Sequence[str], span: Span, least: float, meant: AbstractSet[str]) -> bool:
        """Whether a noun that is not here fits the words better."""
        here = set(self.nouns.values())
        for noun, score in self._known.best(stems):
            if score <= least + ABSENT:
                return False
            may_be = noun not in here and noun not in span.tail and self._known.may_end(noun, span.tail)
            if may_be and (score > least + AKIN or not self._known.akin(noun, meant)):
                return True
        return False

    def _shares_its_type(self, name: str) -> bool:
        type_ = self._world.objects[name].type
        alike = ROUND if type_ in ROUND else (type_,)
        return any(self._world.objects[other].type in alike for other in self._things if other != name)

    def _score(self, stems: Sequence[str], span: Span, name: str) -> float:
        """How far the words fit a thing: 0 where the noun of the phrase is none by which it may be called."""
        noun = self.nouns.get(name, "")
        if not noun or not self._known.may_end(noun, span.tail):
            return 0.0
        said = [word for word in span.noun if word not in self._colours]
        head = said[-1] if said else ""
        if head and head not in GENERIC and head not in _TYPES:
            several = head.endswith("s") and not head.endswith("ss")
            if len(said) == 1 and not span.tail and (several or head not in self._known.phrases[noun]):
                return 0.0
            if stem(head) not in self._known.heads[noun]:
                return 0.0
        return self._known.score(stems, noun)

    def _group(self, before: Sequence[str], span: Span) -> Optional[_Change]:
        """All things of a kind: "all of the cutlery"."""
        if len(span.noun) > 1 or span.tail or len(self.nouns) < len(self._things):
            return None
        start = span.start
        if before[-2:] == ["all", "of"]:
            start -= 2
        elif before[-1:] == ["all"]:
            start -= 1
        elif before and before[-1] in AFTER_RELATIONS:
            return None
        members = [name for name in self._things if self.nouns[name] in self._known.groups[span.noun[0]]
                   and self._takeable(name)]
        if not members:
            return None
        names = [_plain(name) for name in members]
        return _Change(start, span.end, " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))))

    def _takeable(self, name: str) -> bool:
        thing = self._world.objects[name]
        return thing.movable and (
            "graspable" not in self._domain.types or self._domain.is_a(thing.type, "graspable"))


def _plain(name: str) -> str:
    return f"the {name.replace('_', ' ')}"
