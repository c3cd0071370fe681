"""The search's bench: what it asks, that answers hold, and how long they are beside another planner's."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hicrisp_bench.barman.recordings import KINDS, FirstPlan, mutated
from hicrisp_bench.runner import Runner
from hicrisp_bench.search import suite
from hicrisp_bench.search.questions import questions, settings
from hicrisp_bench.search.shortest import proven_shortest
from hicrisp_core.domain.search import Ending, Searcher
from outside_planner import exported, length_of, planner

CONFIG = Path(__file__).resolve().parents[3] / "config"
WORLDS = {setting.name: setting for setting in settings(CONFIG)}
SMALL = WORLDS["blocks, 3 to 5"]
PROGRAM = planner()


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_gives_the_same_questions_for_a_seed(name):
    first, again = (list(questions(WORLDS[name], 2, seed=3)) for _ in range(2))
    assert first == again
    assert [question.kind for question in first] == ["repair", "goal"]


def test_the_table_says_how_many_were_found_and_in_what_time():
    report = suite.run(Namespace(config=CONFIG, trials=2, seed=1), Runner(2))
    assert report.ok  # No answer failed when it was carried out, and what was kept changed none.
    every = report.rows[-1]
    assert every["n"] == 2 * len(WORLDS)
    assert every["found"] + every["no_way"] + every["out_of_time"] == every["n"]
    assert every["median_ms"] <= every["p95_ms"] <= every["worst_ms"]


def proven(answer, question):
    return proven_shortest(answer, SMALL.domain, question.state, question.goal, question.limits.deadline(None))


def test_a_sequence_is_proven_to_be_the_shortest_only_if_it_is():
    found = [(question, Searcher(SMALL.domain).find(question.state, question.goal, question.limits))
             for question in questions(SMALL, 6, seed=7)]
    several = [(question, answer) for question, answer in found if len(answer.commands) > 1]
    assert any(proven(answer, question) for question, answer in several)
    for question, answer in several:
        longer = replace(answer, commands=(*answer.commands, answer.commands[0]))
        assert not proven(longer, question)


@pytest.mark.skipif(PROGRAM is None, reason="the optional package up_fast_downward is not installed")
def test_sequences_are_hardly_longer_than_fast_downwards_and_proven_ones_are_the_shortest():
    for question in questions(SMALL, 6, seed=7):
        answer = Searcher(SMALL.domain).find(question.state, question.goal, question.limits)
        written = exported(SMALL.domain, question.state, question.goal)
        theirs = length_of(PROGRAM, written, shortest=len(answer.commands) <= 6)
        if theirs is None or answer.ending is Ending.OUT_OF_TIME:
            continue  # A machine that is too busy compares nothing.
        assert len(answer.commands) <= 1.2 * theirs
        if proven(answer, question):
            assert len(answer.commands) <= theirs


def test_a_question_in_which_numbers_count_is_not_written_as_pddl():
    pizza = WORLDS["pizza"]
    question = next(iter(questions(pizza, 1, seed=0)))
    text = exported(pizza.domain, question.state, question.goal)
    assert text is None or "(:goal" in text[1]


PLAN = ("get gin_bottle from shelf hand_left\npour gin_bottle first_glass 40\nput gin_bottle shelf\n"
        "get lime_slice hand_left\nput lime_slice first_glass\nput first_glass tray")
WANTED = ("pour", "put lime", "glass tray")


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_plan_differs_in_one_thing_and_serves_all_the_same_unless_it_lacks_a_wanted_step(kind):
    plan = FirstPlan("F1", "Martini", "a Martini", PLAN, 2, "closed", "failed")
    changed, = mutated([plan], kind, seed=Random(kind).randrange(9))
    assert changed.text != PLAN
    if kind != "misspelled":
        missing = [each for each in WANTED if each not in changed.text]
        assert len(missing) == (kind == "wanted step dropped")
    assert changed.failed_step is None
