"""Whole tasks on a crowded table: room is made where it is needed, and shapes stay within reach."""

from __future__ import annotations

import math
import random
from typing import Sequence

import pytest
from goals import ScriptedInterpreter, goal
from hicrisp_core.factory import load_factory
from hicrisp_core.model import Task
from hicrisp_core.model.goal import Goal
from panda_body import PANDA
from pose_world import PoseWorld, catalogue

ROWS = {f"box_{row}{column}": (0.40 + 0.12 * row, -0.28 + 0.11 * column)
        for row in range(2) for column in range(5)}


BEHIND = goal("behind(box,cylinder)")


def shape(places: Sequence[str], names: Sequence[str]) -> Goal:
    """The goal of a shape: each object in a direction of an earlier one, by their numbers."""
    return goal(*(f"{direction}({names[int(one)]},{names[int(other)]})"
                  for direction, one, other in (place.split() for place in places)))


L = ("in_front_of 1 0", "behind 2 0", "right_of 3 1", "right_of 4 3", "behind 5 2")
T = ("left_of 1 0", "right_of 2 0", "in_front_of 3 0", "left_of 4 1", "right_of 5 2")


def run(domain, config_dir, wanted: Goal, places, policy: str = "hierarchical"):
    world = PoseWorld(domain, catalogue(**places))
    events = []
    parts = load_factory(config_dir, domain, policy, bodies={"panda": PANDA})
    executive = parts.executive({"panda": world}, world, events.append,
                                interpreter=ScriptedInterpreter(wanted))
    return executive.run(Task("any words")), world, events


def test_a_taken_place_is_cleared_and_what_was_held_is_taken_again(domain, config_dir):
    result, world, events = run(domain, config_dir, BEHIND,
                                {"box": (0.4, -0.3), "cylinder": (0.45, 0.0), "box_in_the_way": (0.54, 0.0)})
    assert result.success, result.message
    assert result.corrections == {"repair": 1}
    assert world.executed == [
        "pick(panda, box)", "put_down(panda, box)", "pick(panda, box_in_the_way)",
        "put_down(panda, box_in_the_way)",
        "pick(panda, box)", "place_behind(panda, box, cylinder)"]
    refused = next(event["feedback"] for event in events if event["kind"] == "verdict" and not event["ok"])
    assert refused["blockers"] == ["box_in_the_way"]


def test_without_the_repair_rung_the_taken_place_is_named_to_the_user(domain, config_dir):
    result, _, _ = run(domain, config_dir, BEHIND,
                       {"box": (0.4, -0.3), "cylinder": (0.45, 0.0), "box_in_the_way": (0.54, 0.0)},
                       "open_loop")
    assert not result.success


@pytest.mark.parametrize("places", [L[:4], L, T[:4], T])
def test_a_shape_is_built_beside_two_rows_of_boxes(domain, config_dir, places):
    result, _, _ = run(domain, config_dir, shape(places, sorted(ROWS)), ROWS)
    assert result.success, result.message


@pytest.mark.parametrize("seed", range(3))
def test_a_shape_is_built_among_boxes_at_random_places(domain, config_dir, seed):
    dice, places = random.Random(seed), {}
    while len(places) < 9:
        x, y = dice.uniform(0.32, 0.62), dice.uniform(-0.38, 0.38)
        if 0.36 < (x * x + y * y) ** 0.5 < 0.66 and all(
                max(abs(x - a), abs(y - b)) > 0.10 for a, b in places.values()):
            places[f"box_{len(places)}"] = (x, y)
    from_the_middle = sorted(places, key=lambda name: math.dist(places[name], (0.47, 0.0)))
    for wanted in (L, T):
        result, _, _ = run(domain, config_dir, shape(wanted, from_the_middle), places)
        assert result.success, result.message
