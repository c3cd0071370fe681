"""Things that are told by what stands out are read by their names."""

from __future__ import annotations

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.language.standing_out import named_by_place_and_size
from hicrisp_core.model import Pose, WorldObject, WorldState

DOMAIN = load_domain(config_file("domains", "tabletop"))


def thing(name, type_, colour, height, place, movable=True):
    return name, WorldObject(name, type_, size=(0.05, 0.05, height), pose=Pose((*place, 0.05)),
                             attributes={"colour": colour}, movable=movable)


WORLD = WorldState(dict((
    thing("red_box", "box", "red", 0.05, (0.4, 0.3)), thing("red_brick", "box", "red", 0.08, (0.5, -0.3)),
    thing("milk", "box", "white", 0.12, (0.6, 0.1)), thing("mug", "cylinder", "red", 0.09, (0.45, 0.0)),
    thing("tray", "bowl", "grey", 0.05, (0.5, -0.2)), thing("tin", "bowl", "orange", 0.06, (0.5, 0.2)),
    thing("table", "surface", "", 0.4, (0.5, 0.0), False))))


@pytest.mark.parametrize(("text", "read"), [
    ("put the leftmost box in the tray", "put the red box in the tray"),
    ("Grab the tallest thing, please", "Grab the milk, please"),
    ("the tallest thing on the table goes behind the mug", "the milk goes behind the mug"),
    ("the mug next to the rightmost box", "the mug next to the red brick"),
    ("put the mug into the bigger of the two bowls", "put the mug into the tin"),
    ("drop the mug in the container on the right", "drop the mug in the tray"),
    ("the mug belongs in the left bowl", "the mug belongs in the tin"),
    ("take the box on the far right", "take the red brick"),
    ("take the box at the very back", "take the milk"),
    ("biggest box onto smallest box", "milk onto red box"),
])
def test_what_stands_out_is_called_by_its_name(text, read):
    assert named_by_place_and_size(text, DOMAIN, WORLD) == read


@pytest.mark.parametrize("text", [
    "put the bowl on the right",  # It may say where the bowl goes.
    "put the box on the right of the mug",
    "put the mug on the left side of the tray",
    "take the taller box",  # There are three.
    "take the biggest fork",  # There is none.
    "take the foremost of the bowls",  # They stand side by side.
    "is the taller the better?",
    "put each box into the right bowl",  # The one that it belongs in.
    "right, take the mug",
])
def test_what_is_not_clear_stays_as_it_was_said(text):
    assert named_by_place_and_size(text, DOMAIN, WORLD) == text
