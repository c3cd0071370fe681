"""Injected failures: seeded faults in the actuator, the gripper, the sensors and the world."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import Counter, Dict, FrozenSet, List, Mapping, Sequence

import numpy as np
from hicrisp_core.model import Command, Pose, WorldObject
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.ports.robot import Trajectory
from hicrisp_core.robot.noisy_arm import Approaches
from hicrisp_core.scene import SceneFault
from hicrisp_core.scene import fault_schedule as schedule
from hicrisp_core.scene.relocation import Relocation, draw_unknown_object
from hicrisp_core.scene.scene import ROOM_FLOOR

from hicrisp_sim.arm import EmbeddedArm
from hicrisp_sim.camera_faults import CAMERA_KINDS, CameraFaults
from hicrisp_sim.kinematics import Kinematics
from hicrisp_sim.mujoco_poses import pose_of
from hicrisp_sim.simulation import Simulation
from hicrisp_sim.timing import trajectory_of


def hands(simulation: Simulation) -> Relocation:
    """Return the means to move objects of a simulation.

    Args:
        simulation: the simulation whose objects are moved.

    Returns:
        The relocation.
    """

    def objects() -> Dict[str, WorldObject]:
        found: Dict[str, WorldObject] = {}
        for item in (*simulation.scene.things, *simulation.scene.unknown):
            if not item.movable:
                continue
            placed = simulation.data.joint(item.name).qpos
            found[item.name] = replace(item, pose=pose_of(placed[:3], placed[3:]))
        return found

    return Relocation(objects, lambda: simulation.scene.table, simulation.put,
                      lambda: [item for item in simulation.scene.objects.values() if not item.movable])


_DRAWN: Mapping[str, schedule.FaultKind] = {
    "place_offset": schedule.FaultKind(
        "every approach with an object in the hand ends beside its goal in x and y: [sigma], "
        "[mean_x, mean_y] or [mean_x, mean_y, sigma], metres",
        (1, 2, 3), spread=True),
    "slip": schedule.SLIP, "object_moved": schedule.OBJECT_MOVED, "unreachable": schedule.UNREACHABLE,
    "blocked_goal": schedule.BLOCKED_GOAL, "vanish": schedule.VANISH, "sensor_noise": schedule.SENSOR_NOISE,
}
"""Each has dice of its own, by its place in the alphabet of these."""
KINDS: Mapping[str, schedule.FaultKind] = {
    **_DRAWN, "stuck": schedule.STUCK, "intruder": schedule.INTRUDER, "return": schedule.RETURN, **CAMERA_KINDS}
"""The kinds, with what they do and what their magnitude means."""
_SLIP_AFTER, _SLIP_SECONDS, _SLIP_WIDTH = 0.5, 0.3, 0.012
_SHIFT_SPEED = 0.12
_HAND = 0.15
"""What is put on the table keeps that far from the hand, metres."""
_GRIP = 30.0
_OUT_OF_THE_WORLD = (20.0, 20.0)
"""Where objects are put that were taken away, metres in the world frame: on the floor, far outside every scene."""
_log = logging.getLogger(__name__)


class Faults:
    """Holds the faults that are in force; the same seed and the same commands give the same faults."""

    def __init__(self, simulation: Simulation, arms: Sequence[EmbeddedArm], seed: int) -> None:
        self._simulation = simulation
        self._arms = tuple(arms)
        for arm in arms:
            arm.distortion = partial(self._distort, arm.kinematics)
        self._hands = hands(simulation)
        self._armed = schedule.ArmedFaults()
        self._approaches = Approaches()
        self.camera = CameraFaults(seed)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Remove all faults.

        Args:
            seed: of the random generators.
        """
        self._armed.clear()
        self.camera.reset(seed)
        self._simulation.held.clear()
        self.happened: Counter[str] = Counter()
        """How often each kind that is scheduled for a moment of a command has happened."""
        self._gone: FrozenSet[str] = frozenset()
        self._dice = {kind: np.random.default_rng([seed, number])
                      for number, kind in enumerate((*sorted(_DRAWN), "intruder"))}

    def inject(self, kind: str, target: str = "", magnitude: Sequence[float] = (), count: int = 0) -> str:
        """Activate a fault, or let it occur now.

        Args:
            kind: one of ``KINDS``.
            target: name of an object; empty for any.
            magnitude: numbers that the kind requires.
            count: how often it occurs; 0 for always, and for faults that move objects: now.

        Returns:
            What was done, as a sentence.

        Raises:
            FaultError: for an unknown kind, target or magnitude, with what is valid.
        """
        fault = SceneFault(kind, target, tuple(float(value) for value in magnitude), int(count))
        parts = [name for name, item in self._simulation.scene.objects.items() if item.joint is not None]
        schedule.check_fault(fault, KINDS, parts if kind == "stuck" else list(self._hands.things()))
        if kind in CAMERA_KINDS:
            return self.camera.inject(fault, self._simulation.time)
        if kind == "intruder":
            return "; ".join(self._intrude(fault.magnitude) for _ in range(max(1, fault.count)))
        if kind == "stuck":
            self._simulation.held[target] = fault.magnitude[0]
            return f"{target} holds fast with {fault.magnitude[0]:g} N"
        if kind == "return":
            return self._put_back(target)
        if kind == "vanish":
            return self._take_away(target, fault.magnitude[0] if fault.magnitude else 0.0)
        if kind == "unreachable" or (kind == "object_moved" and fault.count == 0):
            return self._move(fault)
        return self._armed.arm(fault)

    def seen(self, poses: Dict[str, Pose]) -> Dict[str, Pose]:
        """Apply sensor noise, and remove the objects that are gone.

        Args:
            poses: true poses by name, world frame.

        Returns:
            The poses as observed.
        """
        poses = {name: pose for name, pose in poses.items() if name not in self._gone}
        sigma = sum(fault.magnitude[0] ** 2 for fault in self._armed.in_force("sensor_noise")) ** 0.5
        if sigma <= 0.0:
            return poses
        dice = self._dice["sensor_noise"]
        seen: Dict[str, Pose] = {}
        for name, pose in poses.items():
            x, y, z = dice.normal(0.0, sigma, 3).tolist()
            seen[name] = pose.shifted((x, y, z))
        return seen

    def _distort(self, kinematics: Kinematics, trajectory: Trajectory) -> Trajectory:
        """Apply the actuator's error to an approach with an object in hand.

        The error is drawn for each approach; a straight descent from its end adds none.

        Args:
            kinematics: of the arm.
            trajectory: the planned motion; joint positions in radians.

        Returns:
            The motion as executed.
        """
        tool = kinematics.tool_pose
        if self._approaches.only_lowers(tool(np.array(trajectory.positions[0])),
                                        tool(np.array(trajectory.positions[-1]))):
            return trajectory
        offset = np.zeros(2)
        for fault in self._armed.take("place_offset"):
            values = fault.magnitude
            mean = values[:2] if len(values) > 1 else (0.0, 0.0)
            sigma = values[-1] if len(values) != 2 else 0.0
            offset += np.array(mean) + self._dice["place_offset"].normal(0.0, 1.0, 2) * sigma
        if offset.any():
            trajectory = shifted_motion(kinematics, trajectory, offset)
            self.happened["place_offset"] += 1
        self._approaches.ended(tool(np.array(trajectory.positions[-1])))
        return trajectory

    def command_began(self, command: Command) -> None:
        """Trigger the faults that are scheduled for a command, before the robot observes.

        Args:
            command: the action with its arguments and constraints.
        """
        self._approaches.begin()
        if command.aim is None:  # What only takes something has where that goes next for its target.
            return
        goal = command.target or command.aim
        for fault in self._armed.take_all("blocked_goal"):
            spared = {str(value) for value in command.arguments.values()}
            done = self._hands.block(goal.position[:2], fault.target, spared)
            _log.info("blocked_goal: %s", done or "nothing could be put on the goal")

    def phase_began(self, arm: EmbeddedArm, item: str, phase: str) -> None:
        """Trigger the faults that are scheduled for a phase, after the robot has observed.

        Args:
            arm: the arm that carries out the command.
            item: name of the object that the command handles.
            phase: name of the phase.
        """
        if phase == "descend":
            for fault in self._armed.take("object_moved", item):
                try:
                    _log.info("object_moved: %s", self._move(replace(fault, target=item)))
                    self.happened["object_moved"] += 1
                except schedule.FaultError as error:
                    _log.warning("object_moved: %s", error)
        if phase == "transfer":
            for fault in self._armed.take("slip", item):
                begins = self._simulation.time + (fault.magnitude[0] if fault.magnitude else _SLIP_AFTER)
                wide = arm.opening() + _SLIP_WIDTH
                self._simulation.at(begins, partial(self._let_slip, arm, wide))
                self._simulation.at(begins + _SLIP_SECONDS, partial(arm.joints.command_fingers, -0.02, _GRIP))

    def _let_slip(self, arm: EmbeddedArm, wide: float) -> None:
        self.happened["slip"] += arm.attached is not None
        arm.joints.command_fingers(wide, 70.0)

    def _take_away(self, target: str, after: float) -> str:
        if target in self._gone:
            raise schedule.FaultError(f"{target} was taken away already; reset_world brings it back")
        if after > 0.0:
            self._simulation.at(self._simulation.time + after, lambda: self._vanish(target))
            return f"{target} is taken away in {after:g} s"
        self._vanish(target)
        return f"{target} is taken away"

    def _vanish(self, target: str) -> None:
        """Move an object out of view, next to others there."""
        size, (x, y) = self._hands.things()[target].size, _OUT_OF_THE_WORLD
        arena = self._simulation.scene.arena
        floor = ROOM_FLOOR if arena is None else arena.floor
        self._gone |= {target}
        self._simulation.put(target, Pose((x + 2.0 * len(self._gone), y, floor + size[2] / 2.0)))

    def _put_back(self, target: str) -> str:
        if target not in self._gone:
            gone = ", ".join(sorted(self._gone)) or "nothing"
            raise schedule.FaultError(f"{target} is there; gone is: {gone}")
        done = self._hands.put_by_chance(target, self._dice["intruder"])
        if done is None:
            raise schedule.FaultError(f"there is no free spot on the table to put '{target}' back to")
        self._gone -= {target}
        return done

    def _intrude(self, magnitude: Sequence[float]) -> str:
        if len(magnitude) == 5 and min(magnitude[2:]) <= 0.0:
            raise schedule.FaultError(f"an intruder is larger than 0 m each way, not {list(magnitude[2:])}")
        scene = self._simulation.scene
        tools = [arm.kinematics.tool_position(arm.joints.positions) for arm in self._arms]
        item = draw_unknown_object(
            len(scene.unknown) + 1, magnitude, self._hands.things(), scene.table, self._dice["intruder"],
            lambda item: item.pose is not None and all(planar_distance(item.pose.position, tool) > _HAND
                                                       or tool[2] > item.size[2] + _HAND for tool in tools))
        if item is None or item.pose is None:
            where = f"at {list(magnitude[:2])}" if magnitude else "on the table"
            raise schedule.FaultError(
                f"there is no free spot {where} for an intruder; choose another place [x, y], metres")
        self._simulation.add(item)
        x, y, _ = item.pose.position
        return (f"{item.name}, a {item.attributes['colour']} {item.shape}, stands at ({x:.2f}, {y:.2f}) "
                "and nobody is told")

    def _move(self, fault: SceneFault) -> str:
        if fault.kind == "unreachable":
            moved = self._hands.out_of_reach(fault.target)
        else:
            moved = self._hands.push(fault.target, fault.magnitude, self._dice["object_moved"])
        if moved is None:
            raise schedule.FaultError(f"there is no free spot on the table to move '{fault.target}' to")
        return moved


def shifted_motion(kinematics: Kinematics, trajectory: Trajectory, offset: np.ndarray) -> Trajectory:
    """Shift a motion of the tool, with a sideways motion added at its start.

    Args:
        kinematics: of the arm.
        trajectory: the planned motion; joint positions in radians.
        offset: array (2,), x and y in the world frame, metres.

    Returns:
        The shifted trajectory.
    """
    period = trajectory.times[-1] / (len(trajectory.times) - 1)
    ramp = max(2, int(float(np.linalg.norm(offset)) / _SHIFT_SPEED * 1.9 / period))
    part = np.linspace(0.0, 1.0, ramp, endpoint=False)
    smooth = 10 * part ** 3 - 15 * part ** 4 + 6 * part ** 5
    rows = [(trajectory.positions[0], share) for share in smooth] + [(row, 1.0)
                                                                     for row in trajectory.positions]
    joints: List[np.ndarray] = []
    for row, share in rows:
        pose = kinematics.tool_pose(np.array(row)).shifted((share * offset[0], share * offset[1], 0.0))
        seed = joints[-1] if joints else np.array(row)
        solved = kinematics.solve(pose, seed, iterations=15, lean=0.0)
        joints.append(seed if solved is None else solved)
    positions = np.array(joints)
    return trajectory_of(kinematics.joints, np.arange(len(rows)) * period, positions,
                         np.gradient(positions, period, axis=0))
