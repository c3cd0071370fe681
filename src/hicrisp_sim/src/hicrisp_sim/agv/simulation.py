"""The physics of the bases in an arena, and of a lab: arms at a table besides."""

from __future__ import annotations

import math
from typing import Dict, Optional, Sequence, Tuple

import mujoco
import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.scene import Scene

from hicrisp_sim.agv.model import CHASSIS, SOLID_GROUP, TRACK, WHEEL_RADIUS, WHEELS, add_arena, arena_model
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.models import physics_spec
from hicrisp_sim.mujoco_poses import pose_of
from hicrisp_sim.simulation import Simulation


class BaseBody:
    """One base in the physics: its wheels, and where it really is."""

    def __init__(self, simulation: "AgvSimulation", name: str) -> None:
        self._simulation = simulation
        model = simulation.model
        self._address = int(model.joint(name).qposadr[0])
        self._speed_address = int(model.joint(name).dofadr[0])
        self._wheels = [int(model.joint(f"{name}/{wheel}").dofadr[0]) for wheel in WHEELS]
        self._actuators = [int(model.actuator(f"{name}/{wheel}").id) for wheel in WHEELS]
        self._chassis = int(model.geom(f"{name}/{CHASSIS}").id)
        self.number = int(model.body(name).id)
        """Of its body in the model."""

    def drive(self, forward: float, turn: float) -> None:
        """Set the reference of the wheels.

        Args:
            forward: m/s.
            turn: yaw rate, rad/s, left is positive.
        """
        across = turn * TRACK / 2.0
        self._simulation.data.ctrl[self._actuators] = ((forward - across) / WHEEL_RADIUS,
                                                       (forward + across) / WHEEL_RADIUS)

    @property
    def wheel_speeds(self) -> Tuple[float, float]:
        """Forward speed (m/s) and yaw rate (rad/s) by the wheels."""
        left, right = (float(self._simulation.data.qvel[wheel]) * WHEEL_RADIUS for wheel in self._wheels)
        return (left + right) / 2.0, (right - left) / TRACK

    @property
    def pose(self) -> Pose:
        """True pose, map frame."""
        at, data = self._address, self._simulation.data
        return pose_of(data.qpos[at:at + 3], data.qpos[at + 3:at + 7])

    @property
    def speed(self) -> float:
        """Speed of its middle, m/s."""
        at, data = self._speed_address, self._simulation.data
        return math.hypot(float(data.qvel[at]), float(data.qvel[at + 1]))

    @property
    def turning(self) -> float:
        """Yaw rate, rad/s."""
        return float(self._simulation.data.qvel[self._speed_address + 5])

    @property
    def touching(self) -> str:
        """Name of the object that the chassis touches; empty without a contact. For judges, not for robots."""
        for index in self._contacts():
            pair = self._simulation.data.contact.geom[index]
            other = int(pair[1] if pair[0] == self._chassis else pair[0])
            return str(self._simulation.model.geom(other).name).replace("wall/", "").split("/")[0]
        return ""

    @property
    def bumper(self) -> Optional[float]:
        """Bearing of a contact of the chassis relative to its heading, radians; ``None`` without one."""
        pose = self.pose
        for index in self._contacts():
            x, y, _ = self._simulation.data.contact.pos[index]
            bearing = math.atan2(y - pose.position[1], x - pose.position[0])
            return math.remainder(bearing - pose.yaw, math.tau)
        return None

    def _contacts(self) -> Sequence[int]:
        """Return the contacts in which the chassis is."""
        data = self._simulation.data
        if not data.ncon:
            return ()
        return [int(index) for index in np.flatnonzero((data.contact.geom == self._chassis).any(axis=1))]


class AgvSimulation(Simulation):
    """Owns the model of an arena and its state; see ``Simulation`` for who steps it.

    Args:
        rate: simulated seconds a second; 0 for as fast as can be.
        arms: those of a lab, which begin in their postures of rest.
    """

    def __init__(self, scene: Scene, rate: float = 0.0, arms: Sequence[ArmDescription] = ()) -> None:
        self.bodies: Dict[str, BaseBody] = {}
        """The bases by name, as the model has them since the last reset."""
        super().__init__(scene, arms, rate)

    def _build(self, scene: Scene) -> mujoco.MjModel:
        if not self.descriptions:
            return arena_model(scene)
        if scene.arena is None:
            raise ValueError(f"the scene '{scene.name}' has no arena")
        spec = physics_spec(scene, self.descriptions)
        # The lidar's plane is that of the table's plate.
        spec.geom(f"{scene.table.name}/0").group = SOLID_GROUP
        add_arena(spec, scene, scene.arena)
        return spec.compile()

    def _begin(self) -> None:
        super()._begin()
        self.bodies = {name: BaseBody(self, name) for name in (self.scene.arena.starts if self.scene.arena else ())}

    def rays(
        self, eye: np.ndarray, rays: np.ndarray, groups: np.ndarray, body: int, reach: float
    ) -> np.ndarray:
        """Measure along rays while the physics stands.

        Args:
            eye: where they begin, metres in the map frame.
            rays: array (n, 3) of directions.
            groups: which groups of geoms are met, one entry each.
            body: the number of the body that is not met.
            reach: farthest distance, metres.

        Returns:
            Array (n,) of distances, metres; negative where nothing was met.
        """
        count = len(rays)
        geoms, distances = np.zeros(count, dtype=np.int32), np.zeros(count)
        with self._lock:  # The engine computes rays in the memory of the state, which bases share.
            mujoco.mj_multiRay(self.model, self.data, eye, rays.ravel(), groups, True, body, geoms, distances, None,
                               count, reach)
        return distances

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
