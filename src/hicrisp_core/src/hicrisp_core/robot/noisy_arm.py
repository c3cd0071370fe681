"""An arm that misses: HiCRISP's experiment (section IV-B) for arms that do not come from a simulator of
ours.
"""

from __future__ import annotations

import random
from threading import Event
from typing import FrozenSet, Optional, Union

from hicrisp_core.model import Outcome, Pose, WorldState
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.model.offsets import Planar
from hicrisp_core.ports.robot import Arm, MotionFailure, Trajectory
from hicrisp_core.time.deadline import Deadline

_STRAIGHT = 0.002
"""How far aside a motion may go that only lowers what is held, metres."""
_LEVEL = 0.005
"""How much higher than it begins a motion may end that is an approach, metres."""


class Approaches:
    """Tells a commanded approach, which misses anew, from the straight way down where the last one ended.

    However a goal is approached again, from afar or by a small correction, it is another approach.
    """

    def __init__(self) -> None:
        self._ended: Optional[Pose] = None

    def begin(self) -> None:
        """What comes is another placement: its first motion is an approach."""
        self._ended = None

    def ended(self, tool: Pose) -> None:
        """An approach leads to this tool pose."""
        self._ended = tool

    def only_lowers(self, start: Pose, end: Pose) -> bool:
        """Whether a motion of the tool goes straight down from where the last approach ended."""
        return self._ended is not None and end.position[2] <= start.position[2] and all(
            planar_distance(each.position, self._ended.position) <= _STRAIGHT for each in (start, end))


class NoisyArm:
    """Moves as its arm does, but brings what it holds beside where it is told to: an injected failure.

    Every commanded approach with something in the hand misses anew; going straight down from where it ended
    misses no further.

    Args:
        sigma: standard deviation of the miss along x and along y of the world, metres.
        seed: of the draws.
        mean: what every miss has in common, along x and along y, metres.
    """

    def __init__(self, arm: Arm, sigma: float, seed: int = 0, mean: Planar = (0.0, 0.0)) -> None:
        self.name, self.max_opening = arm.name, arm.max_opening
        self._arm = arm
        self._sigma, self._mean = sigma, mean
        self._dice = random.Random(seed)
        self._approaches = Approaches()
        self._holds = False
        self._things: FrozenSet[str] = frozenset()

    def tool_pose(self) -> Pose:
        return self._arm.tool_pose()

    def opening(self) -> float:
        return self._arm.opening()

    def sync(self, world: WorldState) -> None:
        self._things = frozenset(world.objects)
        self._arm.sync(world)

    def margin(self, pose: Pose) -> Optional[float]:
        return self._arm.margin(pose)

    def plan_to(
        self, pose: Pose, deadline: Deadline, touch: FrozenSet[str] = frozenset()
    ) -> Union[Trajectory, MotionFailure]:
        self._approaches.begin()
        return self._arm.plan_to(pose, deadline, touch)

    def plan_line(
        self, pose: Pose, deadline: Deadline, speed: float, touch: FrozenSet[str] = frozenset()
    ) -> Union[Trajectory, MotionFailure]:
        """The straight motion, beside where it is told to if it is an approach; nobody knows what it meets
        there.
        """
        here = self._arm.tool_pose()
        approaches = self._holds and pose.position[2] <= here.position[2] + _LEVEL
        if not approaches or self._approaches.only_lowers(here, pose):
            return self._arm.plan_line(pose, deadline, speed, touch)
        x, y = (self._dice.gauss(mean, self._sigma) for mean in self._mean)
        missed = pose.shifted((x, y, 0.0))
        self._approaches.ended(missed)
        return self._arm.plan_line(missed, deadline, speed, self._things)

    def plan_home(self, deadline: Deadline) -> Union[Trajectory, MotionFailure]:
        return self._arm.plan_home(deadline)

    def follow(
        self, trajectory: Trajectory, deadline: Deadline, cancel: Event, stop_on_contact: bool = False
    ) -> Outcome:
        return self._arm.follow(trajectory, deadline, cancel, stop_on_contact)

    def move_gripper(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        return self._arm.move_gripper(opening, deadline, cancel)

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        return self._arm.grasp(force, deadline, cancel)

    def attach(self, object_name: str) -> None:
        self._holds = True
        self._arm.attach(object_name)

    def detach(self) -> None:
        self._holds = False
        self._arm.detach()

    def stop(self, deadline: Deadline) -> Outcome:
        return self._arm.stop(deadline)
