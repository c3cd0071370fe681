"""Fronts that nobody described: what the domain and names make of them."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.detector.given_names import GivenNames
from hicrisp_core.detector.perception import with_type
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import from_axes, from_yaw, turn_between
from hicrisp_core.model.joint import SLIDE, Joint
from hicrisp_core.model.track import EXACT, Track, Tracks
from hicrisp_core.robot.skills_joint import _ranked
from panda_body import HAND

FRONT = Pose((0.7, 0.2, 0.1), from_yaw(2.8))
JOINT = Joint(SLIDE, "unknown_1", FRONT, FRONT.axes[0], FRONT.position, (0.0, 0.15), Pose((0.05, 0.0, 0.0)),
              (0.012, 0.1), guessed=True)


@pytest.mark.parametrize(("domain", "looks", "type_"), [
    ("cabinet", "drawer", "drawer"), ("cabinet", "door", "door"), ("cabinet", "mug", "furniture"),
    ("workbench", "drawer", "thing")])
def test_a_front_is_what_it_looks_like_where_the_domain_opens_such(domain: str, looks: str, type_: str) -> None:
    front = WorldObject("unknown_2", looks, "box", (0.016, 0.2, 0.15), pose=FRONT, joint=JOINT)
    found = with_type(front, load_domain(config_file("domains", domain)), 0.08)
    assert (found.type, found.movable) == (type_, False)


def test_a_front_keeps_to_its_case_when_that_gets_a_name() -> None:
    def track(name: str, **own: object) -> Track:
        return Track(name, FRONT, EXACT, 1.0, unknown=WorldObject(name, "thing", pose=FRONT, **own))

    names, view = GivenNames(()), Tracks(1.0, (track("unknown_1"), track("unknown_2", joint=JOINT)))
    names.called(view)
    assert names.give("unknown_1", "sideboard").name
    joints = [each.unknown.joint for each in names.called(view).tracks if each.unknown is not None]
    assert [joint.fixture for joint in joints if joint is not None] == ["sideboard"]


@pytest.mark.parametrize(("lies", "depth", "lean"), [(False, 0.03, 0.0), (True, 0.03, 10.9), (True, 0.05, 16.1)])
def test_a_hand_leans_a_little_at_a_level_bar_to_have_its_palm_above_what_lies_before_it(
    lies: bool, depth: float, lean: float
) -> None:
    """The farther, the longer its fingers are."""
    bar = Pose((0.04, 0.0, 0.0), from_axes((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    joint = Joint(SLIDE, "case", Pose((0.0, 0.0, 0.116)), (1.0, 0.0, 0.0), (0.0, 0.0, 0.116), (0.0, 0.15), bar,
                  (0.016, 0.09))
    case = WorldObject("case", "case", "box", (0.2, 0.25, 0.2), pose=Pose((-0.12, 0.0, 0.1)), movable=False)
    drawer = WorldObject("drawer", "drawer", "box", (0.02, 0.2, 0.07), pose=joint.home, movable=False, joint=joint)
    plate = WorldObject("plate", "plate", "cylinder", (0.14, 0.14, 0.016), pose=Pose((0.15, 0.0, 0.008)))
    world = WorldState({"case": case, "drawer": drawer, **({"plate": plate} if lies else {})})
    for up in (1.0, -1.0):
        here = Pose((0.3, 0.0, 0.3), from_axes((0.0, 0.0, up), (0.0, up, 0.0), (-1.0, 0.0, 0.0)))
        arm = SimpleNamespace(margin=lambda pose: 1.0, tool_pose=lambda here=here: here)
        context = SimpleNamespace(arm=arm, gripper=replace(HAND, depth=depth), limits=None)
        best = _ranked(context, world, drawer, joint, joint.home, 0.15)[0]
        assert turn_between(here.orientation, best.grasp.pose.orientation) < 2.0  # Turned by half a turn it is alike.
    assert best.grasp.clearance > 0.0
    assert best.grasp.pose.axes[2][2] == pytest.approx(-math.sin(math.radians(lean)), abs=1e-3)
