"""What the eyes are asked and answer: the only way in which the world is learnt."""

from __future__ import annotations

from typing import Callable, FrozenSet, Protocol, runtime_checkable

from hicrisp_core.model import WorldState
from hicrisp_core.time.deadline import Deadline


class Observer(Protocol):
    """Eyes: the only way in which the world is learnt."""

    def observe(self, deadline: Deadline) -> WorldState:
        """The world as it is seen now, after things have settled; newer than the moment of the call."""


@runtime_checkable
class PartObserver(Observer, Protocol):
    """Eyes that can look while something is still moving on purpose."""

    def observe_beside(self, moving: Callable[[], FrozenSet[str]], deadline: Deadline) -> WorldState:
        """As ``observe``, but the robots and things that ``moving`` names at that moment need not have settled."""
