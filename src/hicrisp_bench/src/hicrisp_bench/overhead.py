"""The executive's own work: everything except language model, motion and physics, in one process."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event
from typing import Any, Dict, FrozenSet, List, Mapping

from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.translator import DirectBody
from hicrisp_core.corrector.ladder import Ladder
from hicrisp_core.detector.detector import Detector
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.executive.executive import Executive
from hicrisp_core.model import Plan, Relation, RobotState, Step, Task, WorldObject, WorldState
from hicrisp_core.policy.loader import load_policy
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.ports.executive import Ports
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.statistics import spread

_STEPS = (("pick", {"item": "box"}), ("place_next_to", {"item": "box", "reference": "cylinder"}))


class _FixedBrain:
    """Answers at once with the same two steps."""

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        return PlanAnswer(Plan(tuple(Step(action, action, arguments) for action, arguments in _STEPS), "fixed"))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        return PlanAnswer(refusal="nothing to correct")


def executive_step_seconds(config: Path, trials: int) -> Dict[str, Any]:
    """Wall seconds per step over symbolic runs of a pick and a place; every second run has a failure to repair."""
    scene = load_scene(config / "scenes" / "tabletop.yaml", 0)
    domain = load_domain(config / "domains" / "tabletop.yaml")
    policy = load_policy(config / "policies" / "hierarchical.yaml")
    on_table = frozenset(Relation(name, "on", "table") for name, thing in scene.objects.items() if thing.movable)
    seconds: List[float] = []
    for trial in range(trials):
        world = SymbolicWorld(domain, _state(scene.objects, on_table))
        if trial % 2:
            elsewhere = domain.ground(Step("", "put_down", {"item": "box"}), world.state)
            world.fails("place_next_to(panda, box, cylinder)", instead=elsewhere)
        brain = _FixedBrain()
        ports = Ports(brain, DirectBody(domain, ActionDecoder(domain)), {"panda": world}, Detector(domain),
                      Ladder(domain, policy, brain), world)
        events: List[Dict[str, Any]] = []
        began = time.perf_counter()
        result = Executive(ports, domain, policy, events.append, Event()).run(Task("bench"))
        seconds.append((time.perf_counter() - began) / max(1, result.steps_executed))
    return spread(seconds)


def _state(objects: Mapping[str, WorldObject], facts: FrozenSet[Relation]) -> WorldState:
    return WorldState(objects, facts, {"panda": RobotState("panda")})
