"""A gripper's motion ends at its goal, or where something stops it; not while it moves."""

from __future__ import annotations

from typing import Callable, Optional

import pytest
from hicrisp_gazebo.gripper_node import GripEnd, GripWatch


def close(goal: float, stop_at: float, start: float = 0.04, speed: float = 0.1,
          delay: float = 0.0) -> GripEnd:
    """Fingers that move towards a goal after a delay and are stopped somewhere; the end that is seen."""
    def position(time: float) -> float:
        return max(stop_at, goal, start - speed * max(0.0, time - delay))
    end = watch(GripWatch(goal), position)
    assert end is not None
    return end


def watch(looked: GripWatch, position: Callable[[float], float], seconds: float = 5.0) -> Optional[GripEnd]:
    for tick in range(int(seconds * 50)):
        end = looked.look(tick / 50.0, position(tick / 50.0))
        if end is not None:
            return end
    return None


def test_an_empty_hand_reaches_its_goal() -> None:
    assert close(0.01, stop_at=0.0).reached


def test_what_is_between_the_fingers_stops_them() -> None:
    end = close(0.0, stop_at=0.025)
    assert end.stalled
    assert end.position == pytest.approx(0.025)


def test_fingers_that_begin_late_are_waited_for() -> None:
    assert close(0.01, stop_at=0.0, delay=0.2).reached


def test_fingers_that_tremble_have_not_ended() -> None:
    assert watch(GripWatch(0.0), lambda time: 0.02 + 0.002 * (round(time * 50) % 2)) is None
