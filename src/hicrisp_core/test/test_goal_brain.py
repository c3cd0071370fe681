"""The brain of goals: a model says what a task means over a real HTTP server, a search plans to it."""

import json
from dataclasses import replace

import pytest
from chat_server import ChatServer
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.executive.assembly import Parts
from hicrisp_core.goals.normal import same_goal
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import RobotState, Task
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import statements_of
from hicrisp_core.policy.loader import load_policy
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time.deadline import Deadline
from tabletop import table_top

WORLD = table_top({"red_box": "box", "blue_box": "box", "mug": "cylinder", "plate": "box", "bowl": "bowl"},
                  [("red_box", "on", "mug"), ("mug", "on", "table")])
MODEL_ONLY = Policy("p", brain="goal", grammar="off")


def said(**answer):
    return json.dumps({"kind": "goal", **answer})


@pytest.fixture
def ask(domain, config_dir):
    def run(*script, text="the red one wants to be behind the plate", policy=MODEL_ONLY, world=WORLD, **more):
        with ChatServer(*script) as server:
            settings = LlmSettings("t", base_url=server.url, **more)
            brain = make_brain(settings, domain, config_dir / "prompts" / "default", policy)
            return brain.plan(PlanRequest(Task(text), world), Deadline(20)), server
    return run


def steps(answer):
    return [str(step) for step in answer.plan.steps] if answer.plan else [answer.refusal, answer.question]


def test_the_model_states_the_goal_and_the_search_plans_to_it(ask):
    answer, server = ask(said(end=["behind(red_box,plate)"]))
    assert steps(answer) == ["pick(panda, red_box)", "place_behind(panda, red_box, plate)"]
    assert answer.plan.goal.said == "the red box ends up behind the plate"
    assert answer.plan.goal.source == answer.plan.source == "openai:gpt-4o-mini"
    assert answer.usage.calls == 1
    assert "Request: <<<the red one" in server.requests[0]["messages"][-1]["content"]


def test_what_stands_on_a_thing_is_moved_first_and_what_comes_first_is_done_first(ask):
    answer, _ = ask(said(first=["on(mug,plate)"], end=["in(mug,bowl)"]))
    done = steps(answer)
    assert done.index("place_on(panda, mug, plate)") < done.index("place_in(panda, mug, bowl)")
    assert done[0] == "pick(panda, red_box)"


def test_what_is_to_stay_so_bars_the_shorter_way(ask):
    short, _ = ask(said(end=["not(on(red_box,mug))"]), text="the red box is not to be on the mug")
    assert len(short.plan.steps) == 1  # In the hand it is not on the mug.
    stays, _ = ask(said(end=["on(mug,plate)"], keep=["on(red_box,mug)"]),
                   text="the mug on the plate while the red box stays on it")
    assert "No way was found" in stays.refusal


def test_a_model_that_only_makes_goals_is_never_asked_for_a_plan(ask):
    answer, server = ask(said(end=["on(mug,plate)"]), policy=Policy("usual"), only_goals=True,
                         goal_prompt="goal_short", text="hmm, the mug would look good there")
    assert answer.plan.goal is not None
    assert len(server.requests[0]["messages"][0]["content"]) < 300


def test_an_answer_that_does_not_fit_is_asked_for_again_with_what_is_wrong(ask):
    answer, server = ask(said(end=["on(fork,plate)"]), said(end=["on(mug,plate)"]))
    assert answer.plan.goal.texts == {"end": ("on(mug,plate)",)}
    assert "there is no 'fork'" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("script", [["no idea"], [{"status": 500}], [said(end=["on(mug,mug)"])]])
def test_without_a_usable_answer_the_task_is_refused_with_what_would_work(ask, script):
    answer, _ = ask(*script, retries=0)
    assert answer.plan is None
    assert answer.refusal.startswith("I cannot do this: The language model")
    assert answer.alternatives


def test_two_readings_become_a_question_with_the_names_as_choices(ask):
    answer, _ = ask('{"kind":"ask","which":["red_box","blue_box"]}')
    assert answer.question.text == "Which one do you mean: the red box or the blue box?"
    assert [choice.text for choice in answer.question.choices] == ["red box", "blue box"]


@pytest.mark.parametrize(("reply", "text"), [
    ("2", "blue box"), ("the Blue box", "blue box"), ("blue_box", "blue box"), ("neither", None),
    ("7", None)])
def test_a_choice_is_known_by_its_number_or_its_words(ask, reply, text):
    answer, _ = ask('{"kind":"ask","which":["red_box","blue_box"]}')
    choice = answer.question.chosen(reply)
    assert (choice and choice.text) == text


def test_a_goal_that_the_model_is_not_sure_of_is_said_back_as_a_question(ask):
    goal = said(end=["behind(red_box,plate)"])
    answer, server = ask({"text": goal, "logprobs": [-0.2, -1.1]}, ask_below=0.5)
    assert server.requests[0]["logprobs"] is True
    assert "the red box ends up behind the plate" in answer.question.text
    assert answer.question.chosen("Yes").goal.texts == {"end": ("behind(red_box,plate)",)}


@pytest.mark.parametrize(("reply", "bound"), [
    ({"logprobs": [-0.01, -0.02]}, 0.5), ({"logprobs": [-3.0]}, 0.0), ({}, 0.5)])
def test_a_goal_that_the_model_is_sure_of_or_says_nothing_about_is_planned(ask, reply, bound):
    answer, server = ask({"text": said(end=["behind(red_box,plate)"]), **reply}, ask_below=bound)
    assert answer.plan.goal.texts == {"end": ("behind(red_box,plate)",)}
    assert ("logprobs" in server.requests[0]) == (bound > 0)


def test_a_refusal_of_the_model_is_told_with_sentences_that_work(ask):
    answer, _ = ask('{"kind":"refuse","why":"unknown_thing"}')
    assert "I do not see what you name" in answer.refusal
    assert answer.alternatives


def test_a_question_about_what_is_seen_is_answered(ask):
    answer, _ = ask('{"kind":"answer"}', text="where is the red box?")
    assert "mug" in answer.answer


def test_a_goal_that_holds_already_is_asked_back(ask):
    answer, _ = ask(said(end=["on(red_box,mug)"]), text="the red box on the mug")
    assert answer.question.text == "I understand: the red box ends up on the mug. Is that right?"


def test_a_robot_that_cannot_is_refused_with_the_one_that_can(ask):
    world = replace(WORLD, robots={**WORLD.robots, "agv": RobotState("agv", "base")})
    answer, _ = ask(said(end=["on(mug,plate)"], robot="agv"), world=world)
    assert answer.refusal.startswith("The agv cannot do this; the panda can.")
    named, _ = ask(said(end=["on(mug,plate)"], robot="panda"), world=world)
    assert {step.robot for step in named.plan.steps} == {"panda"}


def test_what_the_grammar_reads_the_model_is_not_asked_for(ask):
    answer, server = ask(said(end=["on(mug,plate)"]), text="put the blue box on the plate",
                         policy=Policy("p", brain="goal"))
    assert steps(answer) == ["pick(panda, blue_box)", "place_on(panda, blue_box, plate)"]
    assert answer.plan.goal.texts == {"end": ("on(blue_box,plate)",)}
    assert not server.requests


def test_what_the_grammar_knows_to_be_ambiguous_is_asked_and_no_model_guesses(ask):
    world = table_top({"red_box_1": "box", "red_box_2": "box", "bowl": "bowl"})
    for mode in ("first", "doubt"):
        answer, server = ask(said(end=["in(red_box_1,bowl)"]), text="put the box in the bowl",
                             world=world,
                             policy=Policy("p", brain="goal", grammar=mode))
        assert [choice.text for choice in answer.question.choices] == ["red box 1", "red box 2"]
        assert not server.requests


def test_where_grammar_and_model_disagree_the_user_chooses_between_the_goals(ask):
    answer, _ = ask(said(end=["on(plate,blue_box)"]), text="put the blue box on the plate",
                    policy=Policy("p", brain="goal", grammar="doubt"))
    assert [choice.text for choice in answer.question.choices] == [
        "the blue box ends up on the plate", "the plate ends up on the blue box"]
    assert answer.question.choices[1].goal.texts == {"end": ("on(plate,blue_box)",)}
    agreed, _ = ask(said(end=["on(blue_box,plate)"]), text="put the blue box on the plate",
                    policy=Policy("p", brain="goal", grammar="doubt"))
    assert agreed.plan is not None


@pytest.mark.parametrize(("text", "end", "first"), [
    ("put the blue box left of the plate", ["left_of(blue_box,plate)"], []),
    ("pick up the plate", ["holding(panda,plate)"], []),
    ("build a tower of the mug and the blue box", ["on(blue_box,mug)"], []),
    ("put the blue box on the plate, then put it on the table", ["on(blue_box,table)"],
     ["on(blue_box,plate)"]),
    ("make sure that the red box is not on the mug", ["not(on(red_box,mug))"], []),
    ("put the blue box next to the plate", ["next_to(plate,blue_box)"], [])])
def test_the_grammar_states_goals_too(ask, domain, text, end, first):
    answer, _ = ask("unused", text=text, policy=Policy("p", brain="goal"))
    meant = Goal(statements_of(end), first=statements_of(first))
    assert same_goal(answer.plan.goal, meant, domain), answer.plan.goal.texts


def test_a_robot_that_the_request_names_stands_in_the_goal(ask):
    answer, _ = ask("unused", text="panda, put the blue box on the plate", policy=Policy("p", brain="goal"))
    assert answer.plan.goal.robot == "panda"
    assert answer.plan.goal.said == "the blue box ends up on the plate; the panda does it"


def test_a_planner_gets_a_goal_before_it_plans_where_tasks_are_judged_by_it(ask):
    plan = json.dumps({"steps": [{"action": "pick", "arguments": {"item": "mug"}}]})
    answer, server = ask(said(end=["on(mug,plate)"]), plan, text="hmm, the mug would look good there",
                         policy=Policy("p", verify_goal="task"))
    assert (steps(answer), answer.plan.goal.texts) == (["pick(panda, mug)"], {"end": ("on(mug,plate)",)})
    assert len(server.requests) == answer.usage.calls == 2


def test_a_planner_plans_without_a_goal_where_nobody_understands_the_task(ask):
    plan = json.dumps({"steps": [{"action": "pick", "arguments": {"item": "mug"}}]})
    answer, _ = ask("hm", "hm", plan, text="hmm, the mug would look good there",
                    policy=Policy("p", verify_goal="task"))
    assert (steps(answer), answer.plan.goal) == (["pick(panda, mug)"], None)


def test_a_model_that_answers_half_a_plan_is_finished_by_the_default_policy(domain, config_dir):
    policy = replace(load_policy(config_dir / "policies" / "hierarchical.yaml"), autonomy="full")
    half = json.dumps({"steps": [{"action": "pick", "arguments": {"item": "mug"}}]})
    world = SymbolicWorld(domain, table_top({"mug": "cylinder", "plate": "box"}))
    with ChatServer(said(end=["on(mug,plate)"]), half) as server:
        parts = Parts(domain, policy, LlmSettings("t", base_url=server.url),
                      config_dir / "prompts" / "default")
        result = parts.executive({"panda": world}, world, lambda event: None).run(
            Task("hmm, the mug would look good there"))
    assert (result.success, result.goal, result.llm_calls) == (True, "seen", 2)
    assert world.executed == ["pick(panda, mug)", "place_on(panda, mug, plate)"]
    assert result.corrections == {"repair": 1}
