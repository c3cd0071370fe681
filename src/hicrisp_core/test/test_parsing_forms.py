"""How plans are written: odd JSON, code, prose; and names that fit nearly, or not at all."""

import json
import random
import time

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.model import RobotState, WorldObject, WorldState
from hicrisp_core.parsing import json_text
from hicrisp_core.parsing.grounding import Grounded, ground_steps
from hicrisp_core.parsing.json_text import DEEPEST, mended, read_json
from hicrisp_core.parsing.plan_text import ParseFailure, is_cut_off, parse_plan, read_calls
from tabletop import table_top

WORLD = table_top({"red_box": "box", "blue_box": "box", "bowl": "bowl", "cylinder": "cylinder"})
STEPS = [{"action": "pick", "arguments": {"item": "red_box"}},
         {"action": "place_on", "arguments": {"item": "red_box", "surface": "blue_box"}}]
PLAN = json.dumps({"steps": STEPS})
MEANT = ["pick(panda, red_box)", "place_on(panda, red_box, blue_box)"]


def grounded(domain, text, world=WORLD):
    """The steps of a text in the world's names, or the failure."""
    raw = parse_plan(text, domain)
    return raw if isinstance(raw, ParseFailure) else ground_steps(raw, domain, world)


@pytest.mark.parametrize("text", [
    PLAN, f"```json\n{PLAN}\n```", f"Sure:\n```\n{PLAN}", str({"steps": STEPS}), PLAN.replace("]}", ",]\n}"),
    PLAN.replace("[{", "[ // first\n {"), f"Perhaps {{x}} or [1]. {PLAN}",
    f"Of [1, 2] and {{3}}: {PLAN}",
    json.dumps({"thoughts": "it's red", "plan": {"steps": STEPS}}), json.dumps(STEPS),
    json.dumps({"steps": [{"pick": {"item": "red_box"}}, {"place_on": ["red_box", "blue_box"]}]}),
    json.dumps({"steps": [{"step": 1, "reason": "so", **s["arguments"], "action": s["action"]}
                          for s in STEPS]}),
    json.dumps({"steps": "pick(red_box)\nplace_on(red_box, blue_box)"}), json.dumps({"steps": MEANT}),
    "1. Pick up the red box.\n2. Place it on the blue box.",
    "**1. Pick up** the red box (it is free)\n2. `place_on(red_box, blue_box)`",
    "held = robot.pick(item='red_box')\nplace_on('red_box', surface = \"blue_box\")  # there",
    "The names are [\"red_box\", \"blue_box\"].\n- pick(red_box)\n- place_on(red_box, blue_box)",
    "[PICK] <red_box> (1)\n[PLACE_ON] <red_box> (1) <blue_box> (2)",
])
def test_the_same_plan_however_it_is_written(domain, text):
    found = grounded(domain, text)
    assert isinstance(found, Grounded), found
    assert [str(step) for step in found.steps] == MEANT
    assert not is_cut_off(text)


@pytest.mark.parametrize(("text", "quote"), [
    ("1. pick up the red box\n2. wiggle it\n3. place the red box on the blue box", "2. wiggle it"),
    ("for box in boxes:\n    pick(box)", "for box in boxes:"),
    ("while True:\n    pick(red_box)", "while True:"),
    (json.dumps({"steps": [STEPS[0], {"do": "something", "with": "it"}]}),
     "{'do': 'something', 'with': 'it'}"),
    (json.dumps({"steps": [STEPS[0], 17]}), "17")])
def test_a_step_that_cannot_be_read_is_never_left_out(domain, text, quote):
    failure = parse_plan(text, domain)
    assert isinstance(failure, ParseFailure)
    assert failure.quote == quote


@pytest.mark.parametrize("length", range(len('{"steps": ['), len(PLAN)))
def test_wherever_an_answer_is_cut_its_whole_steps_are_read_and_the_cut_is_seen(length):
    whole = parse_plan(PLAN)
    part = parse_plan(PLAN[:length])
    if not isinstance(part, ParseFailure):
        assert part == whole[:len(part)]
        assert is_cut_off(PLAN[:length])


def test_calls_keep_what_stands_in_quotes_and_in_brackets():
    (step,) = read_calls("put('red box, the big one', find(a, b), on = 'x = 1', at=[1, 2])")
    assert step.positional == ("red box, the big one", "find(a, b)")
    assert step.named == {"on": "x = 1", "at": "[1, 2]"}
    assert [step.action for step in read_calls("a(1); b(2)")] == ["a", "b"]
    assert read_calls("no call here (really)") == []


def test_nothing_is_evaluated(domain):
    found = parse_plan("__import__('os').system('touch /tmp/hicrisp_was_here')", domain)
    assert isinstance(found, ParseFailure) or isinstance(ground_steps(found, domain, WORLD), ParseFailure)


@pytest.mark.parametrize(("written", "name"), [
    ("red_box", "red_box"), ("The Red Box", "red_box"), ("red-box", "red_box"), ("'red box'", "red_box"),
    ("a red box", "red_box"),
    ("RED_BOX", "red_box")])
def test_a_name_in_another_form(domain, written, name):
    found = grounded(domain, json.dumps({"steps": [{"action": "pick", "arguments": {"item": written}}]}))
    assert found.steps[0].arguments["item"] == name
    assert found.notes == ()


def test_a_close_name_is_taken_with_a_note_and_another_number_is_not(domain):
    found = grounded(domain, '{"steps": [{"action": "put_dwn", "arguments": {"item": "cylindre"}}]}')
    assert str(found.steps[0]) == "put_down(panda, cylinder)"
    assert found.notes == ("the action 'put_dwn' was read as 'put_down'",
                           "the name 'cylindre' was read as 'cylinder'")
    world = table_top({"box_1": "box", "bowl": "bowl"})
    other = grounded(domain, '{"steps": ["pick(panda, box_2)"]}', world)
    assert isinstance(other, ParseFailure)
    assert "no object 'box_2'" in str(other)


@pytest.mark.parametrize("written", [
    "pick(panda, 117-b_cups)", "1. pick up the 117-b cups", '{"steps": [{"pick": ["117-B_cups"]}]}', "pick(117_b_cups)",
    "[PICK] <117-b_cups> (1)", "pick up 117-b_cups", "pick(panda, 117-b cups)"])
def test_a_code_with_a_hyphen_is_a_name_in_every_form(domain, written):
    found = grounded(domain, written, table_top({"117-b_cups": "cylinder", "soap": "box"}))
    assert [str(step) for step in found.steps] == ["pick(panda, 117-b_cups)"]


@pytest.mark.parametrize("code", ["117-a_cups", "118-b_cups", "117_a_cups", "117-c cups"])
def test_another_code_is_refused_with_those_that_are_there_and_never_taken_for_the_nearest(domain, code):
    found = grounded(domain, f"1. pick up the {code}", table_top({"117-b_cups": "cylinder", "soap": "box"}))
    assert isinstance(found, ParseFailure)
    assert "there are: 117-b_cups, soap" in str(found)


@pytest.mark.parametrize("text", [
    "1. stack d on a", "1. stack block d on block a", "stack(d, a)", "1. Stack the d on the a."])
def test_single_letters_are_names_and_no_articles(text):
    domain, table = load_domain(config_file("domains", "blocks")), WorldObject("table", "surface")
    world = WorldState({"table": table, **{name: WorldObject(name, "block") for name in "acdi"}},
                       robots={"panda": RobotState("panda", "arm")})
    found = grounded(domain, text, world)
    assert [step.arguments for step in found.steps] == [{"robot": "panda", "item": "d", "below": "a"}]


@pytest.mark.parametrize(("text", "said"), [
    ('{"steps": ["pick(panda, box)"]}', "'box' may be any of: blue_box, red_box; say which"),
    ('{"steps": ["pick(panda, salt)"]}', "there are: blue_box, cylinder, red_box"),
    ('{"steps": ["pick(panda, bowl)"]}', "'bowl' is a bowl, but pick needs a graspable"),
    ('{"steps": ["place_north_of(red_box, bowl)"]}', "no action 'place_north_of'"),
    ('{"steps": [{"action": "pick", "arguments": {"object": "red_box"}}]}',
     "no parameter 'object'; it takes: robot"),
    ('{"steps": [{"action": "pick", "arguments": null}]}', "pick needs 'item'"),
    ('{"steps": ["pick(panda, red_box, blue_box)"]}', "pick takes robot, item; got"),
    ('{"steps": [{"action": "place_around", "arguments": {"item": "red_box", '
     '"reference": "bowl", "bearing": "far"}}]}',
     "needs a number")])
def test_what_does_not_fit_is_refused_with_what_does(domain, text, said):
    failure = grounded(domain, text)
    assert isinstance(failure, ParseFailure)
    assert said in str(failure)
    assert failure.quote


def test_whatever_is_written_is_read_or_refused(domain):
    pieces = ["{", "}", "[", "]", "(", ")", ",", ":", '"', "'", "\\", "\n", "//", "#", "```", "steps",
              "action", "pick",
              "red_box", "1.", "for x in y:", "None", "<think>", "=", " ", "the", "place_on(", "\x00",
              "\u202e"]
    chance = random.Random(3)
    for _ in range(1500):
        text = "".join(chance.choice(pieces) for _ in range(chance.randint(1, 30)))
        found = grounded(domain, text)
        assert isinstance(found, (Grounded, ParseFailure)), text


@pytest.mark.parametrize("text", [
    "[" * 30_000, '{"a":' * 5_000, "'" * 30_000, "[[],\n" * 5_000, "1. " * 10_000, "a(" * 13_000,
    "1. put the box\n" * 1_700], ids=["brackets", "objects", "quotes", "lists", "numbers", "calls", "steps"])
def test_a_monstrous_answer_is_refused_with_bounded_work(domain, text):
    began = time.process_time()
    assert isinstance(parse_plan(text, domain), (tuple, ParseFailure))
    assert time.process_time() - began < 7.0


@pytest.mark.parametrize("text", ["[" * 90_000, '{"a":' * 20_000, "[" * 20 + "1," * 40_000])
def test_brackets_without_end_are_given_up_and_not_gone_through_again_and_again(text, monkeypatch):
    """Counted, not timed: how many characters are gone through for one answer."""
    seen = []
    whole = json_text.mended
    monkeypatch.setattr(json_text, "mended", lambda rest: seen.append(len(rest)) or whole(rest))
    assert read_json(text, lambda value: False) is None
    assert sum(seen) <= 4 * 300_000
    assert mended("[" * (DEEPEST + 1)) is None
    assert mended("[" * DEEPEST + "]" * DEEPEST) is not None


def test_the_wanted_value_is_found_behind_others():
    text = 'First {"a": 1}, then {"steps": []}'
    assert read_json(text).value == {"a": 1}
    assert read_json(text, lambda value: "steps" in value).value == {"steps": []}
