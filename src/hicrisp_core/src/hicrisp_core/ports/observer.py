"""How the world is observed: from sensors to states of the world, and the names that people and models give."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Callable, FrozenSet, Mapping, NamedTuple, Optional, Protocol, Tuple, runtime_checkable

from hicrisp_core.model import Pose, Relation, Tracks, WorldState
from hicrisp_core.model.scan import Scan
from hicrisp_core.time.deadline import Deadline

Frames = Mapping[str, Tuple[Pose, float]]
"""Frame name to its pose in the world frame and the time stamp of that pose, seconds."""


@dataclass(frozen=True)
class Naming:
    """What became of a name.

    Args:
        name: that the object has from now on; empty where it got none.
        message: for people.
    """

    name: str
    message: str

    @property
    def ok(self) -> bool:
        """Return whether the object has the name now."""
        return bool(self.name)


class NamingRequest(NamedTuple):
    """What an unknown object is to be called.

    Args:
        thing: its present name; empty if there is only one unknown object.
        name: the new name in words; empty to keep the present one, for a guess.
        attributes: what else language may call it by, such as ``{"colour": "white", "also": "cup"}``; empty to keep
            those that it has.
        guess: whether a model gives the name. A guess is for objects without a name only, and gets a number where it
            is taken; the name that a user gives replaces any other.
    """

    thing: str
    name: str
    attributes: Mapping[str, str] = MappingProxyType({})
    guess: bool = False


class Estimator(Protocol):
    """Turns what sensors show into world states; the same in every world, whoever moves the robots."""

    @property
    def frames(self) -> Tuple[str, ...]:
        """Return the names of the frames that are read."""

    def follow(self, frames: Frames, scan: Optional[Scan] = None) -> None:
        """Record motion between two observations; frequent calls miss less.

        Args:
            frames: current poses in the world frame with their stamps, seconds.
            scan: the latest lidar turn, in the map frame; ``None`` without a lidar.
        """

    def see(
        self, frames: Frames, now: float, view: Optional[Tracks] = None, *, ahead: Mapping[str, float]
    ) -> WorldState:
        """Build the world state at a moment.

        Args:
            frames: poses in the world frame with their stamps, seconds.
            now: the moment, seconds of the stamps' clock.
            view: what the camera shows of the objects; ``None`` if their poses come from frames.
            ahead: frames whose newer poses were rejected because they are stamped ahead of the clock, with the lead
                in seconds.

        Returns:
            The objects, robots and relations that are known at that moment.
        """

    def measure(self, facts: FrozenSet[Relation]) -> None:
        """Take in what was measured besides poses, such as the levels of vessels.

        Args:
            facts: all that holds now of their predicates.
        """

    def give_name(self, wanted: NamingRequest) -> Naming:
        """Rename an unknown object.

        Args:
            wanted: which object, its new name, and who gives it.

        Returns:
            The name that was given, or why none was.
        """


@runtime_checkable
class Namer(Protocol):
    """Keeps the names that people and models give."""

    def give_name(self, wanted: NamingRequest) -> Naming:
        """Rename an unknown object.

        Args:
            wanted: which object, its new name, and who gives it.

        Returns:
            The name that was given, or why none was.
        """


class Observer(Protocol):
    """Observes the world; there is no other way to learn of it."""

    def observe(self, deadline: Deadline) -> WorldState:
        """Observe the world after it has settled.

        Args:
            deadline: wall time at which waiting ends.

        Returns:
            A state that is newer than the moment of the call.
        """


@runtime_checkable
class PartObserver(Observer, Protocol):
    """Observes also while something is still moving on purpose."""

    def observe_beside(self, moving: Callable[[], FrozenSet[str]], deadline: Deadline) -> WorldState:
        """Observe the world while some robots or objects are still moving on purpose.

        Args:
            moving: returns the names of the robots and objects that need not have settled; called repeatedly.
            deadline: wall time at which waiting ends.

        Returns:
            A state that is newer than the moment of the call.
        """
