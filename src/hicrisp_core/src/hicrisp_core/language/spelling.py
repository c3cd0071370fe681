"""Slips of the finger in words by which things are called: "mlik" is the milk that is there."""

from __future__ import annotations

import re
from typing import AbstractSet, Mapping

from hicrisp_core.language.names import words_of
from hicrisp_core.model import WorldState

_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST_SWAPPED, _SHORTEST_CHANGED = 4, 5
"""Letters of a word in which two may be swapped; of one in which a letter may be missing or too many."""
_SHORTEST_SKIPPED = 4
"""Letters that are left of a word in which one vowel is left out."""
_VOWELS = re.compile("[aeiou]")
_SHORTHAND: Mapping[str, str] = {
    "&": "and", "+": "and", "n": "and", "w": "with", "teh": "the", "nxt": "next", "pls": "please",
    "plz": "please", "lft": "left", "rt": "right", "u": "you"}
"""What people write in haste."""
_SHORT = re.compile("|".join(rf"(?<![\w'-]){re.escape(each)}(?![\w'/-])" for each in _SHORTHAND),
                    re.IGNORECASE)


def written_out(text: str) -> str:
    """The text with whole words for what people write in haste: "n", "pls"."""
    return _SHORT.sub(lambda found: _SHORTHAND[found.group().lower()], text)


def respelled(text: str, world: WorldState, others: AbstractSet[str] = frozenset()) -> str:
    """The text with the words of a world's things where one slip alone is between: two letters swapped, one
    missing or one too many, neither the first nor the last; or vowels within are left out. A word that may be
    two of them stays.

    Args:
        others: further words that are known, in lower case.
    """
    words = {word.lower() for word in words_of(world) if word.isalpha()}
    known = words | {f"{word}s" for word in words} | others

    def mended(match: "re.Match[str]") -> str:
        return _mended(match.group(), known)

    return _WORD.sub(mended, text)


def _mended(said: str, known: AbstractSet[str]) -> str:
    word = said.lower()
    if word in known:
        return said
    meant = [each for each in known if _swapped(word, each) or _longer(word, each) or _longer(each, word)
             or _without_vowels(word, each)]
    return meant[0] if len(meant) == 1 else said


def _swapped(word: str, other: str) -> bool:
    if len(word) != len(other) or len(word) < _SHORTEST_SWAPPED:
        return False
    apart = [at for at in range(len(word)) if word[at] != other[at]]
    return len(apart) == 2 and apart[1] == apart[0] + 1 and word[apart[0]] == other[apart[1]] \
        and word[apart[1]] == other[apart[0]]


def _longer(word: str, other: str) -> bool:
    """Whether a word has one letter more than the other, within."""
    if len(word) != len(other) + 1 or len(other) < _SHORTEST_CHANGED:
        return False
    return any(word[:at] + word[at + 1:] == other for at in range(1, len(word) - 1)) and word[-1] == other[-1]


def _without_vowels(word: str, other: str) -> bool:
    """Whether a word is the other without its vowels within, or without one of them: "bwl", "spon"."""
    bare = _VOWELS.sub("", other[1:-1])
    if other[0] + bare + other[-1] == word:
        return bool(bare) and len(word) < len(other)
    return len(word) >= _SHORTEST_SKIPPED and len(word) == len(other) - 1 and any(
        other[:at] + other[at + 1:] == word for at in range(1, len(other) - 1) if _VOWELS.match(other[at]))
