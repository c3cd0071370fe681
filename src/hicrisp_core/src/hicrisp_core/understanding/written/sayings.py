"""The written goal language as data, before its phrases stand for objects: noun phrases, facts, stages, lines."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any, Callable, Iterator, Optional, Tuple, Type, TypeVar, Union, cast

from hicrisp_core.model.meaning import Reason

SUPERLATIVES = ("largest", "smallest", "tallest", "shortest", "leftmost", "rightmost", "frontmost", "rearmost",
                "middle")
STATES = ("empty", "full", "free")
"""Whether anything is in an object or on it."""
ACTOR, HERE, START, IT = "_", "here", "start", "it"
"""The robot that acts, where it is, where it was as the task began, and what was spoken of last."""
NEAREST, FARTHEST, BETWEEN = "nearest", "farthest", "between"
"""What may stand in braces beside the domain's predicates."""
_Said, _Part = TypeVar("_Said"), TypeVar("_Part")
ORDERS = ("tower", "tower_down", "row", "row_left", "column", "column_back")
"""Orders of places: one argument, the objects in the words' order."""
SWAP, MADE = "swap", "made"
"""Two objects change places; a recipe is made, in a vessel."""
QUERIES = ("is", "where", "which", "count", "state", "scene", "holding", "abilities", "status")
ASKED = ("object", "place", "task")
REFUSED = {"impossible": Reason.IMPOSSIBLE, "unsafe": Reason.UNSAFE, "nothing": Reason.NOTHING_TO_DO}


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


@dataclass(frozen=True)
class Fact:
    """A predicate of the domain, an order, an exchange or a recipe, over phrases.

    Args:
        arguments: each one phrase or several that are meant at once.
        reverse: an order is to be the other way round.
    """

    predicate: str
    arguments: Tuple[Tuple[Phrase, ...], ...]
    reverse: bool = False

    def __str__(self) -> str:
        said = ", ".join(" + ".join(map(str, each)) for each in self.arguments)
        return f"{'reverse ' if self.reverse else ''}{self.predicate}({said})"


@dataclass(frozen=True)
class Condition:
    """At least one of some facts, or none of them."""

    facts: Tuple[Fact, ...]
    holds: bool = True

    def __str__(self) -> str:
        said = " or ".join(map(str, self.facts))
        return said if self.holds else f"not {said}"


@dataclass(frozen=True)
class SaidStage:
    """A stage whose objects are phrases."""

    conditions: Tuple[Condition, ...]
    robot: str = ""
    when: Tuple[Condition, ...] = ()
    optional: bool = False

    def __str__(self) -> str:
        parts = ("maybe " if self.optional else "", f"@{self.robot}: " if self.robot else "",
                 f"if {_joined(self.when)}: " if self.when else "", _joined(self.conditions))
        return "".join(parts)


@dataclass(frozen=True)
class SaidGoal:
    """A goal whose objects are phrases."""

    stages: Tuple[SaidStage, ...]
    otherwise: Tuple[SaidStage, ...] = ()
    invariants: Tuple[Condition, ...] = ()

    def __str__(self) -> str:
        said = " > ".join(map(str, self.stages))
        if self.otherwise:
            said += f" else {' > '.join(map(str, self.otherwise))}"
        said += "".join(f" | {'always' if each.holds else 'never'} {Condition(each.facts)}" for each in self.invariants)
        return said.strip()


@dataclass(frozen=True)
class Queried:
    """A question about the world or the robots."""

    query: str
    conditions: Tuple[Condition, ...] = ()
    phrase: Tuple[Phrase, ...] = ()

    def __str__(self) -> str:
        return " ".join(filter(None, ("answer", self.query, _joined(self.conditions),
                                      " + ".join(map(str, self.phrase)))))


@dataclass(frozen=True)
class Refused:
    """A request that is not carried out."""

    reason: Reason

    def __str__(self) -> str:
        return f"refuse {next(word for word, reason in REFUSED.items() if reason is self.reason)}"


@dataclass(frozen=True)
class Asked:
    """A request that leaves open what it speaks of: an object, a place or the whole task."""

    about: str

    def __str__(self) -> str:
        return f"ask {self.about}"


Line = Union[SaidGoal, Queried, Refused, Asked]


def _joined(conditions: Tuple[Condition, ...]) -> str:
    return " & ".join(map(str, conditions))


def each_in(kind: Type[_Part], said: Any) -> Iterator[_Part]:
    """Yield every part of a kind, those within others too."""
    if isinstance(said, kind):
        yield said
    parts = said if isinstance(said, tuple) else [getattr(said, each.name) for each in fields(said)] \
        if is_dataclass(said) else ()
    for part in parts:
        yield from each_in(kind, part)


def changed(said: _Said, kind: Type[_Part], change: Callable[[_Part], _Part]) -> _Said:
    """Return what is said with every part of a kind exchanged, but none within such a part."""
    if isinstance(said, kind):
        return cast(_Said, change(said))
    if isinstance(said, tuple):
        return cast(_Said, tuple(changed(each, kind, change) for each in said))
    if is_dataclass(said) and not isinstance(said, type):
        return replace(said, **{each.name: changed(getattr(said, each.name), kind, change) for each in fields(said)})
    return said
