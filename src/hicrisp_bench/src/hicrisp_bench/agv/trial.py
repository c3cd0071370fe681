"""One run of the AGV: an order of areas, four obstacles by chance, a policy, perhaps a plan with a wrong order."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

from hicrisp_core.body.drive_goals import drive_space_of
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.executive.assembly import load_parts
from hicrisp_core.model import FeedbackKind, Motion, Plan, Step, Task
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import AgvWorld

from hicrisp_bench.agv.truth import TrueMap, TrueTrack, judge

INJECTIONS = ("swap", "omission", "repetition")
CAUGHT = frozenset(kind.value for kind in (
    FeedbackKind.OUT_OF_ORDER, FeedbackKind.NOT_DUE, FeedbackKind.OMITTED, FeedbackKind.WRONG_AREA))
"""Kinds of failures by which a wrong order is seen."""


@dataclass(frozen=True)
class AgvTrial:
    """All that the result of one run depends on.

    Args:
        order: the areas in the order that the task asks for.
        injected: what is wrong with the first plan; empty for the offline planner's own.
    """

    config: Path
    order: Tuple[str, ...]
    policy: str
    seed: int
    injected: str = ""
    scene: str = "agv"


class WrongOrder:
    """A brain whose first plan has a mistake in its order; what it is asked afterwards it answers as the real one."""

    def __init__(self, brain: OfflineBrain, mistake: str, seed: int) -> None:
        self._brain = brain
        self._mistake = mistake
        self._seed = seed

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        answer = self._brain.plan(request, deadline)
        if answer.plan is None or request.remaining or request.feedback:
            return answer
        steps = mistaken(answer.plan.steps, self._mistake, self._seed)
        return replace(answer, plan=Plan(steps, "injected", f"injected: {self._mistake}"))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        return self._brain.correct(request, deadline)


def mistaken(steps: Tuple[Step, ...], mistake: str, seed: int) -> Tuple[Step, ...]:
    """Steps with two neighbours swapped, one left out, or one repeated after the next; the seed says which."""
    if mistake == "omission":
        gone = seed % len(steps)
        return (*steps[:gone], *steps[gone + 1:])
    first = seed % (len(steps) - 1)
    a, b = steps[first:first + 2]
    return (*steps[:first], *((b, a) if mistake == "swap" else (a, b, a)), *steps[first + 2:])


def _follower(track: TrueTrack) -> Callable[[Dict[str, Any]], None]:
    """Tells a track where each command sends the base."""
    def follow(event: Dict[str, Any]) -> None:
        if event["kind"] == "command":
            named = map(str, event["arguments"].values())
            track.errand = next((name for name in named if name in track.areas), "")
    return follow


def run_agv_trial(trial: AgvTrial) -> Dict[str, Any]:
    """Run one; the result is a plain dictionary, judged from the physics."""
    scene = load_scene(trial.config / "scenes" / f"{trial.scene}.yaml", trial.seed)
    parts = load_parts(trial.config, scene.domain, trial.policy)
    world = AgvWorld(scene, trial.seed, domain=parts.domain)
    real = OfflineBrain(parts.domain)
    brain = WrongOrder(real, trial.injected, trial.seed) if trial.injected else real
    truth, track = TrueMap(scene, world.robot.name), TrueTrack(world)
    space = replace(drive_space_of(scene), first_reached=world.base.first_reached)
    executive = replace(parts, drive=space).executive(
        {world.robot.name: world.robot}, world, _follower(track), brain=brain)
    began, started = time.perf_counter(), world.time
    result = executive.run(Task("Visit " + ", then ".join(area.replace("_", " ") for area in trial.order)))
    world.settle(1.0)
    reachable = [area for area in trial.order if truth.reachable(area)]
    stood = {stop.area for stop in track.stops}
    judged = judge(track.stops, [area for area in trial.order if area in reachable or area in stood])
    kinds = [failure.kind for failure in result.failures]
    motion = world.observe(Deadline(60.0)).robots[world.robot.name].motion or Motion()
    shortest = truth.shortest(trial.order)
    completed = judge(track.stops, trial.order)["in_turn"] == len(trial.order)
    return {
        "order": list(trial.order), "seed": trial.seed, "policy": trial.policy, "injected": trial.injected,
        "reachable": len(reachable) == len(trial.order),
        "completed": completed, "claimed": result.success, "message": result.message,
        "order_violations": judged["violations"], "halts_out_of_turn": judged["halts"],
        "stops": [stop.area for stop in track.stops],
        "collisions": len(track.touched), "touched": list(track.touched), "near_misses": motion.near_misses,
        "caught": any(kind in CAUGHT for kind in kinds), "corrections": result.corrections,
        "path_m": track.length, "shortest_m": shortest,
        "sim_s": world.time - started, "wall_s": time.perf_counter() - began,
    }
