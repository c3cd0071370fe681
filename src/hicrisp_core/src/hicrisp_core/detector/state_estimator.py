"""The state estimation of every world, launched or in one process: frames, scans and tracks in, world states out; no
driver is asked.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, FrozenSet, Mapping, Optional, Tuple

import numpy as np

from hicrisp_core.detector.given_names import GivenNames
from hicrisp_core.detector.motion import MotionLimits, MotionRecord
from hicrisp_core.detector.obstacles import KnownBodies, obstacles_in
from hicrisp_core.detector.perception import NONE_AHEAD, frames_of, perceive, with_type
from hicrisp_core.detector.scan_memory import ScanMemory
from hicrisp_core.domain.schema import ANYTHING, Domain
from hicrisp_core.model import Pose, Relation, Tracks, WorldObject, WorldState
from hicrisp_core.model.cutting import PART_OF
from hicrisp_core.model.scan import Scan
from hicrisp_core.model.screwing import SCREWED_ON, with_measured
from hicrisp_core.model.world import inside_of
from hicrisp_core.ports.observer import Frames, Naming, NamingRequest
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene.scene import Scene

_NTH = 3
"""The point, counted from the nearest, that says how near something is: the nearest of many is short by
its noise.
"""
_INSIDE = 0.05
"""Metres within the footprint of a base at which the lidar sees the base itself, and no object that it touches."""
_ABOUT = 0.08
"""Metres around the footprint of a base of others within which the lidar sees that base, which may be moving."""
_SET_BACK = 1.0
"""Least age of a scan relative to the last one, seconds, that shows a reset of the clock."""


class StateEstimator:
    """Sees the objects, the robots and the floor of one scene.

    What stands about in an arena is not known beforehand: it is what the lidar has seen and no map explains.

    Args:
        domain: names the facts that follow from poses.
        age_limit: age above which a pose does not count as observed, seconds.
    """

    def __init__(self, scene: Scene, domain: Domain, age_limit: float = math.inf) -> None:
        self._domain = domain
        self._age_limit = age_limit
        bases = scene.arena.starts if scene.arena is not None else {}
        unknown = scene.arena.unknown if scene.arena is not None else frozenset()
        bodies = bodies_of(scene)
        self.robots = tuple(frames_of(name, body) for name, body in bodies.items())
        self._opening = max((body.hand.widest for body in bodies.values()
                             if body.hand is not None), default=0.0)
        self.known: Dict[str, WorldObject] = {
            name: item for name, item in scene.objects.items() if name not in unknown}
        self._scene = scene
        self.measured: FrozenSet[Relation] = scene.facts
        """What was seen besides poses, such as levels; what nobody measures stays as the scene says."""
        self._fixtures = any(item.joint is not None for item in self.known.values())
        self._inside: Dict[str, Tuple[str, Pose]] = {}
        """What was seen in which drawer or cupboard, and where there."""
        self.names = GivenNames((*scene.objects, *bodies, *domain.types, *domain.predicates, *domain.actions))
        """Of unknown objects."""
        self._bodies = {robot.name: robot.frames[0] for robot in self.robots if robot.name in bases}
        others = bodies_of(replace(scene, robots=tuple(name for name in bases if name not in self._bodies)))
        self._shown = {**self._bodies, **{name: frames_of(name, body).frames[0] for name, body in others.items()}}
        self._known_bodies = KnownBodies(
            {self._shown[name]: start.radius + (_ABOUT if name in others else 0.0) for name, start in bases.items()},
            {frame: capsules for body in bodies.values() for frame, capsules in body.links.items()} if bases else {},
            scene.arena.floor if scene.arena is not None else 0.0)
        self._begin()

    def _begin(self) -> None:
        arena = self._scene.arena
        self._starts = arena.starts if arena is not None else {}
        self._records = {name: MotionRecord(self._scene.zones, MotionLimits(self._starts[name].radius))
                         for name in self._bodies}
        self._memory = ScanMemory(arena) if arena is not None else None
        self._scanned = -math.inf
        self._lidar = 0.0
        """Height of the lidar in the world frame, metres."""
        self._obstacles: Optional[Mapping[str, WorldObject]] = None

    @property
    def frames(self) -> Tuple[str, ...]:
        """Names of the frames that are used."""
        return tuple(dict.fromkeys((*self.known, *(frame for robot in self.robots for frame in robot.frames),
                                    *self._known_bodies.frames)))

    def frame_of(self, base: str) -> str:
        """Return the frame that shows a base.

        Args:
            base: name of the base.

        Returns:
            Name of the frame.
        """
        return self._shown[base]

    def follow(self, frames: Frames, scan: Optional[Scan] = None) -> None:
        """Process motion between two observations of the whole world.

        Args:
            frames: pose and stamp of each frame by name, map frame.
            scan: the latest lidar sweep, if there is one.
        """
        if scan is not None and scan.time < self._scanned - _SET_BACK:
            self._begin()
        bodies = {name: frames[frame] for name, frame in self._bodies.items()
                  if frame in frames and frames[frame][0].finite}
        for name, (pose, time) in bodies.items():
            self._records[name].moved(pose, time)
        if scan is None or self._memory is None or scan.time <= self._scanned:
            return
        self._scanned, self._obstacles, self._lidar = scan.time, None, scan.pose.position[2]
        self._memory.mark(scan, self._known_bodies.explain(scan, frames))
        for name, (pose, _) in bodies.items():
            away = np.hypot(*(scan.points - np.array(pose.position[:2])).T)
            away = away[away >= self._starts[name].radius - _INSIDE]  # Nearer ends lie on the base itself.
            nearest = float(np.partition(away, _NTH)[_NTH]) if len(away) > _NTH else math.inf
            self._records[name].ranged(nearest)

    def see(self, frames: Frames, now: float, view: Optional[Tracks] = None,
            ahead: Mapping[str, float] = NONE_AHEAD) -> WorldState:
        """Return the world with the facts that follow from the observation.

        Args:
            frames: pose and stamp of each frame by name, world frame.
            now: seconds of the clock of the stamps.
            view: tracks of the cameras; if given, frames of movable objects are ignored.
            ahead: frames whose newest poses are stamped in the future, with the lead in seconds.

        Returns:
            The world.
        """
        seen = self.obstacles()
        arena = self._scene.arena
        off = {frame: arena.off_floor(frames[frame][0]) for frame in self._bodies.values()
               if arena is not None and frame in frames and frames[frame][0].finite}
        frames = {name: found for name, found in frames.items() if not off.get(name)}
        if view is not None:  # Unknown objects are called in the domain's words, and by the names that they were given.
            view = self.names.called(replace(view, tracks=tuple(
                track if track.unknown is None
                else replace(track, unknown=with_type(track.unknown, self._domain, self._opening))
                for track in view.tracks)))
        stamped = {name: (item.pose, now) for name, item in seen.items() if item.pose is not None}
        if self._fixtures and view is None:
            stamped.update(self._enclosed(frames, now))
        world = perceive({**frames, **stamped}, {**self.known, **seen}, self._domain, now, self.robots,
                         self._age_limit, view, ahead)
        robots = {name: robot if name not in self._records else replace(
                      robot, motion=self._records[name].motion, off_floor=off.get(self._bodies[name], 0.0))
                  for name, robot in world.robots.items()}
        return replace(world.with_relations(with_measured(world.relations, self.measured)), robots=robots,
                       trouble="" if view is None else view.trouble, eye=None if view is None else view.eye)

    def _enclosed(self, frames: Frames, now: float) -> Dict[str, Tuple[Pose, float]]:
        """Return the frames of what is in a closed drawer or cupboard: it is where it was when that was closed, and
        moves with it.
        """
        fresh = {name: pose for name, (pose, stamp) in frames.items() if now - stamp <= self._age_limit}
        known = {name: item.at(fresh[name]) if name in fresh else replace(item, pose=None) if item.moves else item
                 for name, item in self.known.items()}
        inside = inside_of(known, shut=False)
        for name in [name for name in self._inside if name in fresh]:
            del self._inside[name]
        poses = {name: item.pose for name, item in known.items() if item.pose is not None}
        self._inside.update({name: (around, poses[around].inverse().compose(poses[name]))
                             for name, around in inside.items()})
        there = {name: item.at(poses[around].compose(offset)) for name, (around, offset) in self._inside.items()
                 if name not in fresh and around in poses for item in (known[name],)}
        return {name: (item.pose, now) for name, item in there.items()
                if item.pose is not None and name in inside_of({**known, name: item})}

    def measure(self, facts: FrozenSet[Relation]) -> None:
        """Take in what was measured besides poses.

        Args:
            facts: all that is seen now of their predicates, of caps that are on and of pieces that are still one.
        """
        kinds = {SCREWED_ON, PART_OF, *(fact.predicate for fact in facts)}
        self.measured = facts | {fact for fact in self.measured if fact.predicate not in kinds}

    @property
    def unnamed(self) -> FrozenSet[str]:
        """The unknown objects that nobody has named, by the names of their tracks."""
        return self.names.unnamed

    def give_name(self, wanted: NamingRequest) -> Naming:
        """Give an unknown object a name.

        Args:
            wanted: which object, its new name, and who gives it.

        Returns:
            The new name, or why it cannot be given.
        """
        return self.names.give(*wanted)

    def obstacles(self) -> Mapping[str, WorldObject]:
        """Return the obstacles that the lidar has detected and the map does not explain, as discs.

        They stand on the floor and reach up to the scan plane; anything above it is unknown.

        Returns:
            Objects by name.
        """
        if self._obstacles is None:
            found = () if self._memory is None else obstacles_in(
                self._memory.seen, self._memory.resolution, self._domain.roles.obstacle or ANYTHING,
                self._memory.arena.floor, self._lidar)
            self._obstacles = {item.name: item for item in found}
        return self._obstacles
