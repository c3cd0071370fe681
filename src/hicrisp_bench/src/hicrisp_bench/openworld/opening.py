"""Fronts of a cabinet that nobody described: whether they are found and opened, and their joints measured."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Dict, List, Optional

import cv2
from hicrisp_core.factory import load_factory
from hicrisp_core.model import Goal, Holds, Relation, Task, WorldObject
from hicrisp_core.model.joint import SWING
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.undescribed import Ware, fittings_of
from hicrisp_core.time.deadline import Deadline
from hicrisp_libero.episode import GoalGiven
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.statistics import Tally, corrections_of, spread
from hicrisp_bench.suite import Row
from hicrisp_bench.trial import camera_sight, first_view

SCENE = "cabinet"
COLUMNS = ("front", "n", "found", "opened", "right_kind", "axis_deg", "axis_deg_p95", "hinge_mm", "hinge_mm_p95",
           "false_success", "corrections", "seconds")
NOTE = (
    "A drawer and a door of a cabinet, of which no file that the robot reads says anything, each asked for once a "
    "layout; a search plans. `found`: a front with a handle within 3 cm of the true one. `opened` by the simulator's "
    "joint: half of its range. `right_kind`: it is known to slide or to swing, as it does; `axis_deg` is of what "
    "slides, `hinge_mm` of what swings.")
_SECONDS, _NEAR, _HALF = 180.0, 0.03, 0.5


@dataclass(frozen=True)
class OpeningTrial:
    """One front that is asked for.

    Args:
        front: ``drawer`` or ``door``.
    """

    config: Path
    policy: str
    seed: int
    front: str


def key_of(trial: OpeningTrial) -> str:
    """Name a trial among those of its suite."""
    return f"{trial.front}, {trial.policy}, {trial.seed}"


def run_opening_trial(trial: OpeningTrial) -> Dict[str, Any]:
    """Look at a cabinet, and have one of its fronts opened.

    Args:
        trial: its settings.

    Returns:
        The result as JSON values, judged by the simulator's true joint.
    """
    cv2.setNumThreads(1)
    scene = load_scene(trial.config / "scenes" / f"{SCENE}.yaml", trial.seed)
    parts = load_factory(trial.config, scene.domain, trial.policy, bodies=bodies_of(scene))
    world = EmbeddedWorld(scene, trial.seed, domain=parts.domain, sight=camera_sight)
    try:
        state = first_view(world)
        true = next(each for each in fittings_of(world.scene) if each.name == trial.front)
        name = next((name for name, item in state.objects.items() if _is(item, true)), "")
        result: Dict[str, Any] = {"seed": trial.seed, "found": bool(name), "opened": False, "claimed": False,
                                  "right_kind": False, "message": "", "corrections": {}, "seconds": 0.0}
        if not name:
            return {**result, "message": f"The camera shows no front where the {trial.front} is."}
        late, first, began = Event(), world.time, time.perf_counter()
        world.simulation.at(first + _SECONDS, late.set)
        goal = Goal.of(Holds(Relation(name, "open", "")))
        run = parts.executive({world.robot.name: world.robot}, world, lambda _: None, late,
                              interpreter=GoalGiven(goal)).run(Task(f"open the {trial.front}"))
        item = world.observe(Deadline(1.0)).objects[name]
        position = float(world.simulation.data.joint(trial.front).qpos[0])
        return {**result, "opened": true.joint is not None and position > _HALF * true.joint.range,
                "claimed": bool(run.success), "message": run.message, "corrections": dict(run.corrections),
                "seconds": round(world.time - first, 1), "wall_s": time.perf_counter() - began, **_measured(item, true)}
    finally:
        world.close()


def _is(item: WorldObject, true: Ware) -> bool:
    return item.joint is not None and item.pose is not None and true.pose is not None and math.dist(
        item.pose.position, true.pose.position) < _NEAR


def _measured(item: WorldObject, true: Ware) -> Dict[str, Any]:
    seen, own = item.joint, true.joint
    if seen is None or own is None or seen.guessed or seen.kind != own.kind:
        return {}
    if own.kind == SWING:
        return {"right_kind": True, "hinge_mm": 1000.0 * math.dist(seen.point[:2], own.point[:2])}
    along = sum(a * b for a, b in zip(seen.axis, own.axis))
    return {"right_kind": True, "axis_deg": math.degrees(math.acos(max(-1.0, min(1.0, along))))}


def row_of(front: str, own: Tally) -> Row:
    """Return the row of one kind of front.

    Args:
        front: ``drawer`` or ``door``.
        own: its results.

    Returns:
        By column.
    """
    row: Row = {"front": front, **own.trials, **own.share("found"), **own.share("opened"), **own.share("right_kind"),
                "false_success": own.count(lambda each: each["claimed"] and not each["opened"]),
                **corrections_of(own.whole), **own.means("seconds")}
    for key in ("axis_deg", "hinge_mm"):
        values: List[float] = [each[key] for each in own.whole if key in each]
        found: Dict[str, Optional[float]] = dict(spread(values)) if values else {}
        row.update({key: found.get("median"), f"{key}_p95": found.get("p95")})
    return row
