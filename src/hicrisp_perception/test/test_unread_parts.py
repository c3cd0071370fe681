"""What was read for tags in vain is not read again while it looks the same."""

from __future__ import annotations

import numpy as np
import pytest
from hicrisp_perception.shapes.segments import Window
from hicrisp_perception.tracking.change_detection import CELL, TagMisses

CELLS = np.full((40, 40, 3), 120, np.uint8)


def window(top: int, left: int, size: int = 24) -> Window:
    return slice(top, top + size), slice(left, left + size)


@pytest.fixture
def read() -> TagMisses:
    """A part was read in the first picture, and the second has come."""
    misses = TagMisses()
    misses.begin(goes_on=False)
    misses.remember([window(40, 60)], CELLS, closer=True)
    misses.begin(goes_on=True)
    return misses


def test_it_is_not_read_again_nor_is_what_lies_in_it_or_a_few_pixels_beside_it(read: TagMisses) -> None:
    same = [window(40, 60), window(42, 58), window(44, 64, 12)]
    assert read.worth(same, CELLS, closer=True) == []


def test_other_and_larger_parts_are_read_and_so_is_the_same_one_otherwise(read: TagMisses) -> None:
    others = [window(40, 90), window(40, 60, 40)]
    assert read.worth(others, CELLS, closer=True) == others
    assert read.worth([window(40, 60)], CELLS, closer=False) == [window(40, 60)]


def test_what_looks_otherwise_now_is_read(read: TagMisses) -> None:
    changed = CELLS.copy()
    changed[44 // CELL:52 // CELL, 64 // CELL:72 // CELL] = 60
    assert read.worth([window(40, 60)], changed, closer=True) == [window(40, 60)]
    changed = CELLS.copy()
    changed[0:4, 0:4] = 60
    assert read.worth([window(40, 60)], changed, closer=True) == []


def test_after_a_gap_and_after_many_pictures_everything_is_read(read: TagMisses) -> None:
    for _ in range(60):
        read.begin(goes_on=True)
    assert read.worth([window(40, 60)], CELLS, closer=True) == [window(40, 60)]
    read.remember([window(40, 60)], CELLS, closer=True)
    read.begin(goes_on=False)
    assert read.worth([window(40, 60)], CELLS, closer=True) == [window(40, 60)]
