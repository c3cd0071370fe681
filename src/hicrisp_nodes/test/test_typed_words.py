"""What typed words would come to, without a language model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.model import RobotState, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Answer, Question
from hicrisp_core.model.world import Relation
from hicrisp_core.scene import load_scene
from hicrisp_nodes.brain_node import Reader

CONFIG = Path(__file__).resolve().parents[3] / "config"
SCENE = load_scene(CONFIG / "scenes" / "blocks.yaml", 1)


@pytest.fixture(scope="module")
def domain() -> Domain:
    return load_domain(CONFIG / "domains" / f"{SCENE.domain}.yaml")


@pytest.fixture(scope="module")
def world(domain: Domain) -> WorldState:
    facts = frozenset(Relation(thing.name, "on", "table") for thing in SCENE.things)
    return WorldState(SCENE.objects, facts, {"panda": RobotState("panda")})


@pytest.fixture(scope="module")
def reader(domain: Domain) -> Reader:
    return Reader(domain)


def test_controlled_english_is_read_with_the_steps_that_it_takes(reader: Reader, world: WorldState) -> None:
    meaning, steps = reader.read("put the red box on the blue box", world)
    assert isinstance(meaning, Goal)
    assert "red_box" in meaning.names
    assert [step.split()[0] for step in steps] == ["pick", "place"]


def test_what_is_so_already_needs_no_steps(reader: Reader, world: WorldState) -> None:
    meaning, steps = reader.read("put the red box on the table", world)
    assert isinstance(meaning, Answer)
    assert "so already" in meaning.text
    assert steps == []


def test_words_with_several_readings_are_asked_about(reader: Reader, world: WorldState) -> None:
    meaning, _ = reader.read("pick up the box", world)
    assert isinstance(meaning, Question)
    assert "blue box" in [each.text for each in meaning.choices]


def test_a_question_is_answered(reader: Reader, world: WorldState) -> None:
    meaning, _ = reader.read("where is the red box?", world)
    assert isinstance(meaning, Answer)
    assert "table" in meaning.text


def test_a_name_for_an_unknown_object_moves_nothing(reader: Reader, world: WorldState) -> None:
    meaning, _ = reader.read("call the unknown object coffee cup", world)
    assert isinstance(meaning, Answer)
    assert "coffee cup" in meaning.text


@pytest.mark.parametrize("text", ["tell me a story about dragons", "  "])
def test_other_words_are_not_read_while_they_are_typed(reader: Reader, world: WorldState, text: str) -> None:
    assert reader.read(text, world)[0] is None


def test_every_example_can_be_carried_out_and_the_scenes_own_comes_first(
    reader: Reader, world: WorldState
) -> None:
    own = "put the red box on the blue box"
    examples = reader.examples(own, world)
    assert examples[0] == own
    assert len(examples) > 1
    assert len(set(examples)) == len(examples)
    for example in examples:
        assert reader.read(example, world)[0] is not None, example


def test_a_scene_without_a_task_has_examples_too(reader: Reader, world: WorldState) -> None:
    assert all(reader.examples("", world))
    assert reader.examples("", world)
