"""A scene file of what was seen loads, says what is not sure, and is whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene import load_scene
from hicrisp_perception.scene_scan.describing import Described, Doubts
from hicrisp_perception.scene_scan.scene_writing import arrange, save_scene

SURE = Doubts()
BASE = load_scene("tabletop", 1)


def seen(name: str, x: float, y: float, shape: str = "box", size: tuple = (0.05, 0.05, 0.05), below: str = "",
         doubts: Doubts = SURE, yaw: float = 0.3) -> Described:
    thing = WorldObject(name, shape, shape, size, {"colour": name.split("_")[0]},
                        Pose((x, y, size[2] / 2.0), from_yaw(yaw)))
    return Described(thing, doubts, below)


def written(found: list, target: Path):  # type: ignore[no-untyped-def]
    return save_scene(arrange(found, BASE.table), found, BASE, target, "Seen.")


def test_the_file_has_what_was_seen_where_it_was_seen(tmp_path: Path) -> None:
    file = tmp_path / "my table.yaml"
    found = [seen("red_box", 0.4, 0.1), seen("blue_cylinder", 0.5, -0.2, "cylinder", (0.06, 0.06, 0.09)),
             seen("grey_bowl", 0.6, 0.2, "bowl", (0.15, 0.15, 0.055))]
    written(found, file)
    scene = load_scene(file)
    assert {thing.name: thing.shape for thing in scene.things} == {
        "red_box": "box", "blue_cylinder": "cylinder", "grey_bowl": "bowl"}
    pose = scene.objects["red_box"].pose
    assert pose.position == pytest.approx((0.4, 0.1, 0.025))
    assert pose.yaw == pytest.approx(0.3, abs=1e-3)
    assert scene.task == "Place the red box next to the blue cylinder"
    assert scene.table.size == BASE.table.size
    assert scene.robots == BASE.robots


def test_what_is_unsure_is_marked(tmp_path: Path) -> None:
    file = tmp_path / "seen.yaml"
    written([seen("red_box", 0.4, 0.1, doubts=Doubts("cylinder", False, True, "orange"))], file)
    assert "red_box:   # unsure: partly hidden; may be a cylinder; may be orange" in file.read_text()


def test_things_stand_on_each_other(tmp_path: Path) -> None:
    file = tmp_path / "seen.yaml"
    written([seen("red_box", 0.4, 0.1), seen("blue_box", 0.42, 0.1, below="red_box")], file)
    scene = load_scene(file)
    assert scene.objects["blue_box"].pose.position == pytest.approx((0.4, 0.1, 0.075))
    assert "2 cm off the middle of red_box" in file.read_text()


def test_what_seems_to_overlap_is_moved_apart_or_left_out(tmp_path: Path) -> None:
    file = tmp_path / "seen.yaml"
    written([seen("red_box", 0.4, 0.1, yaw=0.0), seen("blue_box", 0.447, 0.1, yaw=0.0),
             seen("green_box", 0.41, 0.11), seen("pink_box", 0.89, 0.1)], file)
    scene = load_scene(file)
    assert set(scene.objects) == {"table", "red_box", "blue_box"}
    assert scene.objects["blue_box"].pose.position[0] == pytest.approx(0.451, abs=0.002)
    assert "# Left out: green_box, for it overlaps" in file.read_text()
    assert "# Left out: pink_box, for it is not on the table." in file.read_text()


def test_an_empty_table_is_a_scene_too(tmp_path: Path) -> None:
    file = tmp_path / "seen.yaml"
    written([], file)
    assert load_scene(file).things == ()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken.yaml").mkdir()
    (tmp_path / "taken.yaml" / "inside").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        written([seen("red_box", 0.4, 0.1)], tmp_path / "taken.yaml")
    assert [file.name for file in tmp_path.iterdir()] == ["taken.yaml"]
