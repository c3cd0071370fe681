"""Every code that MoveIt or a controller ends with is told in words, and as the right kind of failure."""

from __future__ import annotations

import pytest
from hicrisp_core.model import CauseKind, Status
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
    for code, said, words in ((-5, "", "tolerance"), (-4, "", "left its path"), (-4, "joint 4", "'joint 4'")):
        found = controller_reason(code, said)
        assert found is not None
        assert (found[0], words in found[1]) == (CauseKind.OFF_COURSE, True)
    assert controller_reason(0, "fine") is None
    assert execution_reason(-7)[0] is CauseKind.TAKEN_OVER
    kind, reason = execution_reason(-42)
    assert kind is CauseKind.UNKNOWN
    assert "-42" in reason
