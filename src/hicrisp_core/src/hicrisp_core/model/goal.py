"""What a task means as data: conditions over the domain's predicates that hold at the end, on the way, or
first.

A statement is written ``on(a,b)``, ``not(on(a,b))``, ``all(...)``, ``any(...)``, ``at_least(2,...)``,
``exactly(2,...)`` or ``at_most(2,...)``; ``str`` writes it and ``model.goal_text`` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Iterator, Mapping, Optional, Tuple, Union

from hicrisp_core.model.world import Relation


@dataclass(frozen=True)
class Holds:
    """One fact holds."""

    fact: Relation

    def __str__(self) -> str:
        arguments = ",".join(part for part in (self.fact.subject, self.fact.object) if part)
        return f"{self.fact.predicate}({arguments})"


@dataclass(frozen=True)
class Not:
    """A statement does not hold."""

    part: "Statement"

    def __str__(self) -> str:
        return f"not({self.part})"


@dataclass(frozen=True)
class Count:
    """Of several statements at least and at most so many hold; no upper bound where ``most`` is ``None``."""

    parts: Tuple["Statement", ...]
    least: int = 0
    most: Optional[int] = None

    def __str__(self) -> str:
        said = ",".join(map(str, self.parts))
        if self.most is None:
            if self.least == len(self.parts):
                return f"all({said})"
            return f"any({said})" if self.least == 1 else f"at_least({self.least},{said})"
        if self.least == self.most:
            return f"exactly({self.most},{said})"
        at_most = f"at_most({self.most},{said})"
        return at_most if self.least == 0 else f"all(at_least({self.least},{said}),{at_most})"


Statement = Union[Holds, Not, Count]


def all_of(*parts: Statement) -> Statement:
    """All of some statements hold; one alone stands for itself."""
    return parts[0] if len(parts) == 1 else Count(parts, len(parts))


def any_of(*parts: Statement) -> Statement:
    """At least one of some statements holds; one alone stands for itself."""
    return parts[0] if len(parts) == 1 else Count(parts, 1)


def facts_in(statement: Statement) -> Iterator[Relation]:
    """Every fact that a statement speaks of, in its order."""
    if isinstance(statement, Holds):
        yield statement.fact
    elif isinstance(statement, Not):
        yield from facts_in(statement.part)
    else:
        for part in statement.parts:
            yield from facts_in(part)


@dataclass(frozen=True)
class Goal:
    """What a task means.

    Args:
        end: all of these hold at the end.
        keep: these hold all the way.
        first: each of these holds at some time before the end, in this order.
        robot: who shall do it, where the user named one.
        said: the goal in words, as it is said back to the user; no code reads it.
        source: who made it: a model's name, or ``offline`` for the grammar.
    """

    end: Tuple[Statement, ...] = ()
    keep: Tuple[Statement, ...] = ()
    first: Tuple[Statement, ...] = ()
    robot: str = ""
    said: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    @property
    def statements(self) -> Tuple[Statement, ...]:
        """All statements: those that come first, those of the end, those on the way."""
        return (*self.first, *self.end, *self.keep)

    @property
    def names(self) -> Tuple[str, ...]:
        """The names of the things and robots that it speaks of, without repeats."""
        named = (name for statement in self.statements for fact in facts_in(statement)
                 for name in (fact.subject, fact.object) if name)
        return tuple(dict.fromkeys((*named, *((self.robot,) if self.robot else ()))))

    @property
    def texts(self) -> Mapping[str, Tuple[str, ...]]:
        """The statements in writing, by the part of the goal; parts without any are left out."""
        parts = (("first", self.first), ("end", self.end), ("keep", self.keep))
        return {name: tuple(map(str, statements)) for name, statements in parts if statements}


class NoGoal(Enum):
    """Why a request has no goal."""

    UNKNOWN_THING = "unknown_thing"
    """It names a thing that is not there."""
    IMPOSSIBLE = "impossible"
    """No action of the domain leads to it."""
    NO_TASK = "no_task"
    """It asks for nothing that a robot does."""


@dataclass(frozen=True)
class Ask:
    """The request has several readings, and the user is to choose.

    Args:
        which: the names that may be meant; none where it is unclear otherwise.
    """

    which: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Refuse:
    """The request has no goal."""

    why: NoGoal = NoGoal.NO_TASK


@dataclass(frozen=True)
class AnswerOnly:
    """The request is a question that needs no motion."""


Understanding = Union[Goal, Ask, Refuse, AnswerOnly]
"""What a request means."""
