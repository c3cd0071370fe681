"""Whether a text is English as the embedded model learnt it: its letters, and its words."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache
from typing import FrozenSet, Iterable, Tuple

from hicrisp_core.config.files import config_folders
from hicrisp_core.parsing.names import words_of

WORDS = "words.txt"
"""The file of ``config/llm`` with the words of the sentences that the embedded model learnt from."""
_MOST_STRANGE = 0.5
"""Part of a text's words that may be unknown: docs/language.md says how it tells English from others."""
_LATIN = "LATIN"
_CALLED = {"CJK": "Chinese"}
"""Scripts that Unicode calls otherwise than people do."""


def script_of(text: str, names: Iterable[str]) -> str:
    """Return the script of most letters if it is neither the Latin one nor that of a name here; empty otherwise."""
    scripts = Counter(unicodedata.name(letter, _LATIN).split()[0] for letter in text if letter.isalpha())
    most = max(scripts, key=lambda each: scripts[each], default=_LATIN)
    here = {unicodedata.name(letter, _LATIN).split()[0] for name in names for letter in name}
    if most == _LATIN or most in here:
        return ""
    return _CALLED.get(most, most.title())


def strange_words(text: str, names: Iterable[str]) -> Tuple[str, ...]:
    """Return the words that are neither known nor of a name here if they are most of a text; else none."""
    said = [word for word in words_of(text) if not word.isdigit()]
    here = {word for name in names for word in words_of(name)}
    strange = [word for word in said if word not in here and word not in known_words()]
    return tuple(dict.fromkeys(strange)) if len(strange) > _MOST_STRANGE * len(said) else ()


@lru_cache(maxsize=1)
def known_words() -> FrozenSet[str]:
    """Return the words of the sentences that the embedded model learnt from."""
    files = [folder / WORDS for folder in config_folders("llm") if (folder / WORDS).is_file()]
    return frozenset(files[0].read_text(encoding="utf-8").split()) if files else frozenset()
