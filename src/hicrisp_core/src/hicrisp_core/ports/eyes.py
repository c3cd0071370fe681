"""What the eyes are asked and answer: the only way in which the world is learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, FrozenSet, Mapping, NamedTuple, Optional, Protocol, Tuple, runtime_checkable

from hicrisp_core.model import Pose, WorldState
from hicrisp_core.model.scan import Scan
from hicrisp_core.model.track import View
from hicrisp_core.time.deadline import Deadline

Frames = Mapping[str, Tuple[Pose, float]]
"""Frame name to its pose in the world frame and the time stamp of that pose, seconds."""


@dataclass(frozen=True)
class Naming:
    """What became of a name.

    Args:
        name: that the thing has from now on; empty where it got none.
        message: for people.
    """

    name: str
    message: str

    @property
    def ok(self) -> bool:
        """Whether the thing has that name now."""
        return bool(self.name)


class Eyes(Protocol):
    """Turns what sensors show into world states; the same in every world, whoever moves the robots."""

    @property
    def frames(self) -> Tuple[str, ...]:
        """The names of the frames that are looked at."""

    def follow(self, frames: Frames, scan: Optional[Scan] = None) -> None:
        """See what moves between two looks: the more often, the less is missed."""

    def see(self, frames: Frames, now: float, view: Optional[View] = None, *, ahead: Mapping[str, float]) -> WorldState:
        """The world at a moment, seconds of the stamps' clock.

        Args:
            view: what the camera shows of the things, where one looks at them.
            ahead: the frames of which newer poses are stamped ahead of the clock and were not taken, by how
                many seconds.
        """

    def give_name(self, thing: str, name: str) -> Naming:
        """Call an unknown thing by a name from now on.

        Args:
            thing: its present name; empty where only one is there.
        """


class NamingRequest(NamedTuple):
    """What is to be called how, by its present name; that is empty for the only unknown one."""

    thing: str
    name: str


@runtime_checkable
class Namer(Protocol):
    """Whoever keeps the names that people give."""

    def give_name(self, thing: str, name: str) -> Naming:
        """Call an unknown thing by a name from now on.

        Args:
            thing: its present name; empty where only one is there.
        """


class Observer(Protocol):
    """Eyes: the only way in which the world is learnt."""

    def observe(self, deadline: Deadline) -> WorldState:
        """The world as it is seen now, after things have settled; newer than the moment of the call."""


@runtime_checkable
class PartObserver(Observer, Protocol):
    """Eyes that can look while something is still moving on purpose."""

    def observe_beside(self, moving: Callable[[], FrozenSet[str]], deadline: Deadline) -> WorldState:
        """As ``observe``, but the robots and things that ``moving`` names at that moment need not have
        settled.
        """
