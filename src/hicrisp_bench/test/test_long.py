"""The long run: what it says of memory, and what it lets happen."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Mapping

import pytest
from hicrisp_bench.long import (
    AT_A_TABLE,
    IN_AN_ARENA,
    PLACES,
    USUAL,
    Happening,
    Place,
    Sample,
    drawn,
    growth,
    resident,
)
from hicrisp_core.scene import load_scene

CONFIG = Path(__file__).resolve().parents[3] / "config"


def test_growth_is_that_of_the_longest_life_and_leaves_its_beginning_out() -> None:
    samples: "list[Sample]" = [(number, {"brain": (7, 50.0 if number < 10 else 100.0 + number / 10.0)})
                               for number in range(100)]
    samples += [(number, {"brain": (8, 500.0)}) for number in range(100, 110)]
    row, = growth(samples)
    assert (row["node"], row["processes"], row["tasks"]) == ("brain", 2, 100)
    assert row["growth"] == pytest.approx(109.0 / 101.85 - 1.0, abs=2e-3)


def test_the_memory_of_processes_that_are_no_nodes_or_have_ended_is_left_out() -> None:
    assert resident([os.getpid(), 2**22 + 1]) == {}


@pytest.mark.parametrize("here", [AT_A_TABLE, IN_AN_ARENA])
def test_everything_happens_now_and_then_and_the_same_seed_lets_the_same_happen(
    here: "Mapping[str, Happening]"
) -> None:
    dice = random.Random(1)
    found = [drawn(dice, here) for _ in range(2000)]
    assert set(found) == {*USUAL, *here}
    assert found[:20] == [drawn(again, here) for again in [random.Random(1)] for _ in range(20)]


@pytest.mark.parametrize("place", [place for places in PLACES.values() for place in places],
                         ids=lambda place: str(place.scene))
def test_the_tasks_of_a_place_name_things_that_its_scene_holds(place: Place) -> None:
    scene = load_scene(CONFIG / "scenes" / f"{place.scene}.yaml", 0)
    assert set(place.things) <= set(scene.objects)
    dice = random.Random(0)
    for words in (place.task(dice) for _ in range(40)):
        assert "{" not in words
        assert "_" not in words
