"""What is read from a model's answer, before any name is checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple


@dataclass(frozen=True)
class RawStep:
    """An action with its arguments as they were written.

    Args:
        positional: arguments without names, in their order.
        named: arguments by parameter name.
        quote: the text that this was read from.
        after: the indices of the steps that it waits for, where the plan says so.
    """

    action: str
    positional: Tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    quote: str = ""
    after: Optional[Tuple[int, ...]] = None


@dataclass(frozen=True)
class ParseFailure:
    """Why an answer could not be read, and the place."""

    message: str
    quote: str = ""

    def __str__(self) -> str:
        return f"{self.message}: '{self.quote[:160]}'" if self.quote else self.message
