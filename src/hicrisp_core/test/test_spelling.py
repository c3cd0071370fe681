"""Words with a slip of the finger are taken for the things that they are one slip from."""

from __future__ import annotations

import pytest
from hicrisp_core.language.spelling import respelled
from hicrisp_core.model import WorldObject, WorldState

COLOURS = {"milk": "white", "bowl": "purple", "plate": "yellow", "tzoomer": "", "otzomer": "",
           "red_box": "red"}
WORLD = WorldState(objects={name: WorldObject(name, "cylinder", attributes={"colour": colour})
                            for name, colour in COLOURS.items()})


@pytest.mark.parametrize(("text", "meant"), [
    ("mlik into the prupel bwol!", "milk into the purple bowl!"), ("the YELOW one", "the yellow one"),
    ("the purpple Bowl", "the purple Bowl"), ("cylnder", "cylinder"), ("mlk in bwl", "milk in bowl"),
    ("prple", "purple"), ("plte", "plate")])
def test_one_slip_is_mended(text, meant):
    assert respelled(text.replace("prupel", "purpel"), WORLD) == meant


@pytest.mark.parametrize("text", [
    "put the milk on red_box", "silk", "from", "bowls", "ilk", "mkil", "tozomer", "the rde one", "boxes", "",
    "pale", "Yellows 12 mm"])
def test_another_word_two_slips_and_two_things_that_it_may_be_stay(text):
    assert respelled(text, WORLD) == text
