"""A text as words, and sentence patterns, ``{put} {x} {at} {y}``, with every way in which words fit one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Sequence, Tuple, Union

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
    """Return the words and marks of a text, without politeness at its ends and without its last mark."""
    said = " ".join(text.lower().replace("’", "'").split())
    for short, long in tables.contractions.items():
        said = re.sub(rf"\b{short}\b", long, said)
    found = tuple(_TOKEN.findall(said))
    polite = [tuple(each.split()) for each in tables.polite]
    while found:
        left = _trimmed(found, polite)
        if left == found:
            break
        found = left
    return found


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


def _trimmed(found: Words, polite: Iterable[Words]) -> Words:
    for words in polite:
        if found[:len(words)] == words:
            found = found[len(words):]
        if found[len(found) - len(words):] == words:
            found = found[:len(found) - len(words)]
    if found[:1] and found[0] in MARKS:
        found = found[1:]
    return found[:-1] if found[-1:] and found[-1] in MARKS else found


@dataclass(frozen=True)
class Match:
    """One way in which words fit a pattern.

    Args:
        values: what stands in the slots.
        lead: how many words stand before the first slot.
    """

    values: Values
    lead: int


class Pattern:
    """One pattern.

    Args:
        say: words, ``[words]`` that may be left out, ``{name}`` of a class of words or of a slot.
        classes: the classes of words.
    """

    def __init__(self, say: str, classes: Forms) -> None:
        self._parts: List[Union[str, Sequence[Words]]] = []
        for part in _PART.finditer(say):
            name, optional = part["name"], part["optional"]
            if name is not None and name not in classes:
                self._parts.append(name)
            elif name is not None:
                self._parts.append([tuple(each.split()) for each in classes[name]])
            elif optional is not None:
                self._parts.append([tuple(optional.split()), ()])
            else:
                self._parts.append([(part["word"],)])

    @property
    def words(self) -> Iterator[str]:
        """All words that it knows."""
        fixed = (part for part in self._parts if not isinstance(part, str))
        return (word for part in fixed for phrase in part for word in phrase)

    def matches(self, said: Words, read: SlotReader) -> Iterator[Match]:
        """Yield every way in which all words fit."""
        needed = [part for part in self._parts if not isinstance(part, str) and () not in part]
        if all(any(set(phrase) <= set(said) for phrase in part) for part in needed):
            yield from self._from(said, 0, 0, {}, -1, read)

    def _from(self, said: Words, at: int, part: int, values: Dict[str, Any], lead: int,
              read: SlotReader) -> Iterator[Match]:
        if part == len(self._parts):
            if at == len(said):
                yield Match(values, max(lead, 0))
            return
        this = self._parts[part]
        if not isinstance(this, str):
            for phrase in this:
                if said[at:at + len(phrase)] == phrase:
                    yield from self._from(said, at + len(phrase), part + 1, values, lead, read)
            return
        ends = range(at + 1, len(said) + 1) if part + 1 < len(self._parts) else (len(said),)
        lead = at if lead < 0 else lead
        for end in (end for end in ends if end > at):
            for value in read(this, said[at:end]):
                yield from self._from(said, end, part + 1, {**values, this: value}, lead, read)
