"""Things that nobody tells the scene of: on a free spot, in a colour of their own, the same for a seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hicrisp_core.model import Pose
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.layout import off_the_table, overlapping
from hicrisp_core.scene.relocation import draw_unknown_object


@pytest.mark.parametrize("name", ["tabletop", "blocks", "clutter"])
@pytest.mark.parametrize("seed", range(10))
def test_one_that_is_drawn_stands_on_the_table_apart_from_every_thing_and_looks_like_none(
        name: str, seed: int) -> None:
    scene = load_scene(name, seed)
    things = {thing.name: thing for thing in scene.things}
    drawn = [draw_unknown_object(1, (), things, scene.table, np.random.default_rng(seed)) for _ in range(2)]
    assert drawn[0] == drawn[1]
    thing = drawn[0]
    assert thing is not None
    assert not overlapping(thing, things, 0.029)
    assert not off_the_table(thing, scene.table)
    colours = {each.attributes["colour"] for each in scene.things}
    assert thing.attributes["colour"] not in colours or len(colours) > 10
    if thing.shape == "cylinder":
        assert thing.size[0] == thing.size[1]


def test_one_that_is_told_its_place_and_size_stands_there_or_not_at_all() -> None:
    scene = load_scene("tabletop", 1)
    things = {thing.name: thing for thing in scene.things}
    dice = np.random.default_rng(0)
    told = draw_unknown_object(3, (0.7, -0.4, 0.1, 0.05, 0.2), things, scene.table, dice)
    assert told is not None
    assert (told.name, told.shape, told.size) == ("intruder_3", "box", (0.1, 0.05, 0.2))
    assert told.pose.position == (0.7, -0.4, 0.1)
    x, y, _ = things["box"].pose.position
    assert draw_unknown_object(1, (x, y), things, scene.table, dice) is None
    assert draw_unknown_object(1, (5.0, 0.0), things, scene.table, dice) is None


def test_one_comes_only_where_it_may_and_never_where_there_is_no_room() -> None:
    scene = load_scene("tabletop", 1)
    things = {thing.name: thing for thing in scene.things}
    left = draw_unknown_object(1, (), things, scene.table, np.random.default_rng(2),
                         lambda thing: thing.pose.position[1] > 0.2)
    assert left is not None
    assert left.pose.position[1] > 0.2
    full = {"wall": replace(things["box"], name="wall", size=(0.8, 1.2, 0.1), pose=Pose((0.5, 0.0, 0.05)))}
    assert draw_unknown_object(1, (), full, scene.table, np.random.default_rng(2)) is None
