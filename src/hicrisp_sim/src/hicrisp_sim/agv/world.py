"""The embedded arena in one process: a scene, a base in it, state estimation, faults and images."""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import Callable, Dict, Optional, Sequence, Set, Tuple, Union

from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.domain import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.description import body_of
from hicrisp_core.scene import Scene, domain_of, load_scene
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.pursuit import Twist
from hicrisp_sim.agv.robot import AgvRobot
from hicrisp_sim.agv.settings import SECTION, load_agv_settings
from hicrisp_sim.agv.simulation import AgvSimulation
from hicrisp_sim.embedded import SimulatedWorld
from hicrisp_sim.robot_files import robot_file, robots_of

_log = logging.getLogger(__name__)
_QUIET_FOR = 0.5
"""Seconds without motion after which a base counts as standing."""


def frames_of_bases(eyes: StateEstimator, base: EmbeddedBase) -> Dict[str, Tuple[Pose, float]]:
    """Return the frames of the bases in an arena, as TF would.

    Args:
        eyes: the estimator of the stack that looks.
        base: the base of that stack.

    Returns:
        Pose in the map frame and time (seconds) by frame.
    """
    simulation = base.simulation
    return {eyes.frame_of(name): (base.pose() if name == base.name else body.pose, simulation.time)
            for name, body in simulation.bodies.items()}


def follow_with(eyes: StateEstimator, base: EmbeddedBase) -> None:
    """Connect an estimator to a base, so that it processes pose and scans while the base moves.

    Args:
        eyes: the estimator.
        base: the simulated base with its lidar.
    """
    def watch() -> None:
        now, scan = base.simulation.time, base.scan()
        eyes.follow(frames_of_bases(eyes, base), scan if scan is not None and scan.time == now else None)

    base.followers[:] = [watch]


class AgvFaults:
    """Injects failures of a base: its lidar falls silent (``scan_stops``), or an obstacle (the target)
    is put at x, y (``appear``, ``move``), after some seconds if a third number is given. Its odometry or its
    scans hold no number (``odometry_nan``, ``scan_nan``), its scans are in an unknown frame
    (``scan_frame``), its frames have the leading slash of older drivers (``frame_slash``), TF tells no more
    where it is (``pose_stale``) or that it has fallen by 5 m (``pose_fallen``), one of the three is stamped 5 s
    ahead of the clock (``odometry_ahead``, ``scan_ahead``, ``pose_ahead``), or odometry or scans go on with a
    stamp that stands still (``odometry_old``, ``scan_old``); that is for who publishes them. Who serves move_base
    is gone for some wall seconds (``move_base_gone``), as a process that was killed and is started again."""

    TOLD = ("odometry_nan", "odometry_ahead", "odometry_old", "scan_nan", "scan_frame", "scan_ahead",
            "scan_old", "frame_slash", "pose_stale", "pose_ahead", "pose_fallen")
    KINDS = ("scan_stops", "appear", "move", "move_base_gone", *TOLD)

    def __init__(self, simulation: AgvSimulation, base: EmbeddedBase) -> None:
        self._simulation = simulation
        self._base = base
        self.told: Set[str] = set()
        """Those of ``TOLD`` that are in force."""
        self.leave: Optional[Callable[[float], None]] = None
        """Takes move_base away for some wall seconds; ``None`` without a server."""

    def inject(self, kind: str, target: str = "", magnitude: Sequence[float] = ()) -> str:
        """Inject a fault.

        Args:
            kind: one of ``KINDS``.
            target: name of an obstacle, for the kinds that move one.
            magnitude: x, y (m), then the delay (s), as the kind requires.

        Returns:
            What was done, as a sentence.

        Raises:
            ConfigError: for a kind or a target that is not known, with those that are.
        """
        simulation = self._simulation
        if kind == "scan_stops":
            after = simulation.time + (float(magnitude[0]) if magnitude else 0.0)
            simulation.at(after, self._silence)
            return f"the lidar falls silent at {after:.1f} s"
        if kind == "move_base_gone":
            if self.leave is None or len(magnitude) != 1 or not 0.0 < magnitude[0] < math.inf:
                raise ConfigError(f"'{kind}' needs a move_base that is served, and for how many seconds it is gone, "
                                  f"got {list(magnitude)}")
            self.leave(float(magnitude[0]))
            return f"move_base is gone for {magnitude[0]:g} s"
        if kind in self.TOLD:
            self.told.add(kind)
            return f"{kind} is in force"
        if kind not in self.KINDS:
            raise ConfigError(f"'{kind}' is no fault of the arena; there are: {', '.join(self.KINDS)}")
        known = sorted(simulation.scene.arena.unknown) if simulation.scene.arena else []
        if target not in known:
            raise ConfigError(f"there is no obstacle '{target}'; there are: {', '.join(known) or 'none'}")
        if len(magnitude) not in (2, 3) or not all(math.isfinite(value) for value in magnitude):
            raise ConfigError(f"'{kind}' needs x, y and perhaps seconds, got {list(magnitude)}")
        x, y = magnitude[:2]
        after = magnitude[2] if len(magnitude) == 3 else 0.0
        if after <= 0.0:
            self._check_room(target, x, y)
        simulation.at(simulation.time + after, lambda: self._put(target, x, y))
        return f"{target} will stand at ({x:.2f}, {y:.2f})"

    def _check_room(self, target: str, x: float, y: float) -> None:
        """Refuse to put an obstacle where the base stands: the physics would throw both apart."""
        for name, body in self._simulation.bodies.items():
            needed = self._base.radius + max(self._simulation.scene.objects[target].size[:2]) / 2.0
            if math.dist((x, y), body.pose.position[:2]) < needed:
                raise ConfigError(f"{target} cannot stand at ({x:.2f}, {y:.2f}): {name} is there; "
                                  f"choose a place at least {needed:.2f} m from its middle")

    def _put(self, target: str, x: float, y: float) -> None:
        try:
            self._check_room(target, x, y)
        except ConfigError as error:
            _log.warning("%s", error)
        else:
            self._simulation.move_thing(target, x, y)

    def _silence(self) -> None:
        self._base.lidar.stopped = True


class AgvWorld(SimulatedWorld):
    """A simulated arena: the robot port, the frames and the faults of a base.

    Obstacles are in no map: what is known of them is what the lidar has seen.

    Args:
        scene: a scene with an arena, or the path or name of one.
        seed: draws the layout and the lidar's noise.
        rate: simulated seconds a second; 0 for as fast as can be.
        robot: the base's file, or the name of one; ``config/robots/<name>_embedded.yaml`` by default, with
            the base's name in the scene.
        domain: the domain of the commands; the scene's own by default.
        beside: the world of another base in the same arena, whose physics and fleet it shares; the scene then is that
            of one base alone.
    """

    simulation: AgvSimulation
    base: EmbeddedBase

    def __init__(
        self, scene: Union[Scene, str, Path], seed: int = 0, rate: float = 0.0,
        robot: Union[str, Path] = "", domain: Optional[Domain] = None, beside: Optional["AgvWorld"] = None,
    ) -> None:
        loaded = scene if isinstance(scene, Scene) else load_scene(scene, seed)
        if loaded.arena is None:
            raise ConfigError(f"the scene '{loaded.name}' has no arena to drive in; its robots: "
                              f"{', '.join(loaded.robots) or 'none'}")
        file = robot_file(loaded, BASE, "embedded", SECTION, robot)
        self.settings = load_agv_settings(file)
        self.domain = domain or domain_of(loaded)
        name = robots_of(loaded, BASE)[0]  # Of several it is one: the others have worlds of their own.
        self.simulation = beside.simulation if beside is not None else AgvSimulation(loaded, rate)
        self.base = EmbeddedBase(self.simulation, self.settings, seed, name,
                                 beside.base.fleet if beside is not None else None)
        self.faults = AgvFaults(self.simulation, self.base)
        body = body_of(file, self.settings.name, BASE)
        self.robot: BaseRobot = AgvRobot(self.base, body.able(self.domain.skills))
        self._begin(loaded)

    def reset(self, scene: Union[Scene, str, Path, None] = None, seed: int = 0) -> None:
        """Reset the world, or switch to another scene.

        Args:
            scene: the scene, its file or name; ``None`` keeps the current one.
            seed: of the random layout.
        """
        loaded = self._other(scene, seed)
        self.robot.stop(Deadline(2.0))
        self.simulation.reset(loaded)
        self.base.fleet.clear()
        self.load(loaded, seed)

    def load(self, scene: Scene, seed: int) -> None:
        """Begin again in a world that was reset.

        Args:
            scene: the initial objects, robots and facts, as its file describes them.
            seed: of the lidar's noise.
        """
        self.base.load(scene, seed)
        self._begin(scene)

    def _begin(self, scene: Scene) -> None:
        self.eyes = StateEstimator(scene.alone(self.base.name), self.domain)
        self.faults.told.clear()
        follow_with(self.eyes, self.base)
        for fault in scene.faults:
            self.inject(fault.kind, fault.target, fault.magnitude, fault.count)
        self.settle(0.3)

    def inject(self, kind: str, target: str = "", magnitude: Sequence[float] = (), count: int = 0) -> str:
        """Inject a fault; see ``AgvFaults.KINDS``.

        Args:
            kind: kind of the fault.
            target: name of an obstacle, for the kinds that move one.
            magnitude: numbers that the kind requires.
            count: not used; each of these faults occurs once.

        Returns:
            What was done, as a sentence.

        Raises:
            ConfigError: for a kind or a target that is not known, with those that are.
        """
        del count  # Each of these happens once.
        return self.faults.inject(kind, target, magnitude)

    def frames(self) -> Dict[str, Tuple[Pose, float]]:
        """Return the frames of the base, as TF would.

        Returns:
            Pose in the map frame and time (seconds) by frame.
        """
        return frames_of_bases(self.eyes, self.base)

    def observe(self, deadline: Deadline) -> WorldState:
        """Return areas, base and the obstacles that its lidar has detected.

        Args:
            deadline: not used; settling is bounded in simulation time.

        Returns:
            The world.
        """
        del deadline  # Settling is bounded in simulated time, which passes much faster.
        self.settle(1.0)
        self.eyes.follow(self.frames(), self.base.sense())
        return self.eyes.see(self.frames(), self.time)

    def settle(self, seconds: float) -> None:
        """Advance the simulation until the base stands.

        Args:
            seconds: limit in simulation time, seconds.
        """
        end, quiet = self.time + seconds, 0.0
        with self.simulation.moving():
            while self.time < end and quiet < _QUIET_FOR:
                before = self.time
                self.base.tick(Twist())
                stands = self.base.body.speed < 0.01 and abs(self.base.body.turning) < 0.02
                quiet = quiet + self.time - before if stands else 0.0
