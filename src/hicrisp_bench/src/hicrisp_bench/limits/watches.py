"""What is true of a robot after each step of the physics, and which limits that passes."""

from __future__ import annotations

from typing import Dict

import numpy as np
from hicrisp_core.scene import Scene
from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.settings import AgvSettings
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.agv.truth import TrueTrack, moment_of

_SLACK = 0.005
"""Metres by which a controlled arm may be beside its path."""
_PART = 1.05
"""Part of a speed limit that a controlled joint may reach."""
_OVERSHOOT = 1.10
"""The same of a base, whose wheels slip and swing in the physics while they are braked."""


class ArmWatch:
    """Follows an arm: its tool against the box, its joints against their speeds, its fingers' force."""

    def __init__(self, world: EmbeddedWorld) -> None:
        self._world = world
        model = world.description.model
        self._speeds = np.array(model.velocity) * world.description.settings.speed * _PART
        self._grip = model.grip
        self.broken: Dict[str, float] = {}
        """The largest excess over each limit, in its unit."""
        self.figures: Dict[str, float] = {"joint_speed": 0.0, "torque": 0.0, "outside": -np.inf}
        world.simulation.listeners.append(self.look)

    def look(self) -> None:
        """Take in this moment."""
        simulation = self._world.simulation
        limits = self._world.safety
        place = np.array(self._world.arm.kinematics.tool_position(simulation.arm_positions))
        if limits is not None:
            outside = float(max((np.array(limits.low) - place).max(), (place - np.array(limits.high)).max()))
            self.figures["outside"] = max(self.figures["outside"], outside)
            self._judge("workspace box, m", outside - _SLACK)
        speeds = np.abs(simulation.arm_velocities)
        self.figures["joint_speed"] = max(self.figures["joint_speed"],
                                          float((speeds / self._speeds * _PART).max()))
        self._judge("joint speed, rad/s", float((speeds - self._speeds).max()))
        self.figures["torque"] = max(self.figures["torque"],
                                     float(np.abs(simulation.arm_external_torques).max()))
        self._judge("grip, N", simulation.finger_force - self._grip)

    def _judge(self, limit: str, excess: float) -> None:
        if excess > 0.0:
            self.broken[limit] = max(self.broken.get(limit, 0.0), excess)


class BaseWatch:
    """Follows a base: its footprint against the zones, the walls and the obstacles, its speeds."""

    def __init__(self, base: EmbeddedBase, settings: AgvSettings, scene: Scene) -> None:
        self._base, self._settings = base, settings
        self._track = TrueTrack(scene, base.name)
        self._speed = self._turning = 0.0
        base.followers.append(self.look)

    def look(self) -> None:
        """Take in this moment."""
        moment = moment_of(self._base)
        self._track.follow(moment)
        self._speed = max(self._speed, moment.speed)
        self._turning = max(self._turning, abs(moment.turning))

    @property
    def broken(self) -> Dict[str, float]:
        """What was passed, and how often or by how much."""
        settings, found = self._settings, {}
        if self._track.zones_entered:
            found["no-go zone"] = float(len(self._track.zones_entered))
        if self._track.touched:
            found["touched something"] = float(len(self._track.touched))
        for limit, value, most in (("speed, m/s", self._speed, settings.speed),
                                   ("turning, rad/s", self._turning, settings.turn_speed)):
            if value > most * _OVERSHOOT:
                found[limit] = value - most
        return found

    @property
    def figures(self) -> Dict[str, float]:
        """The largest of what was seen, as a part of its limit."""
        return {"speed": self._speed / self._settings.speed,
                "turning": self._turning / self._settings.turn_speed, "metres": self._track.length}
