"""The base in the physics: lidar, odometry, costmap, planner and controller, moved one control period at a time."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from threading import Event
from typing import Any, Callable, List, Optional

import numpy as np
from hicrisp_core.model import CauseKind, Outcome, Pose, Status
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.scan import Scan
from hicrisp_core.ports.robot import UNCONSTRAINED, Constraints
from hicrisp_core.scene import Scene
from hicrisp_core.scene.arena import check_goal
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.agv.costmap import Costmap
from hicrisp_sim.agv.fleet import Claim, Fleet, on_mates
from hicrisp_sim.agv.giving_way import GivingWay, Way
from hicrisp_sim.agv.model import MAST_GROUP, SOLID_GROUP
from hicrisp_sim.agv.planner import GlobalPlanner
from hicrisp_sim.agv.pursuit import PursuitController, Twist
from hicrisp_sim.agv.settings import AgvSettings
from hicrisp_sim.agv.simulation import AgvSimulation, BaseBody
from hicrisp_sim.simulation import CONTROL_PERIOD


class Lidar:
    """Scans when its time has come, and sees everything but the base that carries it; ``stopped`` makes it fall
    silent."""

    def __init__(self, simulation: AgvSimulation, settings: AgvSettings, seed: int = 0, base: str = "") -> None:
        self._simulation = simulation
        self._settings = settings
        self._base = base or settings.name
        self._dice = np.random.default_rng(seed)
        self.angles = np.linspace(-np.pi, np.pi, settings.rays, endpoint=False)
        self._groups = np.zeros(6, dtype=np.uint8)
        self._groups[[SOLID_GROUP, MAST_GROUP]] = 1
        self.latest: Optional[Scan] = None
        self.stopped = False

    def due(self) -> bool:
        """Check whether the next scan is due.

        Returns:
            True once per period.
        """
        now = self._simulation.time
        return (self.latest is None
                or not -1e-6 < now - self.latest.time < 1.0 / self._settings.scan_rate - 1e-6)

    def scan(self) -> Optional[Scan]:
        """Take a scan.

        Returns:
            The scan; ``None`` if the lidar is silent.
        """
        if self.stopped:
            return None
        body = self._simulation.bodies[self._base]
        pose = body.pose
        bearing = self.angles + pose.yaw
        rays = np.column_stack((np.cos(bearing), np.sin(bearing), np.zeros_like(bearing)))
        eye = pose.shifted((0.0, 0.0, self._settings.lidar_height)).position
        distances = self._simulation.rays(np.array(eye), rays, self._groups, body.number, self._settings.range)
        met = (distances >= 0.0) & (distances <= self._settings.range)
        noise = self._dice.normal(0.0, self._settings.range_noise, self._settings.rays) \
            if self._settings.range_noise else 0.0
        ranges = np.where(met, np.maximum(0.0, distances + noise), np.inf)
        self.latest = Scan(self._simulation.time, Pose(eye, from_yaw(pose.yaw)), self.angles, ranges)
        return self.latest


_STANDING = 0.01
"""Speed (m/s, and rad/s of turning) below which the base counts as standing."""
_STANDS = 1.0
"""Seconds for which a base stays where its drive has ended before it makes room for others."""
_REACTION = 0.1
"""Seconds for which a base goes on before it brakes, as others reckon."""
_MOST_CELLS = 1_000_000
"""Of a costmap: a plan over all of them takes 300 MB."""
_log = logging.getLogger(__name__)


class Vehicle:
    """One base in an arena; its driver calls ``tick``. Poses are in the map frame, which is the world
    frame; times are the world's clock.

    Args:
        seed: of the lidar's noise.
        name: of the base in the scene; that of the settings by default.
        fleet: the bases that drive in the same arena; none by default.
    """

    def __init__(
        self, simulation: AgvSimulation, settings: AgvSettings, seed: int = 0, name: str = "",
        fleet: Optional[Fleet] = None,
    ) -> None:
        self.name = name or settings.name
        self.settings = settings
        self.simulation = simulation
        self.fleet = fleet or Fleet()
        self.followers: List[Callable[[], None]] = []
        """Called after every control period, while the physics stands."""
        self.halted = Event()
        """Set to stop the base: ends the current drive."""
        self.load(simulation.scene, seed)

    def load(self, scene: Scene, seed: int = 0) -> None:
        """Start again in a scene, with an empty costmap and the odometry at the start.

        Args:
            scene: the initial objects, robots and facts, as its file describes them.
            seed: of the lidar's noise.

        Raises:
            ValueError: if the scene has no arena.
        """
        if scene.arena is None:
            raise ValueError(f"the scene '{scene.name}' has no arena")
        self.radius = scene.arena.starts[self.name].radius
        self.inscribed = self.radius + self.settings.margin
        cell = max(self.settings.resolution, math.sqrt(math.prod(scene.arena.size) / _MOST_CELLS))
        if cell > self.settings.resolution:
            _log.warning("an arena of %g m by %g m has more than %d cells of %g m: the costmap has cells of %.2f m, "
                         "and a gap narrower than the base and two of them may be no way", *scene.arena.size,
                         _MOST_CELLS, self.settings.resolution, cell)
        self.narrow = self.radius - 0.5 * cell
        # To the middles of occupied cells, not to their edges: an object's surface is somewhere in its cells.
        # Where the margin leaves no way, the points of the scan decide, and no cell.
        self.lidar = Lidar(self.simulation, self.settings, seed, self.name)
        self.local = Costmap(scene.arena, cell, self.settings.inflation, scene.zones)
        self.planner = GlobalPlanner(self.local, self.inscribed, self.narrow)
        self.controller = PursuitController(self.local, self.settings, self.radius)
        self.giving_way = GivingWay(self.planner, self.radius, [
            item for item in scene.objects.values() if item.form.ground and item.name not in scene.arena.unknown])
        self.extra_clearance = 0.0
        self.route: Optional[np.ndarray] = None
        """The path that the drive under way follows, or the last one did: (n, 2), metres."""
        self.claim = Claim(self.name, self.radius)
        self._looked_about, self._held = -math.inf, False
        self.held = 0.0
        """Seconds for which it waited for its turn."""
        self._aside: Optional[np.ndarray] = None
        start = self.body.pose
        self._counted = (start.position[0], start.position[1], start.yaw)
        self.look()

    @property
    def body(self) -> BaseBody:
        """The base in the physics."""
        return self.simulation.bodies[self.name]

    def scan(self) -> Optional[Scan]:
        """Return the latest scan.

        Returns:
            The scan; ``None`` before the first.
        """
        return self.lidar.latest

    def odometry(self) -> Pose:
        """Return the pose by the wheels, which drifts.

        Returns:
            Pose in the odometry frame.
        """
        x, y, yaw = self._counted
        return Pose((x, y, 0.0), from_yaw(yaw))

    def pose(self) -> Pose:
        """Return the pose by localization.

        Returns:
            Pose in the map frame.
        """
        return self.body.pose

    def map(self) -> np.ndarray:
        """Return the static map of walls and zones.

        Returns:
            Boolean array (columns along x, rows along y), true for occupied cells.
        """
        return np.asarray(self.local.static | self.local.zoned)

    def costmap(self) -> np.ndarray:
        """Return the cost of each cell.

        Returns:
            Array (columns, rows): 1 in the open, higher near obstacles, infinite where the footprint would
            touch one.
        """
        return self.local.costs(self.inscribed, self.narrow)

    def make_plan(self, start: Pose, goal: Pose) -> Optional[np.ndarray]:
        """Plan a path with the current costmap.

        Args:
            start: map frame.
            goal: map frame.

        Returns:
            Array (n, 2), metres; ``None`` without a path.
        """
        if check_goal(self.simulation.scene, goal) or check_goal(self.simulation.scene, start):
            return None
        first, last = ((pose.position[0], pose.position[1]) for pose in (start, goal))
        return self.planner.plan(first, last, self.extra_clearance)

    def way(self, goal: Optional[Pose], since: float = math.inf) -> Way:
        """Plan among the other bases, and tell them.

        Args:
            goal: map frame; ``None`` where the base only makes room.
            since: when its drive began, seconds of the world's clock.

        Returns:
            Where to go now.
        """
        now = self.simulation.time
        mates, barred = self.fleet.others(self.claim, now), self.fleet.turns.barred(self.name) if goal else None
        if not mates and barred is None:
            return Way(None if goal is None else self.make_plan(self.pose(), goal))
        if goal is not None and check_goal(self.simulation.scene, goal):
            return Way()
        since = since if barred is None else math.inf  # Whose turn it is not goes after those whose turn it is.
        way = self.giving_way.way(replace(self.claim, since=since), mates, goal.position[:2] if goal else None,
                                  self.extra_clearance, barred)
        self._held = barred is not None and bool(way.words)
        still = self.claim.stuck and (goal is not None or way.claimed is not None)
        self.tell(path=way.claimed, since=since, stuck=still or way.stuck)
        return replace(way, held=self._held)

    def end_drive(self) -> None:
        """Tell that the base has nothing to do; for a moment it stands, so that its stop can be seen."""
        self.tell(path=None, since=math.inf, stuck=False)
        self._held, self._looked_about, self._aside = False, self.simulation.time + _STANDS, None

    def rest(self) -> None:
        """Stand for one control period, and make room for a base that has to come by; the caller holds the
        simulation's motion lock.
        """
        if self.simulation.time >= self._looked_about + 1.0 / self.settings.plan_rate - 1e-6:
            self._looked_about, self._aside = self.simulation.time, self.way(None).path
        twist = None if self._aside is None else self.controller.follow(self.pose(), self._aside)
        if twist is None:
            self.controller.reset()
        self.tick(twist or Twist())

    def reaches(self, pose: Pose) -> bool:
        """Check whether a path leads to a pose with the current costmap.

        Args:
            pose: map frame.

        Returns:
            True if it does; false outside the map.
        """
        if check_goal(self.simulation.scene, pose):
            return False
        start, goal = (at.position[:2] for at in (self.pose(), pose))
        return self.planner.connected(start, goal, self.extra_clearance)

    def clear_costmaps(self) -> None:
        """Forget every obstacle that was seen; the next scan marks those in sight again."""
        self.local.clear()

    def constrain(self, constraints: Constraints = UNCONSTRAINED) -> None:
        """Set the constraints of the next drives, in addition to the scene's zones.

        Args:
            constraints: keep-out zones and clearance, map frame, metres.
        """
        self.local.keep_out(constraints.keep_out)
        self.extra_clearance = constraints.clearance

    def look(self) -> Optional[Scan]:
        """Take a scan and add it to the costmap; the caller holds the simulation's motion lock.

        Returns:
            The scan; ``None`` if the lidar is silent.
        """
        scan = self.lidar.scan()
        if scan is not None:
            mates = self.fleet.others(self.claim, self.simulation.time)
            explained = on_mates(scan.points, mates)
            self.local.mark(scan, explained)
            self.controller.see(scan.points[~explained])
        return scan

    @property
    def scan_age(self) -> float:
        """Time since the latest scan, seconds; infinite before the first."""
        latest = self.lidar.latest
        return float("inf") if latest is None else self.simulation.time - latest.time

    def tick(self, twist: Twist) -> None:
        """Drive for one control period; the caller holds the simulation's motion lock.

        Args:
            twist: forward speed (m/s) and yaw rate (rad/s).
        """
        body = self.body
        body.drive(twist.forward, twist.turn)
        for _ in range(round(1.0 / self.settings.control_rate / CONTROL_PERIOD)):
            self.simulation.step()
            forward, turn = body.wheel_speeds  # Dead reckoning by one period.
            x, y, yaw = self._counted
            yaw += turn * CONTROL_PERIOD
            self._counted = (x + forward * CONTROL_PERIOD * math.cos(yaw),
                             y + forward * CONTROL_PERIOD * math.sin(yaw), yaw)
        self.held += 1.0 / self.settings.control_rate if self._held else 0.0
        self.tell()
        if self.lidar.due():
            self.look()
        for follower in self.followers:
            follower()

    def tell(self, **changes: Any) -> None:
        """Tell the fleet where the base is, and what has changed of its errand.

        Args:
            changes: fields of its claim.
        """
        pose, (speed, _) = self.pose(), self.body.wheel_speeds
        way = speed * abs(speed) / (2.0 * self.settings.acceleration) + speed * _REACTION
        x, y, _ = pose.position
        halt = (x + way * math.cos(pose.yaw), y + way * math.sin(pose.yaw))
        self.claim = replace(self.claim, time=self.simulation.time, spot=(x, y), halt=halt, **changes)
        self.fleet.tell(self.claim)
        self.controller.mates = self.fleet.others(self.claim, self.simulation.time)

    def halt(self, deadline: Deadline) -> Outcome:
        """Brake until the base stands; the caller holds the simulation's motion lock.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            SUCCESS once it stands.
        """
        self.controller.reset()
        end = self.simulation.time + 3.0
        while not deadline.passed and self.simulation.time < end:
            self.tick(Twist())
            if self.body.speed < _STANDING and abs(self.body.turning) < 5 * _STANDING:
                return Outcome(Status.SUCCESS)
        return Outcome.because(CauseKind.STILL_MOVING, Status.SAFETY,
                               f"The base still moves at {self.body.speed:.2f} m/s.")
