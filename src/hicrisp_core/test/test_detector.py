"""The detector on poses: facts, sentences with distances, action before state, stale and missing poses."""

import math
from dataclasses import replace

import pytest
from failures import words
from hicrisp_core.detector.detector import Detector
from hicrisp_core.detector.fact_tests import holding, on, within_bowl
from hicrisp_core.detector.perception import ArmFrames, perceive
from hicrisp_core.model import FeedbackKind, Level, Outcome, Pose, Relation, RobotState, Status, WorldObject, WorldState
from hicrisp_core.model.geometry import from_euler, from_yaw
from hicrisp_core.model.shapes import SHAPES
from hicrisp_core.model.track import Visibility

CATALOGUE = {
    "table": WorldObject("table", "surface", "surface", (0.8, 1.2, 0.04), pose=Pose((0.5, 0.0, -0.02)),
                         movable=False),
    "box": WorldObject("box", "box", "box", (0.05, 0.05, 0.05)),
    "lid": WorldObject("lid", "box", "box", (0.05, 0.05, 0.02)),
    "cylinder": WorldObject("cylinder", "cylinder", "cylinder", (0.06, 0.06, 0.1)),
    "bowl": WorldObject("bowl", "bowl", "bowl", (0.16, 0.16, 0.06)),
}
PLACES = {"box": (0.5, 0.1, 0.025), "lid": (0.4, -0.4, 0.01), "cylinder": (0.5, -0.1, 0.05),
          "bowl": (0.6, 0.4, 0.03)}
DOWN = (1.0, 0.0, 0.0, 0.0)
OK = Outcome(Status.SUCCESS)


def frames(tool=(0.3, 0.0, 0.4), opening=0.08, stamp=10.0, **moved):
    places = {**PLACES, **{name: place for name, place in moved.items() if place is not None}}
    found = {name: (place if isinstance(place, Pose) else Pose(place), stamp)
             for name, place in places.items()
             if name not in moved or moved[name] is not None}
    x, y, z = tool
    return {**found, "panda_hand_tcp": (Pose(tool, DOWN), stamp),
            "panda_leftfinger": (Pose((x, y - opening / 2, z)), stamp),
            "panda_rightfinger": (Pose((x, y + opening / 2, z)), stamp)}


def seen(domain, now=10.0, **kwargs):
    return perceive(frames(**kwargs), CATALOGUE, domain, now, (ArmFrames("panda"),))


def place(domain, world, action="place_next_to", target=(0.5, -0.005, 0.025)):
    arguments = {"robot": "panda", "item": "box", "reference": "cylinder"}
    if action == "pick":
        arguments.pop("reference")
    command = replace(domain.ground(_step(action, arguments), world))
    return command.aimed(Pose(target), Pose(target)) if action != "pick" else command


def _step(action, arguments):
    from hicrisp_core.model import Step

    return Step("", action, arguments)


def test_things_stand_on_the_table_apart_from_each_other(domain):
    facts = {tuple(fact) for fact in seen(domain).relations}
    assert {("box", "on", "table"), ("cylinder", "on", "table"), ("bowl", "on", "table")} <= facts
    assert not any(predicate in ("next_to", "holding", "lying") for _, predicate, _ in facts)


@pytest.mark.parametrize(("place_of_box", "fact"), [
    ((0.5, -0.015, 0.025), ("box", "next_to", "cylinder")),
    ((0.5, -0.015, 0.025), ("box", "left_of", "cylinder")),
    ((0.5, -0.185, 0.025), ("box", "right_of", "cylinder")),
    ((0.41, -0.1, 0.025), ("box", "in_front_of", "cylinder")),
    ((0.59, -0.1, 0.025), ("box", "behind", "cylinder")),
    ((0.5, -0.1, 0.125), ("box", "on", "cylinder")),
    ((0.62, 0.4, 0.035), ("box", "in", "bowl")),
    (Pose((0.4, -0.4, 0.045), from_yaw(0.7)), ("box", "on", "lid")),
])
def test_a_relation_is_seen_from_poses(domain, place_of_box, fact):
    assert fact in {tuple(found) for found in seen(domain, box=place_of_box).relations}


@pytest.mark.parametrize(("size", "middle", "inside"), [
    ((0.05, 0.05, 0.02), 0.02, True), ((0.05, 0.05, 0.25), 0.14, True), ((0.05, 0.05, 0.02), 0.08, True),
    ((0.05, 0.05, 0.05), 0.095, False), ((0.05, 0.05, 0.05), 0.11, False), ((0.05, 0.05, 0.02), 0.13, False)],
    ids=["on its floor", "standing in it", "on others, below its rim", "reaching over its rim", "on others, above it",
         "on top"])
def test_what_stands_in_a_box_is_in_it_and_what_lies_on_a_full_one_is_not(domain, size, middle, inside):
    box = WorldObject("crate", "bowl", "tray", (0.2, 0.2, 0.1), pose=Pose((0.5, 0.0, 0.05)))
    item = WorldObject("item", "box", "box", size, pose=Pose((0.5, 0.0, middle)))
    assert within_bowl(domain.predicates["in"], item, box, WorldState()).holds is inside


@pytest.mark.parametrize(("tilt", "stands"), [(4.0, True), (18.0, False)])
def test_a_bowl_that_leans_on_the_rim_of_a_plate_is_not_on_it(domain, tilt, stands):
    plate = WorldObject("plate", "dish", "box", (0.14, 0.14, 0.02), pose=Pose((0.5, 0.0, 0.01)),
                        own_form=replace(SHAPES["box"], dip=0.011))
    bowl = WorldObject("bowl", "bowl", "bowl", (0.1, 0.1, 0.05),
                       pose=Pose((0.53, 0.0, 0.041), from_euler(math.radians(tilt), 0.0, 0.0)))
    assert on(domain.predicates["on"], bowl, plate, WorldState()).holds is stands


def test_a_held_item_stands_nowhere(domain):
    world = seen(domain, tool=(0.5, -0.02, 0.3), opening=0.05, box=(0.5, -0.02, 0.3))
    assert world.holds("holding", "panda", "box")
    assert world.about("box") == ()


@pytest.mark.parametrize(("opening", "item"), [
    (0.08, (0.5, 0.1, 0.025)), (0.0, (0.5, 0.1, 0.025)), (0.05, (0.5, 0.2, 0.025))])
def test_an_open_an_empty_or_a_distant_gripper_holds_nothing(domain, opening, item):
    assert not seen(domain, tool=(0.5, 0.1, 0.025), opening=opening, box=item).holds("holding", "panda",
                                                                                     "box")


def test_a_toppled_cylinder_lies_and_a_box_on_its_side_does_not(domain):
    side = (0.7071, 0.0, 0.0, 0.7071)
    world = seen(domain, cylinder=Pose((0.5, -0.1, 0.03), side), box=Pose((0.5, 0.1, 0.025), side))
    assert world.holds("lying", "cylinder")
    assert not world.holds("lying", "box")


def test_a_misplaced_box_is_told_with_names_distances_and_deviation(domain):
    before = seen(domain, tool=(0.5, 0.0, 0.3), opening=0.05, box=(0.5, 0.0, 0.3))
    after = seen(domain, box=(0.5, 0.045, 0.025))
    feedback = Detector(domain).check(place(domain, after), before, after, OK).feedback
    assert feedback is not None
    assert (feedback.level, feedback.kind, feedback.subjects) == (
        Level.HIGH, FeedbackKind.NOT_MADE, ("box", "cylinder"))
    assert feedback.unmet[0].facts == (Relation("box", "next_to", "cylinder"),)
    assert {each.name: round(each.value, 4) for each in feedback.measured} == {
        "gap": 0.09, "gap_limit": 0.06, "off_target": 0.05}
    said = words(domain, feedback)
    assert said.error == "The box is not in close proximity to the cylinder."
    assert said.reason == "The box is 9.0 cm away (at most 6.0 cm), 5.0 cm from its target."
    assert feedback.deviation == pytest.approx((0.0, 0.05, 0.0))


def test_the_deviation_is_in_the_frame_of_the_goal(domain):
    after = seen(domain, box=(0.5, 0.045, 0.025))
    command = place(domain, after)
    turned = command.aimed(Pose((0.5, -0.005, 0.025), from_yaw(1.5707963)), None)
    assert Detector(domain).check(turned, after, after, OK).deviation == pytest.approx((0.05, 0.0, 0.0),
                                                                                       abs=1e-6)


def test_a_pushed_reference_is_named(domain):
    before = seen(domain, box=(0.5, -0.005, 0.3))
    after = seen(domain, box=(0.5, -0.005, 0.025), cylinder=(0.5, -0.2, 0.05))
    feedback = Detector(domain).check(place(domain, after), before, after, OK).feedback
    assert feedback is not None
    assert "the cylinder is 10.0 cm from where it stood" in words(domain, feedback).reason


def test_an_item_left_in_the_gripper_is_a_failure_of_the_action(domain):
    after = seen(domain, tool=(0.5, -0.005, 0.1), opening=0.05, box=(0.5, -0.005, 0.1))
    feedback = Detector(domain).check(place(domain, after), after, after, OK).feedback
    assert feedback is not None
    assert (feedback.level, feedback.kind) == (Level.LOW, FeedbackKind.NOT_RELEASED)


def test_a_pick_that_closed_on_nothing_is_a_failure_of_the_action(domain):
    after = seen(domain, tool=(0.5, 0.1, 0.3), opening=0.0)
    feedback = Detector(domain).check(place(domain, after, "pick"), after, after, OK).feedback
    assert feedback is not None
    assert (feedback.level, feedback.kind) == (Level.LOW, FeedbackKind.NOT_GRASPED)
    assert words(domain, feedback).error == "The box is not in the gripper of panda."


def test_a_blocked_motion_is_told_in_the_drivers_words(domain):
    after = seen(domain)
    outcome = Outcome(Status.PLANNING, "the cylinder is in the way")
    feedback = Detector(domain).check(place(domain, after), after, after, outcome).feedback
    assert feedback is not None
    assert (feedback.level, feedback.kind) == (Level.LOW, FeedbackKind.PLANNING)
    assert words(domain, feedback).reason == "The cylinder is in the way."


def test_of_two_failures_at_once_the_action_is_told_first_and_the_state_once_the_action_is_in_order(domain):
    far = {"tool": (0.5, 0.3, 0.1), "box": (0.5, 0.3, 0.1)}
    still_held, let_go = seen(domain, opening=0.05, **far), seen(domain, box=(0.5, 0.3, 0.025))
    command, detector = place(domain, still_held), Detector(domain)
    first = detector.check(command, still_held, still_held, OK).feedback
    assert (first.level, first.kind) == (Level.LOW, FeedbackKind.NOT_RELEASED)
    second = detector.check(command, still_held, let_go, OK).feedback
    assert (second.level, second.misses("next_to")) == (Level.HIGH, True)


@pytest.mark.parametrize("status", [Status.SAFETY, Status.CANCELED, Status.LOST])
def test_an_emergency_is_never_overruled(domain, status):
    after = seen(domain, box=(0.5, -0.015, 0.025))
    assert not Detector(domain).check(place(domain, after), after, after, Outcome(status)).ok


def test_missing_and_stale_poses_are_failures_of_their_own(domain):
    missing = seen(domain, box=None)
    assert Detector(domain).check(place(domain, missing), missing, missing,
                                  OK).feedback.kind is FeedbackKind.NOT_SEEN
    stale = seen(domain, now=14.0)
    feedback = Detector(domain).check(place(domain, stale), stale, stale, OK).feedback
    assert feedback.kind is FeedbackKind.STALE_POSE
    assert words(domain, feedback).error == "The box has not been seen for 4 s."


def test_a_pose_that_is_not_finite_is_not_seen(domain):
    world = seen(domain, box=(float("nan"), 0.0, 0.0))
    assert world.objects["box"].pose is None


def test_a_hand_beside_a_second_thing_is_seen_to_hold_only_the_one_between_its_fingers(domain):
    world = seen(domain, box=(0.3, 0.0, 0.39), cylinder=(0.3, 0.055, 0.38), tool=(0.3, 0.0, 0.4),
                 opening=0.05)
    held = [fact.object for fact in world.relations if fact.predicate == "holding"]
    assert held == ["box"]


@pytest.mark.parametrize(("form", "visibility", "opening", "holds"), [
    (SHAPES["dish"], Visibility.HELD, 0.034, True), (SHAPES["dish"], Visibility.HELD, 0.001, False),
    (SHAPES["dish"], Visibility.VISIBLE, 0.034, False), (None, Visibility.HELD, 0.034, False)],
                         ids=["closed around it", "closed on nothing", "beside it", "described"])
def test_fingers_may_be_wider_than_a_seen_wall_that_they_closed_around(domain, form, visibility, opening, holds):
    mug = WorldObject("mug", "", "dish", (0.09, 0.09, 0.09), pose=Pose((0.5, 0.0, 0.045)), own_form=form,
                      visibility=visibility)
    robot = RobotState("panda", pose=Pose((0.542, 0.0, 0.07), DOWN), opening=opening)
    world = WorldState(0.0, {"mug": mug}, {"panda": robot}, frozenset())
    assert holding(domain.predicates["holding"], robot, mug, world).holds is holds
