"""One trial in one process: a scene, a task, a policy, faults; the executive over the embedded world, without ROS."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_bench.arrangement import holds_in_truth
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.detector.perception import perceive
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.executive.assembly import assemble
from hicrisp_core.executive.policy_loader import load_policy
from hicrisp_core.model import Relation, Task, WorldState
from hicrisp_core.robot.deadline import Deadline
from hicrisp_core.scene import Scene, load_scene
from hicrisp_sim.embedded import EmbeddedWorld

_SETTLE = 0.3
"""Seconds of simulated time after which things count as settled."""


@dataclass(frozen=True)
class TrialSettings:
    """What one trial is: all that its result depends on.

    Args:
        goal: the facts by which the final arrangement is judged, in the true poses.
        faults: kind, target and magnitude of what is injected.
    """

    config: Path
    scene: str
    task: str
    goal: Tuple[Relation, ...]
    policy: str = "hierarchical"
    seed: int = 0
    faults: Sequence[Mapping[str, Any]] = field(default_factory=tuple)


class FramesObserver:
    """Eyes over the embedded world's frames; waits until things have settled."""

    def __init__(self, world: EmbeddedWorld, scene: Scene, domain: Domain) -> None:
        self._world = world
        self._scene = scene
        self._domain = domain

    def observe(self, deadline: Deadline) -> WorldState:
        """What the frames show after the settling time."""
        del deadline  # The physics runs as fast as it can; nothing waits.
        self._world.settle(_SETTLE)
        return self.look()

    def look(self) -> WorldState:
        """What the frames show at this instant."""
        return perceive(self._world.frames(), self._scene.objects, self._domain, self._world.time)


def run_trial(settings: TrialSettings, on_event: Optional[Any] = None) -> Dict[str, Any]:
    """Run one trial; the result is a plain dictionary."""
    scene = load_scene(settings.config / "scenes" / f"{settings.scene}.yaml", settings.seed)
    domain = load_domain(settings.config / "domains" / f"{scene.domain}.yaml")
    policy = load_policy(settings.config / "policies" / f"{settings.policy}.yaml")
    world = EmbeddedWorld(scene, seed=settings.seed)
    eyes = FramesObserver(world, scene, domain)
    world.use_eyes(eyes.look)
    for fault in settings.faults:
        world.inject(**fault)
    events: List[Dict[str, Any]] = []

    def listen(event: Dict[str, Any]) -> None:
        events.append(event)
        if on_event is not None:
            on_event(event)

    executive = assemble(domain, policy, OfflineBrain(domain), {world.robot.name: world.robot}, eyes, listen)
    began = time.perf_counter()
    result = executive.run(Task(settings.task))
    wall = time.perf_counter() - began
    world.settle(1.0)
    truth = holds_in_truth(settings.goal, world.true_frames(), scene.objects, domain, world.time)
    return {
        "task": settings.task, "scene": settings.scene, "seed": settings.seed, "policy": settings.policy,
        "llm": "offline", "success": truth, "claimed": result.success, "message": result.message,
        "plan": list(result.plan), "steps_executed": result.steps_executed, "corrections": result.corrections,
        "failures": [vars(failure) for failure in result.failures],
        "attempts": sum(1 for e in events if e["kind"] == "command" and e["command"].startswith("place")),
        "placement_error_m": result.placement_error_m, "wall_s": wall, "sim_s": result.sim_s,
    }
