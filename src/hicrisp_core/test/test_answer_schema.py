"""The schemas of planners' answers: each can be sent in strict mode, and both forms of answers are read."""

import json

import pytest
from hicrisp_core.brain.model_brain import read_plan_answer
from hicrisp_core.domain import load_domain
from hicrisp_core.llm.chat_model import Completion
from hicrisp_core.llm.dialect import is_strict
from hicrisp_core.model import RobotState, WorldObject, WorldState
from hicrisp_core.parsing.plan_text import parse_plan
from hicrisp_core.prompting.answer_schema import (
    answer_schema,
    command_schema,
    correction_schema,
    worded_schema,
)
from schemas import matches

WORLD = WorldState({"red_box": WorldObject("red_box", "box"), "cylinder": WorldObject("cylinder", "cylinder")},
                   robots={"panda": RobotState("panda", "arm")})
TWO = WorldState(WORLD.objects, robots={name: RobotState(name, "arm") for name in ("left", "right")})
PICK = {"action": "pick", "arguments": {"item": "red_box"}}
PLAN = {"kind": "plan", "reasoning": "so", "steps": [PICK], "text": "", "why": ""}


def read(domain, answer):
    return read_plan_answer(Completion(json.dumps(answer)), domain, WORLD, "test")


@pytest.mark.parametrize("world", [WORLD, TWO, WorldState()], ids=["one", "two", "empty"])
@pytest.mark.parametrize("name", ["tabletop", "blocks", "kitchen", "lab", "agv", "virtualhome"])
def test_every_schema_can_be_sent_in_strict_mode(config_dir, name, world):
    domain = load_domain(config_dir / "domains" / f"{name}.yaml")
    for schema in (answer_schema(domain, world), correction_schema(domain, world), command_schema(domain, world),
                   worded_schema()):
        assert is_strict(schema)
        assert next(iter(schema["properties"])) == "kind"


def test_names_stand_once_for_all_actions(domain):
    schema = answer_schema(domain, WORLD)
    assert schema["$defs"]["graspable"]["enum"] == ["cylinder", "red_box"]
    assert json.dumps(schema).count('"red_box"') == len([each for each in schema["$defs"].values()
                                                         if "red_box" in each["enum"]])


def test_more_names_than_a_grammar_takes_are_not_listed(domain):
    many = WorldState({f"box_{at}": WorldObject(f"box_{at}", "box") for at in range(101)}, robots=WORLD.robots)
    assert answer_schema(domain, many)["$defs"]["graspable"] == {"type": "string"}


def test_an_argument_that_may_be_left_out_may_be_null(domain):
    steps = answer_schema(domain, WORLD)["properties"]["steps"]["items"]["anyOf"]
    around = next(each["properties"]["arguments"] for each in steps
                  if each["properties"]["action"]["enum"] == ["place_around"])
    assert around["required"] == ["item", "reference", "bearing"]
    assert around["properties"]["bearing"] == {"anyOf": [{"type": "number"}, {"type": "null"}]}
    step = {"action": "place_around", "arguments": {"item": "red_box", "reference": "cylinder", "bearing": None}}
    assert matches({**PLAN, "steps": [step]}, answer_schema(domain, WORLD))
    assert dict(parse_plan(json.dumps({**PLAN, "steps": [step]}), domain)[0].named) == {
        "item": "red_box", "reference": "cylinder"}


def test_steps_of_several_robots_may_wait_for_earlier_ones(domain):
    step = {"action": "pick", "arguments": {"robot": "left", "item": "red_box"}, "after": None}
    for after in (None, [0]):
        assert matches({**PLAN, "steps": [{**step, "after": after}]}, answer_schema(domain, TWO))
    assert not matches({**PLAN, "steps": [{**PICK, "after": None}]}, answer_schema(domain, WORLD))


@pytest.mark.parametrize("bad", [
    {"kind": "plan", "reasoning": "so", "steps": [PICK]}, {**PLAN, "more": ""}, {**PLAN, "kind": "retry"},
    {**PLAN, "steps": [{**PICK, "arguments": {"item": "moon"}}]},
    {**PLAN, "steps": [{**PICK, "arguments": {"item": "red_box", "reference": "cylinder"}}]}],
    ids=["keys missing", "a key more", "another kind", "an unknown name", "a foreign argument"])
def test_what_is_no_answer_does_not_match(domain, bad):
    assert matches(PLAN, answer_schema(domain, WORLD))
    assert not matches(bad, answer_schema(domain, WORLD))


@pytest.mark.parametrize("answer", [PLAN, {"kind": "plan", "reasoning": "so", "steps": [PICK]}, {"steps": [PICK]}])
def test_a_plan_is_read_with_all_keys_and_with_its_own_only(domain, answer):
    assert [step.action for step in read(domain, answer).plan.steps] == ["pick"]


@pytest.mark.parametrize("answer", [
    {**PLAN, "kind": "answer", "steps": [], "text": "Two boxes."}, {"kind": "answer", "text": "Two boxes."},
    {**PLAN, "kind": "answer", "steps": [], "why": "Two boxes."}, {"answer": "Two boxes."},
    {**PLAN, "steps": [], "text": "Two boxes."}])
def test_words_are_read_with_all_keys_and_with_their_own_only(domain, answer):
    found = read(domain, answer)
    assert (found.plan, found.answer) == (None, "Two boxes.")


@pytest.mark.parametrize("answer", [
    {**PLAN, "kind": "refuse", "steps": [], "why": "No moon."}, {"kind": "refuse", "why": "No moon."},
    {**PLAN, "kind": "refuse", "steps": [], "text": "No moon."}, {"refusal": "No moon."},
    {**PLAN, "steps": [], "why": "No moon."}])
def test_a_refusal_is_read_with_all_keys_and_with_its_own_only(domain, answer):
    found = read(domain, answer)
    assert (found.plan, found.refusal) == (None, "No moon.")


@pytest.mark.parametrize("answer", [
    {"kind": "retry", "reasoning": "It slipped.", "steps": [], "why": ""},
    {"kind": "retry", "reasoning": "It slipped."}])
def test_a_retry_is_a_plan_without_steps(domain, answer):
    assert read(domain, answer).plan.steps == ()
    assert matches(answer, correction_schema(domain, WORLD)) is ("steps" in answer)


def test_a_command_of_the_body_is_one_step(domain):
    schema = command_schema(domain, WORLD)
    command = {"kind": "command", "commands": PICK, "why": ""}
    assert matches(command, schema)
    assert matches({"kind": "pass", "commands": None, "why": "it holds"}, schema)
    assert not matches({"kind": "command", "commands": [PICK, PICK], "why": ""}, schema)
    (raw,) = parse_plan(json.dumps(command), domain)
    assert (raw.action, dict(raw.named)) == ("pick", {"item": "red_box"})
