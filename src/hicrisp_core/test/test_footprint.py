"""Shadows of things: those of a thing in motion are not kept for ever."""

from __future__ import annotations

import gc

from hicrisp_core.model import Pose
from hicrisp_core.model.keep_out import footprint
from test_detector import CATALOGUE

PLACES = 5000


def poses() -> int:
    return sum(isinstance(each, Pose) for each in gc.get_objects())


def test_a_thing_in_motion_leaves_few_shadows_behind() -> None:
    before = poses()
    for number in range(PLACES):
        footprint(CATALOGUE["box"], Pose((number * 1e-3, 0.0, 0.05)))
    assert poses() - before < PLACES / 5
