"""The statistics of the tables."""

import math

import pytest
from hicrisp_bench.statistics import percentile, spread, wilson_interval


def test_the_interval_of_a_perfect_score_reaches_one_but_not_zero_width():
    low, high = wilson_interval(100, 100)
    assert high == pytest.approx(1.0)
    assert low == pytest.approx(0.963, abs=1e-3)


def test_the_interval_of_a_half_is_symmetric():
    low, high = wilson_interval(50, 100)
    assert low + high == pytest.approx(1.0)
    assert low == pytest.approx(0.4038, abs=1e-3)


def test_no_trials_tell_nothing():
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert math.isnan(percentile([], 50))
    assert spread([]) == {"n": 0}


def test_the_95th_percentile_of_a_hundred_is_the_95th():
    assert percentile(list(range(1, 101)), 95.0) == 95
