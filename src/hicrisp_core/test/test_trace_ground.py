"""The report's view from above: what stood where and where a base drove, to scale."""

from __future__ import annotations

import json
import re

import pytest
from hicrisp_core.model.way import Mark, Way, WayLog
from hicrisp_core.trace import render_report
from hicrisp_core.trace.ground import lay_out_ground
from hicrisp_core.trace.ground_shapes import achieved
from hicrisp_core.trace.scene_lines import FILE_NAME, scene_story
from hicrisp_core.trace.story import story_of
from trace_events import HOSTILE, corrected_run

ARENA = {
    "name": "agv",
    "bounds": [-0.1, -0.1, 4.1, 3.1],
    "known": ["area_1"],
    "arms": [],
    "bases": {"agv": {"radius": 0.2}},
    "walls": [{"from": [0, 0], "to": [4, 0], "width": 0.1}],
    "zones": [
        {"name": "lawn", "radius": 0.0, "corners": [[1, 1], [2, 1], [2, 2]]},
        {"name": "hole", "radius": 0.1, "corners": [[3, 3]]},
    ],
}
AREA = {
    "name": "area_1",
    "shape": "region",
    "size": [0.6, 0.6, 0.002],
    "x": 3.0,
    "y": 1.0,
    "z": 0.0,
    "yaw": 0,
}
DROVE = {
    "kind": "drove",
    "robot": "agv",
    "driven": [[1.0, 0.5], [1.5, 0.5], [1.5, 1.0]],
    "planned": [[1.0, 0.5], [1.6, 1.0]],
    "stop": [1.5, 1.0, 1.57],
    "marks": [{"what": "touched", "x": 1.5, "y": 0.5}, {"what": "near_miss", "x": 1.5, "y": 0.7}],
}


def write(folder, *lines):
    (folder / FILE_NAME).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture
def arena(tmp_path):
    box = {
        "name": "obstacle_7",
        "shape": "disc",
        "size": [0.3, 0.3, 0.2],
        "x": 2.0,
        "y": 2.5,
        "z": 0.1,
        "yaw": 0,
    }
    return write(
        tmp_path,
        {"scene": ARENA},
        {
            "t": 0.1,
            "things": [AREA],
            "robots": [{"name": "agv", "kind": "base", "x": 1.0, "y": 0.5, "z": 0.0, "yaw": 0}],
        },
        {"t": 2.0, "things": [box]},
    )


def test_a_drive_is_drawn_to_scale_with_its_plan_its_stop_and_what_it_touched(arena):
    story = story_of([{"kind": "step_started", "index": 0, "robot": "agv"}, DROVE])
    drawing = lay_out_ground(scene_story(arena), story)
    scale = drawing.width / 4.2
    driven = next(shape for shape in drawing.shapes if shape.kind == "driven")
    first, second, third = (tuple(map(float, point.split(","))) for point in driven.points.split())
    assert second[0] - first[0] == pytest.approx(0.5 * scale, abs=0.2)
    assert second[1] - third[1] == pytest.approx(0.5 * scale, abs=0.2)
    stop = next(shape for shape in drawing.shapes if shape.kind == "stop")
    assert (stop.x, stop.y, stop.radius) == pytest.approx((*third, 0.2 * scale), abs=0.2)
    assert {"wall", "zone", "area", "planned", "driven", "touched", "near_miss", "unknown"} <= dict(
        drawing.legend
    ).keys()
    assert drawing.words[0] == "agv drove 1.0 m in 1 drive: 1 touch, 1 near miss, no keep-outs entered."
    assert "obstacle_7, about 30 x 30 x 20 cm, at (2.00, 2.50) m" in drawing.words[1]


def disc(name, x, y, wide, movable=False):
    return {"name": name, "shape": "cylinder", "size": [wide, wide, 0.4], "x": x, "y": y, "z": 0.2, "yaw": 0,
            "movable": movable}


def test_discs_that_touch_are_one_thing_seen_from_several_sides(tmp_path):
    sides = [disc("seen_1", 1.0, 1.0, 0.1), disc("seen_2", 1.3, 1.0, 0.5), disc("seen_3", 1.3, 1.28, 0.1)]
    write(tmp_path, {"scene": ARENA}, {"things": [AREA, *sides, disc("seen_4", 2.5, 1.0, 0.4)]})
    drawing = lay_out_ground(scene_story(tmp_path), story_of([]))
    assert drawing.words == (
        "Seen, and not known before (2): seen_2, about 60 x 58 x 40 cm, at (1.25, 1.04) m; "
        "seen_4, about 40 x 40 x 40 cm, at (2.50, 1.00) m.",)
    assert [label.text for label in drawing.labels if label.kind == "unknown"] == ["seen 2", "seen 4"]
    assert sum(shape.kind == "unknown" for shape in drawing.shapes) == 4


def test_things_that_can_be_moved_and_touch_are_still_two(tmp_path):
    pair = [disc("unknown_1", 1.0, 1.0, 0.1, movable=True), disc("unknown_2", 1.1, 1.0, 0.1, movable=True)]
    write(tmp_path, {"scene": ARENA}, {"things": pair})
    assert "(2): unknown_1" in lay_out_ground(scene_story(tmp_path), story_of([])).words[0]


def test_the_report_of_a_base_shows_the_map(arena):
    page = render_report([*corrected_run()[:4], {**DROVE, "index": 0, "t": 1.0}], arena)
    assert "View from above, to scale" in page
    assert re.search(r'<polyline class="driven" points="[\d., -]+"', page)


def test_a_table_shows_things_at_first_and_at_last_and_where_commands_led(tmp_path):
    table = {
        "name": "tabletop",
        "bounds": [0.0, -0.5, 1.0, 0.5],
        "known": ["box", "table"],
        "arms": ["panda"],
    }
    box = {
        "name": "box",
        "shape": "box",
        "size": [0.05, 0.05, 0.06],
        "colour": "red",
        "movable": True,
        "x": 0.4,
        "y": 0.0,
        "z": 0.03,
        "yaw": 45,
    }
    stranger = {**box, "name": "unknown_1", "x": 0.6, "y": -0.2}
    run = corrected_run()
    for event in run:
        if event["kind"] == "command":
            event.update(turn=[0, 0, 0, 1], arguments={"item": "box"})
    write(
        tmp_path,
        {"scene": table},
        {"t": 0.1, "things": [box]},
        {"t": 3.0, "things": [{**box, "x": 0.5, "y": 0.1}]},
        {"t": 4.0, "things": [stranger]},
    )
    drawing = lay_out_ground(scene_story(tmp_path), story_of(run))
    kinds = [shape.kind for shape in drawing.shapes]
    assert {"thing", "before", "unknown", "target", "achieved good", "achieved bad"} <= set(kinds)
    assert "unknown_1, about 5 x 5 x 6 cm" in drawing.words[0]
    assert any(label.text == "unknown 1" for label in drawing.labels)


def test_a_name_in_the_scene_is_no_markup_and_damage_draws_nothing(tmp_path):
    write(
        tmp_path, {"scene": {**ARENA, "known": []}}, {"things": [{**AREA, "name": HOSTILE, "movable": True}]}
    )
    assert "<script" not in render_report(corrected_run(), tmp_path)
    (tmp_path / FILE_NAME).write_text('{"scene": {"bounds": [1]}}\n[]\n{"things": 3}\nx\n{"scene": 7}\n')
    assert scene_story(tmp_path) is None
    assert "View from above" not in render_report(corrected_run(), tmp_path)


def test_a_deviation_is_turned_with_the_target():
    half = 0.5**0.5
    assert achieved((1.0, 2.0, 0.0), (0.0, 0.0, half, half), (0.01, 0.0, 0.0)) == pytest.approx(
        [1.0, 2.01, 0.0]
    )
    assert achieved((1.0, 2.0, 0.0), None, (0.01, 0.0, 0.0)) is None


def test_a_way_is_put_together_from_its_last_parts():
    def way(count, tail=4):
        spots = tuple((0.05 * at, 0.0) for at in range(count))
        return Way(spots[-tail:], count, (Mark("touched", (0.0, 0.0)),) * (count > 4), int(count > 4))

    log = WayLog()
    log.see(way(3))
    assert len(log.take()[0]) == 1  # What was before it began does not count.
    for count in (4, 4, 6):
        log.see(way(count))
    spots, marks = log.take()
    assert [round(x, 2) for x, _ in spots] == [0.1, 0.15, 0.2, 0.25]
    assert len(marks) == 1
    log.see(way(2))  # The eyes were opened anew.
    assert len(log.take()[0]) == 3
