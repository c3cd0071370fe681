"""Stamps that say nothing of now."""

from __future__ import annotations

from hicrisp_core.time.stamps import AHEAD_LIMIT, lag, lead


def test_clocks_that_differ_a_little_do_no_harm():
    assert lead(10.0 + AHEAD_LIMIT, 10.0) == 0.0
    assert lag(9.5, 10.0, 0.5) == 0.0


def test_a_stamp_is_ahead_or_behind_by_what_it_differs():
    assert lead(15.0, 10.0) == 5.0
    assert lag(7.0, 10.0, 1.0) == 3.0
    assert lead(7.0, 10.0) == lag(15.0, 10.0, 1.0) == 0.0


def test_without_a_stamp_or_before_the_clock_begins_nothing_is_ahead_or_behind():
    assert lag(0.0, 1e9, 1.0) == 0.0
    assert lead(50.0, 0.0) == lag(50.0, 0.0, 1.0) == 0.0
