"""What an arm remembers of its own misses, and what becomes of a memory that lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List

import pytest
from hicrisp_bench.remembering import BIAS, LIE, Life

CONFIG = Path(__file__).resolve().parents[3] / "config"


def rounds(case: str, remembers: bool, poisoned: bool = False) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = Life(CONFIG, case, remembers, poisoned, 0, 2).run()["rounds"]
    assert all(each["success"] for each in found)
    return found


def test_a_biased_arm_is_known_after_one_task_and_the_next_takes_less_time() -> None:
    remembered, forgotten = rounds("biased arm", True), rounds("biased arm", False)
    assert remembered[0]["sim_s"] == pytest.approx(forgotten[0]["sim_s"], abs=0.5)
    assert remembered[1]["sim_s"] < forgotten[1]["sim_s"] - 1.0
    assert remembered[1]["believed_m"] == pytest.approx(BIAS, abs=0.02)


def test_a_memory_that_lies_is_believed_less_with_every_task_and_never_costs_one() -> None:
    first, second = rounds("sound arm, poisoned memory", True, poisoned=True)
    assert abs(second["believed_m"]) < abs(first["believed_m"]) < abs(LIE[0])
