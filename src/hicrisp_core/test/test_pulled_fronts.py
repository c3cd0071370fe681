"""Fronts that nobody described: how they move by the path of their handles, what the domain makes of them."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import List, Optional

import numpy as np
import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.detector.given_names import GivenNames
from hicrisp_core.detector.perception import with_type
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import from_axes, from_yaw
from hicrisp_core.model.joint import SLIDE, SWING, Joint
from hicrisp_core.model.joint_fit import PulledMotion, motion_of
from hicrisp_core.model.track import EXACT, Track, Tracks
from hicrisp_core.robot.handles import SLIGHT
from hicrisp_core.robot.skills_joint import _ranked
from panda_body import HAND

FRONT = Pose((0.7, 0.2, 0.1), from_yaw(2.8))
JOINT = Joint(SLIDE, "unknown_1", FRONT, FRONT.axes[0], FRONT.position, (0.0, 0.15), Pose((0.05, 0.0, 0.0)),
              (0.012, 0.1), guessed=True)


def pulled(way: float, radius: float, side: float, noise: float = 1.0, seed: int = 0) -> List[Pose]:
    """The path of a handle, 1 cm between two looks: along x of FRONT, or about an axis beside it."""
    dice, path = np.random.default_rng(seed), []
    for gone in np.arange(0.0, way + 1e-9, 0.01):
        turn = gone / radius if radius else 0.0
        x, y = (radius * math.sin(turn), side * radius * (1.0 - math.cos(turn))) if radius else (gone, 0.0)
        dx, dy = noise * dice.normal(0.0, 0.001, 2)
        there = FRONT.compose(Pose((x + dx, y + dy, 0.0), from_yaw(side * turn + noise * dice.normal(0.0, 0.01))))
        path.append(there)
    return path


def of(path: List[Pose]) -> Optional[PulledMotion]:
    return motion_of(path, [True] * len(path))


@pytest.mark.parametrize("seed", range(5))
def test_what_goes_straight_slides_along_its_path(seed: int) -> None:
    found = of(pulled(0.08, 0.0, 1.0, seed=seed))
    assert found is not None
    assert found.kind == SLIDE
    assert sum(a * b for a, b in zip(found.axis, FRONT.axes[0])) > math.cos(math.radians(2.0))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("radius", [0.12, 0.3])
def test_what_turns_swings_about_an_axis_beside_it(radius: float, side: float, seed: int) -> None:
    found = of(pulled(0.08, radius, side, seed=seed))
    assert found is not None
    assert (found.kind, found.axis) == (SWING, (0.0, 0.0, side))
    assert math.dist(found.point[:2], FRONT.apply((0.0, side * radius, 0.0))[:2]) < 0.15 * radius


def test_where_only_the_hand_is_seen_the_turn_says_nothing_against_a_curved_path() -> None:
    path = [Pose(pose.position, FRONT.orientation) for pose in pulled(0.08, 0.2, 1.0, 0.0)]
    found = motion_of(path, [True, *[False] * (len(path) - 1)])
    assert found is not None
    assert found.kind == SWING


def test_the_turn_of_a_front_tells_what_its_path_does_not_yet_show() -> None:
    path = pulled(0.03, 0.15, 1.0, 0.0)
    found = of(path)
    assert found is not None
    assert found.kind == SWING
    assert of([Pose(pose.position, path[0].orientation) for pose in path]) is None


@pytest.mark.parametrize("way", [0.0, 0.03])
def test_a_short_straight_path_tells_nothing(way: float) -> None:
    assert of(pulled(way, 0.0, 1.0, 0.0)) is None


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


@pytest.mark.parametrize("lies", [False, True])
def test_a_hand_leans_a_little_at_a_level_bar_to_have_its_palm_above_what_lies_before_it(lies: bool) -> None:
    bar = Pose((0.04, 0.0, 0.0), from_axes((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    joint = Joint(SLIDE, "case", Pose((0.0, 0.0, 0.116)), (1.0, 0.0, 0.0), (0.0, 0.0, 0.116), (0.0, 0.15), bar,
                  (0.016, 0.09))
    case = WorldObject("case", "case", "box", (0.2, 0.25, 0.2), pose=Pose((-0.12, 0.0, 0.1)), movable=False)
    drawer = WorldObject("drawer", "drawer", "box", (0.02, 0.2, 0.07), pose=joint.home, movable=False, joint=joint)
    plate = WorldObject("plate", "plate", "cylinder", (0.14, 0.14, 0.016), pose=Pose((0.15, 0.0, 0.008)))
    world = WorldState({"case": case, "drawer": drawer, **({"plate": plate} if lies else {})})
    arm = SimpleNamespace(margin=lambda pose: 1.0)
    context = SimpleNamespace(arm=arm, gripper=HAND, limits=None)
    best = _ranked(context, world, drawer, joint, joint.home, 0.15)[0]
    assert best.grasp.clearance > 0.0
    assert best.grasp.pose.axes[2][2] == pytest.approx(-math.sin(SLIGHT) if lies else 0.0, abs=1e-6)
