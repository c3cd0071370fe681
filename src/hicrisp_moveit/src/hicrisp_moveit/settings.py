"""Names, frames, speeds and limits of an arm behind MoveIt; read from ``config/robots/<name>.yaml``."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Sequence, Tuple, Union

import numpy as np
from hicrisp_core.config.settings import STRICT, Part, fixed, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_euler
from hicrisp_core.ports.kinds import Driver
from hicrisp_core.robot.description import SECTION
from pydantic import NonNegativeFloat, NonNegativeInt
from pydantic.dataclasses import dataclass
from typing_extensions import Literal


@dataclass(frozen=True, config=STRICT)
class MoveItSettings:
    """How one arm's move_group is met.

    Args:
        group: the planning group; its active joints are the arm's.
        hand_group: the group of the gripper's joints.
        tool_link: the link that is planned for.
        hand_links: links that may touch what is grasped.
        rest: the posture of rest, radians, in the order of the group's joints.
        tcp: the tool centre point in the tool link: x, y, z (metres), roll, pitch, yaw (radians).
        planner: id of the planner.
        planning_time: longest search, seconds of wall time.
        attempts: plans from which the shortest is taken.
        velocity: part of the joints' speed limits.
        acceleration: part of the joints' acceleration limits.
        joint_acceleration: acceleration limit of a joint for which MoveIt has none, rad/s^2.
        position_tolerance: of a planned goal, metres.
        orientation_tolerance: of a planned goal, radians.
        start_tolerance: how far a joint may be from where a motion begins, radians.
        goal_tolerance: how far a joint may be from where a motion ended, radians.
        line_step: metres of the tool between two points of a line.
        line_jump: turn of a joint between two points of a line that is a jump to another posture, radians.
        ik_time: longest search for a posture, seconds.
        namespace: of move_group's names.
        robot_description: parameter with the URDF.
        joint_states: topic with the joints' positions.
        controllers: FollowJointTrajectory actions that carry motions out; they are told to stop, too, and
            asked why they gave up.
        world_frame: the frame of the poses of objects.
        service_wait: longest wait for an answer of one of move_group's services, seconds.
        server_wait: longest wait for the execution's server, seconds.
        joint_age: time without joint states after which the arm is lost, seconds.
        still: turn of a joint below which it counts as standing, radians.
        still_time: for how long it must, seconds.
        stop_limit: time within which a stop must be confirmed, seconds.
    """

    group: str
    hand_group: str
    tool_link: str
    hand_links: Tuple[str, ...]
    rest: Tuple[float, ...]
    tcp: Tuple[float, float, float, float, float, float] = (0.0,) * 6
    planner: str = "RRTConnect"
    planning_time: NonNegativeFloat = 2.0
    attempts: NonNegativeInt = fixed(1)
    velocity: Part = 0.1
    acceleration: Part = 0.1
    joint_acceleration: NonNegativeFloat = fixed(2.0)
    position_tolerance: NonNegativeFloat = fixed(0.001)
    orientation_tolerance: NonNegativeFloat = fixed(0.01)
    start_tolerance: NonNegativeFloat = fixed(0.02)
    goal_tolerance: NonNegativeFloat = fixed(0.02)
    line_step: NonNegativeFloat = fixed(0.01)
    line_jump: NonNegativeFloat = fixed(0.35)
    ik_time: NonNegativeFloat = fixed(0.1)
    namespace: str = "/"
    robot_description: str = "/robot_description"
    joint_states: str = "/joint_states"
    controllers: Tuple[str, ...] = ("/position_joint_trajectory_controller/follow_joint_trajectory",
                                    "/effort_joint_trajectory_controller/follow_joint_trajectory")
    world_frame: str = "world"
    service_wait: NonNegativeFloat = fixed(2.0)
    server_wait: NonNegativeFloat = fixed(3.0)
    joint_age: NonNegativeFloat = 1.0
    still: NonNegativeFloat = fixed(0.002)
    still_time: NonNegativeFloat = fixed(0.2)
    stop_limit: NonNegativeFloat = fixed(2.0)

    def name(self, name: str) -> str:
        """One of move_group's names with its namespace."""
        return f"{self.namespace.rstrip('/')}/{name}"

    @property
    def tcp_pose(self) -> Pose:
        """The tool centre point in the tool link."""
        x, y, z, roll, pitch, yaw = self.tcp
        return Pose((x, y, z), from_euler(roll, pitch, yaw))


@dataclass(frozen=True, config=STRICT)
class GripperSettings:
    """How one parallel gripper is told what to do.

    Args:
        fingers: the finger joints. The positions of two add up to the opening where ``opening`` says nothing
            else, which is right for two that slide.
        opening: positions of the first finger joint, radians or metres, each with the metres between the
            fingers there: ``[[0.0, 0.085], [0.8, 0.0]]`` for a joint that closes the hand by turning up; more
            rows for a linkage that is not linear. In between it is interpolated. Every driven joint gets the
            same position.
        kind: ``franka`` (move, grasp, homing), ``gripper_command`` (control_msgs), ``group`` (a trajectory
            for the hand's joints through MoveIt), or ``auto`` (``franka`` where its actions are served, else
            ``gripper_command``).
        action: the action's name; for ``franka`` and ``auto`` the namespace of its actions, in which ``auto``
            takes ``gripper_action`` for the other kind.
        driven: the finger joints that a trajectory of kind ``group`` names; by default the first.
        command: what a goal's position says (``gripper_command``): that of the ``joint``, or the ``opening``
            in metres.
        position: of a commanded joint for an opening of one metre; an older form of ``opening`` and
            ``command``, for two fingers that slide.
        max_opening: metres between the fingers.
        max_force: newtons.
        effort: of a movement that is no grasp (``gripper_command``), newtons.
        speed: metres a second between the fingers.
        tolerance: how far from where they were told to the fingers may stop, metres.
        homing: whether the fingers are homed at the start, and again where the hand says that it must be
            (``franka``). Nothing may be between them then.
    """

    fingers: Tuple[str, ...]
    kind: str = "gripper_command"
    action: str = "/franka_gripper/gripper_action"
    driven: Tuple[str, ...] = ()
    opening: Tuple[Tuple[float, float], ...] = ()
    command: Literal["joint", "opening"] = "joint"
    position: Optional[NonNegativeFloat] = None
    max_opening: NonNegativeFloat = 0.08
    max_force: NonNegativeFloat = 70.0
    effort: NonNegativeFloat = 20.0
    speed: NonNegativeFloat = 0.1
    tolerance: NonNegativeFloat = fixed(0.004)
    homing: bool = False

    def __post_init__(self) -> None:
        if not self.opening:
            if len(self.fingers) != 2:
                raise ValueError(opening_wanted(self.fingers))
            return
        ordered = sorted(self.opening)
        widths = [width for _, width in ordered]
        steps = [b - a for a, b in zip(widths, widths[1:])]
        if not steps or not (min(steps) > 0.0 or max(steps) < 0.0) or min(widths) < 0.0:
            raise ValueError("opening: two or more rows [POSITION, METRES] are needed, with openings of at least 0 "
                             f"that only grow or only shrink with the position, got {list(map(list, self.opening))}")
        if self.max_opening > max(widths) + self.tolerance:
            raise ValueError(f"max_opening is {self.max_opening:g} m, and 'opening' ends at {max(widths):g} m")
        if self.position is not None:
            raise ValueError("position: leave it out beside 'opening', which says what the joint is told; where the "
                             "action takes metres between the fingers, write command: opening")

    def opening_at(self, positions: Sequence[float]) -> float:
        """Return the metres between the fingers for the finger joints' positions."""
        if not self.opening:
            return sum(positions)
        at, widths = np.array(sorted(self.opening)).T
        return float(np.interp(positions[0], at, widths))

    def joint_at(self, opening: float) -> float:
        """Return the position of a driven joint for metres between the fingers."""
        if not self.opening:
            return opening * (0.5 if self.position is None else self.position)
        widths, at = np.array(sorted((width, at) for at, width in self.opening)).T
        return float(np.interp(opening, widths, at))

    def commanded(self, opening: float) -> float:
        """Return the position in a goal of ``gripper_command`` for metres between the fingers."""
        return opening if self.command == "opening" else self.joint_at(opening)

    def way(self, opening: float) -> float:
        """Return how far a finger joint moves at least when the opening changes by so many metres."""
        rows = sorted(self.opening)
        return opening * min((abs((b[0] - a[0]) / (b[1] - a[1])) for a, b in zip(rows, rows[1:])), default=1.0)


@dataclass(frozen=True, config=STRICT)
class FrankaSettings:
    """Franka's own hardware interface.

    Args:
        namespace: of franka_control's names.
        states: topic with franka_msgs/FrankaState.
        state_age: time without a state after which the robot is lost, seconds.
        contact_force: change of the force on the tool that ends a guarded motion, newtons.
        recoveries: automatic error recoveries that are tried before a command is refused.
        recovery_wait: longest recovery, seconds.
        collision_torques: from which on a joint's reflex stops the arm, newton metres.
        collision_forces: the same at the tool, newtons and newton metres.
    """

    namespace: str = "/franka_control"
    states: str = "/franka_state_controller/franka_states"
    state_age: NonNegativeFloat = 1.0
    contact_force: NonNegativeFloat = 6.0
    recoveries: NonNegativeInt = 1
    recovery_wait: NonNegativeFloat = fixed(5.0)
    collision_torques: Tuple[float, float, float, float, float, float, float] = (
        20.0, 20.0, 18.0, 18.0, 16.0, 14.0, 12.0)
    collision_forces: Tuple[float, float, float, float, float, float] = (20.0, 20.0, 20.0, 25.0, 25.0, 25.0)


@dataclass(frozen=True, config=STRICT)
class ArmFile:
    """Everything that a robot's file says; ``franka`` is ``None`` for other hardware.

    Args:
        name: the robot's name.
        moveit: how its move_group is met.
        gripper: how its fingers are moved.
        franka: for Franka's own hardware.
    """

    name: str
    moveit: MoveItSettings
    gripper: GripperSettings
    franka: Optional[FrankaSettings] = None


def load_arm_file(path: Union[str, Path]) -> ArmFile:
    """The settings of a robot's file: its names must be there; other keys keep their defaults.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(path)
    file = read_settings(ArmFile, values, positions, others=(SECTION,))
    if file.gripper.kind not in extensions().grippers:
        raise positions.error(("gripper", "kind"), extensions().grippers.unknown(file.gripper.kind))
    return file


def opening_wanted(fingers: Sequence[str]) -> str:
    """Say what a robot's file has to hold of finger joints whose positions do not add up to the opening."""
    return (f"how far the fingers are apart does not follow from {', '.join(fingers) or 'no joint'}: write 'opening', "
            "positions of the joint with the metres between the fingers there, for example [[0.0, 0.085], [0.8, 0.0]] "
            "for a joint that is 0 rad with the fingers 85 mm apart and 0.8 rad when they meet")


DRIVER = Driver(load_arm_file)
