"""What later turns change in a task, and what the interpreter and its shortcut make of a request."""

from __future__ import annotations

from typing import Tuple

import pytest
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Answer, Question, Reason, Refusal, Speaker, Turn
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter, NamingRequest, naming_in, shortcut
from test_controlled_english import line, seen

TASK = "put the red box in the bowl"


def understood(scene: str, text: str, *before: Tuple[Speaker, str]) -> object:
    """What the interpreter makes of a request in a scene."""
    domain, world = seen(scene)
    request = Request(text, world, tuple(Turn(*each) for each in before))
    return ControlledInterpreter(domain).understand(request, Deadline(5.0)).meaning


@pytest.mark.parametrize(("remark", "expected"), [
    ("not the red box, the blue one", "in(blue box, bowl)"),
    ("not that one, the blue one", "in(blue box, bowl)"),
    ("the blue box instead of the red one", "in(blue box, bowl)"),
    ("no, the blue box", "in(blue box, bowl)"),
    ("no, on the cylinder", "on(red box, cylinder)"),
    ("put it on the cylinder instead", "on(red box, cylinder)"),
    ("no, put the red box left of the cylinder", "left_of(red box, cylinder)"),
    ("also put the blue box on the cylinder", "in(red box, bowl) & on(blue box, cylinder)"),
    ("and the green box too", "in(red box + green box, bowl)"),
    ("and keep the red box away from the cylinder", "in(red box, bowl) | never next_to(red box, cylinder)"),
    ("where is the blue box?", "answer where blue box"),
])
def test_a_remark_changes_the_task(remark: str, expected: str) -> None:
    assert line("blocks", TASK, "robot: I am taking the red box.", remark) == expected


@pytest.mark.parametrize("remark", ["put the blue box on the cylinder", "the blue box", "faster", "no, faster"])
def test_a_remark_that_does_not_say_what_it_changes_is_not_read(remark: str) -> None:
    assert line("blocks", TASK, remark).startswith("Refusal")


@pytest.mark.parametrize(("answer", "expected"), [
    ("the blue one", "in(blue box, bowl)"),
    ("the blue box", "in(blue box, bowl)"),
    ("put the green box in the bowl", "in(green box, bowl)"),
])
def test_an_answer_decides_what_the_robot_asked_about(answer: str, expected: str) -> None:
    assert line("blocks", "put the box in the bowl", "robot: Which box do you mean?", answer) == expected


def test_a_number_alone_answers_between_objects_of_one_name() -> None:
    said = ("put the red block in the green bowl", "robot: Which red block do you mean?", "block 2")

    assert line("sorting", *said) == "in(red block 2, green bowl)"


def test_a_task_after_one_that_was_not_read_stands_for_itself() -> None:
    assert line("blocks", "dance", "robot: I cannot do this.", TASK) == "in(red box, bowl)"


def test_the_interpreter_makes_a_goal() -> None:
    found = understood("blocks", TASK)

    assert isinstance(found, Goal)
    assert str(found.stages[0]) == "in(red_box,bowl)"
    assert found.source == "controlled English"


def test_the_interpreter_knows_the_recipes() -> None:
    found = understood("barman", "prepare a Martini in the first glass")

    assert isinstance(found, Goal)
    assert set(found.names) == {"first_glass", "gin", "vermouth"}


def test_the_interpreter_asks_which_of_several_objects_is_meant() -> None:
    assert isinstance(understood("blocks", "put the box in the bowl"), Question)


def test_the_interpreter_refuses_other_english_with_sentences_that_work() -> None:
    found = understood("tabletop", "make yourself useful")

    assert isinstance(found, Refusal)
    assert found.reason is Reason.NOTHING_TO_DO
    assert len(found.alternatives) == 3


@pytest.mark.parametrize(("scene", "text", "kind"), [
    ("blocks", TASK, Goal),
    ("blocks", "is the red box in the bowl?", Answer),
    ("lab", "load the box onto the AGV, bring it to area 2 and back", Goal),
    ("blocks", "put the box in the bowl", Question),
    ("blocks", "put a box in the bowl", Goal),
    ("blocks", "put two boxes in the bowl", Goal),
])
def test_the_shortcut_takes_sentences_that_spell_out_what_they_are_about(scene: str, text: str, kind: type) -> None:
    domain, world = seen(scene)

    assert isinstance(shortcut(Request(text, world), domain), kind)


@pytest.mark.parametrize("text", [
    "put it in the bowl", "put the teapot in the bowl", "put the red box in the bowl, would you kindly do that for me"])
def test_the_shortcut_never_guesses(text: str) -> None:
    domain, world = seen("blocks")

    assert shortcut(Request(text, world), domain) is None


@pytest.mark.parametrize(("text", "thing", "name"), [
    ("call unknown_1 the stapler", "unknown_1", "stapler"),
    ("please name unknown 2 my cup", "unknown_2", "cup"),
    ("Call the unknown object coffee cup.", "", "coffee cup"),
    ("the unknown thing is called milk", "", "milk"),
    ("Unknown 3 is a coffee cup", "unknown_3", "coffee cup"),
])
def test_an_unknown_object_gets_a_name(text: str, thing: str, name: str) -> None:
    assert naming_in(text) == NamingRequest(thing, name)


@pytest.mark.parametrize("text", [
    "put the unknown thing next to the box", "call the box cup", "call the unknown thing",
    "is the unknown thing a cup?", "call the unknown thing cup, then pick it up", ""])
def test_a_task_gives_no_name(text: str) -> None:
    assert naming_in(text) is None
