"""Why a statement or a goal cannot be taken: a value with what is wrong and what would be right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Tuple


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
    """The object is none of which the predicate can be said."""
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
