"""What a lidar has seen beyond the map: marked where rays end, forgotten where later ones go through."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace
from typing import Sequence

import numpy as np
import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.detector.scan_memory import ScanMemory
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_euler, from_yaw
from hicrisp_core.model.scan import Scan
from hicrisp_core.scene import load_scene

ARENA = load_scene(config_file("scenes", "agv")).arena
MIDDLE = tuple(low + edge / 2.0 for low, edge in zip(ARENA.origin, ARENA.size))


@pytest.fixture
def memory() -> ScanMemory:
    return ScanMemory(ARENA)


def marked(memory: ScanMemory) -> np.ndarray:
    cells = np.zeros(memory.shape, dtype=bool)
    cells[memory.marked] = True
    return cells


def scan(ranges: Sequence[float], angles: Sequence[float] = (0.0,), yaw: float = 0.0) -> Scan:
    """Rays from the middle of the arena."""
    return Scan(0.0, Pose((*MIDDLE, 0.0), from_yaw(yaw)), np.array(angles), np.array(ranges))


def test_the_end_of_a_ray_is_marked_where_it_is_whatever_the_heading(memory: ScanMemory) -> None:
    for yaw in (0.0, 1.0, -2.5):
        memory.clear()
        memory.mark(scan([0.6], yaw=yaw))
        end = np.array(MIDDLE) + 0.6 * np.array([np.cos(yaw), np.sin(yaw)])
        assert memory.seen == pytest.approx(end.reshape(1, 2), abs=memory.resolution)


def test_what_a_later_ray_goes_through_is_forgotten_and_nothing_beside_it(memory: ScanMemory) -> None:
    memory.mark(scan([0.6, 0.6], angles=(0.0, 1.5)))
    assert len(memory.seen) == 2
    memory.mark(scan([0.9], angles=(0.0,)))
    assert marked(memory)[memory.cell(MIDDLE[0] + 0.9, MIDDLE[1])]
    assert not marked(memory)[memory.cell(MIDDLE[0] + 0.6, MIDDLE[1])]
    assert len(memory.seen) == 2


def test_a_ray_that_ends_before_it_or_meets_nothing_clears_nothing(memory: ScanMemory) -> None:
    memory.mark(scan([0.6]))
    memory.mark(scan([np.inf]))
    memory.mark(scan([0.3]))
    assert marked(memory)[memory.cell(MIDDLE[0] + 0.6, MIDDLE[1])]


def test_walls_that_the_map_knows_and_ends_outside_the_arena_are_not_marked(memory: ScanMemory) -> None:
    memory.mark(scan([ARENA.size[0] / 2.0, 50.0], angles=(0.0, 0.7)))
    assert not len(memory.seen)


def test_a_scan_without_rays_changes_nothing(memory: ScanMemory) -> None:
    memory.mark(scan([0.6]))
    memory.mark(scan([], angles=()))
    assert len(memory.seen) == 1


@pytest.mark.parametrize("turn", [2.0 * np.pi, -2.0 * np.pi, 7.5])
def test_whole_turns_of_a_moving_lidar_clear_every_cell_that_a_ray_goes_through(
        memory: ScanMemory, turn: float) -> None:
    dice = np.random.default_rng(3)
    angles = np.linspace(-0.5 * turn, 0.5 * turn, 90, endpoint=False)
    for _ in range(25):
        at = Pose((*(np.array(MIDDLE) + dice.uniform(-0.3, 0.3, 2)), 0.0), from_yaw(dice.uniform(-4.0, 4.0)))
        ranges = np.where(dice.random(90) < 0.1, np.inf, dice.uniform(0.05, 0.6, 90))
        left = marked(memory)
        eye = np.array(at.position[:2])
        for bearing, reach in zip(angles + at.yaw, ranges):
            along = np.arange(0.0, reach - 0.01, 0.018) if np.isfinite(reach) else np.empty(0)
            for x, y in eye + along[:, None] * (np.cos(bearing), np.sin(bearing)):
                left[memory.cell(x, y)] = False
        memory.mark(Scan(0.0, at, angles, ranges))
        for end in Scan(0.0, at, angles, ranges).points:
            left[memory.cell(*end)] = True
        assert left.any()
        assert np.array_equal(marked(memory), left)


def test_a_lidar_that_hangs_upside_down_turns_the_other_way(memory: ScanMemory) -> None:
    hung = Scan(0.0, Pose((*MIDDLE, 0.3), from_euler(math.pi, 0.0, 0.5)), np.array([0.4]), np.array([0.6]))
    memory.mark(hung)
    end = np.array(MIDDLE) + 0.6 * np.array([math.cos(0.1), math.sin(0.1)])
    assert memory.seen == pytest.approx(end.reshape(1, 2), abs=memory.resolution)


def test_a_large_arena_costs_no_more_than_what_is_seen_in_it() -> None:
    large = replace(ARENA, origin=(-100.0, -100.0), size=(200.0, 200.0), walls={})
    tracemalloc.start()
    memory = ScanMemory(large)
    memory.mark(Scan(0.0, Pose((70.0, -60.0, 0.0)), np.linspace(-3.0, 3.0, 360), np.full(360, 5.0)))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(memory.seen) == 360
    assert most < 5e6
