"""Things that are described get their names; what is not clear, or not here, stays as it is."""

import pytest
import yaml
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.language import associations
from hicrisp_core.language.associations import content, read_lexicon, stem
from hicrisp_core.language.described_spans import spans
from hicrisp_core.language.describing import described_by_name
from hicrisp_core.model import WorldObject, WorldState

DOMAIN = load_domain(config_file("domains", "tabletop"))


def scene(name):
    things = yaml.safe_load(config_file("scenes", name).read_text(encoding="utf-8"))["objects"]
    objects = {each: WorldObject(each, thing["type"], attributes=thing["attributes"])
               for each, thing in things.items()}
    return WorldState({**objects, "table": WorldObject("table", "surface", movable=False)})


SCENES = {name: scene(name)
          for name in ("desk", "breakfast", "dishes", "clutter", "bowl", "sorting", "tabletop")}


def named(text, scene_name):
    return described_by_name(text, DOMAIN, SCENES[scene_name])


@pytest.mark.parametrize(("where", "text", "read"), [
    ("desk", "Put the thing you rub out pencil marks with into the tray.", "Put the eraser into the tray."),
    ("desk", "Lay the blue writing tool on the notebook.", "Lay the pen on the notebook."),
    ("desk", "What you drink from goes behind the sticky roll.", "The cup goes behind the tape."),
    ("desk", "Both things you can write with should go in the tin.",
     "The marker and the pen should go in the tin."),
    ("desk", "I made a mistake and need something to rub it out with.",
     "I made a mistake and need the eraser."),
    ("desk", "Hand me the rubber, please.", "Hand me the eraser, please."),
    ("desk", "Could you lay whatever I can scribble my ideas into behind the tray?",
     "Could you lay the notebook behind the tray?"),
    ("breakfast", "Put the sweet spread beside the plate.", "Put the jam beside the plate."),
    ("breakfast", "Place what you cut with in front of the plate.",
     "Place the knife in front of the plate."),
    ("breakfast", "Set the little holder for a boiled egg on the plate.",
     "Set the egg cup on the plate."),
    ("breakfast", "Could the red drinking vessel be moved next to the yellow dairy product?",
     "Could the mug be moved next to the butter?"),
    ("breakfast", "All of the cutlery goes in the blue bowl.",
     "The fork, the knife and the spoon goes in the blue bowl."),
    ("breakfast", "The fork left of the plate and the cutting tool right of it",
     "The fork left of the plate and the knife right of it"),
    ("dishes", "Put the thing for washing up in the grey bowl.", "Put the sponge in the grey bowl."),
    ("dishes", "Lay the thing that keeps the steam in on the plate.", "Lay the lid on the plate."),
    ("clutter", "Move the stuff that makes tea sweet next to the can.",
     "Move the sugar next to the can."),
    ("bowl", "Put the one with corners inside the white thing.", "Put the box inside the white thing."),
    ("tabletop", "Set the red object in front of the round one.",
     "Set the red object in front of the cylinder."),
])
def test_a_description_that_one_thing_fits_is_replaced_by_its_name(where, text, read):
    assert named(text, where) == read


@pytest.mark.parametrize(("where", "text"), [
    ("desk", "Put the pen next to the grey container."),
    ("desk", "Move the black object left of the green one."),
    ("desk", "The cup you drink from goes in the tray."),
    ("breakfast", "Put the round thing in the bowl."),
    ("sorting", "Put both red blocks in the red bowl, both blue ones in the blue bowl."),
    ("clutter", "Put the tallest thing behind the yellow one."),
])
def test_what_is_named_as_it_is_stays(where, text):
    assert named(text, where) == text


@pytest.mark.parametrize(("where", "text"), [
    ("desk", "Put the scissors next to the tape."),
    ("desk", "Hand me the thing you cut paper with."),
    ("desk", "Bring me the thing you measure lengths with."),
    ("desk", "Put the hammer in the tin."),
    ("breakfast", "Put the teapot beside the mug."),
    ("breakfast", "Put the thing you pour tea from beside the mug."),
    ("breakfast", "I need something to drink."),
    ("dishes", "Put the thing you dry dishes with next to the lid."),
    ("sorting", "Put the thing you drink from in the red bowl."),
    ("tabletop", "Put the ball into the basket."),
])
def test_a_thing_that_is_not_here_is_not_taken_for_another_one(where, text):
    assert named(text, where) == text


@pytest.mark.parametrize(("where", "text"), [
    ("desk", "Place the thing you write with in the tin."),
    ("desk", "Put the metal thing in the tin."),
    ("breakfast", "Put the drinking vessel on the plate."),
    ("breakfast", "Move the grey cutlery piece."),
])
def test_a_description_that_fits_several_things_stays(where, text):
    assert named(text, where) == text


@pytest.mark.parametrize("text", [
    "Put the thing that is on the notebook into the tin.",
    "Put the thing on the notebook into the tin.",
    "Take out the thing that's lying in the left container and put it beside the cup.",
    "Don't put anything you write with in the tray.",
    "What do you drink from?",
    "",
])
def test_where_a_thing_is_and_what_is_asked_describe_nothing(text):
    assert named(text, "desk") == text


@pytest.mark.parametrize(("text", "described"), [
    ("put the thing you drain pasta in to the left", "thing you drain pasta in"),
    ("the thing for washing up goes in the bowl", "thing for washing up"),
    ("what the postman brought in the bowl", "what the postman brought"),
    ("take something to glue paper with and the mug", "something to glue paper with"),
    ("move the dish for broth up", "the dish for broth"),
])
def test_a_description_ends_where_the_request_goes_on(text, described):
    words = text.split()
    found = spans(words, ("bowl", "mug"))
    assert any(" ".join(words[span.start:span.end]).endswith(described) for span in found)


def test_words_are_compared_without_their_endings():
    assert stem("writing") == stem("writes") == stem("written") == stem("write")
    assert stem("tape") != stem("tap")
    assert content(["the", "thing", "you", "are", "cutting", "with"]) == (stem("cut"),)


def test_a_world_of_nothing_known_is_left_alone():
    world = WorldState({"blicket": WorldObject("blicket", "box")})
    text = "Take the thing you drink from."
    assert described_by_name(text, DOMAIN, world) == text


def test_a_lexicon_that_cannot_be_read_says_so(tmp_path, monkeypatch, caplog):
    file = tmp_path / "descriptions.yaml"
    file.write_text("nouns: [", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_lexicon(file)
    monkeypatch.setattr(associations, "lexicon_file", lambda name: file)
    associations.associations.cache_clear()
    try:
        assert named("Take what you cut with.", "breakfast") == "Take what you cut with."
        assert "not understood" in caplog.text
    finally:
        associations.associations.cache_clear()
