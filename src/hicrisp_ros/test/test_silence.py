"""How long something has been silent, by a robot's clock and by a simulation's."""

from __future__ import annotations

import math
from typing import List

import pytest
import rospy
from hicrisp_ros.stamps import SLOWEST, Silence
from hicrisp_ros.wall_clock import ClockWatch


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> List[float]:
    """Wall time and a simulation's time, both set by the test."""
    now = [100.0, 10.0]
    monkeypatch.setattr("hicrisp_ros.stamps.time.monotonic", lambda: now[0])
    monkeypatch.setattr(rospy, "get_time", lambda: now[1])
    monkeypatch.setattr(rospy.rostime, "is_wallclock", lambda: False)
    return now


def test_what_was_never_heard_is_silent_for_ever(clock: List[float]) -> None:
    assert Silence(heard=False).seconds == math.inf


def test_simulated_time_without_a_clock_is_named_after_a_while_with_the_remedy(clock: List[float]) -> None:
    clock[1] = 0.0
    watch, late = ClockWatch(lambda: False), ClockWatch(lambda: True)
    assert not watch.objection(), "a simulation takes a moment to begin"
    assert "/clock" in watch.waits, "and no task begins before it"
    clock[0] += 4.5
    assert not late.objection(), "who publishes it may be slow"
    for words in ("/use_sim_time", "/clock", "rosparam set /use_sim_time false"):
        assert words in watch.objection()
    clock[1] = 0.1
    assert not watch.objection()
    assert not watch.waits


def test_a_slow_simulation_makes_nothing_silent(clock: List[float]) -> None:
    silence = Silence()
    clock[0] += 3.0
    clock[1] += 0.1
    assert silence.seconds == pytest.approx(3.0 / SLOWEST)
    clock[1] += 2.0
    assert silence.seconds == pytest.approx(2.1)


def test_a_simulation_that_runs_ahead_of_wall_time_silences_no_heartbeat(clock: List[float]) -> None:
    heartbeat, sim_seconds_each_second = 0.2, 12.0
    silence = Silence()
    clock[0] += heartbeat
    clock[1] += heartbeat * sim_seconds_each_second
    assert silence.seconds == pytest.approx(heartbeat)
    clock[0] += 2.0
    clock[1] += 2.0 * sim_seconds_each_second
    assert silence.seconds == pytest.approx(heartbeat + 2.0), "what really ended is noticed all the same"


def test_a_simulation_that_stands_still_or_was_set_back_is_noticed(clock: List[float]) -> None:
    silence = Silence()
    clock[0] += 20.0
    clock[1] = 0.0
    assert silence.seconds == pytest.approx(20.0 / SLOWEST)
    silence.heard()
    assert silence.seconds == 0.0


def test_on_a_robot_wall_time_counts(clock: List[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rospy.rostime, "is_wallclock", lambda: True)
    silence = Silence()
    clock[0] += 3.0
    assert silence.seconds == pytest.approx(3.0)
