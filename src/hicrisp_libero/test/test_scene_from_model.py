"""Shapes, parts and places from what the benchmark measures of its models."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import pytest
from hicrisp_core.model import Pose, Relation, WorldObject, WorldState
from hicrisp_core.model.geometry import from_euler
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.shapes import SHAPES
from hicrisp_core.robot.grasps import grasp_candidates
from hicrisp_core.robot.gripper import Gripper
from hicrisp_core.robot.measured_shape import shape_from
from hicrisp_libero.kinds import Place, Translation
from hicrisp_libero.scene_from_model import Measured, measure

HAND = Gripper(0.08, 0.03, 0.0095, (0.022, 0.026), (0.066, 0.206), 0.11)
_ROWS, _COLUMNS = (np.indices((25, 25)) - 12.0) / 12.5
_AWAY = np.hypot(_ROWS, _COLUMNS)
_FLAT = np.where(_AWAY < 1.0, 0.08, -1.0)
_HEIGHTS = {
    "can": _FLAT,
    "carton": np.full((25, 25), 0.08),
    "bottle": np.where(_AWAY < 0.3, 0.16, np.where(_AWAY < 1.0, 0.07, -1.0)),
    "plate": np.where(_AWAY > 0.8, 0.02, 0.01) * (_AWAY < 1.0) - (_AWAY >= 1.0),
    "bowl": np.where(_AWAY < 1.0, np.where(_AWAY > 0.8, 0.05, 0.006), -1.0),
    "basket": np.where(np.maximum(abs(_ROWS), abs(_COLUMNS)) > 0.9, 0.14, 0.01),
}
_MUG = np.where(_AWAY < 0.95, np.where(_AWAY > 0.8, 0.1, 0.01), -1.0)
_SIZES: Dict[str, Tuple[float, float, float]] = {
    "can": (0.06, 0.06, 0.08),
    "carton": (0.05, 0.07, 0.08),
    "bottle": (0.05, 0.05, 0.16),
    "plate": (0.14, 0.14, 0.02),
    "bowl": (0.1, 0.1, 0.05),
    "basket": (0.16, 0.16, 0.14),
    "mug": (0.12, 0.1, 0.1),
}


def _box(size: Tuple[float, float, float], at: Tuple[float, float, float] = (0.0, 0.0, 0.0)) -> List[float]:
    return [*(b - a / 2.0 for a, b in zip(size, at)), *(b + a / 2.0 for a, b in zip(size, at)), 0.0, 0.0, 0.0, 1.0]


def _told(heights: Dict[str, np.ndarray], joints: List[Dict[str, Any]],
          chest: Sequence[List[float]] = (_box((0.3, 0.2, 0.2), (0.0, 0.0, 0.1)),),
          facts: Sequence[Relation] = (), **boxes: List[List[float]]) -> Measured:
    bodies = {
        name: {
            "pose": [0.1 * number, 0.2, 0.9 + _SIZES[name][2] / 2.0, 0.0, 0.0, 0.0, 1.0],
            "boxes": boxes.get(name, [_box(_SIZES[name])]),
            "heights": heights[name],
            "movable": True,
            "mass": 0.1,
        }
        for number, name in enumerate(heights)
    }
    bodies["chest"] = {
        "pose": [0.0, -0.3, 0.9, 0.0, 0.0, 0.0, 1.0],
        "boxes": list(chest),
        "heights": np.full((25, 25), 0.2),
        "movable": False,
        "mass": 5.0,
    }
    told = {
        "bodies": bodies,
        "joints": joints,
        "base": [-0.66, 0.0, 0.91, 0, 0, 0, 1],
        "table": [0.0, 0.0, 1.0, 1.2],
        "instruction": "tidy up",
        "sites": {"chest_top_region": {"body": "chest_drawer"}},
    }
    objects = {name: WorldObject(name, "thing") for name in (*bodies, "top_drawer")}
    for name in {fact.subject for fact in facts} & bodies.keys():
        bodies[name]["looks"] = [[0.0] * 9]
        objects[name] = replace(objects[name], pose=Pose((0.0, -0.3, 0.0)))
    words = Translation({name: name for name in bodies}, {"chest_top_region": Place("top_drawer")},
                        WorldState(objects, frozenset(facts)), Goal(()))
    return measure(told, words, "test", HAND)


def test_a_bottle_is_as_wide_to_the_hand_as_its_neck_and_its_body_are() -> None:
    body, neck = _told({"bottle": _HEIGHTS["bottle"]}, []).scene.objects["bottle"].grips
    assert body.size[0] == pytest.approx(0.05)
    assert neck.size[0] == pytest.approx(0.015, abs=0.004)
    assert neck.pose.position[2] - neck.size[2] / 2.0 == pytest.approx(0.07, abs=0.01)


def test_a_mug_is_taken_by_its_wall_where_it_is_too_wide_for_the_hand() -> None:
    mug = _told({"mug": _MUG}, []).scene.objects["mug"]
    assert mug.form.walls
    assert all(grip.width < 0.04 for grip in mug.form.walls)


def test_a_mug_is_taken_by_its_handle_from_the_side() -> None:
    bar = _box((0.008, 0.018, 0.06), (0.056, 0.0, 0.0))
    mug = _told({"mug": _MUG}, [], mug=[_box((0.08, 0.08, 0.1), (-0.02, 0.0, 0.0)), bar]).scene.objects["mug"]
    level = [grip for grip in mug.form.walls if abs(grip.tool.axes[2][2]) < 0.1]
    assert level
    for grip in level:
        assert grip.tool.axes[2][0] < -0.7
        assert abs(grip.tool.axes[1][2]) < 0.01
        assert grip.tool.position[0] > -grip.tool.axes[2][0] * 0.04
        assert 0.005 < grip.width < 0.04


def test_a_bowl_is_narrower_at_its_foot() -> None:
    parts = [_box((0.05, 0.05, 0.02), (0.0, 0.0, -0.015)), _box((0.1, 0.1, 0.03), (0.0, 0.0, 0.01))]
    bowl = _told({"bowl": _HEIGHTS["bowl"]}, [], bowl=parts).scene.objects["bowl"]
    widths = [width for _, width in bowl.form.profile]
    assert widths == sorted(widths)
    assert widths[0] == pytest.approx(0.05 * 2**0.5, abs=0.005)
    assert widths[-1] == pytest.approx(0.1)


def test_what_leans_when_it_is_measured_has_the_shape_that_it_has_upright() -> None:
    size, leaning = (0.1, 0.1, 0.05), np.where(_AWAY < 1.0, np.where(_ROWS > 0.8, 0.06, 0.04), -1.0)
    pose = Pose((0.5, 0.0, 0.03), from_euler(0.0, 0.15, 0.0))
    assert shape_from(size, leaning, SHAPES["dish"].solids(size), pose, HAND).name == "dish"


def test_a_can_is_one_piece_to_the_hand() -> None:
    can = _told({"can": _HEIGHTS["can"]}, []).scene.objects["can"]
    assert can.grips == (can,)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("can", "cylinder"), ("carton", "box"), ("plate", "cylinder"), ("bowl", "dish"), ("basket", "tray")],
)
def test_the_nearest_shape_follows_from_outline_and_heights(name: str, shape: str) -> None:
    item = _told({name: _HEIGHTS[name]}, []).scene.objects[name]
    assert (item.shape, item.form.hollow) == (shape, shape in ("dish", "tray"))


def test_the_plane_on_which_objects_stand_is_zero_and_the_arm_stands_above_its_origin() -> None:
    scene = _told({"can": _FLAT}, []).scene
    can, stand = scene.objects["can"].pose, scene.stands["panda"].pose
    assert can is not None
    assert can.position == pytest.approx((0.66, 0.2, 0.04))
    assert stand.position == pytest.approx((0.0, 0.0, 0.01))


def test_a_body_that_lies_on_its_own_y_axis_is_measured_upright() -> None:
    """Its body is turned by 90 degrees about x, as many models of the benchmark are."""
    half = 0.5**0.5
    told = {
        "bodies": {
            "can": {
                "pose": [0.0, 0.0, 0.94, half, 0.0, 0.0, half],
                "boxes": [_box((0.06, 0.08, 0.06))],
                "heights": _FLAT,
                "movable": True,
                "mass": 0.1,
            }
        },
        "joints": [],
        "base": [0.0, 0.0, 0.9, 0, 0, 0, 1],
        "table": [0.0, 0.0, 1.0, 1.0],
        "instruction": "x",
        "sites": {},
    }
    words = Translation({"can": "can"}, {}, WorldState({"can": WorldObject("can", "cylinder")}), Goal(()))
    item = measure(told, words, "test", HAND).scene.objects["can"]
    assert item.size == pytest.approx((0.06, 0.06, 0.08))
    assert item.pose is not None
    assert item.pose.axes[2] == pytest.approx((0.0, 0.0, 1.0))


def test_what_stands_askew_in_a_fixture_leaves_the_room_above_and_below_it() -> None:
    """A plank of 0.3 m that leans by 45 degrees about x."""
    plank = [-0.1, -0.15, -0.005, 0.1, 0.15, 0.005, math.sin(math.pi / 8.0), 0.0, 0.0, math.cos(math.pi / 8.0)]
    told = _told({"can": _FLAT}, [], chest=[plank])
    chest = told.scene.objects["chest"]
    (solid,) = chest.form.solids(chest.size)
    assert chest.size == pytest.approx((0.2, 0.219, 0.219), abs=1e-3)
    assert sorted(solid.size) == pytest.approx((0.01, 0.2, 0.3))
    assert min(abs(axis[2]) for axis in solid.pose.axes) == pytest.approx(0.0, abs=1e-6)
    assert max(abs(axis[2]) for axis in solid.pose.axes) == pytest.approx(0.5**0.5)


def _drawer(out: float = 0.0) -> Dict[str, Any]:
    return {
        "name": "chest_top_level",
        "body": "chest_drawer",
        "root": "chest",
        "kind": "slide",
        "range": [-0.16, 0.01],
        "axis": [0.0, -1.0, 0.0],
        "position": -out,
        "anchor": [0.0, -0.3, 0.9],
        "pose": [0.0, out - 0.3, 1.0, 0.0, 0.0, 0.0, 1.0],
        "mass": 1.0,
        "boxes": [
            _box((0.2, 0.15, 0.01)),
            _box((0.2, 0.01, 0.06), (0.0, 0.08, 0.0)),
            _box((0.09, 0.016, 0.016), (0.0, 0.11, 0.0)),
        ],
    }


def test_a_drawer_gets_its_name_its_way_and_the_bar_in_front_as_its_handle() -> None:
    measured = _told({"can": _FLAT}, [_drawer()])
    part = measured.scene.objects["top_drawer"]
    joint = part.joint
    assert joint is not None
    assert part.form.hollow
    assert joint.fixture == "chest"
    assert joint.reach == pytest.approx((-0.01, 0.16))
    assert joint.axis == pytest.approx((0.0, 1.0, 0.0))
    assert measured.parts["top_drawer"] == (0, -1.0)
    bar = joint.home.compose(joint.handle)
    assert bar.position == pytest.approx((0.66, -0.19, 0.1), abs=1e-6)
    assert joint.bar == pytest.approx((0.016, 0.09))
    assert joint.lies
    assert bar.axes[1] == pytest.approx((0.0, -1.0, 0.0))


def test_a_drawer_that_is_open_at_first_is_shut_where_it_comes_home() -> None:
    shut, out = (_told({"can": _FLAT}, [_drawer(by)]).scene.objects["top_drawer"] for by in (0.0, 0.15))
    assert shut.joint is not None
    assert out.joint is not None
    assert out.pose is not None
    assert out.joint.home.position == pytest.approx(shut.joint.home.position)
    assert out.joint.position(out.pose) == pytest.approx(0.15)


def test_what_is_in_a_drawer_that_is_open_is_told_apart_by_where_that_comes_out() -> None:
    inside, opened = Relation("can", "in", "top_drawer"), Relation("top_drawer", "open")
    shut, out = (_told({"can": _FLAT}, [_drawer(0.15)], facts=facts).scene.described["can"]
                 for facts in ((inside,), (inside, opened)))
    assert shut == pytest.approx((0.66, -0.3))
    assert out[1] - shut[1] == pytest.approx(0.16, abs=0.03)


def test_poses_are_read_with_the_real_part_last() -> None:
    from hicrisp_libero.scene_from_model import pose_from

    assert pose_from([1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]) == Pose((1.0, 2.0, 3.0))


def test_a_plate_is_pinched_all_around_with_a_finger_under_its_rim_and_the_palm_above_the_ground() -> None:
    plate = _told({"plate": _HEIGHTS["plate"]}, []).scene.objects["plate"]
    assert plate.form.pinched
    grasps = [grasp for grasp in grasp_candidates(plate, WorldState({"plate": plate}), HAND) if grasp.low]
    assert len(grasps) == len(plate.form.walls) == 16
    for grasp in grasps:
        palm = [grasp.pose.apply((0.0, side * HAND.palm[1] / 2.0, -HAND.depth))[2] for side in (-1.0, 1.0)]
        fingers = [grasp.pose.apply((0.0, side * grasp.opening / 2.0, HAND.tip))[2] for side in (-1.0, 1.0)]
        assert min(palm) > 0.0
        assert 0.0 < min(fingers) < plate.size[2] - 0.005
