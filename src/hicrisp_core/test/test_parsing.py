"""Recorded answers of real language models: every one parses, or the error quotes the place."""

import json
import os
import re
from pathlib import Path

import pytest
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan

DATA = Path(os.environ.get("HICRISP_DATA",
                           Path(__file__).resolve().parents[4] / "shared" / "data")) / "hicrisp"


def recorded():
    for file in sorted(DATA.glob("*.json")):
        for task, text in json.loads(file.read_text(encoding="utf-8")).items():
            yield f"{file.name}: {task}", text


@pytest.mark.skipif(not DATA.is_dir(), reason="no recorded plans; HICRISP_DATA names their folder")
def test_every_recorded_answer_is_read():
    answers = list(recorded())
    assert len(answers) > 40
    refused = []
    for name, text in answers:
        steps = parse_plan(text)
        if isinstance(steps, ParseFailure):
            refused.append((name.split(": ")[1], steps.quote))
            continue
        assert len(steps) >= len(re.findall(r"^\s*(?!def |assert|if |else|elif )\w+\(", text,
                                            re.MULTILINE)), name
    assert refused == [("brush teeth", "for i in range(120):")]


COPAL = DATA.parent / "copal"


@pytest.mark.skipif(not COPAL.is_dir(), reason="no recorded plans; HICRISP_DATA names their folder")
def test_every_recorded_plan_of_copal_is_read():
    def plans(value):
        if isinstance(value, dict):
            for key, entry in value.items():
                yield from ([entry] if key in ("plan", "subPlan") and isinstance(entry, str)
                            else plans(entry))
        elif isinstance(value, list):
            for entry in value:
                yield from plans(entry)

    found = [plan for file in COPAL.glob("*Cocktail.json")
             for plan in plans(json.loads(file.read_text(encoding="utf-8")))]
    assert len(found) > 600
    for plan in found:
        steps = parse_plan(plan)
        assert not isinstance(steps, ParseFailure), f"{plan}: {steps}"
        assert len(steps) == sum(1 for line in plan.splitlines() if line.strip())


@pytest.mark.parametrize(("text", "actions"), [
    ('{"plan": ["pick(a)", "place(b)"]}', ["pick", "place"]),
    ('[{"name": "pick", "args": ["a"]}]', ["pick"]),
    ('{"action": "pick", "item": "a"}', ["pick"]),
    ('{"steps": [{"action": "pick", "arguments": {"item": "a"}}], '
     '"steps": [{"action": "place", "arguments": {}}]}',
     ["pick", "place"]),
    ("[Ropa to Roco] get bottle from shelf\n[Ropa to Roco] put bottle tray", ["get", "put"]),
    ("[WALK] <sofa> (1)\n[SIT] <sofa> (1)", ["walk", "sit"]),
    ("- pick('a') # take it\n- place(b, c)", ["pick", "place"])])
def test_forms(text, actions):
    assert [step.action for step in parse_plan(text)] == actions


@pytest.mark.parametrize("text", ["", "I am sorry.", '{"steps": [17]}', "x" * 200_000])
def test_what_holds_no_step_is_an_error_that_quotes(text):
    failure = parse_plan(text)
    assert isinstance(failure, ParseFailure)
    assert failure.quote in text or "17" in failure.quote


@pytest.mark.parametrize("text", ["[" * 5000, "{" * 5000 + '"a":', '{"a": "' + "\\" * 999, "```json\n```"])
def test_broken_json_never_breaks_the_parser(text):
    found = read_json(text)
    assert found is None or isinstance(found.value, (dict, list))
