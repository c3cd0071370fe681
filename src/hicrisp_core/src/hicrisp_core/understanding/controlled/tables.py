"""The language of controlled English: its tables, a text as words, and sentence patterns."""

from __future__ import annotations

import re
from dataclasses import field
from functools import lru_cache
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Sequence, Tuple, Union

from pydantic import BeforeValidator
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated

from hicrisp_core.config.files import config_file
from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import read_yaml

Texts = Annotated[Tuple[str, ...], BeforeValidator(
    lambda texts: (texts,) if isinstance(texts, str) else tuple(texts) if isinstance(texts, list) else texts)]
"""One text or several."""
Forms = Mapping[str, Tuple[str, ...]]
"""Phrases by what they mean."""
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


@dataclass(frozen=True, config=STRICT)
class Sentence:
    """A pattern of sentences, and what it means.

    Args:
        say: the pattern, or several that mean the same.
        means: a line of the written goal language.
        way: the meaning if another part of the task follows in time.
        last: the meaning if it is the last of several parts in an order.
        needs: a predicate without which a domain cannot express it.
        again: its verb may be left out in the next part of a task.
        fixed: how many objects it takes, by their numbers in ``means``; 0 if as many as there are.
        fact: it says how the world is, and may be a condition.
        able: only objects are meant of which an action can make it true.
        after: it always follows what was said before it.
        example: a sentence with its objects in brackets.
        scene: the scene of the example, if it is not the section's.
        note: what else the page says of it.
    """

    say: Texts
    means: str
    way: str = ""
    last: str = ""
    needs: str = ""
    again: bool = False
    fixed: int = 0
    fact: bool = False
    able: bool = False
    after: bool = False
    example: str = ""
    scene: str = ""
    note: str = ""


@dataclass(frozen=True, config=STRICT)
class Section:
    """Sentences of one kind, with the scene that their examples are about."""

    title: str
    scene: str
    sentences: Tuple[Sentence, ...]


@dataclass(frozen=True, config=STRICT)
class SentenceRow:
    """A form of what sentences are made of, with an example in one turn or in several."""

    form: str
    scene: str
    example: str = ""
    says: Tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, config=STRICT)
class Chapter:
    """Forms of one kind."""

    title: str
    rows: Tuple[SentenceRow, ...]


@dataclass(frozen=True, config=STRICT)
class Tables:
    """All of it. The comments of the file explain the keys."""

    polite: Tuple[str, ...]
    contractions: Mapping[str, str]
    words: Forms
    joins: Forms
    robots: Forms
    nouns: Forms
    ranks: Forms
    outstanding: Forms
    uses: Forms
    among: Forms
    places: Forms
    states: Forms
    sections: Tuple[Section, ...]
    remarks: Forms
    naming: Tuple[str, ...]
    forms: Tuple[Chapter, ...] = field(default=())

    @property
    def sentences(self) -> Tuple[Sentence, ...]:
        """The sentences of all sections, in their order."""
        return tuple(each for section in self.sections for each in section.sentences)


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Return the workspace's tables.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(config_file("", "controlled_english"))
    return read_settings(Tables, values, positions)


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


class SentencePattern:
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
