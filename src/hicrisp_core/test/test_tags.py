"""Tags: what a scene wears fits on it, files give back what was written, and mistakes name tag and thing."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError
from hicrisp_core.model.geometry import to_euler
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.tags import FAMILY, NUMBERS, load_tags, tags_of

LINE = "  - {number: %d, thing: %s, size: 0.03, position: [0.0, 0.0, 0.025]}\n"


def written(folder: Path, text: str) -> Path:
    file = folder / "cell.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["tabletop", "blocks", "clutter", "plus_sign", "bowl"])
def test_every_thing_wears_tags_that_lie_on_its_surface_and_look_out_of_it(name: str) -> None:
    scene = load_scene(name)
    tags = tags_of(scene)
    assert len({tag.number for tag in tags}) == len(tags)
    assert max(tag.number for tag in tags) < NUMBERS
    for thing in scene.things:
        own = [tag for tag in tags if tag.thing == thing.name]
        assert len(own) > 1
        half = [size / 2.0 for size in thing.size]
        for tag in own:
            x, y, z = tag.pose.position
            out = tag.pose.axes[2]
            assert out[0] * x + out[1] * y + out[2] * z > 0.0 or thing.form.hollow
            assert abs(x) <= half[0] + 1e-3
            assert abs(y) <= half[1] + 1e-3
            assert abs(z) <= half[2] + 1e-3
            assert tag.whole <= min(2.0 * half[1], 2.0 * half[0]) or out[2] < 0.5
            assert tag.to_middle.compose(tag.pose).position == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_the_corners_go_clockwise_from_the_top_left_of_the_picture() -> None:
    tag = tags_of(load_scene("tabletop"))[0]
    left, top = tag.corners[0][0], tag.corners[0][1]
    assert left < 0.0 < top
    assert math.dist(tag.corners[0], tag.corners[1]) == pytest.approx(tag.size)
    assert tag.corners[2] == (-left, -top, 0.0)


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    tags = tags_of(load_scene("blocks"))
    entries = [{"number": tag.number, "thing": tag.thing, "size": tag.size, "position": list(tag.pose.position),
                "rotation": [math.degrees(turn) for turn in to_euler(tag.pose.orientation)]} for tag in tags]
    again = load_tags(written(tmp_path, json.dumps({"family": FAMILY, "tags": entries})))
    assert [(tag.number, tag.thing, tag.size) for tag in again] == [
        (tag.number, tag.thing, pytest.approx(tag.size)) for tag in tags]
    for tag, other in zip(tags, again):
        assert other.pose.position == pytest.approx(tag.pose.position, abs=1e-5)
        for axis, same in zip(tag.pose.axes, other.pose.axes):
            assert same == pytest.approx(axis, abs=1e-4)


def test_the_shipped_file_is_that_of_its_scene() -> None:
    made = tags_of(load_scene("tabletop"))
    shipped = load_tags("tabletop", objects=["box", "cylinder"])
    assert [(tag.number, tag.thing) for tag in shipped] == [(tag.number, tag.thing) for tag in made]
    assert config_file("tags", "tabletop").is_file()


@pytest.mark.parametrize(("text", "said"), [
    ("tags:\n" + LINE % (3, "box") + LINE % (3, "lid"), "tag 3 stands here twice"),
    ("tags:\n" + LINE % (3, "cup"), "tag 3 is on 'cup', which the scene does not hold; it holds: box, lid"),
    ("tags:\n" + LINE % (587, "box"), "at most 586 is needed, got 587"),
    ("family: 25h9\ntags:\n" + LINE % (1, "box"), "'25h9' is not one of: 36h11"),
    ("tags:\n" + (LINE % (1, "box")).replace("0.03", "0"), "more than 0 is needed"),
    ("tags:\n" + (LINE % (1, "box")).replace("size", "edge"), "unknown key 'edge'"),
    ("family: 36h11\n", "the key 'tags' is missing"),
])
def test_what_is_wrong_names_the_tag_and_its_line(tmp_path: Path, text: str, said: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ConfigError, match="cell.yaml:") as error:
        load_tags(file, objects=["box", "lid"])
    assert said in str(error.value)


def test_a_thing_that_is_too_small_for_a_tag_is_named() -> None:
    scene = load_scene("tabletop")
    small = replace(scene.objects["box"], size=(0.01, 0.01, 0.01))
    with pytest.raises(ConfigError, match="box is too small for a tag of 12 mm"):
        tags_of(replace(scene, objects={**scene.objects, "box": small}))
