"""What a task is to bring about, as data: conditions in stages, and invariants.

A condition is written ``on(a,b)``, ``not(on(a,b))``, ``all(...)``, ``any(...)``, ``at_least(2,...)``,
``exactly(2,...)`` or ``at_most(2,...)``, a stage ``maybe @panda if in(a,b): on(a,c) & on(b,d)``; ``str`` writes
both and ``model.goal_text`` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Callable, Iterator, Mapping, Optional, Tuple, Union

from hicrisp_core.model.world import Relation


class GoalErrorKind(Enum):
    """What is wrong with a statement or a goal."""

    FORM = "form"
    """It cannot be read."""
    LIMIT = "limit"
    """It is too long, too deep, or has too many parts."""
    PREDICATE = "predicate"
    """The domain has no such predicate, or it takes other arguments."""
    NAME = "name"
    """No object or robot has the name."""
    TYPE = "type"
    """The predicate cannot be said of an object of this type."""
    COUNT = "count"
    """More are asked for than there are."""
    CONTRADICTION = "contradiction"
    """It cannot hold all at once."""
    EMPTY = "empty"
    """It asks for nothing."""


@dataclass(frozen=True)
class GoalError:
    """Why a statement or a goal cannot be taken.

    Args:
        message: what is wrong, with what is valid; for people and models, no code reads it.
        quote: the part that is meant.
        alternatives: the valid names.
    """

    kind: GoalErrorKind
    message: str
    quote: str = ""
    alternatives: Tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


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

    @property
    def every(self) -> bool:
        """Whether all parts are to hold."""
        return self.most is None and self.least == len(self.parts)

    @property
    def group(self) -> Tuple[str, int]:
        """The word for how many are to hold, with its number: all, any, at_least, exactly or at_most."""
        if self.most is None:
            return "all" if self.every else "any" if self.least == 1 else "at_least", self.least
        return "exactly" if self.least == self.most else "at_most", self.most

    def __str__(self) -> str:
        said = ",".join(map(str, self.parts))
        group, number = self.group
        if group in ("all", "any"):
            return f"{group}({said})"
        written = f"{group}({number},{said})"
        return f"all(at_least({self.least},{said}),{written})" if group == "at_most" and self.least else written


Statement = Union[Holds, Not, Count]


def all_of(*parts: Statement) -> Statement:
    """All of some statements hold; one alone stands for itself."""
    return parts[0] if len(parts) == 1 else Count(parts, len(parts))


def any_of(*parts: Statement) -> Statement:
    """At least one of some statements holds; one alone stands for itself."""
    return parts[0] if len(parts) == 1 else Count(parts, 1)


def facts_in(statement: Statement) -> Iterator[Relation]:
    """Find every fact in a statement, in its order.

    Args:
        statement: a fact, a denial or a group.

    Yields:
        The facts.
    """
    if isinstance(statement, Holds):
        yield statement.fact
    elif isinstance(statement, Not):
        yield from facts_in(statement.part)
    else:
        for part in statement.parts:
            yield from facts_in(part)


@dataclass(frozen=True)
class Stage:
    """Conditions that are to hold at once, after the stages before it.

    Args:
        conditions: all of them hold when the stage is reached.
        robot: the robot that the user named for it; empty for any.
        when: the stage applies only if all of these hold in the observed world as it begins.
        optional: whether the task goes on without it if no way leads to it.
    """

    conditions: Tuple[Statement, ...]
    robot: str = ""
    when: Tuple[Statement, ...] = ()
    optional: bool = False

    def __str__(self) -> str:
        said = " & ".join(map(str, self.conditions))
        if self.when:
            said = f"if {' & '.join(map(str, self.when))}: {said}"
        if self.robot:
            said = f"@{self.robot} {said}"
        return f"maybe {said}" if self.optional else said


@dataclass(frozen=True)
class Goal:
    """What a task is to bring about.

    Args:
        stages: reached one after another; what one made stays until a later one changes it
            (:func:`hicrisp_core.goals.stages.final_conditions`).
        invariants: hold all the way; one that does not hold at first is to hold at the end.
        otherwise: the stages in place of ``stages`` if the first stage's ``when`` does not hold as the task
            begins.
        said: the goal in words, as it is shown to the user; no code reads it.
        source: the name of the model or reader that made it.
    """

    stages: Tuple[Stage, ...] = ()
    invariants: Tuple[Statement, ...] = ()
    otherwise: Tuple[Stage, ...] = ()
    said: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    @classmethod
    def of(cls, *conditions: Statement, invariants: Tuple[Statement, ...] = (), robot: str = "") -> "Goal":
        """Return the goal of one stage, or of no stage without conditions."""
        return cls((Stage(conditions, robot),) if conditions else (), invariants)

    @property
    def empty(self) -> bool:
        """Whether it asks for nothing."""
        return not (self.stages or self.invariants)

    @property
    def statements(self) -> Tuple[Statement, ...]:
        """All conditions: those of the stages in their order, of their alternatives, and the invariants."""
        staged = (each for stage in (*self.stages, *self.otherwise) for each in (*stage.when, *stage.conditions))
        return (*staged, *self.invariants)

    @property
    def robots(self) -> Tuple[str, ...]:
        """The robots that the user named for stages, without repeats."""
        return tuple(dict.fromkeys(stage.robot for stage in (*self.stages, *self.otherwise) if stage.robot))

    @property
    def names(self) -> Tuple[str, ...]:
        """The names of the objects and robots that it mentions, without repeats."""
        named = (name for statement in self.statements for fact in facts_in(statement)
                 for name in (fact.subject, fact.object) if name)
        return tuple(dict.fromkeys((*named, *self.robots)))

    @property
    def texts(self) -> Mapping[str, Tuple[str, ...]]:
        """The goal in writing, by its parts; parts without any are left out."""
        parts = (("stages", self.stages), ("otherwise", self.otherwise), ("invariants", self.invariants))
        return {name: tuple(map(str, each)) for name, each in parts if each}

    def changed(self, change: Callable[[Statement], Statement], robot: Callable[[str], str] = str) -> "Goal":
        """Return the goal with other conditions and names of robots.

        Args:
            change: maps each condition.
            robot: maps each robot's name.

        Returns:
            The changed goal.
        """
        def staged(stages: Tuple[Stage, ...]) -> Tuple[Stage, ...]:
            return tuple(Stage(tuple(map(change, stage.conditions)), robot(stage.robot),
                               tuple(map(change, stage.when)), stage.optional) for stage in stages)

        return replace(self, stages=staged(self.stages), invariants=tuple(map(change, self.invariants)),
                       otherwise=staged(self.otherwise))
