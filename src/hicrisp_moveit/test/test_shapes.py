"""Things become collision objects of their own extents."""

from __future__ import annotations

import pytest
from hicrisp_core.model import Pose, WorldObject
from hicrisp_moveit.scene_sync import collision_object
from shape_msgs.msg import SolidPrimitive

HERE = Pose((0.5, 0.1, 0.05))


def test_a_box_and_a_cylinder_keep_their_sizes() -> None:
    box = collision_object(WorldObject("box", "box", "box", (0.04, 0.05, 0.06)), HERE, "world")
    assert box is not None
    assert (box.primitives[0].type, list(box.primitives[0].dimensions)) == (SolidPrimitive.BOX,
                                                                            [0.04, 0.05, 0.06])
    assert (box.pose.position.x, box.header.frame_id) == (0.5, "world")
    tin = collision_object(WorldObject("tin", "tin", "cylinder", (0.06, 0.06, 0.09)), HERE, "world")
    assert tin is not None
    assert list(tin.primitives[0].dimensions) == pytest.approx([0.09, 0.03])


def test_a_bowl_is_hollow() -> None:
    bowl = collision_object(WorldObject("bowl", "bowl", "bowl", (0.16, 0.16, 0.06)), HERE, "world")
    assert bowl is not None
    walls = [(pose.position.x ** 2 + pose.position.y ** 2) ** 0.5 for pose in bowl.primitive_poses[1:]]
    assert min(walls) > 0.07
    assert bowl.primitive_poses[0].position.z < -0.02


def test_a_region_of_the_table_is_no_obstacle() -> None:
    assert collision_object(WorldObject("spot", "region", "region", (0.1, 0.1, 0.001)), HERE, "world") is None
