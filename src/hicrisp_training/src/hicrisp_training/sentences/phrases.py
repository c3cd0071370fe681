"""Noun phrases: how people name a thing so that it is the only one in the scene that fits."""

from __future__ import annotations

import random
from typing import Dict, List, Optional, Sequence, Tuple

from hicrisp_training.sentences.describing import Describing
from hicrisp_training.sentences.scenes import FIXED, Scene, Thing
from hicrisp_training.sentences.words import Words

_NUMBERS = {
    "1": "one",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
}
_VAGUE = ("one", "one", "thing", "object", "item")
_DETERMINERS = (("the", 86), ("that", 5), ("this", 3), ("my", 3), ("our", 1), ("your", 1))
Said = Tuple[str, bool]
"""The words, and whether they take an article."""


class Phrases:
    """Names the things of one scene."""

    def __init__(self, scene: Scene, words: Words, rng: random.Random) -> None:
        self._scene, self._words, self._rng = scene, words, rng
        self._describing = Describing(scene, words, rng)

    def fitting(self, said: str) -> List[Thing]:
        """The things that some words describe; the one of exactly that name before all others."""
        words = said.split()
        things = self._scene.plain_things()
        exact = [thing for thing in things if thing.words == tuple(words)]
        if exact:
            return exact
        return [thing for thing in things if self._fits(thing, words)]

    def _fits(self, thing: Thing, words: Sequence[str]) -> bool:
        known = {
            thing.colour,
            thing.type,
            thing.noun,
            *thing.words,
            *self._words.types.get(thing.type, ()),
            *_VAGUE,
        }
        if set(words) <= known:
            return not set(words) <= set(_VAGUE)
        return False

    def unique(self, thing: Thing, bare: bool = False) -> Said:
        """Words for one thing.

        Args:
            bare: only by its name, as far as it is one.
        """
        name = " ".join(thing.words)
        options: List[Tuple[Said, float]] = [((name, not _is_label(thing)), 4.0)]
        if not bare and thing.type != "surface":
            options += [
                option
                for option in self._descriptions(thing)
                if self._fits_alone(option[0][0], thing)
            ]
            options += self._describing.options(thing, lambda words: self._fits_alone(words, thing))
        said, weights = zip(*options)
        chosen: Said = self._rng.choices(said, weights)[0]
        words, article = chosen
        if words == name and self._rng.random() < 0.04:
            return thing.name, False
        if words == name and thing.words[-1] in _NUMBERS and self._rng.random() < 0.3:
            return " ".join((*thing.words[:-1], _NUMBERS[thing.words[-1]])), article
        return words, article

    def _fits_alone(self, words: str, thing: Thing) -> bool:
        return [each.name for each in self.fitting(words)] == [thing.name]

    def missing(self, thing: Thing) -> Optional[str]:
        """Words for a thing that is not there; nothing where they might mean one that is."""
        noun = thing.noun.replace("_", " ")
        options = [" ".join(thing.words), *([f"{thing.colour} {noun}"] if thing.colour else []), noun]
        fitting = [words for words in options if not self.fitting(words)]
        if fitting and self._rng.random() < 0.25:
            fitting = self._describing.of_noun(thing.noun) or fitting
        return self._rng.choice(fitting) if fitting else None

    def _descriptions(self, thing: Thing) -> List[Tuple[Said, float]]:
        noun, colour, kind = thing.noun.replace("_", " "), thing.colour, thing.type
        found: List[Tuple[Said, float]] = [((noun, True), 1.5)]
        if kind not in FIXED:
            found.append(((kind, True), 1.2))
        others = self._words.types.get(kind, ())
        if others:
            found.append(((self._rng.choice(others), True), 0.3))
        if colour:
            found += [
                ((f"{colour} {noun}", True), 2.0),
                ((f"{colour} {kind}", True), 1.2),
                ((f"{colour} {self._rng.choice(_VAGUE)}", True), 0.9),
            ]
            if others:
                found.append(((f"{colour} {self._rng.choice(others)}", True), 0.3))
        if thing.words[-1] in _NUMBERS:
            found.append(((f"number {thing.words[-1]}", False), 0.0))
        return found

    def put(self, said: Said, form: str) -> str:
        """With an article or without, as the form of a slot says."""
        words, article = said
        if form == "n" or not article:
            return words
        names, weights = zip(*_DETERMINERS)
        return f"{self._rng.choices(names, weights)[0]} {words}"

    def several(self, things: Sequence[Thing], form: str) -> str:
        """A list of things: ``the cup, the fork and the mug``."""
        said = [self.put(self.unique(thing), form) for thing in things]
        if len(said) == 1:
            return said[0]
        ending = self._rng.choice((" and ", " and ", ", and ", " & ")) if len(said) > 2 else " and "
        return ", ".join(said[:-1]) + ending + said[-1]

    def all_of(self, description: str, count: int, form: str) -> str:
        """Everything that a description in the plural fits."""
        if form == "n":
            return description
        options = [
            f"the {description}",
            f"all {description}",
            f"all the {description}",
            f"all of the {description}",
        ]
        if count == 2:
            options += [f"both {description}", f"both the {description}"]
        return self._rng.choice(options)

    def shared(self, things: Sequence[Thing]) -> Optional[str]:
        """Words that fit exactly some things; nothing where there are none."""
        first, names = things[0], sorted(thing.name for thing in things)
        options: Dict[str, float] = {}
        for noun, weight in (
            (first.noun.replace("_", " "), 2.0),
            (first.type, 2.0),
            ("one", 0.7),
            ("thing", 0.7),
        ):
            if noun not in _VAGUE:
                options[noun] = weight
            if first.colour:
                options[f"{first.colour} {noun}"] = weight
        fitting = {
            words: weight
            for words, weight in options.items()
            if sorted(thing.name for thing in self.fitting(words)) == names
        }
        return self._rng.choices(list(fitting), list(fitting.values()))[0] if fitting else None


def _is_label(thing: Thing) -> bool:
    """Whether the name is a label that takes no article: ``box 1``, ``area 2``, ``block a``."""
    return len(thing.words) > 1 and (thing.words[-1].isdigit() or len(thing.words[-1]) == 1)
