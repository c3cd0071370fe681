"""Recordings of six tasks through the launched nodes, whose answers a capable model wrote by hand, replayed by call."""

from pathlib import Path

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.llm.replay import ReplayModel
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Question
from hicrisp_core.plan import first_look
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.model import ModelInterpreter

FOLDER = Path(__file__).parent / "fixtures" / "six_tasks"
NO_TOUCH = "not(holding(panda,{}))"
BESIDE, BEFORE, STACKED = "next_to(red_box,cylinder)", "in_front_of(blue_box,cylinder)", "on(red_box,blue_box)"


def asked(number, scene, *texts):
    """What the recorded answers mean, in their order, whatever the prompts are by now."""
    loaded = load_scene(config_file("scenes", scene), 0)
    domain = load_domain(config_file("domains", loaded.domain))
    interpreter = ModelInterpreter(ReplayModel(FOLDER / f"{number}.jsonl", "goal"), domain)
    world = first_look(loaded, domain)
    return [interpreter.understand(Request(text, world), Deadline(10.0)).meaning for text in texts]


@pytest.mark.parametrize(("number", "scene", "stages", "invariants"), [
    (1, "breakfast", ["in(spoon,bowl) & in(knife,bowl) & on(egg_cup,plate)"], ["mug", "glass"]),
    (3, "stack", [BESIDE, BEFORE, STACKED], [])])
def test_the_goals_of_a_capable_model_keep_their_order_and_what_must_not_be_touched(number, scene, stages, invariants):
    meaning, = asked(number, scene, "as recorded")
    assert isinstance(meaning, Goal)
    assert list(meaning.texts["stages"]) == stages
    assert list(meaning.texts.get("invariants", ())) == [NO_TOUCH.format(each) for each in invariants]


def test_its_question_is_asked_once_and_settled_by_the_answer():
    question, meaning = asked(4, "desk", "put the blue thing in the container", "the pen, and the tray")
    assert isinstance(question, Question)
    assert meaning.texts["stages"] == ("in(pen,tray)",)


def test_a_remark_makes_another_goal_of_the_same_task():
    first, second = asked(6, "stack", "put the red box behind the cylinder", "not that one, the blue one")
    assert first.texts["stages"] == ("behind(red_box,cylinder)",)
    assert second.texts["stages"] == ("behind(blue_box,cylinder)",)
