"""The eyes' suite: its layouts stand, and it judges by what is truly there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_bench.eyes.through_node import task_stream
from hicrisp_bench.eyes.trial import TAGS, EyesTrial, judged, layout
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.track import Track, Uncertainty, Visibility
from hicrisp_core.scene.layout import overlapping

CONFIG = Path(__file__).resolve().parents[3] / "config"


def cube(name, colour):
    return WorldObject(name, "box", "box", (0.05, 0.05, 0.05), {"colour": colour})


THINGS = {thing.name: thing for thing in (cube("red_1", "red"), cube("red_2", "red"), cube("blue", "blue"))}
TRUTH = {"red_1": Pose((0.4, 0.0, 0.025)), "red_2": Pose((0.4, 0.2, 0.025)), "blue": Pose((0.5, -0.2, 0.025))}
ALL = {name: 1.0 for name in THINGS}


def track(name, pose, visibility=Visibility.VISIBLE):
    return Track(name, pose, Uncertainty(), 0.0, visibility)


def tracks(**poses):
    return {name: track(name, pose) for name, pose in poses.items()}


def test_what_is_seen_exactly_is_found():
    found = judged(tracks(**TRUTH), THINGS, TRUTH, ALL)
    assert (found["found"], found["expected"], found["confused"]) == (3, 3, [])
    assert max(found["position_mm"]) == 0.0


def test_things_that_look_the_same_may_have_each_others_names():
    swapped = {"red_1": TRUTH["red_2"], "red_2": TRUTH["red_1"], "blue": TRUTH["blue"]}
    assert judged(tracks(**swapped), THINGS, TRUTH, ALL)["found"] == 3


def test_a_thing_of_another_colour_in_its_place_is_confused():
    swapped = {"red_1": TRUTH["blue"], "red_2": TRUTH["red_2"], "blue": TRUTH["red_1"]}
    found = judged(tracks(**swapped), THINGS, TRUTH, ALL)
    assert sorted(found["confused"]) == ["blue", "red_1"]
    assert found["missed"] == ["blue", "red_1"]


def test_what_is_hidden_need_not_be_found_and_a_quarter_turn_of_a_cube_is_none():
    seen = {"red_1": Pose((0.4, 0.003, 0.025), from_yaw(1.6)), "red_2": TRUTH["red_2"]}
    found = judged(tracks(**seen), THINGS, TRUTH, {**ALL, "blue": 0.3})
    assert found["expected"] == found["found"] == 2
    assert max(found["yaw_deg"]) == pytest.approx(1.67, abs=0.05)
    assert max(found["position_mm"]) == pytest.approx(3.0)


def test_layouts_of_a_fixed_scene_are_random_and_have_towers():
    scenes = [layout(CONFIG, "blocks", seed) for seed in range(3)]
    assert scenes[0].objects["red_box"].pose != scenes[1].objects["red_box"].pose
    for scene in scenes:
        assert any(thing.pose.position[2] > 0.06 for thing in scene.things if thing.form.boxy)
        solid = {thing.name: thing for thing in scene.things if not thing.form.hollow}
        assert not [name for name, thing in solid.items() if overlapping(thing, solid)]


def test_a_stream_shows_the_arm_at_its_task_at_the_cameras_rate():
    with task_stream(CONFIG, layout(CONFIG, "tabletop", 2), 2, 12) as stream:
        moments = list(stream)
    stamps = [picture.stamp for picture, _ in moments]
    hands = [robot["panda_hand"].position for _, robot in moments]
    assert len(moments) == 12
    assert min(later - earlier for earlier, later in zip(stamps, stamps[1:])) >= 1.0 / 6.0 - 1e-6
    assert hands[0] != hands[-1]


@pytest.mark.parametrize("seed", [320, 1007, 1041, 2005])
def test_in_a_tower_of_tagged_blocks_each_is_known_also_where_its_tags_cannot_be_read(seed):
    found = EyesTrial(CONFIG, "blocks", TAGS, seed, pictures=2).run()
    assert (found["confused"], found["unknown"], found["missed"]) == ([], 0, [])


def test_a_bowl_whose_small_tag_looks_turned_stands_on_the_table_and_not_in_it():
    found = EyesTrial(CONFIG, "blocks", TAGS, 1046, pictures=1).run()
    assert (found["confused"], found["unknown"], found["missed"]) == ([], 0, [])
