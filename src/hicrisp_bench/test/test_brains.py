"""The bench of whole loops: its tasks, how trials end, and that only the true poses decide."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Mapping

import pytest
from hicrisp_bench.brains import trial as layouts
from hicrisp_bench.brains.latency import latency_rows
from hicrisp_bench.brains.loopback import Canned, Forward, Loopback
from hicrisp_bench.brains.suite import missed_rows, rows_of
from hicrisp_bench.brains.trial import KNOWN, BrainTrial, Told, ending, lay_out, read_tasks
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.settings import BRAIN, OFFLINE, LlmSettings
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import parse_statement
from lasting import LONG

CONFIG = Path(__file__).resolve().parents[3] / "config"
TASKS = CONFIG / "sentences" / "tabletop_tasks.json"


def canned(url: str) -> LlmSettings:
    return LlmSettings("canned", model="canned", base_url=url, retries=0, response_format="json_object",
                       roles={BRAIN: LlmSettings("offline", backend=OFFLINE)})


def trial(name: str, policy: str, model: Any = None, sigma: float = 0.0, seed: int = 0) -> Dict[str, Any]:
    sentence = next(each for each in read_tasks(TASKS) if each.id == name)
    return BrainTrial(CONFIG, Told(sentence, seed), policy, model, sigma).run()


def test_half_of_the_thirty_tasks_are_plain_and_the_limit_takes_some_of_each() -> None:
    tasks = read_tasks(TASKS)
    assert len(tasks) == 30
    assert sum(each.kind == "plain" for each in tasks) == 15
    some = read_tasks(TASKS, limit=6)
    assert [Told(each, 0).level for each in some] == ["plain"] * 3 + ["harder"] * 3


def test_the_tasks_words_are_in_no_other_file_of_sentences() -> None:
    others = {(entry.get("text") or entry["say"]).lower() for file in TASKS.parent.glob("*.json") if file != TASKS
              for entry in json.loads(file.read_text(encoding="utf-8"))}
    assert not others & {each.text.lower() for each in read_tasks(TASKS)}


def test_a_task_that_asks_for_no_motion_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps([{"id": "q", "scene": "bowl", "text": "What is there?", "class": "question",
                                 "goal": ["answer"]}]))
    with pytest.raises(ConfigError, match="'q' asks for no motion"):
        read_tasks(file)


def test_a_layout_is_taken_in_which_something_is_left_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "_MOST_LAYOUTS", 5)
    held = next(each for each in read_tasks(TASKS) if each.id == "plain_01")
    never = replace(held, id="never", goals=(Goal.of(parse_statement("on(box,table)")),))
    assert lay_out(CONFIG, [held], seed=0, trials=1, jobs=1)[0].sentence == held
    with pytest.raises(ConfigError, match="'never' is fulfilled from the start"):
        lay_out(CONFIG, [never], seed=0, trials=1, jobs=1)


@pytest.mark.parametrize(("events", "end"), [
    ([{"kind": "command"}, {"kind": "refused"}], "carried_out"),
    ([{"kind": "question", "answer": ""}, {"kind": "refused"}], "asked"),
    ([{"kind": "question", "answer": "the red one"}, {"kind": "refused"}], "refused"),
    ([{"kind": "answer"}], "answered")])
def test_how_a_task_ends(events: Any, end: str) -> None:
    assert ending(events) == end


def test_a_told_goal_is_carried_out_without_a_model() -> None:
    result = trial("plain_06", "open_loop")
    assert result["success"]
    assert (result["llm"], result["llm_calls"], result["ending"]) == (KNOWN, 0, "carried_out")


def test_a_model_behind_a_slow_server_is_asked_once_and_waited_for() -> None:
    with Loopback(Canned(read_tasks(TASKS)), latency=0.5) as server:
        result = trial("described_03", "llm_p", canned(server.url))
    assert result["success"]
    assert result["llm_calls"] == server.requests == 1
    assert result["first_motion_s"] >= 0.5
    assert result["understood"] == {"stages": ["on(brown_box,white_box)"]}


def test_a_claim_that_the_true_poses_do_not_bear_out_is_a_false_success() -> None:
    meant = next(each for each in read_tasks(TASKS) if each.id == "wish_01")
    misread = replace(meant, goals=(Goal.of(parse_statement("next_to(glue,tin)")),))
    with Loopback(Canned([misread]), latency=0.0) as server:
        result = trial("wish_01", "llm_p", canned(server.url))
    assert result["claimed"]
    row = rows_of("llm_p", "canned", [result])[0]
    assert (row["success"], row["false_success"]) == (0.0, 1.0)
    assert missed_rows([result])[0]["ended"] == "false success"


def test_a_refused_task_moves_nothing_and_is_missed() -> None:
    with Loopback(Canned([]), latency=0.0) as server:
        result = trial("wish_02", "llm_p", canned(server.url))
    assert result["ending"] == "refused"
    assert result["first_motion_s"] is None
    row = rows_of("llm_p", "canned", [result])[0]
    assert (row["refused"], row["success"], row["false_success"]) == (1, 0.0, 0.0)


def test_a_server_can_stand_before_another_and_begin_each_question_anew() -> None:
    asked = []

    def note(request: Mapping[str, Any]) -> Any:
        asked.append(request["messages"][0]["content"])
        return Canned([])(request)

    with Loopback(note, 0.0) as behind, Loopback(Forward(behind.url), 0.0, fresh_prefix=True) as before:
        for _ in range(2):
            trial("wish_02", "llm_p", canned(before.url))
    assert len(set(asked)) == 2
    assert asked[0].splitlines()[1:] == asked[1].splitlines()[1:]


@LONG
def test_a_task_told_again_asks_nobody_unless_that_trick_is_off() -> None:
    told = [Told(next(each for each in read_tasks(TASKS) if each.id == "described_03"), 0)]
    rows = latency_rows(CONFIG, told, ["llm_p"], None, [0.2], 0.0)
    assert {row["tricks"]: (row["calls"], row["again_calls"]) for row in rows} == {
        "all on": (1, 0), "repeats off": (1, 1)}
    assert all(row["success"] == 1.0 for row in rows)


def test_a_server_that_is_not_there_is_told_as_a_gateways_error() -> None:
    with Loopback(Canned([]), 0.0) as gone:
        pass
    reply = Forward(gone.url)({"messages": []})
    assert reply.status == 502


@LONG
def test_a_body_with_a_model_has_a_row_without_looking_ahead() -> None:
    told = [Told(next(each for each in read_tasks(TASKS) if each.id == "plain_02"), 0)]
    rows = {row["tricks"]: row for row in latency_rows(CONFIG, told, ["brainbody"], None, [0.0], 0.0)}
    assert list(rows) == ["all on", "repeats off", "look ahead off"]
    assert all(row["success"] == 1.0 for row in rows.values())
    assert rows["look ahead off"]["calls"] == 3  # The goal, and two commands.
    assert rows["all on"]["calls"] in (3, 4)  # One more if the world turned out otherwise.
