"""One random task: a world, a policy and plans by chance, followed step by step in the physics."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

from hicrisp_core.factory import load_factory
from hicrisp_core.model import Task
from hicrisp_core.policy.policy import MODEL, SINGLE, load_policy
from hicrisp_core.ports.robot import RobotPort
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.robot.drive_goals import drive_space_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.trace.events import CommandTried, OutcomeClaimed
from hicrisp_sim.agv import AgvWorld
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.lab.world import LabWorld

from hicrisp_bench.limits.random_brain import RandomBrain
from hicrisp_bench.limits.random_model import SETTINGS, RandomModels
from hicrisp_bench.limits.watches import ArmWatch, BaseWatch

Watch = Union[ArmWatch, BaseWatch]
_TASK = "Do something"
_SECONDS = 15.0
"""Wall seconds of a task after which nothing further is begun."""


@dataclass(frozen=True)
class LimitsTrial:
    """All that the result of one task depends on."""

    config: Path
    scene: str
    policy: str
    seed: int


def key_of(trial: LimitsTrial) -> str:
    """What tells a task from the others of the suite."""
    return f"{trial.scene}, {trial.policy}, {trial.seed}"


def run_limits_trial(trial: LimitsTrial) -> Dict[str, Any]:
    """Run one in this process; the result is a plain dictionary."""
    scene = load_scene(trial.config / "scenes" / f"{trial.scene}.yaml", trial.seed)
    world, robots, watches = _world(scene, trial.seed)
    policy = load_policy(trial.config / "policies" / f"{trial.policy}.yaml")
    asks = policy.body == MODEL or policy.brain != SINGLE
    parts = load_factory(trial.config, scene.domain, policy, bodies=bodies_of(scene))
    if asks:
        parts = replace(parts, llm=SETTINGS, models=RandomModels(trial.seed))
    budget = replace(parts.policy.budget, seconds=_SECONDS)
    parts = replace(parts, policy=replace(parts.policy, budget=budget))
    if isinstance(world, (AgvWorld, LabWorld)):
        parts = replace(parts, drive=replace(drive_space_of(scene), first_reached=world.base.first_reached))
    events: List[Dict[str, Any]] = []
    began = time.perf_counter()
    brain = None if asks else RandomBrain(parts.domain, trial.seed)
    result = parts.executive(robots, world, events.append, brain=brain).run(Task(_TASK))
    world.settle(1.0)
    return {
        "scene": trial.scene, "policy": trial.policy, "seed": trial.seed, "message": result.message,
        "commands": sum(1 for event in events if event["kind"] == CommandTried.kind),
        "motions": sum(1 for event in events if event["kind"] == OutcomeClaimed.kind),
        "broken": {limit: by for watch in watches for limit, by in watch.broken.items()},
        "figures": {name: value for watch in watches for name, value in watch.figures.items()},
        "sim_s": result.sim_s,
        "wall_s": time.perf_counter() - began,
    }


def _world(
    scene: Scene, seed: int
) -> Tuple[Union[AgvWorld, EmbeddedWorld], Mapping[str, RobotPort], Sequence[Watch]]:
    """The world of a scene, its robots, and who judges each of them."""
    if scene.arena is None:
        table = EmbeddedWorld(scene, seed)
        return table, {table.robot.name: table.robot}, (ArmWatch(table),)
    if len(scene.robots) > 1:
        lab = LabWorld(scene, seed)
        base = BaseWatch(lab.base, lab.base_settings, scene)
        return lab, {each.name: each for each in (lab.robot, lab.base_robot)}, (ArmWatch(lab), base)
    arena = AgvWorld(scene, seed)
    return arena, {arena.robot.name: arena.robot}, (BaseWatch(arena.base, arena.settings, scene),)
