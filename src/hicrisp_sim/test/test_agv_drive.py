"""The embedded base as a ``Base``: it drives as move_base does, and says what move_base says."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from agv_arena import HEAD, Yard
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, Status
from hicrisp_core.model.keep_out import disc
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import AgvWorld
from hicrisp_sim.agv.pursuit import Twist
from waiting import PATIENCE, until


def test_it_drives_to_a_pose_within_its_tolerances_and_its_speed(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    assert yard.go(3.0, 2.2, yaw=1.0).ok
    assert yard.apart(3.0, 2.2) < 0.05
    assert abs(math.remainder(yard.base.pose().yaw - 1.0, math.tau)) < 0.1
    assert 0.4 < max(yard.speeds) < 1.1 * yard.base.settings.speed
    assert yard.stands


def test_an_obstacle_that_no_map_knows_is_seen_and_driven_around(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"crate": (1.8, 1.5, 0.28)})
    assert not yard.base.map()[yard.base.local.cell(1.8, 1.5)]
    assert yard.go(3.2, 1.5).ok
    assert not yard.touched
    seen = yard.world.eyes.obstacles().values()
    assert [thing for thing in seen if math.dist(thing.pose.position[:2], (1.8, 1.5)) < 0.15]


def test_nothing_appears_where_the_base_stands(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"crate": (0.4, 2.6, 0.1)})
    x, y, _ = yard.world.base.pose().position
    crate = yard.world.simulation.data.body("crate")
    before = tuple(crate.xpos)
    with pytest.raises(ConfigError, match="agv is there; choose a place at least"):
        yard.world.inject("appear", "crate", (x + 0.1, y))
    yard.world.settle(0.2)
    assert tuple(crate.xpos) == pytest.approx(before, abs=1e-3)


def test_a_move_base_that_nobody_serves_cannot_go_away(tmp_path: Path) -> None:
    yard, away = Yard(tmp_path), []
    with pytest.raises(ConfigError, match="needs a move_base that is served"):
        yard.world.inject("move_base_gone", "", (5.0,))
    yard.world.faults.leave = away.append
    with pytest.raises(ConfigError, match="for how many seconds"):
        yard.world.inject("move_base_gone", "", (math.nan,))
    assert yard.world.inject("move_base_gone", "", (5.0,)) == "move_base is gone for 5 s"
    assert away == [5.0]


def test_what_appears_on_the_way_is_driven_around(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"crate": (0.4, 2.6, 0.25)})
    yard.world.inject("appear", "crate", (2.2, 1.5, 1.5))
    assert yard.go(3.5, 1.5).ok
    assert not yard.touched


def test_a_goal_behind_a_closed_gap_fails_in_the_words_of_move_base_after_its_recoveries(
    tmp_path: Path
) -> None:
    yard = Yard(tmp_path, more="walls: {door: {from: [2.5, 0], to: [2.5, 3]}}\n")
    outcome = yard.go(3.3, 1.5)
    assert outcome.status is Status.PLANNING
    assert outcome.message == "Failed to find a valid plan. Even after executing recovery behaviors."
    assert [phase for phase in yard.phases if phase.startswith("recovery")] == [
        "recovery: conservative reset", "recovery: rotate", "recovery: aggressive reset", "recovery: rotate"]
    assert yard.stands


def test_a_gap_that_opens_again_is_used_after_the_costmap_was_cleared(tmp_path: Path) -> None:
    walls = "walls: {low: {from: [2, 0], to: [2, 1.1]}, high: {from: [2, 1.9], to: [2, 3]}}\n"
    yard = Yard(tmp_path, {"crate": (2.0, 1.5, 0.25)}, more=walls)
    yard.world.inject("move", "crate", (0.5, 2.6, 4.0))
    assert yard.go(3.0, 1.5).ok
    assert not yard.touched


def test_something_that_the_lidar_cannot_see_ends_the_drive_at_the_bumper(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"low_box": (1.8, 1.5, 0.25)}, height=0.12)
    outcome = yard.go(3.2, 1.5)
    assert outcome.status is Status.EXECUTION
    assert "bumper" in outcome.message
    assert yard.stands


def test_it_keeps_out_of_discs_and_keeps_the_clearance_that_it_is_told(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    nearest = []
    yard.base.followers.append(lambda: nearest.append(yard.apart(1.9, 1.5)))
    assert yard.go(3.2, 1.5, constraints=Constraints((disc(1.9, 1.5, 0.3),), 0.04)).ok
    assert min(nearest) > 0.3 + yard.base.radius + 0.04
    yard.base.constrain(Constraints((disc(1.9, 1.5, 1.4),)))
    assert yard.base.make_plan(yard.base.pose(), Pose((0.6, 1.5, 0.0))) is None
    yard.base.constrain()
    assert yard.base.make_plan(yard.base.pose(), Pose((0.6, 1.5, 0.0))) is not None


@pytest.mark.parametrize(("x", "y", "yaw", "why"), [
    (math.nan, 1.0, 0.0, "not a finite pose"), (1.0, 1.0, math.nan, "not a finite pose"),
    (9.0, 1.0, 0.0, "outside the map, which is 0 to 4 m in x and 0 to 3 m in y")])
def test_a_goal_that_is_none_is_refused_and_nothing_moves(
    tmp_path: Path, x: float, y: float, yaw: float, why: str
) -> None:
    yard = Yard(tmp_path)
    outcome = yard.go(x, y, yaw)
    assert outcome.status is Status.INVALID
    assert why in outcome.message
    assert yard.apart(0.5, 1.5) < 0.01


def test_a_scan_that_stops_stops_the_base(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.world.inject("scan_stops", "", (1.0,))
    outcome = yard.go(3.5, 1.5)
    assert outcome.status is Status.SAFETY
    assert "No scan has arrived" in outcome.message
    assert yard.stands
    assert yard.apart(3.5, 1.5) > 1.0


def test_a_canceled_drive_ends_with_a_base_that_stands(tmp_path: Path) -> None:
    yard, cancel = Yard(tmp_path), Event()
    told_at = yard.world.time + 1.5
    yard.world.simulation.at(told_at, cancel.set)
    assert yard.go(3.5, 1.5, cancel=cancel).status is Status.CANCELED
    assert yard.stands
    assert yard.world.time < told_at + 1.0
    assert 0.1 < yard.apart(0.5, 1.5) < 1.5


def test_a_stop_from_another_thread_ends_the_drive(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.world.simulation.rate = 20.0
    outcomes = []
    driving = Thread(target=lambda: outcomes.append(yard.go(3.5, 1.5)))
    driving.start()
    until(lambda: yard.apart(0.5, 1.5) > 0.2, "drive")
    assert yard.base.stop(Deadline(PATIENCE)).ok
    driving.join(PATIENCE)
    assert outcomes[0].status is Status.CANCELED
    assert yard.stands
    assert yard.apart(3.5, 1.5) > 0.5


def test_a_base_that_idled_for_long_scans_before_it_drives(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.world.simulation.advance(5.0)
    assert yard.base.scan_age > yard.base.settings.scan_timeout
    assert yard.go(1.5, 1.5).ok


def test_a_deadline_that_passes_stops_the_base(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    outcome = yard.base.go_to(Pose((3.5, 1.5, 0.0)), Deadline(0.0), Event(), lambda phase, fraction: None)
    assert outcome.status is Status.TIMEOUT
    assert yard.stands


def test_a_plan_keeps_the_footprint_off_walls_and_obstacles(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"crate": (1.8, 1.5, 0.28)},
                more="walls: {low: {from: [2.6, 0], to: [2.6, 1.8]}}\n")
    path = yard.base.make_plan(yard.base.pose(), Pose((3.4, 0.6, 0.0)))
    assert path is not None
    assert min(yard.base.local.clearance(*point) for point in path[1:-1]) >= yard.base.radius
    assert np.hypot(*np.diff(path, axis=0).T).max() < 0.06


def test_clearing_the_costmaps_forgets_what_was_seen_and_the_next_scan_marks_it_again(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"crate": (1.5, 1.5, 0.28)})
    in_the_way = yard.base.local.cell(1.23, 1.5)
    assert np.isinf(yard.base.costmap()[in_the_way])
    yard.base.clear_costmaps()
    assert np.isfinite(yard.base.costmap()[in_the_way])
    yard.base.look()
    assert np.isinf(yard.base.costmap()[in_the_way])


def test_a_scan_measures_what_is_there(tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"crate": (1.5, 1.5, 0.25)})
    scan = yard.base.scan()
    assert scan is not None
    assert len(scan.ranges) == 360
    ahead = scan.ranges[np.argmin(abs(scan.angles))]
    assert ahead == pytest.approx(0.75, abs=0.03)
    assert scan.ranges[0] == pytest.approx(0.5, abs=0.03)  # the wall behind


def test_the_wheels_count_a_way_that_is_nearly_the_true_one(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    assert yard.go(3.0, 2.2).ok
    counted, true = yard.base.odometry(), yard.base.pose()
    assert math.dist(counted.position[:2], true.position[:2]) < 0.25


def test_a_base_that_brakes_slowly_turns_no_faster_than_it_may_in_a_sharp_bend(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    base = yard.base
    base.controller._settings = replace(base.settings, acceleration=0.2, turn_acceleration=50.0,
                                        turn_speed=0.5)
    straight = np.column_stack((np.linspace(1.0, 3.0, 41), np.full(41, 1.5)))
    twist = Twist()
    for _ in range(100):
        twist = base.controller.follow(Pose((1.0, 1.5, 0.0)), straight) or Twist()
    assert twist.forward > 0.3
    away = np.linspace(0.0, 1.0, 21)
    bend = np.column_stack((1.0 + away * math.cos(0.7), 1.5 + away * math.sin(0.7)))
    turns = [(base.controller.follow(Pose((1.0, 1.5, 0.0)), bend) or Twist()).turn for _ in range(10)]
    assert max(turns) == pytest.approx(0.5)


def test_a_base_that_turns_on_the_spot_begins_within_its_acceleration(tmp_path: Path) -> None:
    base = Yard(tmp_path).base
    turns = [0.0, *(base.controller.spin().turn for _ in range(100))]
    most = base.settings.turn_acceleration / base.settings.control_rate
    assert max(after - before for before, after in zip(turns, turns[1:])) == pytest.approx(most)
    assert turns[-1] == pytest.approx(base.settings.turn_speed)


def test_a_large_arena_is_driven_in_larger_cells_and_that_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    large = HEAD.replace("origin: [0, 0], size: [4, 3]", "origin: [-100, -100], size: [200, 200]")
    file = tmp_path / "large.yaml"
    file.write_text(large + "walls: {fence: {from: [2, 0], to: [2, 3]}}\n", encoding="utf-8")
    tracemalloc.start()
    base = AgvWorld(file).base
    path = base.make_plan(base.pose(), Pose((3.3, 1.5, 0.0)))
    across = base.make_plan(base.pose(), Pose((97.0, -95.0, 0.0)))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path is not None
    assert min(math.dist(spot, end) for spot in path for end in ((2.0, 0.0), (2.0, 3.0))) < 1.0, "around the fence"
    assert across is not None
    assert most < 350e6
    assert "the costmap has cells of 0.20 m" in caplog.text
