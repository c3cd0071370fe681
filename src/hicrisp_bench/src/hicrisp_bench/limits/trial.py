"""One random task: a world, a policy and plans by chance, followed step by step in the physics."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Union

from hicrisp_core.body.drive_goals import drive_space_of
from hicrisp_core.executive.assembly import load_parts
from hicrisp_core.model import Task
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.trace.events import CommandTried, OutcomeClaimed
from hicrisp_sim.agv import AgvWorld
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.limits.random_brain import RandomBrain
from hicrisp_bench.limits.watches import ArmWatch, BaseWatch

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
    world, watch = _world(scene, trial.seed)
    parts = load_parts(trial.config, scene.domain, trial.policy, bodies=bodies_of(scene))
    budget = replace(parts.policy.budget, seconds=_SECONDS)
    parts = replace(parts, policy=replace(parts.policy, budget=budget))
    if isinstance(world, AgvWorld):
        parts = replace(parts, drive=replace(drive_space_of(scene), first_reached=world.base.first_reached))
    events: List[Dict[str, Any]] = []
    began = time.perf_counter()
    result = parts.executive({world.robot.name: world.robot}, world, events.append,
                             brain=RandomBrain(parts.domain, trial.seed)).run(Task(_TASK))
    world.settle(1.0)
    return {
        "scene": trial.scene, "policy": trial.policy, "seed": trial.seed, "message": result.message,
        "commands": sum(1 for event in events if event["kind"] == CommandTried.kind),
        "motions": sum(1 for event in events if event["kind"] == OutcomeClaimed.kind),
        "broken": watch.broken, "figures": watch.figures, "sim_s": result.sim_s,
        "wall_s": time.perf_counter() - began,
    }


def _world(scene: Scene, seed: int) -> "tuple[Union[AgvWorld, EmbeddedWorld], Union[BaseWatch, ArmWatch]]":
    if scene.arena is None:
        table = EmbeddedWorld(scene, seed)
        return table, ArmWatch(table)
    arena = AgvWorld(scene, seed)
    return arena, BaseWatch(arena)
