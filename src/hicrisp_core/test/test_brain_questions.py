"""Questions are answered from what is seen, and those that cannot be are refused with those that can."""

from dataclasses import replace

import pytest
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.language.questions import is_question
from hicrisp_core.model import Pose, Task
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.time.deadline import Deadline
from test_offline_sentences import BLOCKS, FILLED, coloured


def ask(domain, world, text):
    return OfflineBrain(domain).plan(PlanRequest(Task(text), world), Deadline(5.0))


@pytest.mark.parametrize(("text", "said"), [
    ("what is in the bowl?", "blue_box is in bowl; red_box is in bowl."),
    ("What is on the cylinder", "green_box is on cylinder."),
    ("what is on the green box?", "nothing is there."),
    ("which boxes are in the bowl?", "blue_box is in bowl; red_box is in bowl."),
    ("where is the green box", "green_box is on cylinder."),
    ("is the red box in the bowl?", "yes: red_box is in bowl."),
    ("is the red box on the table?", "no: red_box is in bowl."),
    ("are all boxes in the bowl?", "no: blue_box is in bowl; green_box is on cylinder; red_box is in bowl."),
    ("the red box on the table?", "no: red_box is in bowl."),
    ("Red box in the bowl?", "yes: red_box is in bowl."),
    ("the green box is on the cylinder?", "yes: green_box is on cylinder."),
    ("is there a bowl?", "yes: bowl."), ("is there a spoon?", "no."),
    ("are there boxes in the bowl?",
     "yes: blue_box is in bowl; green_box is on cylinder; red_box is in bowl."),
    ("how many boxes are there?", "3: blue_box, green_box, red_box."), ("how many red boxes?", "1: red_box."),
    ("how many things are in the bowl?", "2: blue_box, red_box."), ("how many boxes are on the table?", "0."),
    ("what colour is the red box?", "red_box is red."), ("what color is the cylinder?", "of no known colour"),
    ("which box is red?", "red_box."), ("what are you holding?", "nothing is held."),
    ("what do you see?", "bowl is on table"), ("what is there?", "bowl is on table"),
    ("what can you do?", "I can read, for example: pick up the box"), ("help", "I can read, for example"),
])
def test_a_question_and_its_answer(domain, text, said):
    answer = ask(domain, FILLED, text)
    assert answer.plan is None
    assert said in answer.answer, answer


def test_what_the_robot_holds_is_told(domain):
    world = coloured(["red_box"], [("panda", "holding", "red_box")])
    for text in ("what are you holding?", "where is the red box?"):
        assert ask(domain, world, text).answer == "panda is holding red_box."


def test_a_thing_that_is_nowhere_in_particular_is_told_by_where_it_is_seen(domain):
    world = coloured(["red_box"], [])
    box = replace(world.objects["red_box"], pose=Pose((0.5, -0.25, 0.3)))
    world = replace(world, objects={**world.objects, "red_box": box}, relations=frozenset())
    said = ask(domain, world, "where is the red box?").answer
    assert said == "red_box is at (0.50, -0.25), in no place that has a name."


@pytest.mark.parametrize("text",
                         ["what time is it?", "who are you?", "why did it fail?", "how heavy is the box?",
                                  "is the bowl on the table and the red box in it?", "are you?", "what?"])
def test_another_question_is_refused_with_those_that_are_answered(domain, text):
    answer = ask(domain, BLOCKS, text)
    assert not answer.answer
    assert "this question is not understood" in answer.refusal
    assert "where is the box?" in answer.refusal


def test_a_question_about_what_is_not_there_says_what_there_is(domain):
    assert "no 'spoon' here; there are: blue_box" in ask(domain, BLOCKS, "where is the spoon?").refusal


@pytest.mark.parametrize("text", ["can you pick up the red box?", "would you put the red box in the bowl?",
                                  "the red box into the bowl, please?"])
def test_a_polite_request_is_no_question(domain, text):
    assert not is_question(text)
    assert ask(domain, BLOCKS, text).plan is not None


def test_a_wish_may_end_by_asking_for_a_nod():
    assert not is_question("red box into the bowl, k?")
    assert is_question("red box in the bowl?")


def test_an_exclamation_is_no_question(domain):
    assert not is_question("What a pity that nothing round is in the bowl.")
    assert not ask(domain, BLOCKS, "What a pity that nothing round is in the bowl.").answer
