"""Scenes: the shipped ones load for any seed, and what is wrong in a file is named with its line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError
from hicrisp_core.model.keep_out import gap
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.layout import overlapping

SCENES = sorted(file.stem for file in config_file("scenes", "tabletop").parent.glob("*.yaml"))

GOOD = """\
scene: test
domain: tabletop
objects:
  box:
    type: box
    size: [0.05, 0.05, 0.05]
    position: [0.4, 0.0]
  lid:
    type: box
    size: [0.04, 0.04, 0.02]
    on: box
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "test.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("seed", range(5))
def test_every_shipped_scene_loads_with_room_between_its_things(name: str, seed: int) -> None:
    scene = load_scene(name, seed)
    assert scene.task
    assert scene.things or scene.undescribed
    if scene.symbolic:
        return
    for thing in scene.things:
        assert thing.pose.finite
        assert not overlapping(thing, scene.objects)


def test_a_seed_gives_one_layout_and_another_seed_another() -> None:
    assert load_scene("tabletop", 4).objects == load_scene("tabletop", 4).objects
    assert load_scene("tabletop", 4).objects != load_scene("tabletop", 5).objects


def test_random_things_keep_the_gap_that_is_asked_for() -> None:
    for seed in range(20):
        scene = load_scene("tabletop", seed)
        assert gap(scene.objects["box"], scene.objects["cylinder"]) >= 0.12
        x, y, _ = scene.objects["box"].pose.position
        assert 0.36 <= math.hypot(x, y) <= 0.64


def test_a_thing_stands_on_another(tmp_path: Path) -> None:
    scene = load_scene(written(tmp_path, GOOD))
    assert scene.objects["lid"].pose.position == pytest.approx((0.4, 0.0, 0.06))
    assert scene.table.pose.position[2] + scene.table.size[2] / 2.0 == pytest.approx(0.0)


def test_a_seed_deals_the_random_spots_of_a_group_anew() -> None:
    layouts = [load_scene("franka7_3_beside", seed) for seed in range(12)]
    near = {name for scene in layouts for name, thing in scene.objects.items()
            if name.endswith("_cube") and math.hypot(*thing.pose.position[:2]) < 0.8}
    assert near == {"blue_cube", "green_cube", "red_cube"}
    again = load_scene("franka7_3_beside", 4)
    assert again.objects == layouts[4].objects


@pytest.mark.parametrize(("change", "told"), [
    (("type: box", "type: bx"), r"test\.yaml:5: objects\.box\.type: 'bx' is not one of: .*box, cylinder"),
    (("position: [0.4, 0.0]", "postion: [0.4, 0.0]"),
     r"test\.yaml:7: .*did you mean 'position'.*valid are: .*mass"),
    (("position: [0.4, 0.0]", "position: [0.4, .nan]"), r"test\.yaml:7: objects\.box\.position\.1: a finite"),
    (("position: [0.4, 0.0]", "position: [0.4]"), "position: a list of 2 values was expected"),
    (("position: [0.4, 0.0]", "position: [1.4, 0.0]"),
     r"test\.yaml:4: objects\.box: box is not on the table"),
    (("size: [0.05, 0.05, 0.05]", "size: [0.05, -0.05, 0.05]"), r"test\.yaml:6: .*size\.1: more than 0"),
    (("on: box", "on: bowl"), r"test\.yaml:11: .*there are: box"),
    (("on: box", "position: [0.41, 0.01]"), r"box overlaps lid|lid overlaps box"),
    (("on: box", "yaw: 3"), "exactly one of 'position', 'on' and 'random'"),
    (("on: box", "random: {region: [0.4, 0.0, 0.4, 0.0]}"), "no random layout was found for lid"),
    (("objects:", "shuffle: [[box, lid]]\nobjects:"), r"test\.yaml:3: shuffle.0: 'box' has no .*are: none"),
    (("objects:", "shuffle: [[box]]\nobjects:"), r"test\.yaml:3: shuffle.0: a list of at least two names"),
    (("domain: tabletop", "domain: tabeltop"), r"test\.yaml:2: domain: .*'tabeltop'.*tabletop"),
    (("scene: test\n", ""), "the key 'scene' is missing"),
    (("objects:", "faults: [{kind: slip, magnitude: [x]}]\nobjects:"),
     r"test\.yaml:3: faults\.0\.magnitude\.0: a number"),
])
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, change: tuple, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        load_scene(written(tmp_path, GOOD.replace(*change)))


def test_an_unknown_scene_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="tabletop"):
        load_scene("tabeltop")
