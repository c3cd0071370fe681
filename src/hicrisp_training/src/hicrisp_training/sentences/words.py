"""The vocabulary from which scenes are invented."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Dict, List

import yaml
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


def load_words(file: Path) -> Words:
    """The vocabulary of a file."""
    return Words.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))


def invented_word(rng: random.Random) -> str:
    """A word that means nothing, so that names are read from the list and not known."""
    return "".join(
        rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_ENDS) for _ in range(rng.choice((1, 2, 2)))
    )
