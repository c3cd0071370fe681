"""The fuzzer's targets read what is sound, and notice a reader that falls."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_bench.fuzz.suite import figures_of, last_raised
from hicrisp_bench.fuzz.targets import KINDS, targets

CONFIG = Path(__file__).resolve().parents[3] / "config"
FEW = 3
LOG = """#2\tINITED cov: 5 ft: 5 corp: 1/1b exec/s: 0 rss: 40Mb
#912\tDONE   cov: 84 ft: 90
 === Uncaught Python exception: ===
Traceback (most recent call last):
  File "x.py", line 1, in read
TypeError: unhashable type: 'list'

stat::number_of_executed_units: 912
"""


@pytest.mark.parametrize("name", sorted(targets(CONFIG)))
def test_a_target_reads_its_own_examples(name: str) -> None:
    target = targets(CONFIG)[name]()
    assert target.seeds
    for text in target.seeds[:FEW]:
        target.read(text)
        target.read(text[:len(text) // 2])


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_none_is_refused_and_no_finding(kind: str) -> None:
    targets(CONFIG)[kind]().read("\x00[")


def test_its_words_become_figures_and_the_first_cause() -> None:
    assert figures_of(LOG) == {"branches": 84, "runs": 912}
    assert last_raised(LOG, []) == "TypeError: unhashable type: 'list'"
