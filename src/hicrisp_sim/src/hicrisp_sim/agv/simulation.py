"""The physics of a base in an arena, and of a lab: arms at a table besides."""

from __future__ import annotations

import math
from typing import Optional, Sequence, Tuple

import mujoco
import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.scene import Scene

from hicrisp_sim.agv.model import FREE_JOINT, SOLID_GROUP, TRACK, WHEEL_RADIUS, WHEELS, add_arena, arena_model
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.models import physics_spec
from hicrisp_sim.mujoco_poses import pose_of
from hicrisp_sim.simulation import Simulation


class AgvSimulation(Simulation):
    """Owns the model of an arena and its state; see ``Simulation`` for who steps it.

    Args:
        base: the name of the base.
        rate: simulated seconds a second; 0 for as fast as can be.
        arms: those of a lab, which begin in their postures of rest.
    """

    def __init__(
        self, scene: Scene, base: str, rate: float = 0.0, arms: Sequence[ArmDescription] = ()
    ) -> None:
        self._base = base
        super().__init__(scene, arms, rate)

    def _build(self, scene: Scene) -> mujoco.MjModel:
        if not self.descriptions:
            return arena_model(scene, self._base)
        if scene.arena is None:
            raise ValueError(f"the scene '{scene.name}' has no arena")
        spec = physics_spec(scene, self.descriptions)
        # The lidar's plane is that of the table's plate.
        spec.geom(f"{scene.table.name}/0").group = SOLID_GROUP
        add_arena(spec, scene, scene.arena, self._base)
        return spec.compile()

    def _begin(self) -> None:
        super()._begin()
        self._address = int(self.model.joint(FREE_JOINT).qposadr[0])
        self._speed_address = int(self.model.joint(FREE_JOINT).dofadr[0])
        self._wheels = [int(self.model.joint(wheel).dofadr[0]) for wheel in WHEELS]
        self._wheel_actuators = [int(self.model.actuator(wheel).id) for wheel in WHEELS]
        self._chassis = int(self.model.geom("chassis").id)

    def drive(self, forward: float, turn: float) -> None:
        """Set the reference of the wheels.

        Args:
            forward: m/s.
            turn: yaw rate, rad/s, left is positive.
        """
        across = turn * TRACK / 2.0
        self.data.ctrl[self._wheel_actuators] = ((forward - across) / WHEEL_RADIUS,
                                                 (forward + across) / WHEEL_RADIUS)

    @property
    def wheel_speeds(self) -> Tuple[float, float]:
        """Forward speed (m/s) and yaw rate (rad/s) by the wheels."""
        left, right = (float(self.data.qvel[wheel]) * WHEEL_RADIUS for wheel in self._wheels)
        return (left + right) / 2.0, (right - left) / TRACK

    @property
    def base_pose(self) -> Pose:
        """True pose of the base, map frame."""
        at = self._address
        return pose_of(self.data.qpos[at:at + 3], self.data.qpos[at + 3:at + 7])

    @property
    def base_speed(self) -> float:
        """Speed of the base's middle, m/s."""
        at = self._speed_address
        return math.hypot(float(self.data.qvel[at]), float(self.data.qvel[at + 1]))

    @property
    def base_turning(self) -> float:
        """Yaw rate, rad/s."""
        return float(self.data.qvel[self._speed_address + 5])

    @property
    def touching(self) -> str:
        """Name of the object that the chassis touches; empty without a contact. For judges, not for robots."""
        for index in self._contacts():
            pair = self.data.contact.geom[index]
            other = int(pair[1] if pair[0] == self._chassis else pair[0])
            return str(self.model.geom(other).name).replace("wall/", "").split("/")[0]
        return ""

    @property
    def bumper(self) -> Optional[float]:
        """Bearing of a contact of the chassis relative to its heading, radians; ``None`` without one."""
        pose = self.base_pose
        for index in self._contacts():
            x, y, _ = self.data.contact.pos[index]
            bearing = math.atan2(y - pose.position[1], x - pose.position[0])
            return math.remainder(bearing - pose.yaw, math.tau)
        return None

    def _contacts(self) -> Sequence[int]:
        """Return the contacts in which the chassis is."""
        if not self.data.ncon:
            return ()
        return [int(index) for index in np.flatnonzero((self.data.contact.geom == self._chassis).any(axis=1))]

    def move_thing(self, name: str, x: float, y: float) -> None:
        """Move an obstacle, and stop it.

        Args:
            name: the obstacle.
            x: map frame, metres.
            y: map frame, metres.
        """
        joint = self.model.joint(name)
        with self.edit() as data:
            at, speed = int(joint.qposadr[0]), int(joint.dofadr[0])
            data.qpos[at:at + 2] = (x, y)
            data.qpos[at + 3:at + 7] = (1.0, 0.0, 0.0, 0.0)
            data.qvel[speed:speed + 6] = 0.0
