"""A scene from rendered pictures of tables of which nothing is told."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hicrisp_bench.look import main
from hicrisp_core.scene import load_scene
from hicrisp_sim.embedded import EmbeddedWorld


@pytest.mark.parametrize(("name", "seed", "least"), [("clutter", 8, 10), ("sorting", 5, 9), ("stack", 3, 3)])
def test_shapes_sizes_colours_and_places_are_found(name: str, seed: int, least: int, tmp_path: Path) -> None:
    file = tmp_path / "seen.yaml"
    assert main(["--scene", name, "--seed", str(seed), "--write", str(file)]) == 0
    truth, seen = load_scene(name, seed), load_scene(file)
    sure = {key for key in seen.objects if f"{key}:   # unsure" not in file.read_text()}
    assert len(seen.things) == least
    for thing in truth.things:
        near = min(seen.things, key=lambda other: math.dist(other.pose.position, thing.pose.position))
        assert math.dist(near.pose.position, thing.pose.position) < 0.006, thing.name
        assert near.attributes["colour"] == thing.attributes["colour"]
        if near.name in sure:
            assert near.shape == thing.shape
            assert sorted(near.size) == pytest.approx(sorted(thing.size), abs=0.004), thing.name
    assert len(sure) >= 0.7 * least


def test_the_world_can_begin_with_what_was_seen(tmp_path: Path) -> None:
    file = tmp_path / "seen.yaml"
    assert main(["--scene", "tabletop", "--seed", "6", "--write", str(file)]) == 0
    world = EmbeddedWorld(str(file), 0)
    assert {"red_box", "blue_cylinder"} <= set(world.true_frames())
    before = EmbeddedWorld("tabletop", 6).true_frames()
    assert math.dist(world.true_frames()["red_box"][0].position, before["box"][0].position) < 0.003
