"""The baseline body: the command whose words are most like the step's, with what that gets wrong."""

import sys
from typing import List, Sequence

import pytest
from failures import words
from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.factory import make_body
from hicrisp_core.body.similar_body import SimilarBody, cosine
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Step
from hicrisp_core.time.deadline import Deadline
from tabletop import table_top

WORLD = table_top({"box": "box", "cylinder": "cylinder"})
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def bag_of_letters(texts: Sequence[str]) -> List[List[float]]:
    """An embedding that anybody can follow: how often each letter stands in a text."""
    return [[float(text.lower().count(letter)) for letter in LETTERS] for text in texts]


def command(body, text, world=WORLD):
    return [str(each) for each in body.translate(Step(text, ""), world, Deadline(5)).commands]


@pytest.fixture
def letters(domain):
    return SimilarBody(domain, ActionDecoder(domain), bag_of_letters)


def test_the_nearest_action_takes_the_nearest_things(letters):
    assert command(letters, "pick up cylinder") == ["pick(panda, cylinder)"]
    assert command(letters, "pick up box") == ["pick(panda, box)"]


def test_there_is_always_a_command_and_never_a_pass(letters):
    assert len(command(letters, "wait until the toast is ready")) == 1


def test_the_order_of_the_words_is_lost(letters):
    one, other = command(letters, "place box next to cylinder"), command(letters,
                                                                         "place cylinder next to box")
    assert one == other


def test_a_world_without_a_fitting_thing_is_told(domain, letters):
    translation = letters.translate(Step("pick up box", ""), table_top({}), Deadline(5))
    assert "there are: none in this world" in words(domain, translation.feedback).reason


def test_cosine_is_of_directions():
    assert cosine((1.0, 0.0), (5.0, 0.0)) == pytest.approx(1.0)
    assert cosine((1.0, 0.0), (0.0, 2.0)) == pytest.approx(0.0)
    assert cosine((0.0, 0.0), (1.0, 0.0)) == 0.0


def test_without_its_package_it_is_refused_with_how_to_install_it(domain, monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(ConfigError, match=r"needs the package wordllama.*requirements/extras.txt"):
        make_body("similar", domain, ActionDecoder(domain))


def test_the_shipped_embedding_works_without_a_network(domain, monkeypatch):
    pytest.importorskip("wordllama", reason="the optional package wordllama is not installed")
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the embedding asks the network"))
    body = make_body("similar", domain, ActionDecoder(domain))
    assert command(body, "grab the box and lift it") == ["pick(panda, box)"]
