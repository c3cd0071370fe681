"""The lab in one process: an arm and a base in one world, with one clock, state estimation, faults and images."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Optional, Sequence, Tuple, Union

from hicrisp_core.domain import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.ports.robot import RobotPort
from hicrisp_core.robot.description import body_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.lab import tray_in_base
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.robot import AgvRobot
from hicrisp_sim.agv.settings import SECTION, load_agv_settings
from hicrisp_sim.agv.simulation import AgvSimulation
from hicrisp_sim.agv.world import AgvFaults, follow_with
from hicrisp_sim.embedded import EmbeddedWorld, Moving
from hicrisp_sim.robot_files import robot_file
from hicrisp_sim.simulation import Snapshot


class LabWorld(EmbeddedWorld):
    """A simulated lab: the ports of its arms and its base, and the frames of everything in one tree.

    Args:
        scene: a scene with a table and an arena, or the path or name of one.
        base: the base's file, or the name of one; ``config/robots/<name>_lab.yaml`` by default, with the
            base's name in the scene.
    """

    def __init__(
        self, scene: Union[Scene, str, Path], seed: int = 0, rate: float = 0.0,
        robot: Union[str, Path] = "", domain: Optional[Domain] = None, base: Union[str, Path] = "",
    ) -> None:
        loaded = scene if isinstance(scene, Scene) else load_scene(scene, seed)
        if loaded.arena is None:
            raise ConfigError(f"the scene '{loaded.name}' has no arena, which a lab needs; its robots: "
                              f"{', '.join(loaded.robots) or 'none'}")
        file = robot_file(loaded, BASE, "lab", SECTION, base)
        self.base_settings = load_agv_settings(file)
        self._seed = seed
        super().__init__(loaded, seed, rate, robot, domain)
        body = body_of(file, self.base_settings.name, BASE)
        self.base_robot = AgvRobot(self.base, body.able(self._domain.skills))

    @property
    def robots(self) -> Dict[str, RobotPort]:
        """The robot ports by name: of the arms, and of the base."""
        return {**super().robots, self.base_robot.name: self.base_robot}

    def _simulate(self, scene: Scene, rate: float) -> AgvSimulation:
        name = self.base_settings.name
        if scene.arena is None or name not in scene.arena.starts:
            raise ConfigError(f"the scene '{scene.name}' has no base '{name}'; its robots: "
                              f"{', '.join(scene.robots)}")
        self.lab = AgvSimulation(scene, rate, self.descriptions)
        self.base = EmbeddedBase(self.lab, self.base_settings, self._seed)
        self.base_faults = AgvFaults(self.lab, self.base)
        return self.lab

    def reset(self, scene: Union[Scene, str, Path, None] = None, seed: int = 0) -> None:
        """Reset the world, or switch to another scene.

        Args:
            scene: the scene, its file or name; ``None`` keeps the current one.
            seed: of the random layout.
        """
        loaded = self._other(scene, seed)
        self.base_robot.stop(Deadline(2.0))
        self._seed = seed
        super().reset(loaded, seed)

    def _begin(self, scene: Scene) -> None:
        self.base.load(scene, self._seed)
        self.base_faults.told.clear()
        super()._begin(scene)

    def _open_eyes(self, scene: Scene) -> None:
        super()._open_eyes(scene)
        follow_with(self.eyes, self.base)

    def inject(self, kind: str, target: str = "", magnitude: Sequence[float] = (), count: int = 0) -> str:
        """Inject a fault for either robot.

        Args:
            kind: kind of the fault.
            target: name of an object; empty for any.
            magnitude: numbers that the kind requires.
            count: how often it occurs; 0 for always.

        Returns:
            What was done, as a sentence.
        """
        if kind in AgvFaults.KINDS:
            return self.base_faults.inject(kind, target, magnitude)
        return super().inject(kind, target, magnitude, count)

    def frames(self, snapshot: Optional[Snapshot] = None) -> Dict[str, Tuple[Pose, float]]:
        """Return the frames of all objects and both robots.

        Args:
            snapshot: state of the simulation; the current one by default.

        Returns:
            Pose in the world frame and time (seconds) by frame.
        """
        return self._named(super().frames(snapshot))

    def true_frames(self) -> Dict[str, Tuple[Pose, float]]:
        """Return all frames without faults; for judges, not for robots.

        Returns:
            Pose in the world frame and time (seconds) by frame.
        """
        return self._named(super().true_frames())

    def _named(self, frames: Dict[str, Tuple[Pose, float]]) -> Dict[str, Tuple[Pose, float]]:
        """Frames in which the base has its name in TF, with its tray."""
        pose, stamp = frames.pop(self.base_settings.name)
        frames[self.eyes.frame_of(self.base_settings.name)] = (pose, stamp)
        for start in self.scene.arena.starts.values() if self.scene.arena else ():
            if start.tray:
                frames[start.tray] = (pose.compose(tray_in_base()), stamp)
        return frames

    def observe_beside(self, moving: Moving, deadline: Deadline) -> WorldState:
        """Return the world after everything else has come to rest.

        Args:
            moving: returns the names of objects and robots that may move.
            deadline: not used; settling is bounded in simulation time.

        Returns:
            The world.
        """
        self.settle(1.0, moving)
        scan = None if self.base_settings.name in moving() else self.base.sense()
        self.eyes.follow(self.frames(), scan)
        return self.eyes.see(self.frames(), self.time)

    def _bodies(self) -> Dict[str, str]:
        return {name: name for name in (*(item.name for item in self.scene.things), self.base_settings.name)}
