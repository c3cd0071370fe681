"""What a robot is asked and answers: RobotPort, Arm, Base and what they exchange."""

from __future__ import annotations

import math
from dataclasses import dataclass
from threading import Event
from typing import Callable, FrozenSet, Optional, Protocol, Sequence, Tuple, Union, runtime_checkable

from hicrisp_core.model import Cause, CauseKind, Command, KeepOut, Outcome, Pose, Status, WorldState
from hicrisp_core.time.deadline import Deadline

CLEAR_VIEW = "clear_view"
"""The command by which an arm moves out of a camera's sight; every arm has it, whatever its domain says."""
MOVE_TOOL = "move_tool"
"""The command that brings an arm's tool to its target, around what is there; every arm has it too."""
Progress = Callable[[str, float], None]
"""Called with the name of the phase and the fraction of the command that is done."""
AWAITED = "wait for "
"""How the name of a phase begins in which a robot waits for what comes back from elsewhere: whoever follows the
task is told."""


@dataclass(frozen=True)
class Trajectory:
    """A timed joint trajectory.

    Args:
        joints: joint names, in the order of the columns.
        times: seconds from the start, increasing, starting at 0.
        positions: one row of joint positions (rad) per time.
        velocities: one row of joint velocities (rad/s) per time.
    """

    joints: Tuple[str, ...]
    times: Tuple[float, ...]
    positions: Tuple[Tuple[float, ...], ...]
    velocities: Tuple[Tuple[float, ...], ...]


@dataclass(frozen=True)
class MotionFailure:
    """Why no motion was found; ``blockers`` are the objects in the way of the best candidate."""

    kind: str
    """``unreachable``, ``goal_in_collision``, ``start_in_collision``, ``no_path``, ``timeout``, or ``lost``
    when nobody plans any more or the planning scene is not known to be the observed world."""
    message: str
    blockers: Tuple[str, ...] = ()

    @classmethod
    def blocked(cls, kind: str, touched: Sequence[str], where: str = "") -> "MotionFailure":
        """Return a failure whose reason is an obstacle.

        Args:
            kind: one of the values of ``kind``, for example ``goal_in_collision``.
            touched: names of what the motion would touch; the empty name is the robot itself.
            where: how the message begins, for example "at the goal, ".

        Returns:
            The failure, with the touched objects as its blockers.
        """
        names = tuple(name for name in touched if name)
        if names:
            listed = " and ".join(f"the {name.replace('_', ' ')}" for name in names)
            why = f"{listed} {'is' if len(names) == 1 else 'are'} in the way"
        else:
            why = "the robot would hit itself" if touched else "something is in the way"
        return cls(kind, f"{where}{why}", names)

    def outcome(self) -> Outcome:
        """Return the failure as a driver's outcome."""
        status = {"timeout": Status.TIMEOUT, "lost": Status.LOST}.get(self.kind, Status.PLANNING)
        cause = CauseKind.BLOCKED if self.blockers else _CAUSES.get(self.kind, CauseKind.UNKNOWN)
        return Outcome(status, self.message, self.blockers, Cause(cause, self.blockers, said=self.message))


_CAUSES = {
    "unreachable": CauseKind.OUT_OF_REACH, "goal_in_collision": CauseKind.BLOCKED,
    "start_in_collision": CauseKind.BLOCKED, "no_path": CauseKind.NO_PATH, "timeout": CauseKind.OUT_OF_TIME,
    "lost": CauseKind.UNREACHABLE_NODE,
}
"""The cause of each kind of MotionFailure where nothing is known to be in the way."""


class Arm(Protocol):
    """One arm with a parallel gripper.

    Poses are of the tool centre point (between the finger tips, z pointing out of the hand) in the world
    frame, metres and unit quaternions (x, y, z, w).
    """

    name: str
    max_opening: float

    def tool_pose(self) -> Pose:
        """Return the pose of the tool centre point by forward kinematics, in the world frame."""

    def opening(self) -> float:
        """Return the distance between the fingers (m)."""

    def sync(self, world: WorldState) -> None:
        """Update the planning scene to the observed world.

        Args:
            world: the latest observation.
        """

    def margin(self, pose: Pose) -> Optional[float]:
        """Compute how far the joints stay from their limits at a pose, ignoring obstacles.

        Args:
            pose: of the tool centre point in the world frame.

        Returns:
            The smallest distance of a joint from its limits (rad); ``None`` if inverse kinematics has no solution.
        """

    def plan_to(
        self, pose: Pose, deadline: Deadline, touch: FrozenSet[str] = frozenset(), then: Sequence[Pose] = ()
    ) -> Union[Trajectory, MotionFailure]:
        """Plan a collision-free motion to a pose.

        Args:
            pose: goal of the tool centre point in the world frame.
            deadline: wall time at which planning ends.
            touch: names of objects with which contact is allowed.
            then: poses to which the tool goes on from there in straight lines; the motion ends in a posture from which
                it can, and touches something only where it has to.

        Returns:
            The trajectory, or why no motion was found.
        """

    def plan_line(
        self, pose: Pose, deadline: Deadline, speed: float, touch: FrozenSet[str] = frozenset()
    ) -> Union[Trajectory, MotionFailure]:
        """Plan a straight motion of the tool, for approach and retreat.

        Args:
            pose: goal of the tool centre point in the world frame.
            deadline: wall time at which planning ends.
            speed: of the tool along the line, m/s.
            touch: names of objects with which contact is allowed.

        Returns:
            The trajectory, or why no motion was found.
        """

    def plan_home(self, deadline: Deadline) -> Union[Trajectory, MotionFailure]:
        """Plan a motion to the rest posture.

        Args:
            deadline: wall time at which planning ends.

        Returns:
            The trajectory, or why no motion was found.
        """

    def follow(
        self, trajectory: Trajectory, deadline: Deadline, cancel: Event, stop_on_contact: bool = False
    ) -> Outcome:
        """Execute a trajectory.

        Args:
            trajectory: a motion that starts at the current joint positions.
            deadline: wall time at which the motion is stopped.
            cancel: stops the motion when it is set.
            stop_on_contact: whether an unexpected contact ends the motion early with ``EXECUTION``.

        Returns:
            What the driver reports.
        """

    def move_gripper(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Move the fingers to a distance.

        Args:
            opening: distance between the fingers (m).
            deadline: wall time at which the motion is stopped.
            cancel: stops the motion when it is set.

        Returns:
            What the driver reports.
        """

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close the gripper until something resists or the fingers meet.

        Args:
            force: closing force (N).
            deadline: wall time at which the motion is stopped.
            cancel: stops the motion when it is set.

        Returns:
            What the driver reports.
        """

    def attach(self, object_name: str) -> None:
        """Attach an object to the hand for collision checks, at the pose where it was last observed.

        An attached object may have slipped in the hand; attaching it again updates its pose.

        Args:
            object_name: name of the object in the world that was last given to :meth:`sync`.

        Raises:
            KeyError: if no object of that name was observed.
        """

    def detach(self) -> None:
        """Detach every object from the hand."""

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop and confirm from the joints that the arm stands still.

        Args:
            deadline: wall time by which the arm must stand still.

        Returns:
            Success only if standstill was confirmed.
        """


@dataclass(frozen=True)
class Manner:
    """How a drive differs from the base's usual ones: slower, or ending nearer to its goal.

    Args:
        speed: greatest forward speed, m/s.
        tolerance: how far from the goal it may end, metres.
    """

    speed: float = math.inf
    tolerance: float = math.inf


USUAL = Manner()


@dataclass(frozen=True)
class Constraints:
    """What a trajectory of a base must respect.

    Args:
        keep_out: ground in the map frame that no part of the base may be over.
        clearance: space to objects beyond the base's usual margin, metres.
    """

    keep_out: Tuple[KeepOut, ...] = ()
    clearance: float = 0.0


UNCONSTRAINED = Constraints()


@runtime_checkable
class ReadyingArm(Protocol):
    """An arm whose fingers move while it does."""

    def ready_gripper(self, opening: float) -> None:
        """Have the fingers move to a distance during the next motion, which is planned for that and ends with them
        there.

        Args:
            opening: distance between the fingers (m).
        """


class Base(Protocol):
    """A mobile base."""

    name: str

    def go_to(
        self, pose: Pose, deadline: Deadline, cancel: Event, progress: Progress, manner: Manner = USUAL,
        constraints: Constraints = UNCONSTRAINED,
    ) -> Outcome:
        """Drive to a pose. The base never drives without honouring the manner and the constraints.

        Args:
            pose: goal in the map frame, metres.
            deadline: wall time at which the drive is stopped.
            cancel: stops the drive when it is set.
            progress: called with the phase and the fraction of the drive that is done, 0 to 1.
            manner: speed limit (m/s) and goal tolerance (m).
            constraints: ground to keep out of and additional clearance (m).

        Returns:
            What the driver reports; ``PRECONDITION`` with its cause if the manner or a constraint cannot be
                honoured.
        """

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop and confirm that the base stands still.

        Args:
            deadline: wall time by which the base must stand still.

        Returns:
            Success only if standstill was confirmed.
        """


class RobotPort(Protocol):
    """A robot that carries out commands, whatever it is made of."""

    name: str

    def capabilities(self) -> Sequence[str]:
        """Return the names of the domain's actions that this robot can carry out."""

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Carry out one command. On return the robot stands still, whatever the outcome.

        Args:
            command: an aimed command for this robot.
            deadline: wall time at which the command is stopped.
            cancel: stops the command when it is set.
            progress: called with the phase and the fraction of the command that is done, 0 to 1.

        Returns:
            What the driver reports; a claim that the detector checks.
        """

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop at once and confirm it.

        Args:
            deadline: wall time by which the robot must stand still.

        Returns:
            Success only if standstill was confirmed.
        """

    def reset(self) -> None:
        """Clear what a failed command left behind, such as attached objects and error states."""
