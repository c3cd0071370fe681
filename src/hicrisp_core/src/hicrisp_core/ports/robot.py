"""What a robot is asked and answers: RobotPort, Arm, Base and what they exchange."""

from __future__ import annotations

import math
from dataclasses import dataclass
from threading import Event
from typing import Callable, FrozenSet, Optional, Protocol, Sequence, Tuple, Union

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
        """A failure because something is in the way.

        Args:
            touched: what the motion would touch, by name; the empty name is the robot itself.
            where: how the message begins, for example "at the goal, ".
        """
        names = tuple(name for name in touched if name)
        if names:
            listed = " and ".join(f"the {name.replace('_', ' ')}" for name in names)
            why = f"{listed} {'is' if len(names) == 1 else 'are'} in the way"
        else:
            why = "the robot would hit itself" if touched else "something is in the way"
        return cls(kind, f"{where}{why}", names)

    def outcome(self) -> Outcome:
        """The failure as a driver's outcome."""
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
        """The tool centre point as the joints say."""

    def opening(self) -> float:
        """Distance between the fingers, metres."""

    def sync(self, world: WorldState) -> None:
        """Make the planning scene equal to the observed world."""

    def margin(self, pose: Pose) -> Optional[float]:
        """The least distance of a joint from its limits in a posture for a pose, radians, without a look at
        what is around; ``None`` where inverse kinematics finds no posture."""

    def plan_to(
        self, pose: Pose, deadline: Deadline, touch: FrozenSet[str] = frozenset()
    ) -> Union[Trajectory, MotionFailure]:
        """A collision-free motion to a pose; contacts with the objects in ``touch`` are allowed."""

    def plan_line(
        self, pose: Pose, deadline: Deadline, speed: float, touch: FrozenSet[str] = frozenset()
    ) -> Union[Trajectory, MotionFailure]:
        """A straight motion of the tool at ``speed`` m/s, for approach and retreat."""

    def plan_home(self, deadline: Deadline) -> Union[Trajectory, MotionFailure]:
        """A motion to the rest posture."""

    def follow(
        self, trajectory: Trajectory, deadline: Deadline, cancel: Event, stop_on_contact: bool = False
    ) -> Outcome:
        """Execute. With ``stop_on_contact`` an unexpected contact ends the motion early with EXECUTION."""

    def move_gripper(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers."""

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force in newtons until something resists or the fingers meet."""

    def attach(self, object_name: str) -> None:
        """From now on the object, as it was seen last, moves with the hand in collision checks; one that is
        attached already may have slipped in the hand.

        Raises:
            KeyError: when no thing of that name was seen.
        """

    def detach(self) -> None:
        """Nothing is attached any more."""

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop and confirm from the joints that the arm stands still."""


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
        clearance: space to things beyond the base's usual margin, metres.
    """

    keep_out: Tuple[KeepOut, ...] = ()
    clearance: float = 0.0


UNCONSTRAINED = Constraints()


class Base(Protocol):
    """A mobile base."""

    name: str

    def go_to(
        self, pose: Pose, deadline: Deadline, cancel: Event, progress: Progress, manner: Manner = USUAL,
        constraints: Constraints = UNCONSTRAINED,
    ) -> Outcome:
        """Drive to a pose in the map frame.

        PRECONDITION, with the reason as its cause, where it cannot drive in the manner that is asked for or
        cannot honour a constraint; it never drives without.
        """

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop and confirm that the base stands still."""


class RobotPort(Protocol):
    """A robot that carries out commands, whatever it is made of."""

    name: str

    def capabilities(self) -> Sequence[str]:
        """The names of the domain's actions that this robot can carry out."""

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Carry out one command; on return the robot stands still, whatever the outcome."""

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop at once and confirm it."""

    def reset(self) -> None:
        """Forget what a failed command left behind (attached objects, errors)."""
