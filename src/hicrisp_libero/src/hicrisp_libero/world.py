"""The benchmark as a world in one process: our planning and skills, its physics and its judge."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Dict, Mapping

import numpy as np
from hicrisp_core.config.files import config_file
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose
from hicrisp_core.robot.description import RobotBody
from hicrisp_core.scene import Scene
from hicrisp_sim.arm_joints import ArmJoints
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.models import TIMESTEP
from hicrisp_sim.mujoco_poses import w_first
from hicrisp_sim.simulation import CONTROL_PERIOD, Simulation

from hicrisp_libero.bddl import read_bddl
from hicrisp_libero.client import LONG, Benchmark
from hicrisp_libero.kinds import translated
from hicrisp_libero.models import benchmark_in
from hicrisp_libero.osc import JOINT, OSC, PERIOD, DeltaPose, limit_of
from hicrisp_libero.scene_from_model import measure, pose_from

_DOF = 7
_BODY = 13
"""Numbers of an object's pose and speeds."""
_HAND = {"0.0584": "0.0524", "0.1034": "0.0974"}
"""Metres from the hand to its fingers and its tool centre point: the benchmark's are 6 mm shorter than real ones."""


_SPEED, _ACCELERATION = 0.3, 0.25
"""Shares of the joints' limits: the benchmark's links drag, and the motors of its wrist have 12 Nm."""
_REACH = (0.2, 0.8)
"""Least and greatest distance from the base at which its tasks place things, metres."""


class BenchmarkTask:
    """A task of the benchmark: its process, what it says of itself, and what that is in our words.

    Args:
        suite: name of the suite.
        number: of the task in it.
        init: number of the start.
        benchmark: the process.
    """

    def __init__(self, suite: str, number: int, init: int, benchmark: Benchmark) -> None:
        self.benchmark, self.suite, self.number = benchmark, suite, number
        self.actions = 0
        """Steps of its environment until its goal held."""
        self.told, self.state = benchmark.ask("make", seconds=LONG, suite=suite, task=number, init=init)
        heights: Dict[str, np.ndarray] = {}
        for name in self.told["bodies"]:
            about, values = benchmark.ask("heights", name=name)
            heights[name] = values.reshape(about["grid"], about["grid"])
        self.domain = load_domain(config_file("domains", "libero"))
        file = Path(self.told["file"])
        model = lru_cache(maxsize=None)(benchmark_in(file.parents[4]).model)
        self.words = translated(read_bddl(file), self.domain, model)
        self.measured = measure(self.told, heights, self.words, f"{suite}_{number}")
        names = self.words.names
        self.free = [names[name] for name in self.told["free"]]

    def step(self, wanted: np.ndarray, steps: int) -> None:
        """Have the physics step.

        Args:
            wanted: array (15,): the joints' positions and velocities, rad and rad/s, and where each finger shall be,
                metres from the middle.
            steps: of the physics.
        """
        _, self.state = self.benchmark.ask("step", wanted, steps=steps)

    def act(self, action: np.ndarray) -> None:
        """Have the benchmark's environment step.

        Args:
            action: array (7,), each from -1 to 1.
        """
        self.actions += not self.success
        _, self.state = self.benchmark.ask("act", action)

    def move(self, name: str, pose: Pose) -> None:
        """Put an object elsewhere in the physics, at rest.

        Args:
            name: of the object, in our words.
            pose: world frame.
        """
        body = self.measured.origin.compose(pose).compose(self.measured.placed[name].inverse())
        theirs = next(each for each, own in self.words.names.items() if own == name)
        _, self.state = self.benchmark.ask("move", [*body.position, *body.orientation], name=theirs)

    def save_picture(self, file: Path, camera: str = "agentview") -> None:
        """Save what one of the benchmark's cameras sees.

        Args:
            file: PNG or JPEG by its name.
            camera: name of the camera.
        """
        from PIL import Image  # Most episodes need no picture.

        about, pixels = self.benchmark.ask("picture", seconds=LONG, camera=camera)
        Image.fromarray(pixels.reshape(about["shape"]).astype(np.uint8)).save(file)

    @property
    def scene(self) -> Scene:
        """The scene as our planning knows it."""
        return self.measured.scene

    @property
    def instruction(self) -> str:
        """The task in the benchmark's words."""
        return str(self.told["instruction"])

    @property
    def success(self) -> bool:
        """Whether the benchmark's judge has seen its goal hold at the end of one of its steps, which is when it ends an
        episode.
        """
        return bool(self.state[2])

    @property
    def holds(self) -> bool:
        """Whether its judge sees the goal hold now."""
        return bool(self.state[1])


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
            Array (joints,), rad.
        """
        osc = self._measured.osc
        return super().lag(wanted) if osc is None else osc.lag(wanted, self.positions)

    @property
    def pace(self) -> float:
        """How fast it can follow."""
        return 1.0 if self._measured.osc is None else self._measured.osc.pace

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
        control: ``joint``, or ``osc`` for the benchmark's own actions, no more than an episode has.
    """

    def __init__(self, task: BenchmarkTask, arm: ArmDescription, control: str = JOINT) -> None:
        self.task = task
        self.osc = DeltaPose(arm) if control == OSC else None
        self.limit = limit_of(task.suite) if control == OSC else 0
        self._acts_at = 0.0
        self.torques, self.grip = np.zeros(_DOF), 0.0
        super().__init__(task.scene, (arm,))

    def _joints_of(self, arm: ArmDescription, first: int) -> ArmJoints:
        self._joints = BenchmarkJoints(self, arm, first)
        return self._joints

    def _begin(self) -> None:
        super()._begin()
        self._show()
        self._joints.command(self._joints.positions, np.zeros(_DOF))
        self._joints.command_fingers(self._joints.opening, 20.0)

    def _integrate(self) -> None:
        if self.osc is None:
            self.task.step(np.append(self._joints.wanted, self._joints.finger), round(CONTROL_PERIOD / TIMESTEP))
        elif self.data.time >= self._acts_at and self.task.actions < self.limit:
            self._acts_at += PERIOD
            joints = self._joints
            self.task.act(self.osc.action(joints.wanted, joints.finger, joints.positions))
        self.data.time += CONTROL_PERIOD
        self._show()

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


class LiberoWorld(EmbeddedWorld):
    """A task of the benchmark as a world: the robot ports, frames and state estimation of every other one.

    Args:
        task: the task, at its start.
        seed: draws the planner's choices.
        control: how the arm is driven, ``joint`` or ``osc``.
    """

    def __init__(self, task: BenchmarkTask, seed: int = 0, control: str = JOINT) -> None:
        self.task, self.control = task, control
        super().__init__(task.scene, seed, domain=task.domain)

    def _simulate(self, scene: Scene, rate: float) -> Simulation:
        del scene, rate  # The benchmark's own, as fast as it can.
        arm = self.description
        urdf = arm.urdf
        for real, here in _HAND.items():
            urdf = urdf.replace(f'xyz="0 0 {real}"', f'xyz="0 0 {here}"')
        settings = replace(arm.settings, speed=_SPEED, acceleration=_ACCELERATION)
        self.descriptions = (replace(arm, urdf=urdf, settings=settings, body=replace(arm.body, reach=_REACH)),)
        return BenchmarkSimulation(self.task, self.description, self.control)

    def _open_eyes(self, scene: Scene) -> None:
        super()._open_eyes(scene)
        self.eyes.robots = tuple(frames_of(arm.name, arm.body) for arm in self.descriptions)

    @property
    def bodies(self) -> Mapping[str, RobotBody]:
        """What its robot is, by name."""
        return {arm.name: arm.body for arm in self.descriptions}
