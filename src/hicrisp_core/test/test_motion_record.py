"""What is counted of a base's way: touches, near misses, zones; seen from its poses and its lidar."""

from __future__ import annotations

from typing import Tuple

import pytest
from agv_world import DOMAIN, after_motion, region, seen
from hicrisp_core.detector.motion import MotionRecord, happened
from hicrisp_core.domain.schema import zones_of
from hicrisp_core.model import Motion, Pose, Relation

LAWN = region("lawn", 2.0, 1.0, "no_go")


def passed(*way: Tuple[float, float]) -> Motion:
    """What is seen of a base that is at some places (x) along y = 1 with some distance to the nearest thing."""
    record = MotionRecord(zones_of(DOMAIN, [LAWN]))
    for index, (x, nearest) in enumerate(way):
        record.moved(Pose((x, 1.0, 0.0)), 0.1 * index)
        record.ranged(nearest)
    return record.motion


def test_touches_near_misses_and_zones_are_counted_once_each() -> None:
    motion = passed((1.0, 0.5), (1.2, 0.185), (1.3, 0.187), (1.4, 0.3), (1.8, 0.4), (2.0, 0.17), (2.2, 0.5))
    assert (motion.near_misses, motion.touches, motion.zones) == (1, 1, ("lawn",))
    assert motion.entered == {"lawn": 1}
    assert motion.clearance == pytest.approx(-0.01)
    assert motion.path == pytest.approx(1.2)


def test_two_looks_show_what_happened_between_them_also_when_the_eyes_began_anew() -> None:
    before, after = passed((1.0, 0.5), (1.1, 0.17)), passed((1.0, 0.5), (1.1, 0.17), (1.6, 0.5))
    worlds = [after_motion(seen(), motion) for motion in (before, after)]
    assert happened(DOMAIN, "agv", *worlds) == [Relation("agv", "entered", "lawn")]
    assert happened(DOMAIN, "agv", worlds[1], after_motion(seen(), passed((1.0, 0.17)))) == [
        Relation("agv", "touched")]


def test_a_footprint_that_cuts_a_corner_between_two_looks_has_entered() -> None:
    assert passed((1.4, 0.5), (1.56, 0.5)).zones == ()
    assert passed((1.4, 0.5), (1.58, 0.5)).zones == ("lawn",)
    record = MotionRecord(zones_of(DOMAIN, [LAWN]))
    record.moved(Pose((1.9, 0.5, 0.0)), 0.0)
    record.moved(Pose((2.3, 0.65, 0.0)), 0.1)
    assert record.motion.zones == ("lawn",)


@pytest.mark.parametrize(("seconds", "zones", "path"), [(1.0, ("lawn",), 1.8), (0.1, (), 0.0)])
def test_a_way_between_two_looks_is_a_drive_where_there_was_time_for_it(seconds, zones, path) -> None:
    record = MotionRecord(zones_of(DOMAIN, [LAWN]))
    record.moved(Pose((1.2, 1.0, 0.0)), 10.0)
    record.moved(Pose((3.0, 1.0, 0.0)), 10.0 + seconds)
    assert (record.motion.zones, record.motion.path) == (zones, pytest.approx(path))
