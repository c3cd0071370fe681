"""What is not seen any more holds in no fact, is planned with by nobody, and is said to be lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from failures import words
from goals import goal
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.detector.perception import ArmFrames, BaseFrames, perceive
from hicrisp_core.domain import check, load_domain
from hicrisp_core.executive.goal_keeper import missed
from hicrisp_core.model import Cause, CauseKind, Command, FeedbackKind, Pose, Relation, Task
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.prompting.describe import objects_text
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline

NOW, LIMIT = 100.0, 1.0


@pytest.fixture
def scene(config_dir):
    return load_scene(config_dir / "scenes/stack.yaml", 0)


def look(scene, domain, ages):
    """The scene as it is seen when some poses are older than now, seconds."""
    frames = {name: (thing.pose, NOW - ages.get(name, 0.0)) for name, thing in scene.objects.items()
              if thing.pose}
    return perceive(frames, scene.objects, domain, NOW, (ArmFrames("panda"),), LIMIT)


def asked(wanted: Goal, world, domain) -> PlanAnswer:
    return SearchBrain(domain).plan(PlanRequest(Task("any words"), world, goal=wanted), Deadline(5.0))


ON, IN_HAND = goal("on(red_box,blue_box)"), goal("holding(panda,red_box)")


def test_no_fact_follows_from_a_pose_that_is_too_old(scene, domain):
    world = look(scene, domain, {"red_box": 9.1})
    assert world.holds("on", "blue_box", "table")
    assert not [fact for fact in world.relations if "red_box" in fact]
    assert [thing.name for thing in world.unseen] == ["red_box"]
    last = scene.objects["red_box"].pose
    assert world.objects["red_box"].pose == last, "motions keep clear of where it was last"
    assert world.objects["red_box"].sight == "has not been seen for 9.1 s"


def test_a_pose_of_half_the_limit_counts(scene, domain):
    assert look(scene, domain, {"red_box": 0.5}).holds("on", "red_box", "table")


@pytest.mark.parametrize("wanted", [
    ON, IN_HAND, goal("next_to(blue_box,red_box)"), goal("not(on(red_box,table))"),
    goal("on(blue_box,table)", first=["on(red_box,blue_box)"])])
def test_a_task_with_a_lost_thing_is_refused_with_its_age(scene, domain, wanted):
    answer = asked(wanted, look(scene, domain, {"red_box": 9.1}), domain)
    assert answer.plan is None
    assert not answer.answer
    assert "The red box has not been seen for 9.1 s" in answer.refusal


def test_what_held_before_it_was_lost_is_not_so_already(scene, domain):
    stacked = replace(scene, objects={**scene.objects, "red_box": replace(
        scene.objects["red_box"], pose=scene.objects["blue_box"].pose.shifted((0.0, 0.0, 0.05)))})
    assert asked(ON, look(stacked, domain, {}), domain).answer
    assert "has not been seen" in asked(ON, look(stacked, domain, {"red_box": 9.1}), domain).refusal


def test_a_choice_is_made_among_what_is_seen(scene, domain):
    wanted = goal("any(next_to(red_box,cylinder),next_to(blue_box,cylinder))")
    answer = asked(wanted, look(scene, domain, {"red_box": 9.1}), domain)
    assert answer.plan is not None
    assert all("red_box" not in step.arguments.values() for step in answer.plan.steps)


def test_no_command_begins_with_it(scene, domain):
    feedback = check(domain, Command("pick", {"item": "red_box"}, "panda"),
                     look(scene, domain, {"red_box": 9.1}))
    assert feedback is not None
    assert feedback.kind is FeedbackKind.NOT_SEEN
    assert words(domain, feedback).reason == "The red box has not been seen for 9.1 s."


def test_what_was_never_seen_is_told_as_that(scene, domain):
    world = perceive({}, scene.objects, domain, NOW, (ArmFrames("panda"),), LIMIT)
    assert "The red box was never seen" in asked(IN_HAND, world, domain).refusal


def test_what_is_wrong_with_the_camera_is_the_first_cause(scene, domain):
    why = "The camera is about 20 mm and 2.0 degrees off its mounting."
    world = replace(look(scene, domain, {"red_box": 9.1}), trouble=why)
    feedback = check(domain, Command("pick", {"item": "red_box"}, "panda"), world)
    assert feedback is not None
    assert feedback.cause == Cause(CauseKind.NO_PICTURE, said=why.rstrip("."))
    assert words(domain, feedback).reason == why
    so = frozenset({Relation("red_box", "next_to", "blue_box")})
    unseen = missed(goal("next_to(red_box,blue_box)"), domain, world.with_relations(so))
    assert unseen is not None
    assert unseen.kind is FeedbackKind.GOAL_UNSEEN
    assert words(domain, unseen).reason == why


def test_a_model_reads_that_it_is_not_seen(scene, domain):
    assert "- red_box: box, red, has not been seen for 9.1 s" in objects_text(
        look(scene, domain, {"red_box": 9.1})).splitlines()


def test_a_robot_whose_frames_are_too_old_has_no_pose(config_dir):
    scene = load_scene(config_dir / "scenes/agv.yaml", 0)
    domain, pose = load_domain(config_dir / "domains/agv.yaml"), Pose((2.6, 1.27, 0.0))
    known = {name: thing for name, thing in scene.objects.items() if not thing.movable}
    for age, at in ((0.2, True), (3.0, False)):
        world = perceive({"agv/base_link": (pose, NOW - age)}, known, domain, NOW, (BaseFrames("agv"),),
                         LIMIT)
        assert (Relation("agv", "at", "area_1") in world.relations) is at


def test_a_pose_from_the_future_does_not_count_and_is_told_with_how_far_ahead(scene, domain):
    world = look(scene, domain, {"red_box": -5.0})
    assert [thing.name for thing in world.unseen] == ["red_box"]
    assert not [fact for fact in world.relations if "red_box" in fact]
    assert "The red box has a pose that is stamped 5.0 s ahead of the clock" in asked(
        IN_HAND, world, domain).refusal
    feedback = check(domain, Command("pick", {"item": "red_box"}, "panda"), world)
    assert feedback is not None
    assert feedback.cause == Cause(CauseKind.AHEAD, ("red_box",), 5.0)
    assert "The pose of the red box is stamped 5 s ahead of the clock" in words(domain, feedback).reason


def test_stamps_that_are_not_taken_are_the_cause_once_the_last_sound_pose_is_old(scene, domain):
    frames = {name: (thing.pose, NOW - 3.0 if name == "red_box" else NOW)
              for name, thing in scene.objects.items() if thing.pose}
    for sound, told in ((frames, 7.0), ({**frames, "red_box": (frames["red_box"][0], NOW)}, 0.0)):
        world = perceive(sound, scene.objects, domain, NOW, (ArmFrames("panda"),), LIMIT,
                         ahead={"red_box": 7.0})
        assert world.objects["red_box"].ahead == told
        assert world.objects["red_box"].lost is (told > 0.0)


def test_clocks_of_two_hosts_may_differ_a_little(scene, domain):
    world = look(scene, domain, {"red_box": -0.8})
    assert world.holds("on", "red_box", "table")
    assert world.objects["red_box"].pose_age == 0.0


def test_a_robot_with_frames_from_the_future_has_no_pose(scene, domain):
    arm = ArmFrames("panda")
    frames = {name: (Pose((0.3, 0.0, 0.5)), NOW + 4.0) for name in arm.frames}
    robot = perceive(frames, scene.objects, domain, NOW, (arm,), LIMIT).robots["panda"]
    assert (robot.pose, robot.ahead) == (None, 4.0)
