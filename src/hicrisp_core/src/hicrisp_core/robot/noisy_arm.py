"""An arm that misses: HiCRISP's experiment (section IV-B) for arms that do not come from a simulator of
ours.
"""

from __future__ import annotations

import random
from typing import Any, FrozenSet, Optional, Sequence, Union

from hicrisp_core.model import Pose, WorldState
from hicrisp_core.model.geometry import Planar, planar_distance
from hicrisp_core.ports.robot import Arm, MotionFailure, Trajectory
from hicrisp_core.time.deadline import Deadline

_STRAIGHT = 0.002
"""How far aside a motion may go that only lowers what is held, metres."""
_LEVEL = 0.005
"""How much higher than it begins a motion may end that is an approach, metres."""


class Approaches:
    """Distinguishes a commanded approach, which gets a new error, from the straight descent where the last one ended.

    However a goal is approached again, from afar or by a small correction, it is another approach.
    """

    def __init__(self) -> None:
        self._ended: Optional[Pose] = None

    def begin(self) -> None:
        """Start another placement: its first motion is an approach."""
        self._ended = None

    def ended(self, tool: Pose) -> None:
        """Record where the last approach ended.

        Args:
            tool: tool pose at its end, world frame.
        """
        self._ended = tool

    def only_lowers(self, start: Pose, end: Pose) -> bool:
        """Check whether a motion goes straight down from the end of the last approach.

        Args:
            start: tool pose before the motion.
            end: tool pose after it.

        Returns:
            True if it only lowers the tool; false before the first approach.
        """
        return self._ended is not None and end.position[2] <= start.position[2] and all(
            planar_distance(each.position, self._ended.position) <= _STRAIGHT for each in (start, end))


class NoisyArm:
    """Moves as its arm does, but misses the commanded pose with an object in hand: an injected failure.

    Every commanded approach with an object in hand gets a new error; going straight down from where it ended
    misses no further.

    Args:
        sigma: standard deviation of the miss along x and along y of the world, metres.
        seed: of the draws.
        mean: what every miss has in common, along x and along y, metres.
    """

    def __init__(self, arm: Arm, sigma: float, seed: int = 0, mean: Planar = (0.0, 0.0)) -> None:
        self._arm = arm
        self._sigma, self._mean = sigma, mean
        self._dice = random.Random(seed)
        self._approaches = Approaches()
        self._holds = False
        self._objects: FrozenSet[str] = frozenset()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._arm, name)  # Whatever is said about no approach is the arm's.

    def sync(self, world: WorldState) -> None:
        """Make the planning scene equal to the observed world.

        Args:
            world: observed objects, robots and facts; poses in the world frame.
        """
        self._objects = frozenset(world.objects)
        self._arm.sync(world)

    def plan_to(
        self, pose: Pose, deadline: Deadline, touch: FrozenSet[str] = frozenset(), then: Sequence[Pose] = ()
    ) -> Union[Trajectory, MotionFailure]:
        """Plan a collision-free motion to a pose.

        Args:
            pose: tool pose in the world frame.
            deadline: wall-clock limit of the call.
            touch: names of objects that may be touched.
            then: poses to which the tool goes on from there in straight lines.

        Returns:
            The trajectory, or why none was found.
        """
        self._approaches.begin()
        return self._arm.plan_to(pose, deadline, touch, then)

    def plan_line(
        self, pose: Pose, deadline: Deadline, speed: float, touch: FrozenSet[str] = frozenset()
    ) -> Union[Trajectory, MotionFailure]:
        """Plan a straight motion; an approach with an object in hand ends beside its target, by the injected
        error.

        Args:
            pose: tool pose in the world frame.
            deadline: wall-clock limit of the call.
            speed: of the tool, m/s.
            touch: names of objects that may be touched; an erroneous approach is not checked for collisions.

        Returns:
            The trajectory, or why none was found.
        """
        here = self._arm.tool_pose()
        approaches = self._holds and pose.position[2] <= here.position[2] + _LEVEL
        if not approaches or self._approaches.only_lowers(here, pose):
            return self._arm.plan_line(pose, deadline, speed, touch)
        x, y = (self._dice.gauss(mean, self._sigma) for mean in self._mean)
        missed = pose.shifted((x, y, 0.0))
        self._approaches.ended(missed)
        return self._arm.plan_line(missed, deadline, speed, self._objects)

    def attach(self, object_name: str) -> None:
        """Attach an object to the hand in the planning scene.

        Args:
            object_name: name of the object.
        """
        self._holds = True
        self._arm.attach(object_name)

    def detach(self) -> None:
        """Detach the object from the hand in the planning scene."""
        self._holds = False
        self._arm.detach()
