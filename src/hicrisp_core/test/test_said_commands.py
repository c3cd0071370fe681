"""Plain commands that a model says before its facts: what the grammar reads of them goes before the facts."""

import json

import pytest
from chat_server import ChatServer
from hicrisp_core.brain.goal_model import GoalModel
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model.goal import Ask, Goal
from hicrisp_core.prompting.goal_prompt import GoalPrompt
from hicrisp_core.time.deadline import Deadline
from tabletop import table_top

WORLD = table_top({"red_box": "box", "blue_box": "box", "mug": "cylinder", "plate": "box", "bowl": "bowl"},
                  [("red_box", "on", "mug"), ("mug", "on", "table")])


@pytest.fixture
def understand(domain, config_dir):
    def run(*answers, text="see to the row with the mug", prompt="goal"):
        with ChatServer(*map(json.dumps, answers)) as server:
            model = GoalModel(ChatClient(LlmSettings("t", base_url=server.url)), domain,
                              GoalPrompt(config_dir / "prompts" / prompt), OfflineBrain(domain))
            return model.understand(text, WORLD, Deadline(20)).understood, len(server.requests)
    return run


def goal(say, *end, **more):
    return {"say": say, "kind": "goal", "end": list(end), **more}


@pytest.mark.parametrize(("answer", "end"), [
    (goal("put the mug in front of the plate", "in(mug,plate)"), ("in_front_of(mug,plate)",)),
    (goal("put the mug behind the plate", "right_of(mug,plate)"), ("behind(mug,plate)",)),
    (goal("put the mug on the green thing", "on(mug,plate)"), ("on(mug,plate)",)),
    (goal("put the mug to the right of the plate, put the mug to the left of the bowl", "on(mug,plate)"),
     ("right_of(mug,plate)", "left_of(mug,bowl)")),
    (goal("", "on(mug,plate)"), ("on(mug,plate)",))])
def test_commands_that_the_grammar_reads_go_before_the_facts(understand, answer, end):
    understood, calls = understand(answer)
    assert isinstance(understood, Goal)
    assert understood.texts == {"end": end}
    assert calls == 1


@pytest.mark.parametrize(("say", "end"), [
    ("put the mug to the right of the plate", "next_to(mug,plate)"),
    ("put the mug between the plate and the bowl",
     "any(all(right_of(mug,plate),left_of(mug,bowl)),all(right_of(mug,bowl),left_of(mug,plate)))")])
def test_a_side_that_the_request_does_not_tell_is_next_to_and_between_is_either_way_round(
        understand, say, end):
    understood, _ = understand(goal(say, "on(mug,bowl)"), text="see to the mug")
    assert understood.texts == {"end": (end,)}


def test_commands_change_neither_what_must_hold_on_the_way_nor_who_does_it(understand):
    understood, _ = understand(goal("put the mug on the plate", "on(mug,blue_box)",
                                    keep=["not(next_to(mug,bowl))"], robot="panda"))
    assert understood.texts == {"end": ("on(mug,plate)",), "keep": ("not(next_to(mug,bowl))",)}
    assert understood.robot == "panda"


@pytest.mark.parametrize("more", [
    {"robot": "agv"}, {"keep": ["not(on(mug,unicorn))"]}, {"first": ["on(unicorn,mug)"]}])
def test_commands_do_not_stand_for_an_answer_whose_other_parts_cannot_be_used(understand, more):
    wrong = goal("put the mug on the plate", "on(mug,plate)", **more)
    understood, calls = understand(wrong, wrong)
    assert understood is None
    assert calls == 2


def test_commands_that_contradict_what_must_hold_on_the_way_are_left_out(understand):
    understood, _ = understand(goal("put the mug on the plate", "on(mug,blue_box)",
                                    keep=["not(on(mug,plate))"]))
    assert understood.texts == {"end": ("on(mug,blue_box)",), "keep": ("not(on(mug,plate))",)}


def test_commands_that_fit_several_things_are_asked_back(understand):
    understood, _ = understand(goal("put the mug on the box", "on(mug,red_box)"))
    assert understood == Ask(("blue_box", "plate", "red_box"))


@pytest.mark.parametrize("text", ["the mug should stand on one box", "see that some box carries the mug"])
def test_what_the_request_leaves_to_choose_is_not_asked_back(understand, text):
    understood, _ = understand(goal("put the mug on the box", "on(mug,red_box)"), text=text)
    assert understood.texts == {"end": ("on(mug,red_box)",)}


def test_a_refusal_stays_one_whatever_is_said_before(understand):
    understood, _ = understand({"say": "put the mug on the plate", "kind": "refuse", "why": "no_task"})
    assert understood.why.value == "no_task"


def test_a_model_that_was_trained_on_facts_is_taken_by_its_facts(understand):
    understood, _ = understand(goal("put the mug on the plate", "on(mug,blue_box)"), prompt="goal_short")
    assert understood.texts == {"end": ("on(mug,blue_box)",)}
