"""How fronts that nobody described move, by the path of their handles."""

from __future__ import annotations

import math
from typing import List, Optional

import numpy as np
import pytest
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.joint import SLIDE, SWING
from hicrisp_perception.tracking.joint_fit import PulledMotion, motion_of

FRONT = Pose((0.7, 0.2, 0.1), from_yaw(2.8))


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
