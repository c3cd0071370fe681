"""Things that are told by what they lie in or stand on are read by their names."""

from __future__ import annotations

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.language.located import named_by_where_it_is
from hicrisp_core.model import Relation, WorldObject, WorldState

DOMAIN = load_domain(config_file("domains", "tabletop"))
THINGS = {"spoon": ("box", "grey"), "cup": ("cylinder", "red"), "lid": ("cylinder", "grey"),
          "red_box": ("box", "red"), "saucer": ("box", "white"), "big_bowl": ("bowl", "grey"),
          "tray": ("bowl", "blue"), "table": ("surface", "")}
WORLD = WorldState(
    {name: WorldObject(name, type_, attributes={"colour": colour} if colour else {})
     for name, (type_, colour) in THINGS.items()},
    frozenset(Relation(*fact) for fact in (
        ("spoon", "in", "big_bowl"), ("cup", "on", "saucer"), ("lid", "in", "tray"),
        ("red_box", "in", "tray"), ("big_bowl", "on", "table"), ("tray", "on", "table"))))


@pytest.mark.parametrize(("text", "read"), [
    ("take the thing that's lying in the big bowl", "take the spoon"),
    ("What's in the big bowl goes behind the saucer", "The spoon goes behind the saucer"),
    ("whatever is sitting on the saucer: next to the tray", "the cup: next to the tray"),
    ("put the red thing that is in the tray on the saucer", "put the red box on the saucer"),
    ("left of whatever the cup is standing on, the lid", "left of the saucer, the lid"),
    ("put the lid next to what the spoon lies in.", "put the lid next to the big bowl."),
])
def test_it_is_called_by_its_name(text, read):
    assert named_by_where_it_is(text, DOMAIN, WORLD) == read


@pytest.mark.parametrize("text", [
    "what is in the big bowl?",
    "put the thing in the big bowl",  # It may say where that goes.
    "take the thing that is in the tray",  # There are two.
    "take what is on the cup",  # There is nothing.
    "the spoon is in the big bowl",
    "put it on what the cup is standing on the saucer",
])
def test_what_is_not_clear_stays_as_it_was_said(text):
    assert named_by_where_it_is(text, DOMAIN, WORLD) == text
