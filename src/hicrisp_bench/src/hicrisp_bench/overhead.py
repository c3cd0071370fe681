"""The executive's own work: everything except language model, motion and physics, in one process."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Dict, List

from hicrisp_core.factory import load_factory
from hicrisp_core.model import Plan, Relation, RobotState, Step, Task, WorldState
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.statistics import spread

_STEPS = (("pick", {"item": "box"}), ("place_next_to", {"item": "box", "reference": "cylinder"}))


class _FixedBrain:
    """Answers at once with the same two steps."""

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        return PlanAnswer(Plan(tuple(Step(action, action, arguments)
                                     for action, arguments in _STEPS), "fixed"))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        return PlanAnswer(refusal="nothing to correct")


def executive_step_seconds(config: Path, trials: int) -> Dict[str, Any]:
    """Measure the executive's own work over symbolic runs of a pick and a place; every second run has a
    failure to repair.

    Args:
        config: the workspace's ``config``.
        trials: number of runs.

    Returns:
        Wall seconds a step: median, 95th percentile and worst.
    """
    scene = load_scene(config / "scenes" / "tabletop.yaml", 0)
    parts = load_factory(config, "tabletop", "hierarchical")
    domain, robot = parts.domain, scene.robots[0]
    on_table = frozenset(Relation(name, "on", "table") for name, thing in scene.objects.items()
                         if thing.movable)
    seconds: List[float] = []
    for trial in range(trials):
        world = SymbolicWorld(domain, WorldState(scene.objects, on_table, {robot: RobotState(robot)}))
        if trial % 2:
            elsewhere = domain.ground(Step("", "put_down", {"item": "box"}), world.state)
            world.fails(f"place_next_to({robot}, box, cylinder)", instead=elsewhere)
        events: List[Dict[str, Any]] = []
        began = time.perf_counter()
        executive = parts.executive({robot: world}, world, events.append, brain=_FixedBrain(), interpreter=None)
        result = executive.run(Task("bench"))
        seconds.append((time.perf_counter() - began) / max(1, result.steps_executed))
    return spread(seconds)
