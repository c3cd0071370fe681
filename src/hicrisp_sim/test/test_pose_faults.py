"""Poses that a world publishes wrongly on purpose."""

from __future__ import annotations

import math

import pytest
from hicrisp_core.model import Pose
from hicrisp_core.scene.fault_schedule import FaultError
from hicrisp_sim.pose_faults import NOWHERE, POSE_KINDS, Frames, PoseFaults

BEFORE: Frames = {"box": (Pose((0.1, 0.0, 0.0)), 1.0), "cup": (Pose((0.2, 0.0, 0.0)), 1.0)}
LATER: Frames = {"box": (Pose((0.3, 0.0, 0.0)), 2.0), "cup": (Pose((0.4, 0.0, 0.0)), 2.0)}


def told(kind: str) -> PoseFaults:
    faults = PoseFaults()
    faults.inject(kind, "box", (), 0, BEFORE)
    return faults


def test_a_stale_pose_stays_with_its_stamp_and_the_others_go_on() -> None:
    assert told("pose_stale").told(LATER) == {"box": BEFORE["box"], "cup": LATER["cup"]}


def test_a_missing_pose_is_not_told() -> None:
    assert told("pose_missing").told(LATER) == {"cup": LATER["cup"]}


@pytest.mark.parametrize(("kind", "is_wrong"), [("pose_nan", math.isnan), ("pose_inf", math.isinf)])
def test_a_pose_without_numbers_has_a_new_stamp(kind: str, is_wrong: object) -> None:
    pose, stamp = told(kind).told(LATER)["box"]
    assert all(is_wrong(value) for value in pose.position)  # type: ignore[operator]
    assert stamp == 2.0


def test_a_pose_in_an_unknown_frame_is_told_under_it() -> None:
    faults = told("pose_frame")
    assert (faults.parent("box"), faults.parent("cup")) == (NOWHERE, "world")
    assert faults.told(LATER) == LATER


def test_a_reset_ends_them_and_a_wrong_target_is_answered_with_those_that_there_are() -> None:
    faults = told("pose_stale")
    faults.clear()
    assert faults.told(LATER) == LATER
    with pytest.raises(FaultError, match="box, cup"):
        faults.inject(next(iter(POSE_KINDS)), "teapot", (), 0, BEFORE)


def test_a_pose_from_the_future_has_the_stamp_that_was_asked_for() -> None:
    assert told("pose_ahead").told(LATER) == {"box": (LATER["box"][0], 7.0), "cup": LATER["cup"]}
    faults = PoseFaults()
    faults.inject("pose_ahead", "box", (3600.0,), 0, BEFORE)
    assert faults.told(LATER)["box"] == (LATER["box"][0], 3602.0)
