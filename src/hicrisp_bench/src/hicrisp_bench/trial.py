"""One trial in one process: a scene, a task, a policy, faults; the executive over the embedded world,
without ROS.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence

from hicrisp_core.domain.schema import Domain
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.memory.memory import FileMemory
from hicrisp_core.memory.store import Store
from hicrisp_core.model import Status, Task
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_core.ports.perception import CAMERA, POSES
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import load_scene
from hicrisp_core.trace.events import CommandTried, OutcomeClaimed
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.arrangement import Goal, holds_in_truth
from hicrisp_bench.camera_sight import camera_sight
from hicrisp_bench.touches import Touches


@dataclass(frozen=True)
class TrialSettings:
    """What one trial is: all that its result depends on.

    Args:
        goal: by which the final arrangement is judged, in the true poses.
        policy: a file of ``config/policies``.
        faults: kind, target and magnitude of what is injected.
        llm: a file of ``config/llm``.
        models: those that are asked, in place of that file; trials that share them share what they remember.
        interpreter: makes another interpreter than the usual one.
        look_ahead: in place of what the policy says.
        rate: simulated seconds a second; 0 for as fast as can be.
        perception: how things are seen: ``poses``, the world's own, or ``camera``.
        memory: the file of what earlier trials taught; nothing is remembered without it.
    """

    config: Path
    scene: str
    task: str
    goal: Goal
    policy: str = "hierarchical"
    seed: int = 0
    faults: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    llm: str = OFFLINE
    models: Optional[Models] = None
    interpreter: Optional[Callable[[Domain], Interpreter]] = None
    look_ahead: Optional[bool] = None
    rate: float = 0.0
    perception: str = POSES
    memory: Optional[Path] = None


def key_of(trial: TrialSettings) -> str:
    """Name a trial among those of its suite.

    Args:
        trial: its settings.

    Returns:
        A key that differs for each trial.
    """
    faults = " ".join(f"{fault['kind']} {fault['magnitude']}" for fault in trial.faults)
    return f"{trial.scene}, {trial.policy}, {trial.seed}, {faults or 'no fault'}: {trial.task}"


def placements(events: Iterable[Mapping[str, Any]], domain: Domain) -> int:
    """Count the placements that were tried.

    Args:
        events: the run's events.
        domain: types, predicates and actions of the application.

    Returns:
        Their number.
    """
    placing = {name for name, use in domain.skills.items() if use.skill == "place"}
    return sum(1 for event in events if event["kind"] == CommandTried.kind and event["action"] in placing)


def releases(events: Iterable[Mapping[str, Any]], domain: Domain) -> int:
    """Count the objects that a driver claims to have released.

    Args:
        events: the run's events.
        domain: types, predicates and actions of the application.

    Returns:
        Their number.
    """
    placing = {name for name, use in domain.skills.items() if use.skill == "place"}
    count, places = 0, False
    for event in events:
        if event["kind"] == CommandTried.kind:
            places = event["action"] in placing
        elif event["kind"] == OutcomeClaimed.kind and places:
            count += event["status"] == Status.SUCCESS.value
    return count


def run_trial(settings: TrialSettings, on_event: Optional[Any] = None) -> Dict[str, Any]:
    """Run one trial.

    Args:
        settings: scene, task, policy, seed and faults.
        on_event: called with each event, if given.

    Returns:
        The result as JSON values.
    """
    scene = load_scene(settings.config / "scenes" / f"{settings.scene}.yaml", settings.seed)
    llm = settings.models.settings if settings.models is not None else settings.llm
    parts = load_factory(settings.config, scene.domain, settings.policy, llm, models=settings.models,
                       bodies=bodies_of(scene))
    if settings.look_ahead is not None:
        parts = replace(parts, policy=replace(parts.policy, look_ahead=settings.look_ahead))
    if settings.memory is not None:
        parts = replace(parts, memory=FileMemory(Store(settings.memory), parts.domain))
    domain = parts.domain
    world = EmbeddedWorld(scene, settings.seed, settings.rate, domain=domain,
                          sight=camera_sight if settings.perception == CAMERA else None)
    for fault in settings.faults:
        world.inject(**fault)
    touches = Touches(world)
    events: List[Dict[str, Any]] = []

    def listen(event: Dict[str, Any]) -> None:
        events.append(event)
        if on_event is not None:
            on_event(event)

    ports: Dict[str, Any] = {}
    if settings.interpreter is not None:
        ports["interpreter"] = settings.interpreter(domain)
    executive = parts.executive({world.robot.name: world.robot}, world, listen, **ports)
    began = time.perf_counter()
    result = executive.run(Task(settings.task))
    wall = time.perf_counter() - began
    world.settle(1.0)
    world.close()
    truth = holds_in_truth(settings.goal, world.true_frames(), scene, domain, world.time)
    return {
        "task": settings.task, "scene": settings.scene, "seed": settings.seed, "policy": parts.policy.name,
        "llm": parts.llm.name, "success": truth, "claimed": result.success, "message": result.message,
        "plan": list(result.plan), "steps_executed": result.steps_executed, "corrections": result.corrections,
        "corrected_by": result.corrected_by,
        "failures": [vars(failure) for failure in result.failures],
        "attempts": placements(events, domain), "releases": releases(events, domain),
        "replans": sum(1 for e in events if e["kind"] == "plan") - 1,
        "placement_error_m": result.placement_error_m, "llm_calls": result.llm_calls, "tokens": result.tokens,
        "strangers": len(world.scene.unknown), "touched": touches.names,
        "looks": result.looks, "goal_state": result.goal,
        "first_motion_s": result.first_motion_s, "wall_s": wall, "sim_s": result.sim_s,
    }
