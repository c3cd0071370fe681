"""A phrase that fits several is asked for, unless only one of them leads to a goal."""

from __future__ import annotations

import pytest
from test_written_worlds import asked, goal, scene_world, table_of

DOMAIN = scene_world("tabletop")[0]
TWO = (DOMAIN, table_of({"red_box": ("box", "red"), "blue_box": ("box", "blue"), "cup": ("cylinder", "red"),
                         "red_bowl": ("bowl", "red")}))


def test_the_user_is_asked_with_the_goal_that_each_choice_means():
    question = asked(TWO, "on(box, cup)")
    assert question.text == "Which box do you mean: the blue box or the red box?"
    assert [choice.text for choice in question.choices] == ["blue box", "red box"]
    chosen = question.chosen("the red box")
    assert chosen is not None
    assert chosen.goal is not None
    assert [*map(str, chosen.goal.stages)] == ["on(red_box,cup)"]


def test_the_same_words_mean_the_same_object_in_the_whole_line():
    question = asked(TWO, "holding(_, box) > on(box, cup)")
    assert [[*map(str, choice.goal.stages)] for choice in question.choices if choice.goal] == [
        ["holding(panda,blue_box)", "on(blue_box,cup)"], ["holding(panda,red_box)", "on(red_box,cup)"]]


def test_a_choice_that_leaves_more_to_ask_has_no_goal_yet():
    question = asked("sorting", "in(green block, bowl)")
    assert [choice.goal for choice in question.choices] == [None, None]


@pytest.mark.parametrize(("line", "meant"), [
    ("in(cup, red one)", "in(cup,red_bowl)"),  # Only a bowl takes it in.
    ("on(box, red box)", "on(blue_box,red_box)"),  # Only the other one can be on it.
    ("on(red box, box)", "on(red_box,blue_box)"),
    ("holding(_, red object {not on table})", "holding(panda,cup)"),
])
def test_the_only_one_that_fits_is_not_asked_for(line, meant):
    facts, gone = ([("cup", "on", "blue_box")], [("cup", "on", "table")]) if "{" in line else ([], [])
    assert goal(TWO, line, facts=facts, gone=gone) == [meant]


def test_the_exact_name_is_not_asked_for():
    assert goal("lab", "on(box, tray)") == ["on(box,tray)"]
    assert len(goal("lab", "on(all box, tray)")[0].split(" & ")) == 4


def test_at_most_six_choices_are_shown():
    question = asked("blocks", "on(box, cylinder)")
    assert question.text == "Which box do you mean?"
    assert len(question.choices) == 6


@pytest.mark.parametrize(("line", "scene", "choices"), [
    ("ask object", "tabletop", ["box", "cylinder"]),
    ("ask object", "breakfast", []),
    ("ask place", "agv", ["area 1", "area 2", "area 3", "dock"]),
    ("ask place", "tabletop", ["table"]),
    ("ask task", "tabletop", []),
])
def test_what_a_request_leaves_open_is_asked_with_the_few_things_it_may_be(line, scene, choices):
    question = asked(scene, line)
    assert question.text.endswith("?")
    assert [choice.text for choice in question.choices] == choices


def test_a_question_about_several_is_asked_back_as_well():
    assert asked(TWO, "answer is on(box, cup)").text == "Which box do you mean: the blue box or the red box?"
