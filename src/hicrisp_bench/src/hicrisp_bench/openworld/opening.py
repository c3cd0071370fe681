"""Fronts of a cabinet that nobody described: whether they are found and opened, and their joints measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict

from hicrisp_core.factory import load_factory
from hicrisp_core.model import Holds, Relation, WorldObject
from hicrisp_core.model.joint import SWING
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.undescribed import Ware, fittings_of
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.statistics import Tally
from hicrisp_bench.suite import Row
from hicrisp_bench.trial import carry_out, first_view, seen_by_camera

SCENE = "cabinet"
COLUMNS = ("front", "n", "found", "opened", "right_kind", "axis_deg", "axis_deg_p95", "hinge_mm", "hinge_mm_p95",
           "false_success", "corrections", "seconds")
NOTE = (
    "A drawer and a door of a cabinet, of which no file that the robot reads says anything, each asked for once a "
    "layout; a search plans. `found`: a front with a handle within 3 cm of the true one. `opened` by the simulator's "
    "joint: half of its range. `right_kind`: it is known to slide or to swing, as it does; `axis_deg` is of what "
    "slides, `hinge_mm` of what swings.")
_NEAR, _HALF = 0.03, 0.5


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

    def key(self) -> str:
        """Name a trial among those of its suite."""
        return f"{self.front}, {self.policy}, {self.seed}"

    def run(self) -> Dict[str, Any]:
        """Look at a cabinet, and have one of its fronts opened.

        Returns:
            The result as JSON values, judged by the simulator's true joint.
        """
        scene = load_scene(self.config / "scenes" / f"{SCENE}.yaml", self.seed)
        parts = load_factory(self.config, scene.domain, self.policy, bodies=bodies_of(scene))
        with seen_by_camera(scene, self.seed, parts.domain) as (world, _):
            state = first_view(world)
            true = next(each for each in fittings_of(world.scene) if each.name == self.front)
            name = next((name for name, item in state.objects.items() if _is(item, true)), "")
            result: Dict[str, Any] = {"seed": self.seed, "found": bool(name), "opened": False, "claimed": False,
                                      "right_kind": False, "message": "", "corrections": {}, "seconds": 0.0}
            if not name:
                return {**result, "message": f"The camera shows no front where the {self.front} is."}
            done = carry_out(world, parts, Holds(Relation(name, "open", "")), f"open the {self.front}", lambda _: None)
            position = float(world.simulation.data.joint(self.front).qpos[0])
            return {**result, **done, "opened": true.joint is not None and position > _HALF * true.joint.range,
                    **_measured(world.observe(Deadline(1.0)).objects[name], true)}


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
    return {"front": front, **own.trials, **own.share("found"), **own.share("opened"), **own.share("right_kind"),
            **own.false_success("opened"), **own.corrections, **own.means("seconds"),
            **own.percentiles("axis_deg", "hinge_mm")}
