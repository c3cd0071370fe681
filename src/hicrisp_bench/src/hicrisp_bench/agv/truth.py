"""What is true of an arena and of a run in it, from the physics: what can be reached, who stopped where,
how far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.keep_out import disc, overlapped
from hicrisp_core.scene import Scene
from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.costmap import Costmap
from hicrisp_sim.agv.planner import cell_graph
from scipy.ndimage import label
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

TO_SPARE = 0.05
"""Space on every side, metres, with which an area counts as reachable."""
_INSIDE = 0.03
"""Metres that the base's middle must be within an area's edge."""
_RESOLUTION = 0.02
_STOPPED, _LONG = 0.02, 0.4
"""Speed (m/s, and rad/s) below which the base stands, and for how long that makes a stop during a drive, seconds.

Where a drive has ended, standing is a stop at once: how soon the next one begins depends on who thinks how long.
"""


class TrueMap:
    """The arena with every obstacle where it really is, at the beginning."""

    def __init__(self, scene: Scene, robot: str) -> None:
        if scene.arena is None:
            raise ValueError(f"the scene '{scene.name}' has no arena")
        start = scene.arena.starts[robot]
        self._costmap = Costmap(scene.arena, _RESOLUTION, 0.4, scene.zones)
        self._costmap.keep_out([disc(*item.pose.position[:2], item.size[0] / 2.0)
                                for item in scene.things if item.pose])
        self._free = self._costmap.distance >= start.radius + TO_SPARE
        self._start = self._costmap.cell(*start.pose.position[:2])
        labels, _ = label(self._free)
        here = labels[self._start] if self._start else 0
        self._reached = (labels == here) if here else np.zeros_like(self._free)
        self._areas = {name: item for name, item in scene.objects.items() if item.type == "area"}

    def reachable(self, area: str) -> bool:
        """Whether a base with space to spare can come to stand in an area."""
        return bool((self._reached & self._cells(self._areas[area])).any())

    def shortest(self, order: Sequence[str]) -> Optional[float]:
        """Metres of the shortest way that enters areas in an order; ``None`` where there is none.

        From each area's cells the way goes on where it came in: distances are carried over as the next start.
        """
        if not self._start or not all(self.reachable(area) for area in order):
            return None
        graph, at = cell_graph(np.where(self._reached, 1.0, np.inf))
        distances = np.full(graph.shape[0], np.inf)
        distances[at[self._start]] = 0.0
        for area in order:
            distances = _from(graph, distances)
            inside = at[self._reached & self._cells(self._areas[area])]
            kept = np.full_like(distances, np.inf)
            kept[inside] = distances[inside]
            distances = kept
        return float(distances.min()) * _RESOLUTION

    def places(self, step: float) -> np.ndarray:
        """Points (n, 2) of a square grid with some step where a base with space to spare can be, metres."""
        every = round(step / _RESOLUTION)
        cells = np.argwhere(self._reached[::every, ::every]) * every
        return np.asarray(self._costmap.middle(cells))

    def within(self, area: str, spots: np.ndarray) -> np.ndarray:
        """Which of some points (n, 2), metres, are in an area."""
        cells = np.floor((spots - self._costmap.origin) / _RESOLUTION).astype(int)
        return np.asarray(self._cells(self._areas[area])[cells[:, 0], cells[:, 1]])

    def _cells(self, area: WorldObject) -> np.ndarray:
        if area.pose is None:
            return np.zeros_like(self._free)
        x, y = np.moveaxis(self._costmap.middle(np.indices(self._free.shape).transpose(1, 2, 0)), 2, 0)
        cosine, sine = math.cos(area.pose.yaw), math.sin(area.pose.yaw)
        dx, dy = x - area.pose.position[0], y - area.pose.position[1]
        half = [size / 2.0 - _INSIDE for size in area.size[:2]]
        return np.asarray((abs(dx * cosine + dy * sine) <= half[0]) & (abs(dy * cosine - dx * sine) <= half[1]))


@dataclass(frozen=True)
class Stop:
    """An area in which a base came to stand, the area that it was on its way to, and when, in seconds."""

    area: str
    errand: str = ""
    time: float = field(default=0.0, compare=False)

    @property
    def meant(self) -> bool:
        """Whether the base was sent there; otherwise its drive broke off, or paused, on the way."""
        return self.area == self.errand


@dataclass(frozen=True)
class Moment:
    """A base after one control period, from the physics; world frame.

    Args:
        time: seconds of the simulation's clock.
        speed: of its middle, m/s.
        turning: rad/s.
        touching: what it touches; empty for nothing.
        goal: where it was sent to last.
        driving: whether a drive is under way, to the end of its braking.
    """

    time: float
    pose: Pose
    speed: float
    turning: float
    touching: str = ""
    goal: Optional[Pose] = None
    driving: bool = False


def moment_of(base: EmbeddedBase) -> Moment:
    """What is true of an embedded base now."""
    body = base.body
    return Moment(base.simulation.time, body.pose, body.speed, body.turning, body.touching, base.goal, base.driving)


class TrueTrack:
    """Follows a base in the physics, moment by moment: its way, the areas in which it stopped, what it
    touched, and the zones that a part of it came over."""

    def __init__(self, scene: Scene, robot: str) -> None:
        if scene.arena is None:
            raise ValueError(f"the scene '{scene.name}' has no arena")
        self.robot = robot
        self._areas = {name: item for name, item in scene.objects.items() if item.type == "area"}
        self._zones = scene.zones
        self._radius = scene.arena.starts[robot].radius
        self._last: Optional[Tuple[float, float]] = None
        self._still_since = math.inf
        self._touching = ""
        self._over: FrozenSet[str] = frozenset()
        self.time = -math.inf
        self.length = 0.0
        self.stops: List[Stop] = []
        self.touched: List[str] = []
        self.zones_entered: List[str] = []

    def follow(self, moment: Moment) -> None:
        """Take in the next moment."""
        x, y, _ = moment.pose.position
        if self._last is None:
            self._still_since = moment.time
        else:
            self.length += math.dist(self._last, (x, y))
        self._last, self.time = (x, y), moment.time
        if moment.speed > _STOPPED or abs(moment.turning) > _STOPPED:
            self._still_since = moment.time
        elif not moment.driving or moment.time - self._still_since >= _LONG:
            area, goal = self._area_at(x, y), moment.goal
            stop = Stop(area, self._area_at(*goal.position[:2]) if goal is not None else "", self.time)
            last = self.stops[-1] if self.stops else Stop("")
            if area and (area != last.area or stop.meant and not last.meant):
                self.stops.append(stop)
        if moment.touching and moment.touching != self._touching:
            self.touched.append(moment.touching)
        self._touching = moment.touching
        over = frozenset(str(zone) for zone in self._zones if overlapped(moment.pose, self._radius, (zone,)))
        self.zones_entered += sorted(over - self._over)
        self._over = over

    def _area_at(self, x: float, y: float) -> str:
        for name, area in self._areas.items():
            if area.pose is not None:
                local = area.pose.seen((x, y, area.pose.position[2]))
                if abs(local[0]) <= area.size[0] / 2.0 and abs(local[1]) <= area.size[1] / 2.0:
                    return name
        return ""


def judge(stops: Sequence[Stop], order: Sequence[str]) -> Dict[str, int]:
    """How the stops compare with the order.

    ``in_turn``: areas visited when they were due; one that a base stood in on its way elsewhere counts where
    it was not sent there later. ``violations``: stops out of turn where the base was sent to. ``halts``:
    stops out of turn in an area that lay on its way, where a drive broke off or looked for another path.
    """
    due, violations, halts = 0, 0, 0
    for index, stop in enumerate(stops):
        counts = stop.meant or Stop(stop.area, stop.area) not in stops[index:]
        if counts and due < len(order) and stop.area == order[due]:
            due += 1
        elif stop.meant:
            violations += 1
        else:
            halts += 1
    return {"in_turn": due, "violations": violations, "halts": halts}


def _from(graph: csr_matrix, distances: np.ndarray) -> np.ndarray:
    """Shortest distances when every node begins with a distance of its own: Dijkstra from one more node."""
    count = graph.shape[0]
    sources = np.flatnonzero(np.isfinite(distances))
    entries = graph.tocoo()
    one_more = csr_matrix(
        (np.concatenate((entries.data, distances[sources] + 1.0)),
         (np.concatenate((entries.row, np.full(len(sources), count))),
          np.concatenate((entries.col, sources)))),
        shape=(count + 1, count + 1))
    found = dijkstra(one_more, directed=False, indices=count)[:count] - 1.0
    return np.asarray(found)
