"""Several AGVs in one arena, each with a stack of its own: random layouts, judged at every step of the physics."""

from __future__ import annotations

import itertools
import math
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

import numpy as np
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.errors import ConfigError
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.model import Pose, Task, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.robot.drive_goals import drive_space_of
from hicrisp_core.robot.turns import Turns, divided
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.floor_plan import Start
from hicrisp_core.scene.layout import RandomSpot, draw_layout
from hicrisp_core.trace.events import Waiting
from hicrisp_sim.agv import FleetWorld
from hicrisp_sim.agv.simulation import AgvSimulation
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from hicrisp_bench.agv.truth import TrueMap, TrueTrack, judge, moment_of
from hicrisp_bench.statistics import Tally, corrections_of, share_of
from hicrisp_bench.suite import Row

SCENE = "agv_fleet"
ORDERS = ("own", "shared")
"""How six areas are given to the bases: each has an order of its own, or all of them share one."""
COLUMNS = ("robots", "order", "policy", "n", "possible", "completed", "collisions", "touched", "order_violations",
           "waits", "corrections", "corrected_by", "least_gap_m", "sim_s")
_MARGIN, _GRID = 0.05, 0.1
"""Metres between footprints, and between the places, of the schedules that are looked for."""
_EDGE = 0.32
"""Metres of a room's edge in which nothing is put."""


@dataclass(frozen=True)
class FleetTrial:
    """All that the result of one run depends on.

    Args:
        shared: whether the bases share one order of all areas; else each has its own.
    """

    config: Path
    robots: int
    policy: str
    seed: int
    shared: bool

    def load_scene(self) -> Scene:
        """The layout that its seed draws: areas, obstacles and bases anywhere in the two rooms."""
        scene = load_scene(self.config / "scenes" / f"{SCENE}.yaml", self.seed)
        arena = scene.arena
        if arena is None:
            raise ConfigError(f"the scene {SCENE} has no arena")
        dice = random.Random(f"fleet {self.seed}")
        bases = [f"agv_{number}" for number in range(1, self.robots + 1)]
        usual = next(iter(arena.starts.values()))
        (low_x, low_y), (width, depth), half = arena.origin, arena.size, arena.size[0] / 2.0
        rooms = [(low_x + left + _EDGE, low_y + _EDGE, low_x + left + half - _EDGE, low_y + depth - _EDGE)
                 for left in (0.0, width - half)]
        areas = [name for name, item in scene.objects.items() if item.type == "area"]
        obstacles = {item.name: item.size[0] / 2.0 for item in scene.things}
        radii = {**dict.fromkeys(bases, usual.radius), **dict.fromkeys(areas, 0.25), **obstacles}
        discs = {name: WorldObject(name, "obstacle", "cylinder", (2.0 * radius, 2.0 * radius, 0.1))
                 for name, radius in radii.items()}
        # Each kind is in the two rooms by turns, so that each room has as many.
        places = {name: rooms[index % 2] for group in (bases, dice.sample(areas, len(areas)), sorted(obstacles))
                  for index, name in enumerate(group)}
        drawn = draw_layout(discs, {name: RandomSpot(room, 0.06, (0.0, math.inf)) for name, room in places.items()},
                            self.seed)
        if drawn is None:
            raise ConfigError(f"no layout of {SCENE} was found with the seed {self.seed}")
        spots = {name: item.pose.position[:2] for name, item in drawn.items() if item.pose is not None}
        starts = {name: Start(Pose((*spots[name], arena.floor), from_yaw(dice.uniform(-math.pi, math.pi))),
                              usual.radius, body=usual.body) for name in bases}
        objects = {name: replace(item, pose=replace(item.pose, position=(*spots[name], item.pose.position[2])))
                   if name in spots and item.pose is not None else item for name, item in scene.objects.items()}
        return replace(scene, robots=tuple(bases), objects=objects, arena=replace(arena, starts=starts))

    def visits(self, scene: Scene) -> List[Tuple[str, str]]:
        """The areas in their order, each with the base that visits it; of several orders one after the other."""
        areas = [name for name, item in scene.objects.items() if item.type == "area"]
        order = random.Random(f"order {self.seed}").sample(areas, len(areas))
        if not self.shared:
            return [(area, scene.robots[index % self.robots]) for index, area in enumerate(order)]
        places = {area: scene.objects[area].pose for area in areas}
        starts = scene.arena.starts if scene.arena is not None else {}
        return divided(order, {name: pose.position[:2] for name, pose in places.items() if pose is not None},
                       {name: start.pose.position[:2] for name, start in starts.items()})

    def key(self) -> str:
        """What tells a run from the others of the suite."""
        return f"{SCENE}, {self.robots}, {'shared' if self.shared else 'own'}, {self.policy}, {self.seed}"

    def run(self) -> Dict[str, Any]:
        """Run one in this process with an executive for each base; the result is a plain dictionary, judged from the
        physics."""
        scene = self.load_scene()
        parts = load_factory(self.config, scene.domain, self.policy, OFFLINE)
        world = FleetWorld(scene, self.seed, domain=parts.domain)
        visits = self.visits(scene)
        turns = world.fleet.turns = Turns(visits if self.shared else ())
        starts = scene.arena.starts if scene.arena is not None else {}
        judged = FleetJudge(world.simulation, {name: start.radius for name, start in starts.items()})
        world.simulation.listeners.append(judged.step)
        tracks = {name: TrueTrack(scene, name) for name in world.bases}
        waits: List[str] = []

        def act(name: str) -> Callable[[], Any]:
            own = world.bases[name]
            own.base.followers.append(lambda: tracks[name].follow(moment_of(own.base)))
            space = replace(drive_space_of(scene.alone(name)), first_reached=own.base.first_reached)
            order = [area for area, base in visits if base == name]
            last: Dict[str, str] = {}

            def heard(event: Mapping[str, Any]) -> None:
                if event["kind"] == Waiting.kind:
                    waits.append(f"{name}: {event['text']}")
                elif event["kind"] == "command":
                    last["area"] = str(event["arguments"].get("area", ""))
                elif event["kind"] == "verdict" and event["ok"]:
                    turns.visited(name, last.get("area", ""))

            brain = SearchBrain(parts.domain)
            executive = replace(parts, drive=space).executive({name: own.robot}, own, heard, brain=brain)
            task = Task("Visit " + ", then ".join(area.replace("_", " ") for area in order))
            return lambda: executive.run(task) if order else None

        began, started = time.perf_counter(), world.simulation.time
        found = world.together({name: act(name) for name in world.bases})
        told = [result for result in found.values() if result is not None]
        groups = [list(world.bases)] if self.shared else [[name] for name in world.bases]
        """Those who have one order together."""
        orders = [[area for area, base in visits if base in names] for names in groups]
        stops = [sorted((stop for name in names for stop in tracks[name].stops), key=lambda stop: stop.time)
                 for names in groups]
        counts = [judge(made, order) for made, order in zip(stops, orders)]
        return {
            "seed": self.seed, "policy": self.policy, "visits": [list(visit) for visit in visits],
            "possible": possible(scene, visits), "claimed": all(result.success for result in told),
            "completed": all(count["in_turn"] == len(order) for count, order in zip(counts, orders)),
            "message": "; ".join(result.message for result in told),
            "stops": [[stop.area if stop.meant else f"({stop.area})" for stop in made] for made in stops],
            "order_violations": sum(count["violations"] for count in counts),
            "collisions": judged.collisions, "touched": judged.touched, "least_gap_m": judged.least,
            "waits": waits,
            **corrections_of(map(vars, told)),
            "sim_s": world.simulation.time - started, "wall_s": time.perf_counter() - began,
        }


def trials(config: Path, robots: int, layouts: int, policies: Sequence[str]) -> List[Tuple[Row, List[FleetTrial]]]:
    """Every row of the table with the runs that make it."""
    return [({"robots": robots, "order": order, "policy": policy, "llm": OFFLINE},
             [FleetTrial(config, robots, policy, seed, order == "shared") for seed in range(layouts)])
            for order in ORDERS for policy in policies]


class FleetJudge:
    """Follows all bases at every step of the physics."""

    def __init__(self, simulation: AgvSimulation, radii: Mapping[str, float]) -> None:
        self._simulation = simulation
        self._radii = radii
        self._pairs = list(itertools.combinations(sorted(radii), 2))
        self._close: Dict[Tuple[str, str], bool] = dict.fromkeys(self._pairs, False)
        self._touching: Dict[str, str] = dict.fromkeys(radii, "")
        self.collisions = 0
        self.touched: List[str] = []
        self.least = math.inf
        """Smallest space between two bases so far, metres."""

    def step(self) -> None:
        """Judge one step: two footprints that overlap, or a chassis that touches anything."""
        bodies = self._simulation.bodies
        spots = {name: body.pose.position[:2] for name, body in bodies.items()}
        for pair in self._pairs:
            gap = math.dist(spots[pair[0]], spots[pair[1]]) - self._radii[pair[0]] - self._radii[pair[1]]
            self.collisions += gap <= 0.0 and not self._close[pair]
            self._close[pair], self.least = gap <= 0.0, min(self.least, gap)
        for name, body in bodies.items():
            touching = body.touching
            if touching and touching != self._touching[name]:
                self.touched.append(f"{name}: {touching}")
            self._touching[name] = touching


def possible(scene: Scene, visits: Sequence[Tuple[str, str]]) -> bool:
    """Whether a schedule exists: from the start all bases, one step of one of them after another, come to each visit.

    Steps can be taken back, so that whatever is connected can be visited in any order. Only pairs of bases are
    looked at; a third one is taken to stand aside.

    Args:
        scene: with every obstacle where it really is.
        visits: areas, each with the base that visits it.

    Returns:
        Whether every visit is connected to the start.
    """
    names = sorted({name for name in scene.robots})
    maps = {name: TrueMap(scene, name) for name in names}
    return all(_connected(scene, maps, pair, [(area, base) for area, base in visits if base in pair])
               for pair in itertools.combinations(names, 2))


def _connected(
    scene: Scene, maps: Mapping[str, TrueMap], pair: Tuple[str, str], visits: Sequence[Tuple[str, str]]
) -> bool:
    """Whether two bases come from their starts to each of their visits."""
    starts = scene.arena.starts if scene.arena is not None else {}
    spots = maps[pair[0]].places(_GRID)
    free = len(spots)
    if not free:
        return False
    apart = np.hypot(*(spots[:, None] - spots[None, :]).transpose(2, 0, 1))
    both = apart >= sum(starts[name].radius for name in pair) + _MARGIN
    near = np.argwhere((apart > 0.0) & (apart <= 1.01 * _GRID))
    first, second = np.meshgrid(np.arange(free), np.arange(free), indexing="ij")
    number = first * free + second
    froms, tos = [], []
    for one, other in near:  # One base goes from a place to the next, wherever the other is meanwhile.
        may = both[one] & both[other]
        froms += [number[one][may], number[:, one][may]]
        tos += [number[other][may], number[:, other][may]]
    edges = (np.ones(sum(map(len, froms)), dtype=bool), (np.concatenate(froms), np.concatenate(tos)))
    _, labels = connected_components(coo_matrix(edges, shape=(free * free, free * free)), directed=False)
    labels = np.where(both, labels.reshape(free, free), -1)
    at = [int(np.hypot(*(spots - np.array(starts[name].pose.position[:2])).T).argmin()) for name in pair]
    here = labels[at[0], at[1]]
    joined = labels == here
    for area, base in visits:
        inside = maps[base].within(area, spots)
        if here < 0 or not (joined[inside].any() if base == pair[0] else joined[:, inside].any()):
            return False
    return True


def row_of(head: Row, own: Tally) -> Row:
    """One row from its runs."""
    fair = [result for result in own.whole if result["possible"]]
    return {
        **head, **own.trials, "possible": len(fair),
        **share_of("completed", sum(result["completed"] and not result["collisions"] for result in fair), len(fair)),
        **({} if fair else {"completed": None}),
        **own.totals("collisions", "order_violations"), **own.lengths("touched", "waits"), **own.corrections,
        "least_gap_m": min((each["least_gap_m"] for each in own.whole), default=None), **own.spreads("sim_s", "wall_s"),
        **own.false_success("completed"),
        "failed": [result["seed"] for result in fair if not result["completed"]],
    }
