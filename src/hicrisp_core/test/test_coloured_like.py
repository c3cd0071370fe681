"""Colours that are told by what they are like are said by their names, where one of the world's is meant."""

import pytest
from hicrisp_core.language.coloured_like import coloured_by_name
from hicrisp_core.model import WorldObject, WorldState

COLOURS = {"orange_box": "orange", "green_box": "green", "brown_box": "brown", "red_bowl": "red",
           "mug": "white"}
WORLD = WorldState({name: WorldObject(name, name.split("_")[-1], attributes={"colour": colour})
                    for name, colour in COLOURS.items()})


@pytest.mark.parametrize(("text", "meant"), [
    ("put the block with the colour of a carrot into the bowl", "put the orange block into the bowl"),
    ("Set the carrot-coloured one on the mug.", "Set the orange one on the mug."),
    ("the cube as green as a frog on the one coloured like a bear", "the green cube on the brown one"),
    ("put the one that looks like grass on the mug", "put the green one on the mug"),
    ("it belongs in the bowl that has the hue of strawberries!", "it belongs in the red bowl!")])
def test_a_colour_is_said_by_its_name(text, meant):
    assert coloured_by_name(text, WORLD) == meant


@pytest.mark.parametrize("text", [
    "put the block with the colour of the sky into the bowl", "the colour of a carrot is nice",
    "what is the colour of the mug?", "the coloured box goes on the mug", "as soon as you can, please",
    "take the one that looks like a mug", "it looks like rain", "the one like a frog",
    "put the block with the colour of a spaceship into the bowl", ""])
def test_other_colours_and_other_words_stay(text):
    assert coloured_by_name(text, WORLD) == text
