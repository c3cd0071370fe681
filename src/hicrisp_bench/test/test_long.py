"""The long run: what it says of memory, and what it lets happen."""

from __future__ import annotations

import os
import random

import pytest
from hicrisp_bench.long.happenings import USUAL, drawn, waits
from hicrisp_bench.long.memory import Sample, growth, resident


def test_growth_is_that_of_the_longest_life_and_leaves_its_beginning_out() -> None:
    samples: "list[Sample]" = [(number, {"brain": (7, 50.0 if number < 10 else 100.0 + number / 10.0)})
                               for number in range(100)]
    samples += [(number, {"brain": (8, 500.0)}) for number in range(100, 110)]
    row, = growth(samples)
    assert (row["node"], row["processes"], row["tasks"]) == ("brain", 2, 100)
    assert row["growth"] == pytest.approx(109.0 / 101.85 - 1.0, abs=2e-3)


def test_the_memory_of_processes_that_are_no_nodes_or_have_ended_is_left_out() -> None:
    assert resident([os.getpid(), 2**22 + 1]) == {}


def test_everything_happens_now_and_then_and_the_same_seed_lets_the_same_happen() -> None:
    dice = random.Random(1)
    found = [drawn(dice) for _ in range(400)]
    assert set(found) == set(USUAL)
    assert found[:20] == [drawn(again) for again in [random.Random(1)] for _ in range(20)]
    assert 0.0 <= waits(dice) <= 2.0
