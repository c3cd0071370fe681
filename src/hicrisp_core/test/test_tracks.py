"""What a camera's tracks mean for the world: what is seen, hidden, in the hand, gone, or unknown."""

from dataclasses import replace

import pytest
from failures import words
from hicrisp_core.detector.detector import Detector
from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.domain import check, load_domain
from hicrisp_core.model import (
    CauseKind,
    FeedbackKind,
    Outcome,
    Pose,
    RobotState,
    Status,
    Step,
    WorldObject,
)
from hicrisp_core.model.track import EXACT, Track, Tracks, Uncertainty, Visibility
from hicrisp_core.scene import load_scene

NOW, VAGUE = 100.0, Uncertainty(0.004, 0.002, 0.02)
OK = Outcome(Status.SUCCESS)
JUG = WorldObject("found", "?", "box", (0.06, 0.05, 0.12))
PANDA = {"panda": RobotState("panda")}
CRATE = WorldObject("found", "?", "box", (0.2, 0.25, 0.12))


@pytest.fixture
def scene(config_dir):
    return load_scene(config_dir / "scenes/tabletop.yaml", 3)


def box_at(scene, gap=0.0):
    """Beside the cylinder, with a gap, metres."""
    return scene.objects["cylinder"].pose.shifted((0.0, 0.055 + gap, -0.02))


def view(scene, stamp=NOW, age=0.0, **tracks):
    """All things of a scene where it says, or as the tracks say; ``None`` for one that was never seen."""
    usual = {thing.name: Track(thing.name, thing.pose, VAGUE, stamp - age) for thing in scene.things}
    found = {**usual, **tracks}
    return Tracks(stamp, tuple(track for track in found.values() if track is not None))


def look(scene, domain, seen, now=NOW, limit=1.0):
    return StateEstimator(scene, domain, limit).see({}, now, seen)


def placed(domain, world, action="place_next_to"):
    step = Step("", action, {"robot": "panda", "item": "box", "reference": "cylinder"})
    return domain.ground(step, world).aimed(Pose((0.5, 0.0, 0.025)), Pose((0.5, 0.0, 0.025)))


def track(scene, name, pose=None, visibility=Visibility.VISIBLE, sure=VAGUE, stamp=NOW):
    return Track(name, pose or scene.objects[name].pose, sure, stamp, visibility)


def test_a_track_gives_a_thing_its_pose_and_how_sure_that_is(scene, domain):
    box = look(scene, domain, view(scene)).objects["box"]
    assert (box.pose, box.uncertainty, box.visibility) == (
        scene.objects["box"].pose, VAGUE, Visibility.VISIBLE)


def test_poses_without_a_camera_are_exact_and_seen(scene, domain):
    frames = {thing.name: (thing.pose, NOW) for thing in scene.things}
    world = StateEstimator(scene, domain).see(frames, NOW)
    assert world.viewed is None
    assert {(thing.uncertainty, thing.visibility) for thing in world.objects.values()} == {
        (EXACT, Visibility.VISIBLE)}


def test_no_frame_of_a_thing_counts_where_a_camera_looks(scene, domain):
    frames = {"box": (Pose((0.5, 0.0, 0.025)), NOW)}
    world = StateEstimator(scene, domain).see(frames, NOW, view(scene, box=None))
    assert world.objects["box"].pose is None


def test_what_is_hidden_keeps_its_pose_and_its_facts(scene, domain):
    hidden = track(scene, "box", visibility=Visibility.HIDDEN, stamp=NOW - 20.0)
    world = look(scene, domain, view(scene, box=hidden))
    assert world.objects["box"].pose == scene.objects["box"].pose
    assert world.holds("on", "box", "table")
    assert world.unseen == ()
    assert world.objects["box"].pose_age == pytest.approx(20.0)


def test_what_is_gone_is_not_there(scene, domain):
    world = look(scene, domain, view(scene, box=track(scene, "box", visibility=Visibility.GONE)))
    assert [thing.name for thing in world.unseen] == ["box"]
    assert world.about("box") == ()


def test_a_silent_camera_shows_nothing_that_counts(scene, domain):
    hidden = track(scene, "box", visibility=Visibility.HIDDEN, stamp=NOW - 20.0)
    world = look(scene, domain, view(scene, box=hidden), now=NOW + 5.0)
    assert {thing.name for thing in world.unseen} == {"box", "cylinder"}
    assert world.objects["cylinder"].pose_age == pytest.approx(5.0)


def test_something_unknown_that_fits_the_hand_is_a_thing_to_be_moved(scene, domain):
    found = Track("unknown_1", Pose((0.5, 0.3, 0.06)), VAGUE, NOW, unknown=JUG)
    world = look(scene, domain, view(scene, unknown_1=found))
    thing = world.objects["unknown_1"]
    assert (domain.is_a(thing.type, "graspable"), thing.movable, thing.size) == (True, True, JUG.size)
    assert world.holds("on", "unknown_1", "table")
    assert not domain.is_a(thing.type, "box"), "nobody knows what it is"


def test_something_unknown_that_no_hand_takes_stands_in_the_way(scene, domain):
    found = Track("unknown_1", Pose((0.5, 0.3, 0.06)), VAGUE, NOW, unknown=CRATE)
    thing = look(scene, domain, view(scene, unknown_1=found)).objects["unknown_1"]
    assert (domain.is_a(thing.type, "graspable"), thing.movable) == (False, False)


def test_something_unknown_is_no_block_among_blocks(config_dir):
    blocks = load_domain(config_dir / "domains/blocks.yaml")
    scene = load_scene(config_dir / "scenes/blocks.yaml", 0)
    found = Track("unknown_1", Pose((0.5, 0.3, 0.06)), VAGUE, NOW, unknown=JUG)
    world = look(scene, blocks, view(scene, unknown_1=found))
    assert not blocks.is_a(world.objects["unknown_1"].type, "block")


def unsure(verdict):
    return not verdict.ok and verdict.feedback.kind is FeedbackKind.CANNOT_TELL


@pytest.mark.parametrize(("gap", "says"), [(0.02, True), (0.0595, None), (0.0605, None), (0.09, False)])
def test_a_placement_is_judged_only_where_the_poses_are_exact_enough(scene, domain, gap, says):
    world = look(scene, domain, view(scene, box=track(scene, "box", box_at(scene, gap))))
    verdict = Detector(domain).check(placed(domain, world), world, world, OK)
    assert (None if unsure(verdict) else verdict.ok) == says


def test_the_same_placement_is_settled_by_poses_that_are_exact(scene, domain):
    tracks = {name: track(scene, name, box_at(scene, 0.0595) if name == "box" else None, sure=EXACT)
              for name in ("box", "cylinder")}
    world = look(scene, domain, view(scene, **tracks))
    assert Detector(domain).check(placed(domain, world), world, world, OK).ok


def test_what_is_hidden_is_neither_done_nor_failed(scene, domain):
    hidden = track(scene, "box", box_at(scene, 0.02), Visibility.HIDDEN, stamp=NOW - 3.0)
    world = look(scene, domain, view(scene, box=hidden))
    verdict = Detector(domain).check(placed(domain, world), world, world, OK)
    assert unsure(verdict)
    assert verdict.feedback.cause.kind is CauseKind.HIDDEN
    assert verdict.deviation is None, "where it is now was not measured"
    said = words(domain, verdict.feedback)
    assert said.error == "Cannot tell whether box is in close proximity to cylinder."
    assert said.reason == "The box is hidden from the camera, last seen 3 s ago."


def test_a_failure_that_is_seen_needs_no_second_thing(scene, domain):
    held = replace(track(scene, "box", Pose((0.4, 0.0, 0.4))), visibility=Visibility.HELD)
    hidden = track(scene, "cylinder", visibility=Visibility.HIDDEN)
    eyes = StateEstimator(scene, domain)
    frames = {"panda_hand_tcp": (Pose((0.4, 0.0, 0.4), (1.0, 0.0, 0.0, 0.0)), NOW),
              "panda_leftfinger": (Pose((0.4, 0.025, 0.4)), NOW),
              "panda_rightfinger": (Pose((0.4, -0.025, 0.4)), NOW)}
    world = eyes.see(frames, NOW, view(scene, box=held, cylinder=hidden))
    verdict = Detector(domain).check(placed(domain, world), world, world, OK)
    assert verdict.feedback is not None
    assert verdict.feedback.kind is FeedbackKind.NOT_RELEASED


def test_what_stands_on_a_hidden_thing_shows_that_it_is_there(scene, domain):
    under = scene.objects["cylinder"].pose
    box = track(scene, "box", under.shifted((0.0, 0.0, 0.07)))
    hidden = track(scene, "cylinder", visibility=Visibility.HIDDEN, stamp=NOW - 3.0)
    world = look(scene, domain, view(scene, box=box, cylinder=hidden))
    step = Step("", "place_on", {"robot": "panda", "item": "box", "surface": "cylinder"})
    command = domain.ground(step, world).aimed(box.pose, box.pose)
    assert Detector(domain).check(command, world, world, OK).ok
    fallen = look(scene, domain, view(scene, box=track(scene, "box"), cylinder=hidden))
    assert not Detector(domain).check(command, fallen, fallen, OK).ok


def test_what_is_gone_is_said_to_be_gone(scene, domain):
    gone = track(scene, "box", visibility=Visibility.GONE, stamp=NOW - 4.0)
    world = look(scene, domain, view(scene, box=gone))
    step = Step("", "pick", {"robot": "panda", "item": "box"})
    said = words(domain, check(domain, domain.ground(step, replace(world, robots=PANDA)), world))
    assert said.reason == "The box is not where the camera last saw it, 4 s ago."


def test_what_shows_of_a_hidden_thing_is_no_other_thing(scene, domain):
    hidden = track(scene, "cylinder", visibility=Visibility.HIDDEN)
    part = Track("unknown_1", hidden.pose.shifted((0.0, 0.02, 0.03)), VAGUE, NOW, unknown=JUG)
    beside = Track("unknown_2", hidden.pose.shifted((0.0, 0.12, 0.03)), VAGUE, NOW, unknown=JUG)
    world = look(scene, domain, view(scene, cylinder=hidden, unknown_1=part, unknown_2=beside))
    assert "unknown_1" not in world.objects
    assert "unknown_2" in world.objects


def test_a_picture_from_the_future_shows_nothing_that_counts(scene, domain):
    world = look(scene, domain, view(scene, stamp=NOW + 6.0), now=NOW)
    assert {thing.name for thing in world.unseen} == {thing.name for thing in scene.things}
    assert not [fact for fact in world.relations if "box" in fact]
    assert world.objects["box"].sight == "has a pose that is stamped 6.0 s ahead of the clock"
    assert world.objects["box"].pose is not None, "motions keep clear of where it may be"
    command = placed(domain, look(scene, domain, view(scene)))
    verdict = Detector(domain).check(command, world, world, Outcome(Status.SUCCESS))
    assert verdict.feedback is not None
    assert verdict.feedback.cause is not None
    assert (verdict.feedback.cause.kind, verdict.feedback.cause.seconds) == (CauseKind.AHEAD, 6.0)
