"""A base as a robot: where commands lead, how long a drive may take, and what is said when it goes wrong."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Event, Thread
from typing import List, Tuple

import pytest
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Status
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.ports.robot import USUAL
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.landmarks import BaseSettings, Landmark, load_base_settings
from hicrisp_core.time.deadline import Deadline
from scripted_base import ScriptedBase
from waiting import PATIENCE

SKILLS = {action: SkillUse(skill, item) for action, skill, item in (
    ("visit", "visit", ""), ("drive", "go_to", ""), ("park", "dock", ""), ("bring", "carry_to", "item"),
    ("rest", "wait", ""), ("pick", "pick", "item"))}
SETTINGS = BaseSettings("agv", speed=0.5, detour=2.0, start_up=4.0, tolerance=0.2, yaw_tolerance=0.3,
                        approach=0.5,
                        dock_tolerance=0.05, carry_speed=0.25,
                        landmarks={"area_1": Landmark(3.0, 4.0), "charger": Landmark(2.0, 0.0, math.pi / 2),
                                   "shelf": Landmark(1.0, 1.0, 0.0, tolerance=0.05)})


@pytest.fixture
def base() -> ScriptedBase:
    return ScriptedBase()


@pytest.fixture
def robot(base: ScriptedBase) -> BaseRobot:
    return BaseRobot(base, SKILLS, base.where, SETTINGS, base.time)


def run(robot: BaseRobot, command: Command, seconds: float = 60.0) -> Outcome:
    return robot.execute(command, Deadline(seconds), Event())


def visit(place: str, time_limit: float = 300.0) -> Command:
    return Command("visit", {"robot": "agv", "area": place}, "agv", time_limit=time_limit)


def test_it_can_what_a_base_has_a_skill_for(robot: BaseRobot) -> None:
    assert set(robot.capabilities()) == {"visit", "drive", "park", "bring", "rest"}
    outcome = run(robot, Command("pick", {"robot": "agv", "item": "box"}))
    assert outcome.status is Status.INVALID
    assert "bring, drive, park, rest, visit" in outcome.message


def test_a_place_without_a_heading_is_reached_the_way_the_base_comes(robot: BaseRobot,
                                                                     base: ScriptedBase) -> None:
    assert run(robot, visit("area_1")).ok
    assert base.goals[0].position == (3.0, 4.0, 0.0)
    assert base.goals[0].yaw == pytest.approx(math.atan2(4.0, 3.0))


def test_a_commands_own_pose_goes_before_its_names(robot: BaseRobot, base: ScriptedBase) -> None:
    target, aim = Pose((1.0, -1.0, 0.0), from_yaw(1.0)), Pose((1.1, -1.0, 0.0), from_yaw(1.0))
    assert run(robot, visit("nowhere").aimed(target, aim)).ok
    assert base.goals[0].position == (1.1, -1.0, 0.0)


def test_the_thing_that_is_carried_is_no_place(robot: BaseRobot, base: ScriptedBase) -> None:
    assert run(robot, Command("bring", {"robot": "agv", "place": "shelf", "item": "area_1"})).ok
    assert base.goals[0].position == (1.0, 1.0, 0.0)


def test_docking_lines_up_before_the_dock(robot: BaseRobot, base: ScriptedBase) -> None:
    seen: List[Tuple[str, float]] = []
    command = Command("park", {"robot": "agv", "place": "charger"})
    assert robot.execute(command, Deadline(60.0), Event(), lambda phase, part: seen.append((phase, part))).ok
    before, dock = base.goals
    assert before.position == pytest.approx((2.0, -0.5, 0.0))
    assert dock.position == pytest.approx((2.0, 0.0, 0.0))
    assert before.yaw == pytest.approx(dock.yaw)
    assert seen == [("line up", 0.25), ("dock", 0.75)]


def test_the_last_way_into_a_dock_is_slow_and_exact(robot: BaseRobot, base: ScriptedBase) -> None:
    assert run(robot, Command("park", {"place": "charger"})).ok
    before, dock = base.manners
    assert before == USUAL
    assert (dock.speed, dock.tolerance) == (0.25, 0.05)


def test_a_base_that_missed_a_dock_lines_up_once_more(robot: BaseRobot, base: ScriptedBase) -> None:
    base.misses = [Pose((2.0, -0.5, 0.0), from_yaw(math.pi / 2)),
                   Pose((2.1, 0.0, 0.0), from_yaw(math.pi / 2))]
    assert run(robot, Command("park", {"place": "charger"})).ok
    assert [goal.position[1] for goal in base.goals] == pytest.approx([-0.5, 0.0, -0.5, 0.0])


def test_a_dock_that_is_missed_again_is_told(robot: BaseRobot, base: ScriptedBase) -> None:
    base.misses = [Pose((2.0 + off, y, 0.0), from_yaw(math.pi / 2)) for off, y in ((0, -0.5), (0.1, 0)) * 2]
    outcome = run(robot, Command("park", {"place": "charger"}))
    assert outcome.status is Status.EXECUTION
    assert "seen 0.10 m away (0.05 m are allowed)" in outcome.message


def test_a_load_is_driven_slowly_and_given_the_time_for_it(robot: BaseRobot, base: ScriptedBase) -> None:
    base.takes = 43.0  # Of 4 + 2 * 5 m / 0.25 m/s.
    bring = Command("bring", {"robot": "agv", "area": "area_1"}, time_limit=300.0)
    assert run(robot, bring).ok
    assert base.manners[0].speed == 0.25
    base.takes = 0.0
    assert run(robot, visit("charger")).ok
    assert base.manners[1] == USUAL


def test_a_dock_without_a_heading_is_refused(robot: BaseRobot, base: ScriptedBase) -> None:
    assert run(robot, Command("park", {"place": "area_1"})).status is Status.INVALID
    assert not base.goals


def test_an_unknown_place_is_refused_with_those_that_are_known(robot: BaseRobot, base: ScriptedBase) -> None:
    outcome = run(robot, visit("area_9"))
    assert outcome == Outcome.because(
        CauseKind.MALFORMED, Status.INVALID,
        "agv knows no place 'area_9'; it knows: area_1, charger, shelf.", "target")
    assert not base.goals


def test_a_command_without_a_place_is_refused(robot: BaseRobot) -> None:
    assert run(robot, Command("visit", {"robot": "agv"})).status is Status.INVALID


@pytest.mark.parametrize("pose", [Pose((math.nan, 0.0, 0.0)), Pose((0.0, math.inf, 0.0)),
                                  Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))])
def test_a_goal_that_is_no_pose_is_refused(robot: BaseRobot, base: ScriptedBase, pose: Pose) -> None:
    assert run(robot, visit("area_1").aimed(pose, None)).status is Status.INVALID
    assert not base.goals


@pytest.mark.parametrize(("takes", "status"), [(23.0, Status.SUCCESS), (26.0, Status.TIMEOUT)])
def test_the_time_limit_follows_from_the_distance_and_counts_by_the_robots_clock(
    robot: BaseRobot, base: ScriptedBase, takes: float, status: Status
) -> None:
    base.takes = takes  # Of 4 + 2 * 5 m / 0.5 m/s.
    outcome = run(robot, visit("area_1"))
    assert outcome.status is status, outcome.message
    if not outcome.ok:
        assert "Cannot reach area_1 within 24 s: The time limit passed" in outcome.message
        assert outcome.cause is not None
        assert (outcome.cause.kind, outcome.cause.seconds) == (CauseKind.OUT_OF_TIME, 24.0)
        assert base.stops == 1


def test_a_slow_clock_takes_no_time_from_a_drive(base: ScriptedBase) -> None:
    robot = BaseRobot(base, SKILLS, base.where, SETTINGS, lambda: 0.1 * base.time())
    base.takes = 200.0
    assert run(robot, visit("area_1")).ok
    assert base.patience[0] == pytest.approx(60.0, abs=0.1)


def test_the_commands_own_limit_holds_where_it_is_shorter(robot: BaseRobot, base: ScriptedBase) -> None:
    base.takes = 9.0
    outcome = run(robot, visit("area_1", time_limit=5.0))
    assert outcome.status is Status.TIMEOUT
    assert "Cannot reach area_1 within 5 s" in outcome.message


def test_wall_time_holds_too_where_it_is_shorter(robot: BaseRobot, base: ScriptedBase) -> None:
    run(robot, visit("area_1"), seconds=3.0)
    assert base.patience[0] <= 3.0


def test_a_base_that_does_not_know_where_it_is_gets_the_commands_limit(robot: BaseRobot,
                                                                       base: ScriptedBase) -> None:
    base.pose, base.takes = None, 90.0
    assert run(robot, visit("area_1", time_limit=30.0)).status is Status.TIMEOUT
    outcome = run(robot, visit("area_1", time_limit=100.0))
    assert outcome.status is Status.EXECUTION
    assert "not known where it is" in outcome.message


def test_a_base_that_says_that_it_arrived_and_did_not_is_not_believed(robot: BaseRobot,
                                                                      base: ScriptedBase) -> None:
    base.arrives_at = Pose((3.0, 3.2, 0.0))
    outcome = run(robot, visit("area_1"))
    assert outcome.status is Status.EXECUTION
    assert "seen 0.80 m away (0.20 m are allowed)" in outcome.message


def test_a_place_may_ask_for_more_than_the_base_does(robot: BaseRobot, base: ScriptedBase) -> None:
    base.arrives_at = Pose((1.1, 1.0, 0.0))
    assert run(robot, visit("shelf")).status is Status.EXECUTION


def test_a_heading_that_is_off_is_told(robot: BaseRobot, base: ScriptedBase) -> None:
    base.arrives_at = Pose((1.0, 1.0, 0.0), from_yaw(-1.0))
    outcome = run(robot, visit("shelf"))
    assert outcome.status is Status.EXECUTION
    assert "heading is seen 1.00 rad off" in outcome.message


@pytest.mark.parametrize("status", [Status.PLANNING, Status.EXECUTION, Status.TIMEOUT])
def test_a_drive_that_fails_names_the_place_and_ends_standing(
    robot: BaseRobot, base: ScriptedBase, status: Status
) -> None:
    base.answers = [Outcome(status, "there is no path")]
    outcome = run(robot, visit("area_1"))
    assert outcome.status is status
    assert "Cannot reach area_1" in outcome.message
    assert "there is no path" in outcome.message
    assert base.stops == 1


def test_a_base_that_does_not_confirm_that_it_stands_is_a_matter_of_safety(
    robot: BaseRobot, base: ScriptedBase
) -> None:
    base.answers, base.halts = [Outcome(Status.PLANNING, "no path")], Outcome(Status.EXECUTION,
                                                                              "it still moves")
    outcome = run(robot, visit("area_1"))
    assert outcome.status is Status.SAFETY
    assert "it still moves" in outcome.message


def test_a_lost_base_stays_lost(robot: BaseRobot, base: ScriptedBase) -> None:
    base.answers, base.halts = [Outcome(Status.LOST, "no server")], Outcome(Status.LOST, "no odometry")
    assert run(robot, visit("area_1")).status is Status.LOST


def test_stopping_ends_the_drive_that_runs(robot: BaseRobot, base: ScriptedBase) -> None:
    base.drives_on = True
    outcomes: List[Outcome] = []
    thread = Thread(target=lambda: outcomes.append(run(robot, visit("area_1"))))
    thread.start()
    assert base.on_the_way.wait(PATIENCE)
    assert robot.stop(Deadline(PATIENCE)).ok
    thread.join(PATIENCE)
    assert [outcome.status for outcome in outcomes] == [Status.CANCELED]


def test_a_canceled_command_does_not_begin(robot: BaseRobot, base: ScriptedBase) -> None:
    cancel = Event()
    cancel.set()
    assert robot.execute(visit("area_1"), Deadline(5.0), cancel).status is Status.CANCELED
    assert not base.goals


def test_waiting_ends_with_its_time_or_with_the_limit(robot: BaseRobot, base: ScriptedBase) -> None:
    assert run(robot, Command("rest", {"robot": "agv", "seconds": 0.05})).ok
    assert run(robot, Command("rest", {"robot": "agv", "seconds": 9.0},
                              time_limit=0.05)).status is Status.TIMEOUT
    assert run(robot, Command("rest", {"robot": "agv", "seconds": 9.0}),
               seconds=0.05).status is Status.TIMEOUT
    assert not base.goals


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -1.0, "soon"])
def test_a_wait_that_is_no_time_is_refused(robot: BaseRobot, seconds: object) -> None:
    assert run(robot,
               Command("rest", {"seconds": seconds})).status is Status.INVALID  # type: ignore[dict-item]


def test_settings_are_read_with_their_landmarks(tmp_path: Path) -> None:
    file = tmp_path / "agv.yaml"
    file.write_text("name: agv\nspeed: 0.3\nlandmarks:\n  gate: {x: 1, y: 2}\n"
                    "  dock: {x: 0, y: 0, yaw: 1.5, tolerance: 0.1}\n")
    settings = load_base_settings(file)
    assert settings.speed == 0.3
    assert settings.landmarks == {"gate": Landmark(1.0, 2.0), "dock": Landmark(0.0, 0.0, 1.5, 0.1)}


@pytest.mark.parametrize(("text", "fault"), [
    ("name: agv\nlandmarks: {gate: {x: 1, z: 2}}\n", "unknown key 'z'"),
    ("name: agv\nlandmarks: {gate: {x: 1, y: .nan}}\n", "a finite number"),
    ("name: agv\nspeed: 0\nlandmarks: {}\n", "speed: more than 0 is needed"),
    ("name: agv\nspeeed: 1\nlandmarks: {}\n", "did you mean 'speed'"),
    ("name: agv\n", "'landmarks' is missing"),
])
def test_wrong_settings_are_told_with_their_place(tmp_path: Path, text: str, fault: str) -> None:
    file = tmp_path / "agv.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=fault) as told:
        load_base_settings(file)
    assert f"{file}:" in str(told.value)
