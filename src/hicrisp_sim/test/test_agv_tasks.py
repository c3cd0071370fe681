"""Tasks of the AGV from words to wheels: order, obstacles, what cannot be reached, bad input."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import pytest
from agv_arena import CONFIG, Yard
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.errors import ConfigError
from hicrisp_core.executive.run_log import TaskResult
from hicrisp_core.factory import load_factory
from hicrisp_core.model import CauseKind, KeepOut, Plan, Step, Task
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.robot.drive_goals import drive_space_of
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import AgvWorld
from hicrisp_sim.agv.pursuit import Twist
from hicrisp_sim.embedded import EmbeddedWorld


class Planned:
    """A brain whose first plan to a goal is given; the search answers everything else."""

    def __init__(self, real: SearchBrain, steps: Sequence[Step]) -> None:
        self._real = real
        self._steps = tuple(steps)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        if request.goal is None or request.remaining or request.feedback:
            return self._real.plan(request, deadline)
        return PlanAnswer(Plan(self._steps))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        return self._real.correct(request, deadline)


def go_to(*areas: str) -> Tuple[Step, ...]:
    """Steps to these areas."""
    return tuple(Step(f"go to {area}", "go_to", {"area": area}, "agv") for area in areas)


def run(yard: Yard, task: str, policy: str = "hierarchical", planned: Sequence[Step] = ()) -> Tuple[
        TaskResult, List[str], List[Dict[str, Any]]]:
    """Run a task; its result, the areas in the order in which the base was seen to reach them, and all
    events.
    """
    world = yard.world
    brain = SearchBrain(world.domain)
    events: List[Dict[str, Any]] = []
    space = replace(drive_space_of(world.scene), first_reached=yard.base.first_reached)
    executive = load_factory(CONFIG, world.domain, policy, drive=space).executive(
        {"agv": world.robot}, world, events.append, brain=Planned(brain, planned) if planned else brain)
    reached: List[str] = []

    def follow() -> None:
        x, y, _ = world.base.body.pose.position
        for name, thing in world.scene.objects.items():
            if thing.type == "area" and yard.stands and \
                    max(abs(x - thing.pose.position[0]), abs(y - thing.pose.position[1])) <= 0.25 \
                    and reached[-1:] != [name]:
                reached.append(name)

    world.base.followers.append(follow)
    return executive.run(Task(task)), reached, events


def test_areas_are_visited_in_the_order_that_the_task_gives(tmp_path: Path) -> None:
    result, reached, _ = run(Yard(tmp_path), "Visit area 3, then area 2, then area 1")
    assert result.success
    assert reached == ["area_3", "area_2", "area_1"]
    assert result.corrections == {}


@pytest.mark.parametrize(("policy", "planned"), [
    ("hierarchical", ("area_2", "area_3", "area_1")), ("hicrisp", ("area_3", "area_1")),
    ("hierarchical", ("area_3", "area_2")), ("hicrisp", ("area_3", "area_2", "area_3", "area_1"))])
def test_a_wrong_order_is_caught_before_the_wrong_area_is_entered(
    tmp_path: Path, policy: str, planned: Tuple[str, ...]
) -> None:
    result, reached, _ = run(Yard(tmp_path), "Visit area 3, then area 2, then area 1", policy, go_to(*planned))
    assert result.success
    assert reached == ["area_3", "area_2", "area_1"]
    assert {failure.kind for failure in result.failures} <= {"out_of_order", "not_due", "omitted"}
    assert result.failures
    assert not any("the agv is in" in failure.error.lower() for failure in result.failures), "it was not there yet"


def test_without_correction_a_wrong_order_is_driven_and_told(tmp_path: Path) -> None:
    result, reached, _ = run(Yard(tmp_path), "Visit area 3, then area 1", "open_loop",
                             go_to("area_1", "area_3"))
    assert reached == ["area_1", "area_3"]
    assert not result.success
    assert "area 1 was not visited" in result.message.lower()


def test_an_area_whose_middle_is_taken_is_visited_beside_the_obstacle(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"crate": (3.42, 1.5, 0.1)})
    result, reached, _ = run(yard, "go to area 1")
    assert result.success
    assert reached == ["area_1"]
    assert not yard.touched
    assert result.failures == ()  # The crate was seen from the start: the first goal was chosen beside it.


def test_an_abort_becomes_another_goal_and_no_model_is_asked(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"crate": (0.4, 2.6, 0.1)})
    yard.world.inject("appear", "crate", (3.42, 1.5, 2.0))
    result, _, events = run(yard, "go to area 1")
    targets = [event["target"] for event in events if event["kind"] == "command"]
    assert result.success
    assert len({tuple(target) for target in targets}) == len(targets) > 1
    assert set(result.corrections) == {"offset"}


def test_what_the_lidar_cannot_see_is_kept_out_of_after_the_bumper_met_it(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"low_box": (1.9, 1.5, 0.2)}, height=0.12, more="")
    result, reached, events = run(yard, "go to area 1")
    assert result.success
    assert reached == ["area_1"]
    assert any("keeps out of what stopped" in event["note"]
               for event in events if event["kind"] == "correction")


def test_an_area_that_no_trajectory_reaches_is_skipped_and_the_user_is_told(tmp_path: Path) -> None:
    fence = "walls: {fence: {from: [2.7, 2.0], to: [4, 2.0]}, post: {from: [2.7, 2.0], to: [2.7, 3]}}\n"
    yard = Yard(tmp_path, more=fence)
    result, reached, events = run(yard, "Visit area 3, then area 2, then area 1")
    assert not result.success
    assert reached == ["area_2", "area_1"]
    assert "Area 3 was skipped" in result.message
    verdict = next(event["feedback"] for event in events
                   if event["kind"] == "verdict" and event["feedback"]
                   and event["feedback"]["kind"] == "unreachable")
    assert verdict["alternatives"] == ["area_2", "area_1"]
    assert "a path leads to area 2 and area 1" in verdict["suggestion"]


def test_an_area_is_skipped_also_where_what_comes_after_it_holds_already(tmp_path: Path) -> None:
    fence = "walls: {fence: {from: [2.7, 2.0], to: [4, 2.0]}, post: {from: [2.7, 2.0], to: [2.7, 3]}}\n"
    result, reached, _ = run(Yard(tmp_path, more=fence), "Visit area 2, then area 3, then area 2")
    assert not result.success
    assert reached == ["area_2"]
    assert "Area 3 was skipped" in result.message


def test_that_no_path_leads_to_a_later_area_is_told_before_anything_is_driven(tmp_path: Path) -> None:
    fence = "walls: {fence: {from: [2.7, 2.0], to: [4, 2.0]}, post: {from: [2.7, 2.0], to: [2.7, 3]}}\n"
    result, reached, events = run(Yard(tmp_path, more=fence), "Visit area 2, then area 3")
    assert not result.success
    assert reached == ["area_2"]
    notes = [number for number, event in enumerate(events)
             if event["kind"] == "note" and "No path leads to area 3 by what is known now" in event["text"]]
    assert len(notes) == 1
    assert notes[0] < next(number for number, event in enumerate(events) if event["kind"] == "command")
    (tmp_path / "open").mkdir()
    _, _, events = run(Yard(tmp_path / "open"), "Visit area 2, then area 3")
    assert not [event for event in events if event["kind"] == "note"]


def test_an_area_that_a_plan_forgot_is_visited_although_another_one_is_skipped(tmp_path: Path) -> None:
    fence = "walls: {fence: {from: [2.7, 2.0], to: [4, 2.0]}, post: {from: [2.7, 2.0], to: [2.7, 3]}}\n"
    result, reached, _ = run(Yard(tmp_path, more=fence), "Visit area 1, then area 3, then area 2",
                             planned=go_to("area_1", "area_3"))
    assert reached == ["area_1", "area_2"]
    assert "Area 3 was skipped" in result.message


def test_where_no_order_is_asked_for_a_blocked_area_comes_last_and_is_tried_again(tmp_path: Path) -> None:
    walls = "walls: {fence: {from: [2.7, 2.0], to: [4, 2.0]}, post: {from: [2.7, 2.65], to: [2.7, 3]}}\n"
    yard = Yard(tmp_path, {"crate": (2.7, 2.33, 0.14)}, more=walls)

    def open_the_gate() -> None:
        if yard.apart(0.6, 0.6) < 0.3:
            yard.world.inject("move", "crate", (1.2, 2.7))

    yard.base.followers.append(open_the_gate)
    result, reached, _ = run(yard, "visit all areas", planned=go_to("area_3", "area_1", "area_2"))
    assert reached[-1] == "area_3"
    assert set(reached) == {"area_1", "area_2", "area_3"}
    assert result.success


def test_it_waits_and_docks(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    before = yard.world.time
    result, _, _ = run(yard, "go to area 2, then dock", planned=(
        *go_to("area_2"), Step("wait", "wait", {"seconds": 10.0}, "agv"),
        Step("dock", "dock", {"station": "dock"}, "agv")))
    assert result.success
    assert yard.world.time - before > 10.0
    assert yard.apart(3.5, 0.5) < 0.08
    assert abs(math.remainder(yard.base.pose().yaw + math.pi / 2, math.tau)) < 0.2


def test_a_load_is_carried_slowly(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    carry = Step("carry the load to area 1", "carry_to", {"area": "area_1"}, "agv")
    result, reached, _ = run(yard, "go to area 1", planned=(carry,))
    assert result.success
    assert reached == ["area_1"]
    assert max(yard.speeds) < 0.27
    result, reached, _ = run(yard, "go to area 2")
    assert result.success
    assert max(yard.speeds) > 0.45


def test_a_zone_that_must_not_be_entered_is_driven_around(tmp_path: Path) -> None:
    yard = Yard(tmp_path, more="")
    text = Path(yard.world.scene.source).read_text()
    Path(yard.world.scene.source).write_text(text.replace(
        "areas:\n", "areas:\n  lawn: {type: no_go, position: [1.9, 1.5], size: [0.5, 0.5]}\n"))
    yard.world.reset()
    nearest: List[float] = []
    yard.base.followers.append(lambda: nearest.append(yard.apart(1.9, 1.5)))
    result, _, _ = run(yard, "go to area 1")
    assert result.success
    assert min(nearest) > 0.25 + yard.base.radius


def test_a_zone_that_closes_every_way_is_told_before_the_base_moves(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    file = Path(yard.world.scene.source)
    file.write_text(file.read_text().replace(
        "areas:\n", "areas:\n  lawn: {type: no_go, position: [1.9, 1.5], size: [0.4, 3.0], yaw: 0}\n"))
    yard.world.reset()
    result, reached, _ = run(yard, "Visit area 1, then area 2")
    assert not result.success
    assert reached == ["area_2"], "what can be reached is visited"
    assert "lawn" in result.message
    assert yard.world.eyes.see(yard.world.frames(), yard.world.time).robots["agv"].motion.zones == ()
    start = yard.base.pose()
    result, _, events = run(yard, "go to area 1")
    assert not result.success
    assert not [event for event in events if event["kind"] == "outcome"], "nothing was driven"
    assert math.dist(yard.base.pose().position, start.position) < 0.01


def test_a_base_that_is_pushed_at_a_zone_is_stopped_before_it(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    band = KeepOut(((1.8, 0.0), (2.2, 0.0), (2.2, 3.0), (1.8, 3.0)), name="lawn")
    path = np.array([(0.5 + 0.02 * step, 1.5) for step in range(130)])
    yard.base.make_plan = lambda start, goal: path  # A planner that does not know of the zone.
    yard.base.controller.follow = lambda pose, _: Twist(0.5, 0.0)
    outcome = yard.go(3.2, 1.5, constraints=Constraints((band,)))
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.FORBIDDEN, ("lawn",))
    assert yard.base.pose().position[0] + yard.base.radius <= 1.8


def test_an_unknown_area_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    result, _, _ = run(yard, "go to area 7")
    assert not result.success
    assert "area 1, area 2, area 3" in result.message
    assert yard.apart(0.5, 1.5) < 0.01


def test_an_area_that_a_plan_made_up_is_told_and_the_goal_is_reached_all_the_same(tmp_path: Path) -> None:
    result, reached, events = run(Yard(tmp_path), "go to area 1", planned=go_to("area_9"))
    assert "no object 'area_9' in the world" in str(events)
    assert result.success
    assert reached == ["area_1"]


def test_a_scan_that_stops_ends_the_task_with_a_base_that_stands(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.world.inject("scan_stops", "", (2.0,))
    result, _, _ = run(yard, "go to area 1")
    assert not result.success
    assert "no data has come from lidar" in result.message
    assert yard.stands


def test_an_area_inside_an_obstacle_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"test.yaml:\d+: obstacles.crate: area_1 is inside crate"):
        Yard(tmp_path, {"crate": (3.3, 1.5, 0.3)})


def test_the_papers_arena_draws_four_obstacles_that_leave_start_and_areas_their_middles() -> None:
    for seed in range(10):
        scene = load_scene(CONFIG / "scenes" / "agv.yaml", seed)
        assert len(scene.things) == 4
        for thing in scene.things:
            assert math.dist(thing.pose.position[:2], (1.4, 0.9)) > 0.18 + 0.283
            assert all(math.dist(thing.pose.position[:2], area.pose.position[:2]) > 0.283
                       for area in scene.objects.values() if not area.movable)


def test_an_arena_is_no_table_and_a_table_no_arena() -> None:
    with pytest.raises(ConfigError, match="has no arm; its robots: agv"):
        EmbeddedWorld(CONFIG / "scenes" / "agv.yaml")
    with pytest.raises(ConfigError, match="has no arena to drive in; its robots: panda"):
        AgvWorld(CONFIG / "scenes" / "tabletop.yaml")
