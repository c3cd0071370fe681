"""The detector and the watch over a base that moves: where it is, in which order, what it met on its way."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Callable, Optional, Sequence

import numpy as np
import pytest
from agv_world import CATALOGUE, DOMAIN, PLACES, after_motion, at, disc, seen
from failures import failure, no_motion, words
from goals import goal, visits
from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.corrector.offset import AimLearner
from hicrisp_core.detector.detector import Detector
from hicrisp_core.detector.obstacles import obstacles_in
from hicrisp_core.domain import check
from hicrisp_core.executive.task_order import TaskOrder
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Motion,
    Outcome,
    Pose,
    Status,
    Verdict,
    WorldState,
)
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.robot.drive_goals import DriveSpace, Reached, goal_within

DRIVEN = Outcome(Status.SUCCESS, "Goal reached.")
ABORTED = Outcome(Status.PLANNING, "Failed to find a valid plan. Even after executing recovery behaviors.")


def go_to(area: str) -> Command:
    return Command("go_to", {"robot": "agv", "area": area}, "agv")


def reaching(reached: Callable[[Pose], bool]) -> DriveSpace:
    """A space whose planner finds ways to some poses."""
    return DriveSpace(first_reached=lambda _, poses, __: Reached(next(filter(reached, poses), None)))


def watch(*areas: str, space: Optional[DriveSpace] = None) -> TaskOrder:
    """The watch over a task that visits areas, one after another."""
    order = TaskOrder(DOMAIN, space)
    order.follow(visits(*areas))
    return order


def look(order: TaskOrder, area: str) -> WorldState:
    """Drive to an area and look."""
    order.see(seen())
    return order.see(at(area))


def test_a_base_is_in_the_area_in_which_its_middle_is_seen() -> None:
    assert at("area_1").holds("at", "agv", "area_1")
    x, y = PLACES["area_1"]
    assert seen(x + 0.24, y - 0.24).holds("at", "agv", "area_1")
    assert not seen(x + 0.26, y).holds("at", "agv", "area_1")


def test_success_is_learnt_from_the_pose_and_never_from_the_driver() -> None:
    x, y = PLACES["area_1"]
    verdict = Detector(DOMAIN).check(go_to("area_1"), seen(), seen(x + 0.6, y), DRIVEN)
    assert verdict.feedback is not None
    assert verdict.feedback.misses("at")
    assert "35.0 cm from its edge" in words(DOMAIN, verdict.feedback).reason


def test_an_abort_inside_the_area_is_overruled_by_what_is_seen() -> None:
    order = watch("area_1")
    verdict = Detector(DOMAIN).check(go_to("area_1"), seen(), look(order, "area_1"), ABORTED)
    assert verdict.ok
    assert "planning" in verdict.note


def test_a_base_without_a_pose_is_in_no_area() -> None:
    world = seen(math.nan, 1.0)
    assert world.robots["agv"].pose is None
    assert not [fact for fact in world.relations if fact.predicate == "at"]


@pytest.mark.parametrize(("yaw", "off", "docked"), [(0.0, 0.0, True), (0.2, 0.05, True), (0.5, 0.0, False),
                                                    (0.0, 0.12, False)])
def test_docked_is_a_place_and_a_heading(yaw: float, off: float, docked: bool) -> None:
    assert seen(3.65 + off, 0.75, yaw).holds("docked", "agv", "dock") is docked


def test_the_order_of_the_task_stands_in_the_world_and_stops_a_step_before_it_moves() -> None:
    world = watch("area_3", "area_2", "area_1").see(seen())
    assert world.holds("waits_for", "area_1", "area_3")
    refusal = check(DOMAIN, go_to("area_1"), world)
    assert refusal is not None
    assert refusal.kind is FeedbackKind.OUT_OF_ORDER
    assert words(DOMAIN, refusal).reason == "Area 2 is to be visited before area 1."
    assert check(DOMAIN, go_to("area_3"), world) is None


def test_a_stop_in_the_wrong_area_is_said_with_what_was_due() -> None:
    order = watch("area_3", "area_2", "area_1")
    world = look(order, "area_1")
    verdict = order.judge(go_to("area_3"), world,
                          Detector(DOMAIN).check(go_to("area_3"), seen(), world, DRIVEN))
    assert verdict.feedback is not None
    assert verdict.feedback.kind is FeedbackKind.WRONG_AREA
    assert words(DOMAIN, verdict.feedback).error == "The agv is in area 1, but area 3 comes first."
    assert not world.holds("visited", "agv", "area_1")


def test_a_drive_that_is_aborted_in_an_area_out_of_turn_says_so() -> None:
    order = watch("area_3", "area_2")
    world = look(order, "area_2")
    verdict = order.judge(go_to("area_3"), world,
                          Verdict(no_motion(DOMAIN, world, "go_to(agv, area_3)", "no way")))
    assert verdict.feedback is not None
    assert words(DOMAIN, verdict.feedback).reason == (
        "No way. Area 3 is to be visited before area 2. On the way: agv is in area 2.")


def test_a_successful_drive_out_of_order_is_no_success() -> None:
    order = watch("area_3", "area_1")
    verdict = order.judge(go_to("area_1"), look(order, "area_1"), Verdict())
    assert verdict.feedback is not None
    assert verdict.feedback.kind is FeedbackKind.OUT_OF_ORDER


def test_visits_are_learnt_in_turn_and_the_last_missing_one_is_named() -> None:
    order = watch("area_3", "area_2", "area_1")
    look(order, "area_3")
    world = look(order, "area_2")
    assert world.holds("visited", "agv", "area_3")
    missing = order.unfinished(world)
    assert missing is not None
    command, feedback = missing
    assert (str(command), words(DOMAIN, feedback).error) == ("go_to(agv, area_1)", "Area 1 was not visited.")
    assert order.unfinished(look(order, "area_1")) is None


def test_an_area_to_which_a_step_did_not_come_is_told_with_what_ended_that_step_until_it_is_visited() -> None:
    order = watch("area_1", "area_2", "area_1")
    blind = Cause(CauseKind.STALE_SENSOR, ("/scan",), 4.0)
    failed = failure(DOMAIN, order.see(seen()), "go_to(agv, area_1)", FeedbackKind.SAFETY)
    order.judge(go_to("area_1"), seen(), Verdict(replace(failed, cause=blind)))
    missing = order.unfinished(order.see(seen()))
    assert missing is not None
    assert missing[1].cause == blind
    assert words(DOMAIN, missing[1]).reason == "No data has come from /scan for 4 s."
    look(order, "area_1")
    missing = order.unfinished(look(order, "area_2"))
    assert missing is not None
    assert (missing[1].cause, words(DOMAIN, missing[1]).reason) == (None, "The task asks for it.")


def test_an_area_twice_is_due_twice() -> None:
    order = watch("area_1", "area_2", "area_1")
    assert check(DOMAIN, go_to("area_1"), look(order, "area_2")) is None
    order.begin()
    order.follow(visits("area_1", "area_2", "area_1"))
    look(order, "area_1")
    world = look(order, "area_2")
    assert check(DOMAIN, go_to("area_1"), world) is None
    assert order.unfinished(look(order, "area_1")) is None


def test_a_repeated_visit_is_refused_as_not_due() -> None:
    order = watch("area_3", "area_1")
    look(order, "area_3")
    refusal = check(DOMAIN, go_to("area_3"), order.see(seen()))
    assert refusal is not None
    assert refusal.kind is FeedbackKind.NOT_DUE


def test_what_was_visited_counts_for_the_goal_that_the_user_changes_it_to() -> None:
    order = watch("area_1", "area_2")
    look(order, "area_1")
    order.follow(visits("area_1", "area_3"))
    assert check(DOMAIN, go_to("area_3"), order.see(at("area_1"))) is None
    assert order.unfinished(look(order, "area_3")) is None


@pytest.mark.parametrize("order", [None, goal("visited(agv,area_2)", "not(visited(agv,area_1))"),
                                   goal("any(visited(agv,area_2),visited(agv,area_1))")])
def test_without_an_order_that_is_known_nothing_waits(order: Optional[Goal]) -> None:
    watching = TaskOrder(DOMAIN)
    watching.follow(order)
    world = watching.see(seen())
    assert not [fact for fact in world.relations if fact.predicate in ("waits_for", "not_due")]


def unreachable(world: WorldState, area: str) -> Feedback:
    return failure(DOMAIN, world, f"go_to(agv, {area})", FeedbackKind.UNREACHABLE, subjects=(area,))


def test_an_unreachable_area_goes_up_with_those_that_can_be_reached_and_nothing_waits_for_it() -> None:
    order = watch("area_3", "area_2", "area_1", space=reaching(lambda pose: pose.position[0] < 2.9))
    world = order.see(seen())
    verdict = order.judge(go_to("area_3"), world, Verdict(unreachable(world, "area_3")))
    assert verdict.feedback is not None
    assert verdict.feedback.alternatives == ("area_2", "area_1")
    assert check(DOMAIN, go_to("area_2"), order.see(seen())) is None


def test_an_area_whose_middle_is_taken_is_one_to_go_to_instead() -> None:
    space = reaching(lambda pose: math.dist(pose.position[:2], PLACES["area_2"]) > 0.2)
    order = watch("area_3", "area_2", space=space)
    world = order.see(seen())
    verdict = order.judge(go_to("area_3"), world, Verdict(unreachable(world, "area_3")))
    assert verdict.feedback is not None
    assert verdict.feedback.alternatives == ("area_2",)


def test_poses_are_asked_for_together_where_asking_takes_time_and_ignorance_is_no_refusal() -> None:
    area, failed, asked = CATALOGUE["area_1"], [(2.604, 1.266, 0.0)], []

    def first(robot: str, poses: Sequence[Pose], _: Constraints) -> Reached:
        asked.append((robot, len(poses)))
        return Reached(next((pose for pose in poses if pose.position[0] > 2.75), None))

    base = seen().robots["agv"]
    right = goal_within(area, base, seen(), failed, DriveSpace(first_reached=first))
    assert right is not None
    assert right.position[0] > 2.75
    assert [robot for robot, _ in asked] == ["agv"]
    assert goal_within(area, base, seen(), failed, DriveSpace(first_reached=lambda *_: Reached())) is None
    assert goal_within(area, base, seen(), failed, DriveSpace(first_reached=lambda *_: Reached(known=False)))


def test_a_zone_that_was_entered_fails_a_drive_that_reached_its_goal() -> None:
    order = watch("area_1")
    world = look(order, "area_1")
    after = after_motion(world, Motion(entered={"lawn": 1}, path=1.0))
    verdict = Detector(DOMAIN).check(go_to("area_1"), seen(), after, DRIVEN)
    assert verdict.feedback is not None
    assert words(DOMAIN, verdict.feedback).error == "The agv entered the lawn, where it must not go."
    assert Detector(DOMAIN).check(go_to("area_1"), after, after, DRIVEN).ok


def test_a_near_miss_is_a_note_on_a_success() -> None:
    world = look(watch("area_1"), "area_1")
    after = after_motion(world, Motion(near_misses=1, path=1.0))
    verdict = Detector(DOMAIN).check(go_to("area_1"), seen(), after, DRIVEN)
    assert verdict.ok
    assert "too closely" in verdict.note


def test_a_drive_that_broke_off_names_what_is_seen_beside_the_base_and_keeps_what_the_driver_knows() -> None:
    stopped = seen(2.0, 1.0, things=[disc("crate", 2.4, 1.0, 0.15), disc("far_off", 3.0, 1.0, 0.1)])
    crate = Cause(CauseKind.BLOCKED, ("crate",))
    for outcome, cause in (
            (Outcome(Status.EXECUTION, "blocked", cause=Cause(CauseKind.BLOCKED)), crate),
            (Outcome(Status.EXECUTION, "zone", cause=Cause(CauseKind.FORBIDDEN, ("lawn",))),
             Cause(CauseKind.FORBIDDEN, ("lawn",))),
            (Outcome(Status.SAFETY, "blind", cause=Cause(CauseKind.STALE_SENSOR, ("/scan",), 4.0)),
             Cause(CauseKind.STALE_SENSOR, ("/scan",), 4.0))):
        verdict = Detector(DOMAIN).check(go_to("area_1"), seen(), stopped, outcome)
        assert verdict.feedback is not None
        assert verdict.feedback.cause == cause
    blocked = Outcome(Status.EXECUTION, "blocked", cause=Cause(CauseKind.BLOCKED))
    alone = Detector(DOMAIN).check(go_to("area_1"), seen(), seen(2.0, 1.0), blocked)
    assert alone.feedback is not None
    assert alone.feedback.cause == Cause(CauseKind.BLOCKED)


def test_the_first_goal_is_the_free_place_nearest_to_the_middle() -> None:
    area = CATALOGUE["area_1"]
    pose = goal_within(area, None, seen(), (), DriveSpace())
    assert pose is not None
    assert pose.position[:2] == pytest.approx(PLACES["area_1"])
    beside = goal_within(area, None, seen(things=[disc("crate", 2.604, 1.05, 0.1)]), (), DriveSpace())
    assert beside is not None
    assert math.dist(beside.position[:2], (2.604, 1.05)) >= 0.1 + 0.18 + 0.05 - 1e-3
    assert beside.position[1] > 1.266


def test_after_an_abort_the_goal_is_on_another_side_and_the_last_one_is_no_goal() -> None:
    area, failed = CATALOGUE["area_1"], [(2.604, 1.266, 0.0)]
    first = goal_within(area, None, seen(), failed, DriveSpace())
    assert first is not None
    assert math.dist(first.position[:2], failed[0][:2]) > 0.2
    only_right = reaching(lambda pose: pose.position[0] > 2.75)
    right = goal_within(area, None, seen(), failed, only_right)
    assert right is not None
    assert right.position[0] > 2.75
    assert goal_within(area, None, seen(), failed, reaching(lambda pose: False)) is None


def test_an_area_without_a_free_place_is_unreachable_before_anything_moves() -> None:
    world = seen(things=[disc("crate", *PLACES["area_1"], 0.4)])
    refused = ActionDecoder(DOMAIN).decode(go_to("area_1"), world, DecoderOffsets())
    assert isinstance(refused, Feedback)
    assert refused.kind is FeedbackKind.UNREACHABLE


def constrained(command: Command, feedback: Feedback, world: WorldState) -> Command:
    """The command for the next attempt."""
    return AimLearner(DOMAIN, Policy("t", rungs=("offset",)), DecoderOffsets()).constrained(command, feedback, world)


@pytest.mark.parametrize("cause", [CauseKind.STALE_SENSOR, CauseKind.LOCALISATION, CauseKind.TAKEN_OVER])
def test_an_abort_that_nothing_in_the_way_began_leaves_no_constraint(cause: CauseKind) -> None:
    aimed = go_to("area_1").aimed(Pose((2.6, 1.27, 0.0)), Pose((2.6, 1.27, 0.0)))
    for kind in (FeedbackKind.PLANNING, FeedbackKind.EXECUTION, FeedbackKind.TIMEOUT):
        assert constrained(aimed, Feedback(Level.LOW, kind, aimed, cause=Cause(cause)),
                           seen(2.0, 1.0)) == aimed


def test_an_abort_becomes_a_constraint_by_what_is_seen_where_the_base_stopped() -> None:
    aimed = go_to("area_1").aimed(Pose((2.6, 1.27, 0.0)), Pose((2.6, 1.27, 0.0)))
    planning, stopped, late, canceled = (Feedback(Level.LOW, kind, aimed) for kind in (
        FeedbackKind.PLANNING, FeedbackKind.EXECUTION, FeedbackKind.TIMEOUT, FeedbackKind.CANCELED))
    assert constrained(aimed, planning, seen()).avoid == ((2.6, 1.27, 0.0),)
    assert constrained(aimed, late, seen()).avoid == ((2.6, 1.27, 0.0),)
    blind = constrained(aimed, stopped, seen(2.0, 1.0, math.pi / 2))
    assert blind.avoid == ()
    assert blind.keep_out[0].corners[0] == pytest.approx((2.0, 1.24))
    crowded = constrained(aimed, stopped, seen(2.0, 1.0, things=[disc("crate", 2.4, 1.0, 0.15)]))
    assert crowded.keep_out == ()
    assert crowded.clearance > 0.0
    assert constrained(crowded, planning, seen()).clearance == 0.0
    assert constrained(aimed, canceled, seen()) == aimed


def test_a_round_obstacle_is_seen_as_its_circle_and_a_wall_as_small_discs() -> None:
    arc = [(2.0 + 0.283 * math.cos(a), 1.0 + 0.283 * math.sin(a)) for a in np.linspace(1.8, 4.4, 40)]
    found = obstacles_in(np.array(arc), 0.02, "obstacle")
    assert len(found) == 1
    assert found[0].pose is not None
    assert found[0].pose.position[:2] == pytest.approx((2.0, 1.0), abs=0.03)
    assert found[0].size[0] / 2 == pytest.approx(0.283, abs=0.03)
    wall = obstacles_in(np.array([(1.0 + 0.02 * i, 2.0) for i in range(40)]), 0.02, "obstacle")
    assert len(wall) > 3
    assert max(thing.size[0] / 2 for thing in wall) < 0.12
    assert obstacles_in(np.empty((0, 2)), 0.02, "obstacle") == ()
