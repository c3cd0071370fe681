"""Recorded answers as steps, and the executor's refusals as feedback."""

import pytest
from hicrisp_bench.virtualhome import package

if not package.installed():
    pytest.skip(str(package.Missing()), allow_module_level=True)

from hicrisp_bench.virtualhome.parts import feedback_of
from hicrisp_bench.virtualhome.reading import read_lines
from hicrisp_core.domain.wording import words_of
from hicrisp_core.model import Command
from hicrisp_core.parsing.plan_text import ParseFailure
from virtualhome_home import domain, graph, names, reading


def steps(text, **options):
    return [" ".join([step.action, *map(str, step.arguments.values())])
            for step in reading(text, **options).steps]


def test_every_line_of_an_action_that_stands_twice_is_read_in_its_place():
    text = '```json\n{"WALK": ["sofa"], "SIT": ["sofa"], "WALK": ["cup"]}\n```'
    assert steps(text) == ["walk sofa_3", "sit sofa_3", "walk cup_8"]
    assert steps(text, last_of_each=True) == ["walk cup_8", "sit sofa_3"]


def test_an_action_for_one_thing_that_lists_two_is_two_steps():
    assert steps('{"GRAB": ["cup", "chips"]}') == ["grab cup_8", "grab chips_4"]


def test_a_missing_object_is_the_one_that_was_spoken_of_last():
    assert steps('{"WALK": ["sofa"], "SIT": []}') == ["walk sofa_3", "sit sofa_3"]
    assert steps('{"FIND": ["table"], "GRAB": ["cup"], "PUTBACK": ["cup"]}')[-1] == "putback cup_8 table_9"


def test_a_missing_object_without_any_before_stays_missing():
    assert steps('{"SIT": []}') == ["sit "]


@pytest.mark.parametrize("text", [
    "{'WALK': ['sofa'],}", 'Sure! {"WALK": ["sofa"]} as asked', '[{"walk": ["Sofa"]}]', '{"WALK": "sofa"}'])
def test_an_answer_that_is_nearly_json_is_read(text):
    assert steps(text) == ["walk sofa_3"]


@pytest.mark.parametrize("text", ["", "I cannot do that.", "{}", "[]", '{"WALK": ['])
def test_an_answer_without_steps_is_a_parse_failure(text):
    assert isinstance(read_lines(text, domain(), names(), graph()), ParseFailure)


def test_a_thing_that_the_model_was_not_told_of_is_looked_for_in_the_scene():
    found = read_lines('{"WALK": ["fridge"]}', domain(), {}, graph())
    assert [step.arguments["item"] for step in found.steps] == ["fridge_5"]


@pytest.mark.parametrize(("message", "name", "suggestion"), [
    ("<character> (65) is not close to <sofa> (3)", "not_close", "Find sofa_3 first."),
    ("<character> (65) does not face <tv> (7)", "not_facing", "Turn to tv_7 first."),
    ("<character> (65) is not holding <cup> (8)", "not_holding", "Grab cup_8 first."),
    ("<character> (65) does not have a free hand", "hands_full", "Put something down first."),
    ("<character> (65) is sitting", "sitting", "Stand up first."),
    ("<salmon> (6) is inside other closed thing", "inside_closed", "Open what salmon_6 is in first."),
    ("<fridge> (5) is not open or is not openable", "not_open", "Open fridge_5 first."),
    ("<fridge> (5) is not closed", "not_closed", "It may be open already."),
    ("<tv> (7) is not off", "not_off", "It may be on already."),
    ("<tv> (7) is not on", "not_on", "It may be off already."),
    ("<tv> (7) is unplugged", "unplugged", "Plug tv_7 in first."),
    ("<sofa> (3) can not be opened", "wrong_property", "Use something that this can be done with."),
    ("<sofa> (3) does not have a switch", "wrong_property", "Use something that this can be done with."),
    ("<sofa> (3) is not pourable or drinkable", "wrong_property",
     "Use something that this can be done with."),
    ("<unicorn> (9) cannot be found", "no_object", "Name a thing that is in the home."),
    ("something new", "refused", ""),
])
def test_a_refusal_becomes_error_reason_and_suggestion(message, name, suggestion):
    command = Command("sit", {"item": "sofa_3"}, "character")
    feedback = feedback_of(f'{message} when executing "[SIT] <sofa> (3) [1]"', command)
    words = words_of(feedback, domain())
    assert (feedback.name, words.suggestion) == (name, suggestion)
    assert words.error == "Could not sit down on sofa 3."
    assert "<" not in words.reason
    assert "executing" not in words.reason
