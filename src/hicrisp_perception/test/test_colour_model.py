"""Colours are known in any light."""

from __future__ import annotations

import numpy as np
import pytest
from hicrisp_core.scene.colours import COLOURS
from hicrisp_perception.shapes.colour_model import FAMILIES, LIGHTS, Likeness, Palette

WOOD = np.array([204.0, 178.0, 143.0])


def seen(colour: str, light: float, shade: float = 1.0) -> np.ndarray:
    return np.minimum(255.0, 255.0 * light * shade * np.array(COLOURS[colour][:3]))


@pytest.mark.parametrize("light", [0.5, 0.73, 1.0, 1.2])
@pytest.mark.parametrize("colour", sorted(COLOURS))
def test_a_pixel_belongs_to_its_family_lit_or_in_the_shade(colour, light):
    palette = Palette(np.minimum(255.0, WOOD * light))
    for shade in (1.0, 0.65):
        pixel = np.rint(seen(colour, light, shade)).astype(np.uint8)
        assert palette.families(pixel[None, None, :])[0, 0] == FAMILIES[colour]


def test_the_tables_own_colour_is_no_paint():
    palette = Palette(WOOD)
    assert palette.families(np.array([[WOOD * 0.8]]).astype(np.uint8))[0, 0] == 0


@pytest.mark.parametrize("light", [0.5, 1.0])
def test_white_grey_and_black_are_told_apart_by_the_light_of_the_others(light):
    names = ["white", "grey", "black", "red"]
    faces = [(seen(name, light), seen(name, light, 0.65)) for name in names]
    likeness = Likeness(faces, names)
    best = min(LIGHTS, key=lambda each: float(np.trace(likeness.costs(float(each)))))
    costs = likeness.costs(float(best))
    assert list(costs.argmin(axis=1)) == [0, 1, 2, 3]
    assert np.diag(costs).max() < 0.5


def test_a_thing_without_a_colour_may_have_any():
    costs = Likeness([(seen("red", 1.0), None)], [None, "green"]).costs(1.0)
    assert costs[0, 0] < 1.0 < costs[0, 1]
