"""The AGV suite: how runs are judged, what is injected, and that a small run of it holds together."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("mujoco", reason="the embedded world does not run here")

from hicrisp_bench.agv.fleet import FleetTrial, possible  # noqa: E402
from hicrisp_bench.agv.fleet import row_of as fleet_row  # noqa: E402
from hicrisp_bench.agv.suite import AgvTrial, row_of, trials  # noqa: E402 - needs MuJoCo  # noqa: E402
from hicrisp_bench.agv.truth import Moment, Stop, TrueMap, TrueTrack, judge  # noqa: E402
from hicrisp_bench.agv_brain.wrong_order import mistaken  # noqa: E402
from hicrisp_bench.cli import SUITES  # noqa: E402
from hicrisp_bench.statistics import Tally  # noqa: E402
from hicrisp_core.model import KeepOut, Pose, Step  # noqa: E402
from hicrisp_core.scene import load_scene  # noqa: E402
from hicrisp_core.scene.floor_plan import Start  # noqa: E402
from lasting import LONG

CONFIG = Path(__file__).resolve().parents[3] / "config"
STEPS = tuple(Step(f"go to {name}", "go_to", {"area": name}) for name in ("a", "b", "c"))
OPEN = 19
"""A seed whose layout leaves all areas open."""


def sent(areas: str) -> "list[Stop]":
    return [Stop(area, area) for area in areas]


def names(steps: "tuple[Step, ...]") -> "list[object]":
    return [step.arguments["area"] for step in steps]


def test_what_is_wrong_with_an_order_depends_on_the_seed() -> None:
    assert names(mistaken(STEPS, "swap", 0)) == ["b", "a", "c"]
    assert names(mistaken(STEPS, "swap", 1)) == ["a", "c", "b"]
    assert names(mistaken(STEPS, "omission", 2)) == ["a", "b"]
    assert names(mistaken(STEPS, "repetition", 0)) == ["a", "b", "a", "c"]


def test_stops_are_judged_against_the_order() -> None:
    assert judge(sent("abc"), ["a", "b", "c"]) == {"in_turn": 3, "violations": 0, "halts": 0}
    assert judge(sent("bab"), ["a", "b", "c"]) == {"in_turn": 2, "violations": 1, "halts": 0}


def test_a_drive_that_breaks_off_in_an_area_on_its_way_is_a_halt_and_no_visit() -> None:
    broken_off = [Stop("b", "a"), *sent("ab"), Stop("a", "c"), *sent("c")]
    assert judge(broken_off, ["a", "b", "c"]) == {"in_turn": 3, "violations": 0, "halts": 2}
    assert judge([Stop("b", "c"), *sent("ba")], ["b", "a"]) == {"in_turn": 2, "violations": 0, "halts": 1}
    assert judge([Stop("a", "c"), Stop("b", "c"), *sent("ab")], ["a", "b"]) == {
        "in_turn": 2, "violations": 0, "halts": 2}
    assert judge([Stop("a", "c")], ["a"]) == {"in_turn": 1, "violations": 0, "halts": 0}
    assert judge([Stop("b", "a"), Stop("b", "b")], ["a", "b"]) == {"in_turn": 0, "violations": 1, "halts": 1}


def test_all_orders_seeds_policies_and_mistakes_are_run() -> None:
    cases = trials(CONFIG, 20)
    assert len(cases) == 13
    assert all(len(made) == 120 for _, made in cases)


def test_layouts_with_an_area_out_of_reach_can_be_left_out() -> None:
    (_, runs), *_ = trials(CONFIG, OPEN + 1, every=6, policies=["hicrisp"], reachable=True)
    seeds = [run.seed for run in runs]
    assert OPEN in seeds
    assert len(seeds) < OPEN


def test_the_shortest_way_enters_the_areas_in_their_order() -> None:
    truth = TrueMap(load_scene(CONFIG / "scenes" / "agv.yaml", OPEN), "agv")
    assert truth.reachable("area_1")
    there, back = truth.shortest(["area_2", "area_3"]), truth.shortest(["area_3", "area_2"])
    assert there is not None
    assert back is not None
    assert 0.3 < truth.shortest(["area_2"]) < there < back < 6.0


def test_a_run_whose_plan_is_in_a_wrong_order_completes_the_right_one_without_touching_anything() -> None:
    result = AgvTrial(CONFIG, ("area_3", "area_2", "area_1"), "hierarchical", OPEN, "swap").run()
    assert result["completed"]
    assert result["stops"] == ["area_3", "area_2", "area_1"]
    assert (result["collisions"], result["order_violations"]) == (0, 0)
    assert result["caught"] is True
    assert 0.9 < result["path_m"] / result["shortest_m"] < 2.0
    row = row_of({"policy": "hierarchical"}, Tally([result]))
    assert row["completed"] == 1.0
    assert row["completed_ci"][1] == 1.0


def test_a_zone_is_driven_around() -> None:
    result = AgvTrial(CONFIG, ("area_2", "area_1", "area_3"), "hierarchical", 0, scene="agv_zone").run()
    assert result["completed"]
    assert (result["zones_entered"], result["zone_violations"]) == ([], 0)


def test_a_zone_counts_once_for_each_time_that_the_footprint_comes_over_it() -> None:
    scene = load_scene(CONFIG / "scenes" / "agv_zone.yaml", 0)
    track, beside = TrueTrack(scene, "agv"), scene.objects["keep_off"].pose.position
    edge = beside[0] - scene.objects["keep_off"].size[0] / 2.0 - scene.arena.starts["agv"].radius
    for time, x in enumerate((edge - 0.02, edge + 0.02, edge + 0.03, edge - 0.02, edge + 0.01)):
        track.follow(Moment(float(time), Pose((x, beside[1], 0.0)), 0.2, 0.0))
    assert track.zones_entered == ["keep_off", "keep_off"]


def test_the_suite_is_one_of_the_command_lines_and_counts_its_seeds() -> None:
    parser = argparse.ArgumentParser()
    SUITES["agv"].add_options(parser)
    assert parser.parse_args([]).trials == 20


@LONG
def test_two_bases_visit_the_areas_of_one_order_in_turn_without_a_collision() -> None:
    result = FleetTrial(CONFIG, 2, "hierarchical", 2, shared=True).run()
    assert result["possible"]
    assert result["completed"], result["message"]
    assert (result["collisions"], result["touched"], result["order_violations"]) == (0, [], 0)
    assert result["waits"]
    row = fleet_row({"order": "own"}, Tally([result, {**result, "possible": False, "completed": False}]))
    assert (row["possible"], row["completed"], row["n"]) == (1, 1.0, 2)


def test_no_schedule_exists_where_an_area_is_walled_in() -> None:
    scene = FleetTrial(CONFIG, 2, "hierarchical", 2, shared=False).load_scene()
    area = next(name for name, item in scene.objects.items() if item.type == "area" and item.pose.position[0] < 2.4)
    starts = {"agv_1": Start(Pose((2.4, 1.6, 0.0)), 0.18), "agv_2": Start(Pose((4.2, 1.6, 0.0)), 0.18)}
    open_ = replace(scene, arena=replace(scene.arena, starts=starts))
    assert possible(open_, [(area, "agv_2")])
    blocks = (KeepOut(((0.0, 0.0), (2.0, 0.0), (2.0, 3.2), (0.0, 3.2)), name="block"),)
    shut = replace(open_, arena=replace(open_.arena, blocks=blocks))
    assert not possible(shut, [(area, "agv_2")])
