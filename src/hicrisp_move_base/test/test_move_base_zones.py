"""The driver and what a drive must keep out of, or keep away from."""

from __future__ import annotations

from threading import Event
from typing import Dict, List

import pytest
from hicrisp_core.model import Cause, CauseKind, KeepOut, Outcome, Pose, Status
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.time.deadline import Deadline
from move_base_stack import FAR, GOAL, Stack
from waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("ros")


def band(x: float, y: float = 0.0, width: float = 0.4, height: float = 6.0) -> Constraints:
    """A zone across the way, around a point."""
    corners = tuple((x + a * width / 2.0, y + b * height / 2.0)
                    for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return Constraints((KeepOut(corners, name="lawn"),))


def constrained(stack: Stack, constraints: Constraints) -> Outcome:
    goal = Pose((2.5, 0.0, 0.0))
    return stack.driver.go_to(goal, Deadline(PATIENCE), Event(), lambda *_: None, constraints=constraints)


def test_a_path_over_a_zone_is_refused_before_anything_moves(stack: Stack) -> None:
    outcome = constrained(stack, band(1.2))
    assert outcome.status is Status.PRECONDITION
    assert outcome.cause == Cause(CauseKind.FORBIDDEN, ("lawn",))
    assert stack.server.goals == 0


def test_the_footprint_counts_and_not_the_middle(stack: Stack) -> None:
    assert constrained(stack, band(1.2, 0.65, height=1.0)).cause == Cause(CauseKind.FORBIDDEN, ("lawn",))
    assert constrained(stack, band(1.2, 0.75, height=1.0)).ok


def test_a_goal_beside_which_a_zone_begins_is_refused(stack: Stack) -> None:
    assert constrained(stack, band(2.75)).cause == Cause(CauseKind.FORBIDDEN, ("lawn",))
    assert stack.server.goals == 0


def test_a_base_that_leaves_the_promised_path_is_stopped_before_the_zone(stack: Stack) -> None:
    stack.server.via = [(0.0, 4.0),
                        (2.5, 4.0)]  # make_plan leads around the zone, the base drives straight at it.
    outcome = constrained(stack, band(1.5, height=3.0))
    assert outcome.status is Status.EXECUTION
    assert outcome.cause == Cause(CauseKind.FORBIDDEN, ("lawn",))
    assert not stack.base.moving
    assert stack.base.pose[0] + 0.18 <= 1.3


def test_where_nobody_tells_the_path_a_drive_beside_a_zone_is_refused(ros: None) -> None:
    stack = Stack(services=False)
    outcome = stack.driver.go_to(GOAL, Deadline(PATIENCE), Event(), lambda *_: None,
                                 constraints=band(1.2, 4.0, height=1.0))
    stack.stop()
    assert outcome.status is Status.PRECONDITION
    assert outcome.cause == Cause(CauseKind.UNSUPPORTED, ("keep_out",))


def test_clearance_is_padding_for_one_drive_or_a_refusal(stack: Stack) -> None:
    usual = dict(stack.server.padding)
    seen: List[Dict[str, float]] = []
    outcome = stack.driver.go_to(GOAL, Deadline(PATIENCE), Event(),
                                 lambda *_: seen.append(dict(stack.server.padding)),
                                 constraints=Constraints(clearance=0.04))
    assert outcome.ok, outcome
    assert seen[0] == pytest.approx({name: value + 0.04 for name, value in usual.items()})
    assert stack.server.padding == usual
    stack.server.most_padding = 0.03
    refused = stack.driver.go_to(
        FAR, Deadline(PATIENCE), Event(), lambda *_: None, constraints=Constraints(clearance=0.04))
    assert refused.status is Status.PRECONDITION
    assert refused.cause == Cause(CauseKind.UNSUPPORTED, ("clearance",))


