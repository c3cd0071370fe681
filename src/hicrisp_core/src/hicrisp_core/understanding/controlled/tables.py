"""The tables of controlled English: ``config/controlled_english.yaml`` as values."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from typing import Mapping, Tuple

from pydantic import BeforeValidator
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated

from hicrisp_core.config.files import config_file
from hicrisp_core.config.settings import STRICT, read_settings, read_yaml

Texts = Annotated[Tuple[str, ...], BeforeValidator(
    lambda texts: (texts,) if isinstance(texts, str) else tuple(texts) if isinstance(texts, list) else texts)]
"""One text or several."""
Forms = Mapping[str, Tuple[str, ...]]
"""Phrases by what they mean."""


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
class Row:
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
    rows: Tuple[Row, ...]


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
