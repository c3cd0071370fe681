"""How people describe what they do not name: by use, kind, shape, a colour's likeness, what stands out."""

from __future__ import annotations

import random
from collections import Counter
from typing import Callable, Collection, List, Sequence, Tuple

from hicrisp_core.language.extremes import extremes

from hicrisp_training.sentences.scenes import FIXED, Scene, Thing
from hicrisp_training.sentences.words import Words

Option = Tuple[Tuple[str, bool], float]
"""The words and whether they take an article; how often they are chosen."""
_DOMAINS = ("tabletop", "lab")
_CLOSE_KIND = 8
"""Nouns of a kind of at most so many are so near to each other that a phrase for one may fit the other."""


class Describing:
    """Describes the things of one scene."""

    def __init__(self, scene: Scene, words: Words, rng: random.Random) -> None:
        self._words, self._rng, self._domain = words, rng, scene.domain
        self._things = [thing for thing in scene.plain_things() if thing.type not in FIXED]
        self._nouns = Counter(thing.noun for thing in self._things)
        self._types = Counter(thing.type for thing in self._things)
        self._extremes = extremes(scene.world()) if scene.domain in _DOMAINS else ()

    def options(self, thing: Thing, fits_alone: Callable[[str], bool]) -> List[Option]:
        """Descriptions of a thing that no other thing of the scene fits.

        Args:
            fits_alone: whether such plain words as ``red box`` mean this thing alone.
        """
        if thing.type in FIXED or self._domain not in (*_DOMAINS, "virtualhome"):
            return []
        found = [*self._by_noun(thing), *self._by_colour(thing, fits_alone)]
        if self._domain in _DOMAINS and self._types[thing.type] == 1:
            found += self._some(self._words.lexicon.types.get(thing.type, ()), 0.2)
        return found + self._standing_out(thing)

    def of_noun(self, noun: str) -> List[str]:
        """Descriptions of what is not there, where nothing of its kind is."""
        if self._words.lexicon.akin(noun, list(self._nouns)):
            return []
        return list(self._words.lexicon.nouns.get(noun, ()))

    def _by_noun(self, thing: Thing) -> List[Option]:
        lexicon = self._words.lexicon
        if self._nouns[thing.noun] != 1:
            return []
        taken = {
            phrase
            for noun in self._nouns
            if noun != thing.noun
            for phrase in (*lexicon.nouns.get(noun, ()), *lexicon.bare.get(noun, ()))
        }
        if lexicon.akin(thing.noun, [noun for noun in self._nouns if noun != thing.noun], _CLOSE_KIND):
            own, bare = [], []
        else:
            own = [each for each in lexicon.nouns.get(thing.noun, ()) if self._fits(each, thing, taken)]
            bare = [each for each in lexicon.bare.get(thing.noun, ()) if self._fits(each, thing, taken)]
        kinds = [
            kind
            for kind, nouns in lexicon.kinds.items()
            if thing.noun in nouns and sum(self._nouns[noun] for noun in set(nouns)) == 1
        ]
        return [*self._some(own, 0.5), *self._some(bare, 0.15, False), *self._some(kinds, 0.25)]

    def _fits(self, phrase: str, thing: Thing, taken: Collection[str]) -> bool:
        """Whether no other thing is called so, and no colour is told that the thing has not."""
        colours = {*self._words.colours, *self._words.rare_colours} - {thing.colour}
        return phrase not in taken and not colours & set(phrase.split())

    def _by_colour(self, thing: Thing, fits_alone: Callable[[str], bool]) -> List[Option]:
        paints = self._words.lexicon.colours.get(thing.colour)
        if paints is None:
            return []
        noun = self._rng.choice((thing.noun.replace("_", " "), thing.type, "thing", "one", "object"))
        if not fits_alone(f"{thing.colour} {noun}"):
            return []
        front = [f"{paint} {noun}" for paint in paints.front]
        return self._some(front + [f"{noun} {paint}" for paint in paints.behind], 0.25)

    def _standing_out(self, thing: Thing) -> List[Option]:
        found: List[Option] = []
        for words, name in self._extremes:
            if name != thing.name:
                continue
            extreme, _, type_ = words.partition(" ")
            known = self._words.extremes.get(extreme)
            if known is None:
                continue
            if not type_:
                found += self._some(known.alone, 0.15)
            else:
                noun = self._rng.choice((type_, *self._words.types.get(type_, ())))
                ways = [*known.of, *(known.of_two if self._types[type_] == 2 else ())]
                found += self._some([f"{way} {noun}" for way in ways], 0.15)
        return found

    def _some(self, said: Sequence[str], weight: float, article: bool = True) -> List[Option]:
        """One of the phrases, so that long lists do not count more than short ones."""
        return [((self._rng.choice(list(said)), article), weight)] if said else []
