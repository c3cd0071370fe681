"""Gaps with less than the usual margin: squeezed through where the scan shows room, and never touched."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from agv_arena import Yard
from hicrisp_core.config.files import config_file
from hicrisp_core.model import Pose
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import AgvWorld
from lasting import LONG
from waiting import PATIENCE

RADIUS = 0.3


def gate(folder: Path, gap: float) -> Yard:
    """A yard whose halves are joined by one gap, between two round things."""
    aside = gap / 2.0 + RADIUS
    low, high = 1.48 - aside - RADIUS, 1.52 + aside + RADIUS
    walls = f"walls: {{low: {{from: [2, 0], to: [2, {low}]}}, high: {{from: [2, {high}], to: [2, 3]}}}}\n"
    return Yard(folder, {"left": (2.0, 1.5 + aside, RADIUS), "right": (2.0, 1.5 - aside, RADIUS)}, more=walls)


@pytest.mark.parametrize("spare", [0.03, 0.05, 0.15])
def test_a_gap_with_little_room_on_both_sides_is_driven_through(tmp_path: Path, spare: float) -> None:
    yard = gate(tmp_path, 2 * (0.18 + spare))
    assert yard.go(3.2, 1.5).ok
    assert not yard.touched


@LONG
def test_a_gap_beside_a_border_is_not_crept_into_millimetre_by_millimetre() -> None:
    """Its sides are 5 mm farther apart than the base is wide; two simulated minutes led to a touch."""
    world, touched = AgvWorld(load_scene(config_file("scenes", "agv"), 2046), 2046), []
    world.base.followers.append(lambda: touched.append(world.base.body.touching))
    for x, y in ((1.496, 1.522), (3.206, 2.103)):
        enough = Event()
        world.simulation.at(world.time + 120.0, enough.set)
        world.base.go_to(Pose((x, y, 0.0)), Deadline(PATIENCE), enough, lambda phase, fraction: None)
    assert not any(touched)


@pytest.mark.parametrize("spare", [-0.03, 0.0])
def test_a_gap_without_room_is_not_forced(tmp_path: Path, spare: float) -> None:
    yard = gate(tmp_path, 2 * (0.18 + spare))
    assert not yard.go(3.2, 1.5).ok
    assert not yard.touched
    assert yard.stands
