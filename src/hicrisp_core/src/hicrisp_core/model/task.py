"""From the user's words to a robot's command: Task, Plan, Step, Command."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Mapping, Optional, Tuple, Union

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

    ``target`` is where the item shall end up (world frame). ``aim`` is where the robot is told to put it:
    the target less the bias that the action decoder has learnt (HiCRISP, section III-C).
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
    """Metres that a base keeps to things beyond its usual margin."""
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
