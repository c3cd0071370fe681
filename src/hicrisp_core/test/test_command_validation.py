"""At a driver's door a command is refused whose limits would hold nothing back."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hicrisp_core.model import CauseKind, Command, Status
from hicrisp_core.model.keep_out import KeepOut
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.robot.safety import invalid_outcome, unsound_constraints

SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
SOUND = Command("drive_to", {"area": "area_1"}, "agv", time_limit=30.0, avoid=((0.1, -0.2, 0.0),),
                keep_out=(KeepOut(SQUARE, 0.2, "lane"),), clearance=0.05)


def test_a_command_with_numbers_is_taken() -> None:
    assert invalid_outcome(SOUND) is None
    assert invalid_outcome(Command("pick", {"item": "box"}, "panda")) is None


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(("name", "spoil"), [
    ("time_limit", lambda bad: {"time_limit": bad}),
    ("clearance", lambda bad: {"clearance": bad}),
    ("apart", lambda bad: {"apart": bad}),
    ("look_within", lambda bad: {"look_within": bad}),
    ("avoid", lambda bad: {"avoid": ((0.1, bad, 0.0),)}),
    ("keep_out", lambda bad: {"keep_out": (KeepOut((*SQUARE, (bad, 0.0))),)}),
    ("keep_out's radius", lambda bad: {"keep_out": (KeepOut(SQUARE, bad),)}),
])
def test_a_limit_that_is_no_number_is_refused_by_its_name(name: str, spoil: object, bad: float) -> None:
    outcome = invalid_outcome(replace(SOUND, **spoil(bad)))  # type: ignore[operator]
    assert outcome is not None
    assert outcome.status is Status.INVALID
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.MALFORMED, (name,))


def test_a_zone_is_not_made_smaller_by_a_radius_below_0() -> None:
    assert unsound_constraints(Constraints((KeepOut(SQUARE, -0.5),))) is not None
    assert unsound_constraints(Constraints(clearance=-0.3)) is not None
    assert unsound_constraints(Constraints((KeepOut(SQUARE, 0.5),), 0.3)) is None
