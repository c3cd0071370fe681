"""The map that move_base gets is the arena whose walls Gazebo has."""

from __future__ import annotations

import numpy as np
import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.keep_out import zone
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.floor_plan import Arena, Wall
from hicrisp_gazebo.map_node import FREE, TAKEN, Grid, grid_of
from shapely.geometry import Point

ARENA = Arena((1.0, 0.5), (3.0, 2.0), {"middle": Wall((2.0, 0.5), (2.0, 1.5))}, {})


def cell(grid: Grid, x: float, y: float) -> int:
    column, row = (int((at - low) / grid.resolution) for at, low in zip((x, y), grid.origin))
    return int(grid.cells[row, column])


@pytest.mark.parametrize(("x", "y", "expected"), [
    (1.05, 0.55, FREE), (3.95, 2.45, FREE), (0.97, 1.0, TAKEN), (4.03, 1.0, TAKEN), (3.0, 2.53, TAKEN),
    (2.0, 1.0, TAKEN), (2.0, 1.7, FREE), (1.8, 1.0, FREE)])
def test_walls_are_taken_and_the_rest_is_free(x: float, y: float, expected: int) -> None:
    assert cell(grid_of(ARENA), x, y) == expected


def test_the_free_part_is_as_large_as_the_arena() -> None:
    empty = Arena(ARENA.origin, ARENA.size, {}, {})
    grid = grid_of(empty, 0.01)
    assert float((grid.cells == FREE).sum()) * 0.01 ** 2 == pytest.approx(6.0, rel=0.01)


def test_obstacles_are_in_no_map() -> None:
    scene = load_scene("agv", 1)
    assert scene.arena is not None
    grid = grid_of(scene.arena)
    for thing in scene.things:
        assert thing.pose is not None
        assert cell(grid, *thing.pose.position[:2]) == FREE
    assert np.isin(grid.cells, (FREE, TAKEN)).all()


def test_a_zone_is_painted_in_as_it_lies_and_a_base_that_keeps_clear_of_cells_keeps_clear_of_it() -> None:
    lawn = zone(WorldObject("lawn", "no_go", "region", (0.4, 1.0, 0.002),
                            pose=Pose((3.0, 1.5, 0.0), from_yaw(0.7))))
    assert lawn is not None
    grid = grid_of(Arena(ARENA.origin, ARENA.size, {}, {}), 0.02, (lawn,))
    assert cell(grid, 3.0, 1.5) == TAKEN
    assert cell(grid, 2.72, 1.85) == TAKEN
    assert cell(grid, 3.28, 1.85) == FREE
    rows, columns = np.nonzero(grid.cells == FREE)
    free = [(grid.origin[0] + (column + 0.5) * 0.02, grid.origin[1] + (row + 0.5) * 0.02)
            for row, column in zip(rows, columns)]
    assert min(lawn.ground.distance(Point(*spot)) for spot in free) >= 0.02


def test_a_resolution_that_makes_no_map_is_refused() -> None:
    with pytest.raises(ConfigError, match="resolution"):
        grid_of(ARENA, 0.0)
    with pytest.raises(ConfigError, match="100 million cells of 0.02 m, and 25 million are the limit") as refusal:
        grid_of(Arena((-100.0, -100.0), (200.0, 200.0), {}, {}), 0.02)
    assert "set 'resolution' to 0.05 m or more" in str(refusal.value)
