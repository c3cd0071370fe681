"""Every code that MoveIt or a controller ends with is told in words, and as the right kind of failure."""

from __future__ import annotations

import pytest
from hicrisp_core.model import Status
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_moveit.error_codes import controller_reason, execution_reason, planning_reason


@pytest.mark.parametrize(("code", "kind", "status"), [
    (-31, "unreachable", Status.PLANNING), (-12, "goal_in_collision", Status.PLANNING),
    (-10, "start_in_collision", Status.PLANNING), (-6, "no_path", Status.PLANNING),
    (-1, "no_path", Status.PLANNING),
    (-23, "lost", Status.LOST), (99999, "no_path", Status.PLANNING), (-777, "no_path", Status.PLANNING)])
def test_a_planning_code_is_a_kind_of_failure(code: int, kind: str, status: Status) -> None:
    found, reason = planning_reason(code)
    assert found == kind
    assert MotionFailure(found, reason).outcome().status is status
    assert reason


def test_a_controller_says_more_than_moveit() -> None:
    assert "tolerance" in controller_reason(-5, "")
    assert "left its path" in controller_reason(-4, "")
    assert "'joint 4'" in controller_reason(-4, "joint 4")
    assert controller_reason(0, "fine") == ""
    assert "-42" in execution_reason(-42)
