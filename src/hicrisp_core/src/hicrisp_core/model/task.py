"""From the user's words to a robot's command: Task, Plan, Step, Command."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import FrozenSet, List, Mapping, Optional, Set, Tuple, Union

from hicrisp_core.model.geometry import Pose, Vector
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.keep_out import KeepOut

Value = Union[str, float]
OFFLINE_SOURCE = "offline"
"""The source of plans that no model made."""


@dataclass(frozen=True)
class Task:
    """The user's request in plain language."""

    text: str
    id: str = ""
    robot: str = ""
    """The robot that was asked for; empty when any capable one may do it."""


@dataclass(frozen=True)
class Step:
    """One step of a plan: a sentence and one action of the domain with its arguments by parameter name.

    A step that is only words has an empty action: the body finds the command (BrainBody-LLM, section 3.2).
    """

    text: str
    action: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    robot: str = ""
    after: Optional[Tuple[int, ...]] = None
    """The indices in the plan, from 0, of the steps that it waits for; ``None`` where the plan does not say:
    for the step before it."""

    def __str__(self) -> str:
        if not self.action:
            return self.text
        return f"{self.action}({', '.join(str(value) for value in self.arguments.values())})"


@dataclass(frozen=True)
class Plan:
    """What the brain answers: ordered steps, where they came from and why."""

    steps: Tuple[Step, ...]
    source: str = ""
    """``openai:<model>`` or ``offline``."""
    reasoning: str = ""
    request: str = ""
    """The task as the brain understood it, complete in itself; empty where the user's own words are."""
    goal: Optional[Goal] = None
    """What the task means; ``None`` where the brain does not say."""


@dataclass(frozen=True)
class Command:
    """A grounded action for one robot: the body's output, the driver's input.

    ``target`` is where the item shall end up (world frame); of a command that only takes it, where it goes next.
    ``aim`` is where the robot is told to put it: the target less the bias that the action decoder has learnt (HiCRISP,
    section III-C).
    """

    action: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    robot: str = ""
    target: Optional[Pose] = None
    aim: Optional[Pose] = None
    time_limit: float = 30.0
    """Seconds of the robot's clock."""
    avoid: Tuple[Vector, ...] = ()
    """Positions that no target may be at, such as those to which no motion was found: constraints of the next
    target (section III-C)."""
    apart: float = 0.02
    """Least distance of a target from each of them in the plane, metres."""
    keep_out: Tuple[KeepOut, ...] = ()
    """Ground that no part of a base may be over: zones, and constraints of the next trajectory."""
    clearance: float = 0.0
    """Metres that a base keeps to objects beyond its usual margin."""
    look_within: float = 0.0
    """How far from where it should be an item may be seen when the hand lets it go, or closes around it,
    metres in the plane; 0: nobody looks before."""

    def argument(self, name: str) -> str:
        """Return an argument as text.

        Args:
            name: the parameter.

        Returns:
            Its text; empty if the command lacks it.
        """
        return str(self.arguments.get(name, ""))

    def aimed(self, target: Optional[Pose], aim: Optional[Pose]) -> "Command":
        """Return the command with another goal.

        Args:
            target: pose at which the object shall be, world frame.
            aim: the pose to approach instead, corrected by the bias.

        Returns:
            The new command.
        """
        return replace(self, target=target, aim=aim)

    def __str__(self) -> str:
        return f"{self.action}({', '.join(str(value) for value in self.arguments.values())})"


@dataclass(frozen=True)
class Itinerary:
    """Groups of areas, one after another; the areas of one group may be visited in any order.

    ``put_off`` are areas that could not be reached: nothing waits for them any more. ``ordered`` says that
    the task asked for more than one group, so that a visit made up for later is out of order.
    """

    groups: Tuple[Tuple[str, ...], ...] = ()
    put_off: FrozenSet[str] = frozenset()
    ordered: bool = False

    @property
    def due(self) -> Tuple[str, ...]:
        """The areas that may be visited now; one that was put off still may where no order was asked for."""
        now = next((left for left in (self._left(group) for group in self.groups) if left), ())
        return now if self.ordered else (*now, *sorted(self.put_off.intersection(self.remaining)))

    @property
    def remaining(self) -> Tuple[str, ...]:
        """Every area that is still to be visited, in order, also those put off."""
        return tuple(area for group in self.groups for area in group)

    def visited(self, area: str) -> "Itinerary":
        """Remove a visited area; a visit out of turn changes nothing.

        Args:
            area: name of the area.

        Returns:
            What is left.
        """
        for index, group in enumerate(self.groups):
            if area in group:
                rest = tuple(name for name in group if name != area)
                groups = (*self.groups[:index], *((rest,) if rest else ()), *self.groups[index + 1:])
                return replace(self, groups=groups, put_off=self.put_off - {area})
            if self._left(group):
                break
        return self

    def without(self, area: str) -> "Itinerary":
        """Let no later visit wait for an area.

        Args:
            area: name of the area.

        Returns:
            The itinerary with the area put off.
        """
        return replace(self, put_off=self.put_off | {area})

    def before(self, area: str) -> Tuple[str, ...]:
        """List the areas to be visited before an area.

        Args:
            area: name of the area.

        Returns:
            Names in order; none if the area is due or not part of the itinerary.
        """
        found: Set[str] = set()
        ordered: List[str] = []
        for group in self.groups:
            if area in group:
                return tuple(ordered)
            ordered += [name for name in self._left(group) if name not in found]
            found.update(group)
        return ()

    def _left(self, group: Tuple[str, ...]) -> Tuple[str, ...]:
        return tuple(area for area in group if area not in self.put_off)
