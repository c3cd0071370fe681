"""Two folders of prompts are compared by what their plans come to on the facts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, List

import pytest
from chat_server import ChatServer
from hicrisp_bench.cli import main
from hicrisp_bench.prompts.playing import Player
from hicrisp_bench.statistics import paired_interval
from hicrisp_core.body.decoder import ActionDecoder, DirectBody
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.search import Searcher
from hicrisp_core.model import Plan, Relation, RobotState, Step, WorldObject, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import parse_statement

CONFIG = Path(__file__).resolve().parents[3] / "config"
DOMAIN = load_domain(CONFIG / "domains" / "tabletop.yaml")
WORLD = WorldState(
    {**{name: WorldObject(name, "box") for name in ("a", "b", "c")},
     "table": WorldObject("table", "surface", "surface", movable=False)},
    frozenset({Relation("a", "on", "b"), Relation("b", "on", "table"), Relation("c", "on", "table")}),
    {"panda": RobotState("panda")})
GOALS = [Goal.of(parse_statement("on(b,c)"))]


def steps(*said: str) -> Plan:
    found = []
    for text in said:
        action, *names = text.split()
        found.append(Step(text, action, dict(zip([name for name in DOMAIN.actions[action].parameters
                                                  if name != "robot"], names))))
    return Plan(tuple(found))


@pytest.mark.parametrize(("plan", "reached", "mended"), [
    (("pick a", "put_down a", "pick b", "place_on b c"), True, True),
    (("pick b", "place_on b c"), False, True),
    (("place_on b c",), False, True),
    (("pick a", "put_down a"), False, False),
    (("pick b", "place_on b nothing"), False, False)])
def test_a_plan_counts_by_what_the_checker_lets_through_and_what_holds_at_the_end(
    plan: List[str], reached: bool, mended: bool
) -> None:
    player = Player(Searcher(DOMAIN), DirectBody(DOMAIN, ActionDecoder(DOMAIN)), 10.0)
    played = player.play(steps(*plan), WORLD, GOALS)
    assert (played.reached, played.mended) == (reached, mended)
    assert bool(played.why) is not reached


def test_the_interval_of_a_change_has_it_inside_and_grows_narrow() -> None:
    low, high = paired_interval(8, 2, 20)
    assert low < 6 / 20 < high
    narrow = paired_interval(80, 20, 200)
    assert narrow[1] - narrow[0] < high - low
    assert paired_interval(0, 0, 10)[0] < 0.0 < paired_interval(0, 0, 10)[1]
    assert paired_interval(0, 0, 0) == (-1.0, 1.0)


def _said(*actions: Any) -> str:
    return json.dumps({"kind": "plan", "reasoning": "so", "steps": [
        {"action": action, "arguments": arguments} for action, arguments in actions]})


def test_both_folders_are_asked_the_same_and_the_second_is_held_against_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = shutil.copytree(CONFIG / "prompts", tmp_path / "prompts") / "default"
    (other / "plan.txt").write_text("Do: $task\n$objects\n")
    sentences = tmp_path / "sentences.json"
    sentences.write_text(json.dumps([
        {"id": name, "scene": "tabletop", "text": f"Put the box {words} of the cylinder", "class": "plain",
         "goal": [[f"{fact}(box,cylinder)"]]}
        for name, words, fact in (("l", "left", "left_of"), ("r", "right", "right_of"))]
        + [{"id": "q", "scene": "tabletop", "text": "What is here?", "class": "plain", "goal": ["answer"]}]))
    pick = ("pick", {"item": "box"})
    left, right = ((f"place_{side}_of", {"item": "box", "reference": "cylinder"})
                   for side in ("left", "right"))
    with ChatServer(_said(pick), _said(right), _said(pick, left), _said(pick, right)) as server:
        llm = tmp_path / "there.yaml"
        llm.write_text(f"llm: there\nbackend: openai\nmodel: m\nbase_url: {server.url}\n")
        assert main(["prompts", str(other), "default", "--llm", str(llm), "--sentences", str(sentences),
                     "--jobs", "1", "--out", str(tmp_path / "out")]) == 0
    assert len(server.requests) == 4
    assert server.requests[0]["messages"][-1]["content"].startswith("Do: <<<Put the box left")
    result = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [(row["reached"], row["mended"]) for row in result["rows"]] == [(0.0, 0.5), (1.0, 1.0)]
    printed = capsys.readouterr().out
    assert "| reached | 2 | 100%" in printed


def test_a_folder_that_is_not_there_is_refused_with_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prompts", "default", "poems", "--llm", "openai", "--out", str(tmp_path)]) == 2
    assert "no folder of prompts 'poems'; give a path, or one of: brainbody, copal, default" \
        in capsys.readouterr().err
