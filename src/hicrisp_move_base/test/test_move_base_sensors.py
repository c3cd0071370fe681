"""The driver when its sensors fall silent, tell nonsense, or tell of another time than now."""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Event
from typing import List

import pytest
from hicrisp_core.model import CauseKind, Pose, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_move_base.move_base import MoveBase
from move_base_stack import GOAL, Stack
from waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("ros")


def test_odometry_that_falls_silent_ends_the_drive_as_lost(stack: Stack) -> None:
    watchful = MoveBase("agv", replace(stack.settings, odometry_age=1.0))
    assert watchful._client.wait_for_server(PATIENCE)
    stack.misbehaves("blind")
    outcome = watchful.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.LOST
    assert "odometry" in outcome.message
    assert not stack.base.moving


def test_odometry_without_numbers_shows_neither_life_nor_standstill(stack: Stack) -> None:
    watchful = MoveBase("agv", replace(stack.settings, odometry_age=1.0))
    assert watchful._client.wait_for_server(PATIENCE)
    stack.base.garbled = lambda: stack.base.moving
    outcome = watchful.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.LOST
    assert "/odom holds numbers that are not finite" in outcome.message
    assert not stack.base.moving
    stack.base.garbled = lambda: True
    until(lambda: not watchful._odometry.standing())
    assert not watchful._odometry.wait_until_standing(Deadline(1.0)).ok


@pytest.mark.parametrize(("what", "topic", "status"), [
    ("odometry", "/odom", Status.LOST), ("scan", "/scan", Status.SAFETY)])
def test_stamps_from_the_future_let_nothing_drive_and_are_told_with_how_far_ahead(
    stack: Stack, what: str, topic: str, status: Status
) -> None:
    seeing = MoveBase("agv", replace(stack.settings, scan="/scan", scan_age=0.4, odometry_age=0.4))
    assert seeing._client.wait_for_server(PATIENCE)
    stack.base.ahead[what] = 3600.0
    until(lambda: seeing.alarm() is not None and "ahead of the clock" in seeing.alarm().message)
    outcome = seeing.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is status
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.AHEAD, (topic,))
    assert outcome.cause.seconds == pytest.approx(3600.0, abs=60.0)
    assert stack.server.goals == 0


def test_odometry_that_goes_on_with_a_stamp_that_stands_still_ends_the_drive_and_shows_no_standstill(
    stack: Stack
) -> None:
    watchful = MoveBase("agv", replace(stack.settings, odometry_age=1.0))
    assert watchful._client.wait_for_server(PATIENCE)
    stack.base.frozen = lambda: stack.base.moving
    outcome = watchful.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.LOST
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.STALE_SENSOR, ("/odom",))
    assert outcome.cause.seconds is not None
    assert outcome.cause.seconds >= 1.0
    assert not stack.base.moving
    stack.base.frozen = lambda: True
    until(lambda: not watchful._odometry.standing())
    assert not watchful._odometry.wait_until_standing(Deadline(1.0)).ok
    stack.base.frozen = lambda: False
    assert watchful._odometry.wait_until_standing(Deadline(PATIENCE)).ok


def test_odometry_that_is_old_when_it_arrives_lets_nothing_drive_and_is_told_with_its_age(
    stack: Stack
) -> None:
    stack.base.ahead["odometry"] = -30.0
    watchful = MoveBase("agv", replace(stack.settings, server_wait=1.0, odometry_age=1.0))
    assert watchful._client.wait_for_server(PATIENCE)
    until(lambda: watchful.alarm() is not None and "behind the clock" in watchful.alarm().message)
    outcome = watchful.go_to(GOAL, Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.LOST
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.STALE_SENSOR, ("/odom",))
    assert outcome.cause.seconds == pytest.approx(30.0, abs=15.0)
    assert "behind the clock" in outcome.cause.said
    assert stack.server.goals == 0


def test_a_base_that_tf_loses_in_mid_drive_is_stopped(stack: Stack) -> None:
    watchful = MoveBase("agv", replace(stack.settings, pose_age=0.6))
    assert watchful._client.wait_for_server(PATIENCE)
    stack.base.no_map = lambda: stack.base.moving
    outcome = watchful.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.LOST
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.LOCALISATION, ("base_link",))
    assert "s old" in outcome.message
    assert not stack.base.moving


@pytest.mark.parametrize(("scans", "frame", "why"), [
    ([math.nan] * 4, "base_link", "none of their ranges is a number"),
    ([math.inf] * 4, "laser_7", "TF does not know their frame 'laser_7'")])
def test_scans_by_which_nobody_sees_let_nothing_drive(
    stack: Stack, scans: List[float], frame: str, why: str
) -> None:
    seeing = MoveBase("agv", replace(stack.settings, scan="/scan", scan_age=0.4))
    assert seeing._client.wait_for_server(PATIENCE)
    stack.base.scans, stack.base.scan_frame = scans, frame
    until(lambda: seeing.alarm() is not None and why in seeing.alarm().message)
    outcome = seeing.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.SAFETY
    assert why in outcome.message
    assert stack.server.goals == 0


def test_a_lidar_that_falls_silent_ends_the_drive_and_the_next_does_not_begin(stack: Stack) -> None:
    seeing = MoveBase("agv", replace(stack.settings, scan="/scan", scan_age=0.4))
    assert seeing._client.wait_for_server(PATIENCE)
    stack.misbehaves("unseeing")
    for goals in (1, 1):
        outcome = seeing.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
        assert outcome.status is Status.SAFETY
        assert "no scan has arrived on /scan" in outcome.message
        assert outcome.cause is not None
        assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.STALE_SENSOR, ("/scan",))
        assert outcome.cause.seconds is not None
        assert outcome.cause.seconds > 0.4
        assert not stack.base.moving
        assert stack.server.goals == goals


def test_a_map_that_never_comes_is_told_and_moves_nothing(stack: Stack, ros: None) -> None:
    until(lambda: stack.driver.where() is not None)
    stack.base.no_map = lambda: True
    until(lambda: stack.driver.where() is None)
    unaware = MoveBase("agv", replace(stack.settings, server_wait=1.0))
    outcome = unaware.go_to(GOAL, Deadline(PATIENCE), Event(), lambda phase, part: None)
    assert outcome.status is Status.LOST
    assert "TF does not say where 'base_link' is in 'map'" in outcome.message
    assert stack.server.goals == 0


def test_odometry_that_jumps_is_not_trusted(stack: Stack) -> None:
    stack.misbehaves("jumps")
    outcome = stack.go(Pose((3.5, 0.0, 0.0)))
    assert outcome.status is Status.EXECUTION
    assert "jumped by" in outcome.message
    assert stack.server.goals == 1


