"""The benchmark as a world in one process: our planning and skills, its physics and its judge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Callable, Mapping, Optional, Tuple, Union

import numpy as np
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.model import Pose
from hicrisp_core.ports.perception import TrackSource
from hicrisp_core.robot.description import RobotBody
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import CameraSettings, load_camera
from hicrisp_sim.arm_joints import ArmJoints
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.camera_faults import CameraFaults
from hicrisp_sim.depth_camera import EmbeddedCamera
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.models import TIMESTEP
from hicrisp_sim.mujoco_poses import w_first
from hicrisp_sim.simulation import CONTROL_PERIOD, Simulation, Snapshot

from hicrisp_libero.cameras import CAMERAS, FIXED, OPTICAL, WRIST
from hicrisp_libero.client import BenchmarkLost
from hicrisp_libero.description import REACH, read_description
from hicrisp_libero.osc import JOINT, OSC, PERIOD, DeltaPose, limit_of
from hicrisp_libero.scene_from_model import pose_from
from hicrisp_libero.task import BenchmarkTask

_DOF = 7
_BODY = 13
"""Numbers of an object's pose and speeds."""
_HAND = {"0.0584": "0.0524", "0.1034": "0.0974"}
"""Metres from the hand to its fingers and its tool centre point: the benchmark's are 6 mm shorter than real ones."""
_SPEED, _ACCELERATION = 0.3, 0.25
"""Shares of the joints' limits: the benchmark's links drag, and the motors of its wrist have 12 Nm."""
_OSC_SPEED, _OSC_ACCELERATION, _OSC_FINGERS, _DEXTERITY = 0.8, 0.8, 0.2, 0.07
"""The same for its own controller, which knows what the links weigh and limits the tool's speed; how fast its fingers
close, m/s; and how far the arm stays from singular postures, as it leaves the elbow to itself.
"""
_TOOL_SPEED, _TOOL_ACCELERATION = 0.25, 1.5
"""What the limits of its actions leave the tool along an axis, m/s and m/s2."""
_REST = 0.06
"""Longest wait for rest at the end of a motion, s: the tool creeps on for half a second, as the next one allows for."""
_CREEP = 0.02
"""Speed up to which what it holds counts as standing then, m/s."""
_BEHIND, _SLOWEST = 0.05, 0.1
"""How far a joint is behind before the arm slows down, radians, and the least share of its speed."""


class BenchmarkJoints(ArmJoints):
    """The joints of the benchmark's arm: commands go into its next step, measurements are of its last one."""

    def __init__(self, simulation: "BenchmarkSimulation", description: ArmDescription, first: int) -> None:
        super().__init__(simulation, description, first)
        self._measured = simulation
        self._last = first + description.dof - 1
        self.wanted = np.zeros(2 * _DOF)

    def command(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        """Set the reference of the joint controllers.

        Args:
            positions: array (joints,), rad.
            velocities: array (joints,), rad/s.
        """
        super().command(positions, velocities)
        self.wanted = np.concatenate([positions, velocities])

    def lag(self, wanted: np.ndarray) -> np.ndarray:
        """Return what is missing.

        Args:
            wanted: array (joints,), rad.

        Returns:
            Array, rad.
        """
        osc = self._measured.osc
        return super().lag(wanted) if osc is None else osc.lag(wanted, self.positions)

    @property
    def velocities(self) -> np.ndarray:
        """How fast the arm moves, rad/s: what is driven of it, the joints or the tool."""
        osc, speeds = self._measured.osc, super().velocities
        return speeds if osc is None else osc.speeds(self.positions, speeds)

    @property
    def pace(self) -> float:
        """How fast it can follow: a motor at its limit gets time to catch up."""
        if self._measured.osc is not None:
            return self._measured.osc.pace
        behind = float(np.abs(super().lag(self.wanted[:_DOF])).max())
        return min(1.0, max(_SLOWEST, 1.0 - (behind - _BEHIND) / _BEHIND))

    @property
    def finger(self) -> float:
        """Where each finger shall be, metres from the middle."""
        return max(0.0, float(self._simulation.data.ctrl[self._last]))

    @property
    def external_torques(self) -> np.ndarray:
        """External torques on the arm's joints from contacts, Nm."""
        return self._measured.torques

    @property
    def finger_force(self) -> float:
        """Greatest force of a finger's drive, newtons."""
        return self._measured.grip


class BenchmarkSimulation(Simulation):
    """Has the benchmark step its physics, and shows its state in a model of ours, for frames and pictures.

    Args:
        task: the task whose process steps.
        arm: description of its arm.
        rate: simulated seconds a second; 0 for as fast as it can.
        control: ``joint``, or ``osc`` for the benchmark's own actions, no more than an episode has.
    """

    def __init__(
        self, task: BenchmarkTask, arm: ArmDescription, rate: float = 0.0, control: str = JOINT
    ) -> None:
        self.task = task
        self.osc = DeltaPose(arm) if control == OSC else None
        self.limit = limit_of(task.suite) if control == OSC else 0
        self._acts_at = 0.0
        self.torques, self.grip = np.zeros(_DOF), 0.0
        self.when_lost: Callable[[BenchmarkLost], None] = lambda _: None
        """Called when the process is lost, from the thread that steps."""
        super().__init__(task.scene, (arm,), rate)

    def _joints_of(self, arm: ArmDescription, first: int) -> ArmJoints:
        self._joints = BenchmarkJoints(self, arm, first)
        return self._joints

    def _begin(self) -> None:
        super()._begin()
        self._show()
        self._joints.command(self._joints.positions, np.zeros(_DOF))
        self._joints.command_fingers(self._joints.opening, 20.0)

    def _integrate(self) -> None:
        try:
            self._step()
        except BenchmarkLost as error:
            self.when_lost(error)
            raise
        self.data.time += CONTROL_PERIOD
        self._show()

    def _step(self) -> None:
        if self.osc is None:
            self.task.step(np.append(self._joints.wanted, self._joints.finger), round(CONTROL_PERIOD / TIMESTEP))
        elif self.data.time >= self._acts_at and self.task.actions < self.limit:
            self._acts_at += PERIOD
            joints = self._joints
            self.task.act(self.osc.action(joints.wanted, joints.finger, joints.positions))

    def put(self, name: str, pose: Pose) -> None:
        """Move an object, and stop it.

        Args:
            name: name of the object in the world.
            pose: world frame.
        """
        with self.edit():
            self.task.move(name, pose)
            self._show()

    def _show(self) -> None:
        """Copy the benchmark's state."""
        state, measured, data, both = self.task.state, self.task.measured, self.data, self._joints.all
        position, speed, fingers, torques, grip, rest = np.split(state[3:], np.cumsum((_DOF, _DOF, 4, _DOF, 1)))
        self.torques, self.grip = np.array(torques), float(grip[0])
        data.qpos[both] = np.concatenate([position, fingers[:2]])
        data.qvel[both] = np.concatenate([speed, fingers[2:]])
        back, names = measured.origin.inverse(), self.task.free
        for name, row in zip(names, rest[: _BODY * len(names)].reshape(-1, _BODY)):
            if name not in measured.placed:
                continue
            pose = back.compose(pose_from(row[:7])).compose(measured.placed[name])
            data.joint(name).qpos[:] = [*pose.position, *w_first(pose.orientation)]
            data.joint(name).qvel[:] = row[7:]
        joints = rest[_BODY * len(names) :].reshape(-1, 2)
        for name, (number, sign) in measured.parts.items():
            data.joint(name).qpos[:], data.joint(name).qvel[:] = sign * joints[number]


class BenchmarkCamera(EmbeddedCamera):
    """One of the benchmark's cameras, as a depth camera: a picture is of its snapshot, or of the next step or two.

    Args:
        task: the task whose process draws.
        simulation: shows its state.
        settings: lens and mounting.
        seed: draws the noise of its measurements.
        faults: what goes wrong with it.
    """

    def __init__(self, task: BenchmarkTask, simulation: Simulation, settings: CameraSettings, seed: int,
                 faults: CameraFaults) -> None:
        super().__init__(simulation, settings, seed, faults)
        self._task = task

    def _drawn(self, snapshot: Snapshot) -> Tuple[np.ndarray, np.ndarray, Optional[np.ndarray], Pose]:
        del snapshot
        lens = self.settings.intrinsics
        colour, distance, pose = self._task.picture(
            CAMERAS[WRIST if self.settings.mounting.in_hand else FIXED], (lens.width, lens.height))
        return colour, distance, None, pose.compose(OPTICAL)


class LiberoWorld(EmbeddedWorld):
    """A task of the benchmark as a world: the robot ports, frames and state estimation of every other one.

    Args:
        task: the task, at its start.
        seed: draws the planner's choices.
        rate: simulated seconds a second; 0 for as fast as it can.
        control: how the arm is driven, ``joint`` or ``osc``.
        sight: creates the perception of its objects; their true poses are seen without one.
    """

    simulation: BenchmarkSimulation

    def __init__(self, task: BenchmarkTask, seed: int = 0, rate: float = 0.0, control: str = JOINT,
                 sight: Optional[Callable[[EmbeddedWorld], TrackSource]] = None) -> None:
        self.task, self.control = task, control
        self._wrist: Optional[EmbeddedCamera] = None
        super().__init__(task.scene, seed, rate, domain=task.domain, sight=sight)

    def reset(self, scene: Union[Scene, str, Path, None] = None, seed: int = 0) -> None:
        """Begin again, or with another task that was described.

        Args:
            scene: the scene, its file or name; ``None`` keeps the current one.
            seed: draws the planner's choices; the start is the same.
        """
        loaded = self._other(scene, seed)
        with self.simulation.edit():
            self.task.begin(read_description(Path(loaded.source)))
            self.task.scene = loaded
        super().reset(loaded, seed)

    @property
    def camera(self) -> EmbeddedCamera:
        """The benchmark's camera that the scene names, as a depth camera."""
        if self._watching is None:
            self._watching = self._open_camera(self.scene.camera)
        return self._watching

    @property
    def wrist_file(self) -> str:
        """The name of the file of the camera in the hand."""
        return f"{Path(self.scene.source).stem}_{WRIST}"

    @property
    def wrist_camera(self) -> EmbeddedCamera:
        """The benchmark's camera in the hand, as a depth camera."""
        if self._wrist is None:
            self._wrist = self._open_camera(self.wrist_file)
        return self._wrist

    def _open_camera(self, name: str) -> EmbeddedCamera:
        settings = load_camera(name, beside=self.scene.source or None)
        return BenchmarkCamera(self.task, self.simulation, settings, self._seed, self.faults.camera)

    def _put_camera_away(self) -> None:
        super()._put_camera_away()
        if self._wrist is not None:
            self._wrist.close()
        self._wrist = None

    def _simulate(self, scene: Scene, rate: float) -> Simulation:
        del scene  # The benchmark's own.
        arm = self.description
        urdf = arm.urdf
        for real, here in _HAND.items():
            urdf = urdf.replace(f'xyz="0 0 {real}"', f'xyz="0 0 {here}"')
        settings = replace(arm.settings, speed=_SPEED, acceleration=_ACCELERATION)
        if self.control == OSC:
            settings = replace(settings, speed=_OSC_SPEED, acceleration=_OSC_ACCELERATION, finger_speed=_OSC_FINGERS,
                               dexterity=_DEXTERITY, tool_speed=_TOOL_SPEED,
                               tool_acceleration=_TOOL_ACCELERATION, rest_time=_REST, creep=_CREEP)
        self.descriptions = (replace(arm, urdf=urdf, settings=settings, body=replace(arm.body, reach=REACH)),)
        return BenchmarkSimulation(self.task, self.description, rate, self.control)

    def _open_eyes(self, scene: Scene) -> None:
        super()._open_eyes(scene)
        self.eyes.robots = tuple(frames_of(arm.name, arm.body) for arm in self.descriptions)

    @property
    def bodies(self) -> Mapping[str, RobotBody]:
        """What its robot is, by name."""
        return {arm.name: arm.body for arm in self.descriptions}
