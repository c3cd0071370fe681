"""A text as words, and sentence patterns, ``{put} {x} {at} {y}``, with every way in which words fit one."""

from __future__ import annotations

import re
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Sequence, Tuple, Union

from hicrisp_core.understanding.controlled.tables import Forms, Tables

Words = Tuple[str, ...]
LONGEST = 60
"""Words of a text; a longer one is not read."""
MARKS = frozenset(",.;:")
_TOKEN = re.compile(r"[^\W_](?:[\w'-]*\w)?|[,.;:]")
_PART = re.compile(r"\{(?P<name>\w+)\}|\[(?P<optional>[^\]]*)\]|(?P<word>[^\s\[{]+)")
Values = Mapping[str, Any]
"""What stands in the slots, by their names: phrases, or the name of a place, a state or a recipe."""
SlotReader = Callable[[str, Words], Sequence[Any]]
"""Reads the words of a slot, by its name, in every way that they can be read."""


def words_in(text: str, tables: Tables) -> Words:
    """Return the words and marks of a text, without politeness and marks at its ends."""
    said = " ".join(text.lower().replace("’", "'").split())
    for short, long in tables.contractions.items():
        said = re.sub(rf"\b{short}\b", long, said)
    polite = "|".join((*tables.polite, *map(re.escape, MARKS)))
    bare = re.sub(rf"^(?: (?:{polite})(?= ))+|(?: (?:{polite}))+(?= $)", "", f" {' '.join(_TOKEN.findall(said))} ")
    return tuple(bare.split())


def led(said: Words, phrases: Iterable[str]) -> Tuple[str, Words]:
    """Return the longest of some phrases that the words begin with, empty if there is none, and the rest."""
    for each in sorted(phrases, key=len, reverse=True):
        words = tuple(each.split())
        if words and said[:len(words)] == words:
            return each, said[len(words):]
    return "", said


def ended(said: Words, phrases: Iterable[str]) -> Tuple[str, Words]:
    """Return the longest of some phrases that the words end with, and what stands before it."""
    phrase, rest = led(said[::-1], (" ".join(reversed(each.split())) for each in phrases))
    return " ".join(reversed(phrase.split())), rest[::-1]


class Pattern:
    """One pattern.

    Args:
        say: words, ``[words]`` that may be left out, ``{name}`` of a class of words or of a slot.
        classes: the classes of words.
    """

    def __init__(self, say: str, classes: Forms) -> None:
        self._parts: List[Union[str, Sequence[Words]]] = []
        for part in _PART.finditer(say):
            name, optional, word = part.groups()
            phrases = (optional, "") if optional else (word,) if word else classes.get(name)
            self._parts.append(name if phrases is None else [tuple(each.split()) for each in phrases])

    @property
    def words(self) -> Iterator[str]:
        """All words that it knows."""
        fixed = (part for part in self._parts if not isinstance(part, str))
        return (word for part in fixed for phrase in part for word in phrase)

    def matches(self, said: Words, read: SlotReader) -> Iterator[Tuple[Values, int]]:
        """Yield every way in which all words fit: what stands in the slots, and how many words stand before them."""
        needed = [part for part in self._parts if not isinstance(part, str) and () not in part]
        if all(any(set(phrase) <= set(said) for phrase in part) for part in needed):
            yield from self._from(said, 0, 0, {}, -1, read)

    def _from(
        self, said: Words, at: int, part: int, values: Values, lead: int, read: SlotReader
    ) -> Iterator[Tuple[Values, int]]:
        if part == len(self._parts):
            if at == len(said):
                yield values, max(lead, 0)
            return
        this = self._parts[part]
        if not isinstance(this, str):
            for phrase in this:
                if said[at:at + len(phrase)] == phrase:
                    yield from self._from(said, at + len(phrase), part + 1, values, lead, read)
            return
        for end in range(at + 1 if part + 1 < len(self._parts) else max(at + 1, len(said)), len(said) + 1):
            for value in read(this, said[at:end]):
                yield from self._from(said, end, part + 1, {**values, this: value}, at if lead < 0 else lead, read)
