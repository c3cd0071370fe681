"""The physics of an arm and a base in one world; both may move at once, each in its own thread."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Mapping

import mujoco
import numpy as np
from hicrisp_core.scene import Scene

from hicrisp_sim.agv.model import SOLID_GROUP, add_arena
from hicrisp_sim.agv.simulation import AgvSimulation
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.lab.lockstep import Lockstep
from hicrisp_sim.models import physics_spec
from hicrisp_sim.simulation import Simulation


class LabSimulation(AgvSimulation):
    """Owns the model of a lab and its state.

    Args:
        base: the name of the base.
        arm: the arm, which begins in its posture of rest.
        rate: simulated seconds a second; 0 for as fast as can be.
    """

    def __init__(self, scene: Scene, base: str, arm: ArmDescription, rate: float = 0.0) -> None:
        self._lockstep = Lockstep()
        super().__init__(scene, base, rate, arm)

    def _build(self, scene: Scene) -> mujoco.MjModel:
        if scene.arena is None:
            raise ValueError(f"the scene '{scene.name}' has no arena")
        spec = physics_spec(scene, self._description)
        # The lidar's plane is that of the table's plate.
        spec.geom(f"{scene.table.name}/0").group = SOLID_GROUP
        add_arena(spec, scene, scene.arena, self._base)
        return spec.compile()

    def _begin(self) -> None:
        Simulation._begin(self)
        AgvSimulation._begin(self)
        self._free: Mapping[str, int] = {
            self.model.joint(number).name: int(self.model.jnt_dofadr[number])
            for number in range(self.model.njnt)
            if self.model.jnt_type[number] == mujoco.mjtJoint.mjJNT_FREE}

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Provide a context in which the physics waits for the caller's steps, and the caller for those of
        other movers.
        """
        with super().moving(), self._lockstep.member():
            yield

    def _advance(self) -> None:
        self._lockstep.period(super()._advance)

    def speed_of(self, name: str) -> float:
        """Return the greatest speed of a movable object along any axis.

        Args:
            name: name of the object in the world.

        Returns:
            m/s or rad/s; 0 for an unknown name.
        """
        if name not in self._free:
            return 0.0
        first = self._free[name]
        return float(np.abs(self.data.qvel[first:first + 6]).max())
