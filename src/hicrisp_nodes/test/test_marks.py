"""What RViz and Foxglove draw: where things are, what is wanted, what must be kept out of, what went wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from genpy import Time
from hicrisp_core.model import Pose, RobotState, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.track import Uncertainty
from hicrisp_core.scene import load_scene
from hicrisp_nodes.markers import marks as draw
from hicrisp_nodes.markers.marker_node import TOPIC, marker_of
from visualization_msgs.msg import Marker

CONFIG = Path(__file__).resolve().parents[3] / "config"
BOX = WorldObject("red_box", "box", size=(0.05, 0.04, 0.06), attributes={"colour": "red"},
                  pose=Pose((0.5, 0.1, 0.03)), uncertainty=Uncertainty(0.002, 0.001, 0.0))
PLACE = {"number": 3, "text": "place red box", "target": [0.5, 0.1, 0.03], "aim": [0.47, 0.1, 0.03],
         "achieved": [0.52, 0.1, 0.03], "ok": False}


def by_space(marks):
    found = {}
    for mark in marks:
        found.setdefault(mark.space, []).append(mark)
    return found


def test_things_are_drawn_where_they_are_with_names_and_how_sure_that_is() -> None:
    stranger = WorldObject("unknown_1", "obstacle", pose=Pose((0.3, 0.0, 0.1)), movable=False)
    never = WorldObject("bowl", "bowl")
    found = by_space(draw.world_marks(WorldState({each.name: each for each in (BOX, stranger, never)}),
                                      {"red_box", "bowl"}))
    thing, = found[draw.THINGS]
    assert (thing.form, thing.pose, thing.size) == (draw.CUBE, BOX.pose, BOX.size)
    assert thing.colour[0] > 0.7 > thing.colour[1]
    assert [mark.text for mark in found[draw.NAMES]] == ["red box +-2.0 mm", "unknown 1"]
    assert found[draw.UNKNOWN][0].name == "unknown_1"
    assert found[draw.SURE][0].size[0] == pytest.approx(0.008)


def test_a_lost_thing_is_faint_and_an_area_lies_on_the_floor() -> None:
    lost, = by_space(draw.world_marks(WorldState({"red_box": replace(BOX, lost=True)}),
                                      {"red_box"}))[draw.THINGS]
    assert lost.colour[3] < 0.5
    scene = load_scene(CONFIG / "scenes" / "agv_zone.yaml", 1)
    world = WorldState(scene.objects)
    assert by_space(draw.world_marks(world, scene.objects))[draw.AREAS]
    still = by_space(draw.scene_marks(scene))
    assert len(still[draw.WALLS]) >= 4
    assert any("keep out" in mark.text for mark in still[draw.KEEP_OUTS])


def test_a_base_is_drawn_with_its_footprint_its_heading_and_its_name() -> None:
    base = RobotState("agv", "base", Pose((1.0, 2.0, 0.0), from_yaw(math.pi / 2)))
    found = by_space(draw.world_marks(WorldState(robots={"agv": base}), (), 0.1, {"agv": 0.2}))
    body, heading = found[draw.ROBOTS]
    assert body.size[:2] == pytest.approx((0.4, 0.4))
    assert heading.points[1][:2] == pytest.approx((1.0, 2.2))
    assert [(mark.text, mark.size[2]) for mark in found[draw.NAMES]] == [("agv", 0.1)]
    arm = RobotState("panda", "arm", Pose((0.3, 0.0, 0.5)))
    assert draw.world_marks(WorldState(robots={"panda": arm}), ()) == []


def test_the_goal_the_aim_and_the_deviation_are_drawn() -> None:
    found = by_space(draw.place_marks([PLACE]))
    assert {mark.name for mark in found[draw.GOALS]} == {"target", "text", "aim"}
    line = found[draw.DEVIATIONS][0]
    assert line.points == ((0.5, 0.1, 0.03), (0.52, 0.1, 0.03))
    assert line.colour[0] > line.colour[1], "it was not accepted"
    assert draw.place_marks([]) == []


def test_the_stack_is_told_with_its_top_first_and_a_way_is_a_line() -> None:
    mark, = draw.stack_marks("put it away", [("pick", "slipped"), ("place", "fell")], (0.0, 0.0, 1.0))
    assert mark.text.splitlines() == ["put it away", "2. place: fell", "1. pick: slipped"]
    assert draw.stack_marks("", [], (0.0, 0.0, 1.0)) == []
    way, = draw.way_marks({"agv": [(0.0, 0.0), (1.0, 0.0)], "other": [(0.0, 0.0)]})
    assert (way.form, len(way.points)) == (draw.STRIP, 2)


def test_only_what_is_new_is_sent_and_what_is_gone_is_taken_away() -> None:
    book = draw.MarkBook()
    one, other = draw.Mark("a", "1", draw.CUBE), draw.Mark("a", "2", draw.CUBE)
    (first, _), (second, _) = book.turn([one, other])[0]
    assert first != second
    assert book.turn([one, other]) == ([], [])
    assert book.turn([replace(one, text="x")]) == ([(first, replace(one, text="x"))], [(second, other)])
    book.forget()
    assert len(book.turn([one, other])[0]) == 2


def test_every_mark_is_a_marker_that_rviz_takes() -> None:
    scene = load_scene(CONFIG / "scenes" / "agv_zone.yaml", 1)
    marks = [*draw.scene_marks(scene), *draw.world_marks(WorldState({"red_box": BOX}), ()),
             *draw.place_marks([PLACE]), *draw.stack_marks("t", [("a", "b")], (0.0, 0.0, 1.0))]
    for number, mark in enumerate(marks):
        marker = marker_of(mark, number, Time(0))
        marker._check_types()
        assert marker.header.frame_id == "world"
        lines = marker.type in (Marker.LINE_STRIP, Marker.LINE_LIST)
        assert marker.scale.x > 0.0 or (marker.type == Marker.TEXT_VIEW_FACING and marker.scale.z > 0.0)
        assert (len(marker.points) >= 2) is lines
        assert marker.type == Marker.TEXT_VIEW_FACING or not marker.text


@pytest.mark.parametrize("file", sorted((CONFIG / "rviz").glob("*.rviz")), ids=lambda file: file.stem)
def test_an_rviz_file_shows_the_markers_in_the_worlds_frame(file: Path) -> None:
    told = yaml.safe_load(file.read_text(encoding="utf-8"))
    manager = told["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"] == "world"
    shown = {display["Class"]: display for display in manager["Displays"] if display["Enabled"]}
    assert shown["rviz/MarkerArray"]["Marker Topic"] == TOPIC
    assert all(display["Class"].startswith("rviz/") and display["Name"] for display in manager["Displays"])
    if file.stem == "arena":
        assert {"rviz/Map", "rviz/LaserScan", "rviz/Path"} <= set(shown)
        assert shown["rviz/Path"]["Topic"] == "/move_base/NavfnROS/plan"
