"""Judged sentences of people, written in the goal language, lead to goals that were accepted for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.goals.truth import normal_all
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import parse_statement
from test_written_worlds import Question, linked, scene_world

SENTENCES = Path(config_file("scenes", "tabletop")).parents[1] / "sentences"
JUDGED = {each["id"]: each for name in ("everyday_development", "tabletop", "tabletop_development")
          for each in json.loads((SENTENCES / f"{name}.json").read_text(encoding="utf-8"))}
WRITTEN = {
    "d2_several_01": "left_of(fork, plate) & right_of(knife, plate)",
    "d2_several_12": "in(spoon, small bowl) & in(sponge, big bowl)",
    "d2_several_26":
        "right_of(red box, white box) & left_of(orange box, white box) & behind(green box, white box)",
    "d2_tower_03": "row(orange one + brown one + white one)",
    "d2_tower_05": "row(mug + glass + jam)",
    "d2_tower_08": "tower(green box + yellow box + white box + red box + blue box)",
    "d2_tower_14": "tower_down(red cube + cylinder + blue cube)",
    "d2_tower_16": "tower(green block 1 + blue block 1 + blue block 2)",
    "d2_described_15": "next_to(object {in leftmost bowl}, sponge)",
    "d2_described_16": "right_of(green thing, pot)",
    "d2_described_21": "in(leftmost box, bowl)",
    "d2_described_22": "on(cyan one, black box)",
    "d2_need_03": "holding(_, jam)",
    "d2_constraint_14": "next_to(box, bowl) & not in(box, bowl)",
    "several_goals_03": "in(all blue block, blue bowl) & in(all red block, matching bowl)",
    "several_goals_07": "on(orange one, purple one) & on(brown one, black one)",
    "several_goals_16": "in(yellow box + white box + blue box, bowl)",
    "tower_or_row_10": "tower(saucer + sponge + cup)",
    "tower_or_row_20": "row_left(red block 2 + blue block 2 + green block 2)",
    "described_02": "holding(_, yellow one)",
    "described_17": "next_to(red one, white one)",
    "described_20": "on(yellow cube, red cube)",
    "described_24": "in(object {on saucer}, blue bowl)",
    "constraint_03": "in(red box + green box, bowl) & on(blue box, table)",
    "constraint_05": "on(tape, stapler) & not next_to(cup, stapler)",
}
ALTERNATIVES = {"d2_tower_17": "tower(any red block + any green block + any blue block)",
                "paraphrase_12": "on(any other cube, green cube)"}


@pytest.mark.parametrize("sentence", sorted(WRITTEN))
def test_a_judged_sentence_leads_to_an_accepted_goal(sentence):
    judged = JUDGED[sentence]
    domain, _ = scene_world(judged["scene"])
    found = linked(judged["scene"], WRITTEN[sentence])
    assert isinstance(found, Goal), found
    accepted = [normal_all(map(parse_statement, each), domain) for each in judged["goal"]]
    assert normal_all(found.stages[0].conditions, domain) in accepted


@pytest.mark.parametrize("sentence", sorted(ALTERNATIVES))
def test_a_sentence_that_leaves_a_choice_leads_to_all_that_were_accepted(sentence):
    judged = JUDGED[sentence]
    domain, _ = scene_world(judged["scene"])
    found = linked(judged["scene"], ALTERNATIVES[sentence])
    assert isinstance(found, Goal), found
    (condition,) = found.stages[0].conditions
    accepted = [normal_all(map(parse_statement, each), domain) for each in judged["goal"]]
    parts = [normal_all([part], domain) for part in condition.parts]
    assert sorted(map(str, parts)) == sorted(map(str, accepted))


@pytest.mark.parametrize(("sentence", "line"), [
    ("dev_plain_01", "behind(box, cylinder)"), ("refuse_15", "on(cube, other cube)"),
    ("d2_other_12", "next_to(cube, yellow one)")])
def test_what_was_left_open_is_asked(sentence, line):
    found = linked(JUDGED[sentence]["scene"], line)
    assert isinstance(found, Question)
