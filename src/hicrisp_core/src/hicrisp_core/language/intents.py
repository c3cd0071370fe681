"""What a sentence says, before any name is looked up: noun phrases, and what is wanted of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Optional, Tuple, Union

from hicrisp_core.errors import HicrispError


class NotUnderstood(HicrispError):
    """A sentence that the grammar cannot read, or that cannot be done here; it says which part and why.

    Args:
        unread: the words from the first one on that could not be read; empty when all were.
    """

    def __init__(self, why: str, unread: str = "") -> None:
        super().__init__(why)
        self.unread = unread


class Ambiguous(NotUnderstood):
    """A phrase that fits several things where one is meant: the user is to say which.

    Args:
        names: the things that it fits.
    """

    def __init__(self, why: str, names: Iterable[str]) -> None:
        super().__init__(why)
        self.names = tuple(names)


@dataclass(frozen=True)
class Noun:
    """A noun phrase: how many of which things.

    Args:
        count: ``the`` (the only one), ``any``, ``all``, ``it``, ``them`` or ``number``.
        words: adjectives and the noun, as they were said.
        number: how many, where ``count`` is ``number``.
        definite: "the two boxes", "both": there must be exactly so many.
        besides: what is left out.
        fresh: "the other", "another", "the rest": nothing that the request named before.
        where: a relation (``at`` for on or in) and the noun that tell which thing is meant: "the box on the
            table".
    """

    count: str
    words: Tuple[str, ...] = ()
    number: int = 1
    besides: Tuple["Noun", ...] = ()
    definite: bool = False
    fresh: bool = False
    where: Optional[Tuple[str, "Noun"]] = None

    def __str__(self) -> str:
        said = " ".join(self.words) or self.count
        if self.where:
            relation = {"at": "on or in"}.get(self.where[0], self.where[0].replace("_", " "))
            said += f" {relation} {self.where[1]}"
        return f"other {said}" if self.fresh else said


@dataclass(frozen=True)
class Intent:
    """One thing that is wanted of things: a verb, what it is about, and where.

    ``group`` counts the parts of the request that follow each other ("then"): within a part all must hold
    together. ``robot`` is the one that the request names; empty where it names none.
    """

    verb: str
    items: Tuple[Noun, ...] = ()
    relation: str = ""
    reference: Optional[Noun] = None
    shape: str = ""
    group: int = 0
    robot: str = ""


@dataclass(frozen=True)
class Errand:
    """One part of a drive: areas in any order (``visit``, ``go_to``, ``carry_to``), a dock, or seconds to
    wait.
    """

    skill: str
    places: Tuple[str, ...] = ()
    seconds: float = 0.0
    robot: str = ""


@dataclass(frozen=True)
class Delivery:
    """One part of what an arm and a base do together.

    Args:
        kind: ``load``, ``unload``, ``carry`` or ``return``.
        items: what; empty for what the base carries already.
        place: the area to carry to, or the table to return to; empty for the station.
        elsewhere: "another area": any in which the base is not.
    """

    kind: str
    items: Tuple[Noun, ...] = ()
    place: str = ""
    elsewhere: bool = False
    robot: str = ""


Order = Union[Intent, Errand, Delivery]
"""What one clause of a request asks for."""
