"""Holes in the depth: what stands there on the table is an obstacle, and the shadow of something nearer is not."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from drawn import at, box, cylinder, draw, ground_of, scene_of
from hicrisp_core.model.picture import Picture
from hicrisp_perception.shapes.shape_models import cast, lies_of
from hicrisp_perception.view import Rays

from hicrisp_perception import SceneTracker

GLASS = cylinder("glass", "white", (0.074, 0.074, 0.105))
WHERE = at(0.45, -0.12, 0.0525)


def through(picture: Picture, share: float = 0.8, seed: int = 0) -> Picture:
    """Return the picture with a glass in it that the depth does not show: holes, and the table behind it."""
    rays = Rays(picture.lens, picture.camera)
    found = cast(lies_of(GLASS)[0], WHERE, rays.origin, rays.part((slice(None), slice(None))))
    lost = (found < picture.depth.ravel()) & (np.random.default_rng(seed).random(found.shape) < share)
    return replace(picture, depth=np.where(lost.reshape(picture.depth.shape), 0.0, picture.depth).astype(np.float32))


def seen(picture: Picture):
    return [each for each in SceneTracker(scene_of()).look(picture, {}) if each.unknown is not None]


def test_a_hole_that_stands_on_the_table_is_an_object_as_large_as_its_outline() -> None:
    (found,) = seen(through(draw([])))
    assert math.dist(found.pose.position[:2], WHERE.position[:2]) < 0.01
    assert found.unknown.size == pytest.approx(GLASS.size, abs=0.012)


def test_it_is_beside_what_is_seen_as_before() -> None:
    found = seen(through(draw([(box("red"), at(0.42, 0.2, 0.025))])))
    assert len(found) == 2


def test_a_hole_beside_something_nearer_is_its_shadow() -> None:
    picture = draw([(box("tall", size=(0.06, 0.06, 0.22)), at(0.45, 0.0, 0.11))])
    things = ground_of(picture).things
    depth = picture.depth.copy()
    for row in np.flatnonzero(things.any(axis=1)):
        first = int(things[row].argmax())
        depth[row, first - 24:first + 2] = 0.0
    assert len(seen(replace(picture, depth=depth))) == 1


def test_a_hole_of_another_outline_is_none() -> None:
    picture = draw([])
    depth = picture.depth.copy()
    depth[200:330, 300:325] = depth[320:345, 300:440] = 0.0
    assert not seen(replace(picture, depth=depth))
