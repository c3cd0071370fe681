"""The vocabulary from which scenes are invented."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Dict, List, Sequence, Set

import yaml
from hicrisp_core.errors import ConfigError
from hicrisp_core.language.associations import DESCRIPTIONS, lexicon_file, read_lexicon
from pydantic import BaseModel, ConfigDict

_ONSETS = (
    "b",
    "br",
    "ch",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gl",
    "gr",
    "h",
    "j",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "sk",
    "sl",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
)
_VOWELS = ("a", "e", "i", "o", "u", "oo", "ee", "ai")
_ENDS = ("", "", "b", "d", "g", "k", "l", "m", "n", "p", "r", "s", "t", "x", "nt", "sk")


class Paints(BaseModel):
    """Words for a colour without its name: in front of a noun, or behind it."""

    model_config = ConfigDict(extra="forbid")
    front: List[str] = []
    behind: List[str] = []


class Lexicon(BaseModel):
    """How things are described that are not named.

    ``nouns`` stand behind an article, ``bare`` without one; ``types`` say a shape, ``kinds`` which nouns are
    of a kind; ``more_nouns`` are further nouns by type.
    """

    model_config = ConfigDict(extra="forbid")
    nouns: Dict[str, List[str]] = {}
    bare: Dict[str, List[str]] = {}
    colours: Dict[str, Paints] = {}
    types: Dict[str, List[str]] = {}
    kinds: Dict[str, List[str]] = {}
    more_nouns: Dict[str, List[str]] = {}

    def akin(self, noun: str, others: Sequence[str], most: int = 1000) -> bool:
        """Whether one of the others is of a kind with a noun.

        Args:
            most: of how many nouns a kind may be to count.
        """
        near: Set[str] = {noun}
        for nouns in self.kinds.values():
            if noun in nouns and len(nouns) <= most:
                near.update(nouns)
        return any(other in near for other in others)


class Superlative(BaseModel):
    """Words for an extreme: of all things, in front of a type's name, and where there are two of the type."""

    model_config = ConfigDict(extra="forbid")
    alone: List[str]
    of: List[str] = []
    of_two: List[str] = []


class Words(BaseModel):
    """What things, colours, types and robots are called."""

    model_config = ConfigDict(extra="forbid")
    colours: List[str]
    rare_colours: List[str]
    nouns: Dict[str, List[str]]
    adjectives: List[str]
    types: Dict[str, List[str]]
    plurals: Dict[str, str]
    robots: Dict[str, List[str]]
    extremes: Dict[str, Superlative] = {}
    lexicon: Lexicon = Lexicon()


def load_words(folder: Path) -> Words:
    """The vocabulary of a folder, ``words.yaml``, with the lexicon of ``config/words``, with which requests
    are read.

    Raises:
        ConfigError: where the workspace has no lexicon.
    """
    words = Words.model_validate(yaml.safe_load((folder / "words.yaml").read_text(encoding="utf-8")))
    file = lexicon_file(DESCRIPTIONS)
    if file is None:
        raise ConfigError(f"there is no lexicon: config/words/{DESCRIPTIONS} is missing")
    return words.model_copy(update={"lexicon": Lexicon.model_validate(read_lexicon(file))})


def invented_word(rng: random.Random) -> str:
    """A word that means nothing, so that names are read from the list and not known."""
    return "".join(
        rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_ENDS) for _ in range(rng.choice((1, 2, 2)))
    )
