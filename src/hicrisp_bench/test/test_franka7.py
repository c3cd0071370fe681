"""The seven table-top tasks: what counts as done, and that errors are what leads there."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Dict, Sequence, Tuple

import pytest
from hicrisp_bench.runner import Runner
from hicrisp_bench.trial import TrialSettings
from hicrisp_core.model import Pose, Relation, WorldObject, WorldState
from hicrisp_core.scene import load_scene

from hicrisp_bench import franka7

CONFIG = Path(__file__).resolve().parents[3] / "config"
REACH = 0.855
"""The farthest that a Panda's flange gets from its shoulder, metres."""
NAMES = ("red_cube", "green_cube", "blue_cube", "white_cube", "black_cube")


def cubes(places: Sequence[Tuple[float, float]], facts: Sequence[Tuple[str, str, str]] = ()) -> WorldState:
    """Cubes at some places of a table, unless a fact puts them elsewhere."""
    objects: Dict[str, WorldObject] = {
        name: WorldObject(name, "box", pose=Pose((*place, 0.02))) for name, place in zip(NAMES, places)}
    placed = {fact[0] for fact in facts}
    on_table = [Relation(name, "on", "table") for name in objects if name not in placed]
    return WorldState(objects, frozenset([*on_table, *(Relation(*fact) for fact in facts)]))


def around(*degrees: float, apart: float = 0.08) -> WorldState:
    """A cube with others around it."""
    return cubes([(0.5, 0.0), *((0.5 + apart * math.cos(math.radians(bearing)),
                                 apart * math.sin(math.radians(bearing))) for bearing in degrees)])


@pytest.mark.parametrize(("world", "is_plus"), [
    (around(0, 90, 180, 270), True), (around(30, 120, 210, 300), True), (around(5, 85, 180, 270), True),
    (around(0, 90, 180), False), (around(0, 45, 180, 270), False),
    (around(0, 90, 180, 270, apart=0.2), False),
    (cubes([(0.4 + 0.07 * i, 0.0) for i in range(5)]), False)])
def test_a_plus_sign_has_four_arms_at_right_angles_however_it_is_turned(world: WorldState,
                                                                        is_plus: bool) -> None:
    assert franka7.plus_sign(world) is is_plus


@pytest.mark.parametrize(("places", "is_line"), [
    ([(0.5, 0.07 * i) for i in range(4)], True), ([(0.4 + 0.05 * i, 0.06 * i) for i in range(4)], True),
    ([(0.5, 0.07 * i) for i in range(3)], False), ([(0.5, 0.2 * i) for i in range(4)], False),
    ([(0.5, 0.0), (0.5, 0.07), (0.56, 0.14), (0.5, 0.21)], False)])
def test_a_line_is_straight_and_without_gaps(places: Sequence[Tuple[float, float]], is_line: bool) -> None:
    assert franka7.line_of_four(cubes(places)) is is_line


def test_a_tower_and_a_filled_bowl_may_be_of_any_cubes() -> None:
    tower = [("green_cube", "on", "white_cube"), ("red_cube", "on", "green_cube")]
    places = [(0.5, 0.1 * i) for i in range(4)]
    assert franka7.tower_of_three(cubes(places, tower))
    assert not franka7.tower_of_three(cubes(places, tower[:1]))
    bowls = [("red_cube", "in", "a_bowl"), ("blue_cube", "in", "a_bowl")]
    assert franka7.two_in_one_bowl(cubes(places, bowls))
    assert not franka7.two_in_one_bowl(cubes(places, [bowls[0], ("blue_cube", "in", "other_bowl")]))


@pytest.mark.parametrize("task", franka7.TASKS, ids=lambda task: task.scene)
def test_a_scene_has_things_out_of_reach_as_its_task_says(task: franka7.FrankaTask) -> None:
    for seed in range(5):
        scene = load_scene(CONFIG / "scenes" / f"{task.scene}.yaml", seed)
        far = [name for name, thing in scene.objects.items()
               if thing.movable and thing.pose and math.hypot(*thing.pose.position[:2]) > REACH]
        assert bool(far) is task.unreachable
        assert "reconstruction" in Path(scene.source).read_text(encoding="utf-8")


def test_only_a_policy_that_heeds_the_errors_finds_what_can_be_reached() -> None:
    task = next(task for task in franka7.TASKS if task.scene == "franka7_6_bowls")
    settings = TrialSettings(CONFIG, task.scene, "Put two cubes into a bowl", task.goal, "brainbody", seed=1)
    heeding = settings.run()
    assert heeding["success"]
    assert heeding["replans"] == 2
    assert [failure["kind"] for failure in heeding["failures"]] == ["planning", "planning"]
    deaf = replace(settings, policy="base_llm").run()
    assert not deaf["success"]
    assert deaf["corrections"] == {}


def test_the_suite_has_a_row_for_all_tasks_together_and_the_published_ones(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(franka7, "TASKS", franka7.TASKS[:1])
    report = franka7.run(argparse.Namespace(
        config=CONFIG, trials=1, llm="offline", policies=["brainbody"]), Runner())
    total, row = report.rows
    assert (total["task"], total["n"], total["success"]) == ("all seven", 1, 1.0)
    assert row["success_ci"][0] > 0.2
    assert row["feedback_rounds"] == 0
    assert [round(7 * each["success"]) for each in report.reference] == [7, 3, 2]
    assert "reconstruction" in report.note
