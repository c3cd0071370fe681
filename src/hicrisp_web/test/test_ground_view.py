"""What stands where, what a base sees and where it drove, as the view from above draws it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.scan import Scan
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.scene_record import scene_section, world_section
from hicrisp_web.view.ground_view import Trail, map_section, route_section, scan_points

CONFIG = Path(__file__).resolve().parents[3] / "config"


def test_a_scan_is_turned_into_the_world() -> None:
    scan = Scan(0.0, Pose((1.0, 2.0, 0.1), from_yaw(math.pi / 2.0)), np.array([0.0, math.pi / 2.0, 1.0]),
                np.array([0.5, 1.0, np.inf]))
    first, second = scan_points(scan)
    assert first == pytest.approx([1.0, 2.5])
    assert second == pytest.approx([0.0, 2.0])


def test_a_map_becomes_runs_of_occupied_cells() -> None:
    cells = np.array([[100, 100, 0, 100], [0, -1, 0, 0]])
    assert map_section(cells, 0.5, (1.0, 2.0)) == {"cell": 0.5, "runs": [[1.0, 2.0, 1.0], [2.5, 2.0, 0.5]]}


def test_a_long_route_keeps_its_end() -> None:
    points = [(0.01 * at, 0.0) for at in range(5000)]
    route = route_section(points)
    assert len(route) < 400
    assert route[-1] == [49.99, 0.0]


def test_a_way_grows_with_the_drive_and_begins_anew_with_a_task_or_a_leap() -> None:
    trail = Trail()

    def see(task: str, x: float) -> int:
        return len(trail.see(task, {"agv": RobotState("agv", "base", Pose((x, 0.0, 0.0)))}))

    assert [see("a", x) for x in (0.0, 0.01, 0.1, 0.2)] == [1, 1, 2, 3]
    assert see("a", 3.0) == 1
    assert see("b", 3.0) == 1
    assert trail.see("b", {}) == [[3.0, 0.0]]


@pytest.mark.parametrize("name", sorted(path.stem for path in (CONFIG / "scenes").glob("*.yaml")))
def test_every_scene_can_be_drawn_and_read(name: str) -> None:
    scene = load_scene(CONFIG / "scenes" / f"{name}.yaml", 1)
    section = scene_section(scene)
    assert section["flat"] is not scene.symbolic
    if section["flat"]:
        low_x, low_y, high_x, high_y = section["bounds"]
        assert low_x < high_x
        assert low_y < high_y


def test_an_arena_shows_its_walls_and_zones() -> None:
    section = scene_section(load_scene(CONFIG / "scenes" / "agv_zone.yaml", 1))
    assert section["zones"]
    assert len(section["walls"]) >= 4
    assert section["bases"]["agv"]["radius"] > 0.0
    assert section["arms"] == []


def test_the_world_is_told_in_millimetres_degrees_and_words() -> None:
    domain = load_domain(CONFIG / "domains" / "tabletop.yaml")
    box = WorldObject("box", "box", attributes={"colour": "red"},
                      pose=Pose((0.12345, 0.2, 0.0), from_yaw(math.pi / 4.0)))
    never = WorldObject("bowl", "bowl")
    world = WorldState({"box": box, "bowl": never}, frozenset({Relation("box", "next_to", "bowl")}),
                       {"panda": RobotState("panda")})
    section = world_section(world, domain)
    first, second = section["things"]
    assert (first["x"], first["yaw"], first["colour"]) == (0.123, 45, "red")
    assert second["x"] is None
    assert len(section["facts"]) == 1
