"""Worlds and views survive the way into bytes and back, whatever they hold; no nonsense comes out of them."""

from __future__ import annotations

import io
import math
import sys
from typing import Any

import pytest
from hicrisp_core.model import Pose, Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.track import Track, Tracks, Uncertainty

from hicrisp_ros import conversions

if sys.version_info < (3, 11):
    pytest.skip("the library that draws the cases is of requirements/dev.txt", allow_module_level=True)
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

drawn = settings(derandomize=True, database=None, deadline=None, max_examples=100)
numbers = st.floats(width=64)
names = st.text(min_size=1, max_size=8).filter(lambda name: not any("\ud800" <= c <= "\udfff" for c in name))
poses = st.builds(Pose, st.tuples(numbers, numbers, numbers),
                  st.just((0.0, 0.0, 0.0, 1.0)) | st.tuples(numbers, numbers, numbers, numbers))
things = st.builds(
    lambda name, pose, age: WorldObject(name, "box", "box", (0.1, 0.1, 0.1), {}, pose, pose_age=age),
    names, st.none() | poses, st.floats(0.0))


def over_the_wire(message: Any) -> Any:
    buffer = io.BytesIO()
    message.serialize(buffer)
    return type(message)().deserialize(buffer.getvalue())


def seen(pose: Any) -> Any:
    return pose if pose is not None and pose.finite else None


@drawn
@given(st.lists(things, max_size=4), st.lists(st.tuples(names, names, names), max_size=4),
       st.none() | poses, st.floats(0.0, 1e6))
def test_a_world_comes_back_as_it_was_and_a_pose_without_numbers_as_none(
    objects: Any, facts: Any, tool: Any, stamp: float
) -> None:
    world = WorldState({thing.name: thing for thing in objects},
                       frozenset(Relation(*fact) for fact in facts),
                       {"panda": RobotState("panda", pose=tool)}, stamp)
    back = conversions.WORLD.from_msg(over_the_wire(conversions.WORLD.to_msg(world)))
    assert back.relations == world.relations
    assert {name: thing.pose for name, thing in back.objects.items()} == \
        {name: seen(thing.pose) for name, thing in world.objects.items()}
    assert back.robots["panda"].pose == seen(tool)
    assert all(thing.pose_age >= 0.0 for thing in back.objects.values())
    assert back.stamp == pytest.approx(stamp, abs=1e-6)


@drawn
@given(st.lists(st.tuples(names, poses), max_size=4))
def test_no_track_without_numbers_is_seen(found: Any) -> None:
    view = Tracks(1.0, tuple(Track(name, pose, Uncertainty(), 1.0) for name, pose in found))
    back = conversions.VIEW.from_msg(over_the_wire(conversions.VIEW.to_msg(view)))
    assert [track.pose for track in back.tracks] == [pose for _, pose in found if pose.finite]
    assert all(math.isfinite(value) for track in back.tracks for value in track.pose.position)
