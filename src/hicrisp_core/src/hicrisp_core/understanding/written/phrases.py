"""Noun phrases as data: the words for an object, how many are meant, and what tells them from others."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Optional, Tuple

SUPERLATIVES = ("largest", "smallest", "tallest", "shortest", "leftmost", "rightmost", "frontmost", "rearmost",
                "middle")
STATES = ("empty", "full", "free")
"""Whether anything is in an object or on it."""
ACTOR, HERE, START, IT = "_", "here", "start", "it"
"""The robot that acts, where it is, where it was as the task began, and what was spoken of last."""
NEAREST, FARTHEST, BETWEEN = "nearest", "farthest", "between"
"""What may stand in braces beside the domain's predicates."""


class Amount(Enum):
    """How many of the objects that fit a phrase are meant."""

    ONE = "one"
    """The only one."""
    ALL = "all"
    """Each of them."""
    ANY = "any"
    """Whichever, one is enough."""
    COUNT = "count"
    """So many of them, whichever."""
    DIFFERENT = "different"
    """One of its own for each subject."""
    SAME = "same"
    """One for all subjects, whichever."""
    MATCHING = "matching"
    """The one that has the colour of the subject."""


@dataclass(frozen=True)
class Where:
    """What tells an object from others: a predicate, or a place among others, that holds for it."""

    predicate: str
    arguments: Tuple["Phrase", ...] = ()
    holds: bool = True

    def __str__(self) -> str:
        said = " ".join(filter(None, (self.predicate, " + ".join(map(str, self.arguments)))))
        return f"{{{said}}}" if self.holds else f"{{not {said}}}"


@dataclass(frozen=True)
class Phrase:
    """The user's words for one object or for several.

    Args:
        words: kind, name and attributes, in lower case and the singular: ``red box``.
        amount: how many are meant.
        least: the least of a count.
        most: the most of a count; ``None`` for no limit.
        other: those spoken of before are left out.
        rank: a superlative that picks one of those that fit.
        ordinal: the how-manieth of that rank, from 1.
        state: ``empty``, ``full`` or ``free``.
        where: what else tells them from others.
        without: those that are excepted.
    """

    words: str
    amount: Amount = Amount.ONE
    least: int = 0
    most: Optional[int] = None
    other: bool = False
    rank: str = ""
    ordinal: int = 1
    state: str = ""
    where: Tuple[Where, ...] = ()
    without: Tuple["Phrase", ...] = field(default=())

    def __str__(self) -> str:
        rank = f"{_ordinal(self.ordinal)} {self.rank}" if self.ordinal > 1 else self.rank
        said = (_amount(self), "other" if self.other else "", rank, self.state, self.words, *map(str, self.where),
                f"except {' + '.join(map(str, self.without))}" if self.without else "")
        return " ".join(filter(None, said))


def _amount(phrase: Phrase) -> str:
    if phrase.amount is Amount.ONE:
        return ""
    if phrase.amount is not Amount.COUNT:
        return phrase.amount.value
    if phrase.most is None:
        return str(phrase.least)
    return f"exactly {phrase.most}" if phrase.least == phrase.most else f"at most {phrase.most}"


def _ordinal(number: int) -> str:
    return f"{number}{ {2: 'nd', 3: 'rd'}.get(number, 'th') }".replace(" ", "")
