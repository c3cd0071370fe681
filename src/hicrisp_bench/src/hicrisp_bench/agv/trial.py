"""One run of the AGV: an order of areas, four obstacles by chance, a policy, perhaps a plan with a wrong
order.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Collection, Dict, Mapping, Sequence, Tuple

from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.model import FeedbackKind, Motion, Task
from hicrisp_core.ports.perception import POSES
from hicrisp_core.robot.drive_goals import drive_space_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import AgvWorld

from hicrisp_bench.agv.truth import TrueMap, TrueTrack, judge, moment_of
from hicrisp_bench.agv_brain.wrong_order import WrongOrder

CAUGHT = frozenset(kind.value for kind in (
    FeedbackKind.OUT_OF_ORDER, FeedbackKind.NOT_DUE, FeedbackKind.OMITTED, FeedbackKind.WRONG_AREA))
"""Kinds of failures by which a wrong order is seen."""


@dataclass(frozen=True)
class AgvTrial:
    """All that the result of one run depends on.

    Args:
        order: the areas in the order that the task asks for.
        injected: what is wrong with the first plan; empty for the offline planner's own.
        faults: kind, target and magnitude of what is injected into the world.
        perception: how things are seen; no camera looks at an arena.
    """

    config: Path
    order: Tuple[str, ...]
    policy: str
    seed: int
    injected: str = ""
    scene: str = "agv"
    faults: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    llm: str = OFFLINE
    perception: str = POSES

    @property
    def task(self) -> str:
        """What the robot is asked to do."""
        return "Visit " + ", then ".join(area.replace("_", " ") for area in self.order)

    def load_scene(self) -> Scene:
        """The layout that its seed draws."""
        return load_scene(self.config / "scenes" / f"{self.scene}.yaml", self.seed)


@dataclass(frozen=True)
class Told:
    """What a run says of itself.

    Args:
        failures: the kinds of what was seen to fail.
        near_misses: passes that the eyes saw to be too close.
        sim_s: seconds of the simulation's clock; ``wall_s`` of the wall's.
    """

    success: bool
    message: str
    plan: Sequence[str]
    steps_executed: int
    corrections: Mapping[str, int]
    corrected_by: Mapping[str, int]
    failures: Collection[str]
    near_misses: int
    sim_s: float
    wall_s: float


def key_of(trial: AgvTrial) -> str:
    """What tells a run from the others of the suite."""
    plan, order = trial.injected or "offline", " ".join(trial.order)
    return f"{trial.scene}, {plan}, {trial.policy}, {trial.seed}: {order}"


def run_agv_trial(trial: AgvTrial) -> Dict[str, Any]:
    """Run one in this process; the result is a plain dictionary, judged from the physics."""
    scene = trial.load_scene()
    parts = load_factory(trial.config, scene.domain, trial.policy, trial.llm)
    world = AgvWorld(scene, trial.seed, domain=parts.domain)
    for fault in trial.faults:
        world.inject(**fault)
    real = SearchBrain(parts.domain)
    brain = WrongOrder(real, trial.injected, trial.seed) if trial.injected else real
    track = TrueTrack(scene, world.robot.name)
    world.base.followers.append(lambda: track.follow(moment_of(world.base)))
    space = replace(drive_space_of(scene), first_reached=world.base.first_reached)
    executive = replace(parts, drive=space).executive(
        {world.robot.name: world.robot}, world, lambda event: None, brain=brain)
    began, started = time.perf_counter(), world.time
    result = executive.run(Task(trial.task))
    world.settle(1.0)
    motion = world.observe(Deadline(60.0)).robots[world.robot.name].motion or Motion()
    return result_of(trial, track, Told(
        result.success, result.message, result.plan, result.steps_executed, result.corrections, result.corrected_by,
        [failure.kind for failure in result.failures], motion.near_misses, world.time - started,
        time.perf_counter() - began))


def result_of(trial: AgvTrial, track: TrueTrack, told: Told) -> Dict[str, Any]:
    """The result of a run as a plain dictionary: what it says of itself, judged by where the base really
    was.
    """
    truth = TrueMap(trial.load_scene(), track.robot)
    reachable = [area for area in trial.order if truth.reachable(area)]
    stood = {stop.area for stop in track.stops}
    judged = judge(track.stops, [area for area in trial.order if area in reachable or area in stood])
    return {
        "order": list(trial.order), "seed": trial.seed, "policy": trial.policy, "injected": trial.injected,
        "scene": trial.scene, "reachable": len(reachable) == len(trial.order),
        "completed": judge(track.stops, trial.order)["in_turn"] == len(trial.order),
        "claimed": told.success, "message": told.message, "plan": list(told.plan),
        "steps_executed": told.steps_executed,
        "order_violations": judged["violations"], "halts_out_of_turn": judged["halts"],
        "stops": [stop.area for stop in track.stops],
        "collisions": len(track.touched), "touched": list(track.touched), "near_misses": told.near_misses,
        "zone_violations": len(track.zones_entered), "zones_entered": list(track.zones_entered),
        "caught": any(kind in CAUGHT for kind in told.failures), "corrections": dict(told.corrections),
        "corrected_by": dict(told.corrected_by),
        "path_m": track.length, "shortest_m": truth.shortest(trial.order),
        "sim_s": told.sim_s, "wall_s": told.wall_s,
    }
