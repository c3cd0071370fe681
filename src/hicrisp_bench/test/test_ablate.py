"""The ablation: a suite in several settings of a policy and with several models, in one command."""

import json
import sys
from pathlib import Path

import pytest
from hicrisp_bench.cli import main
from hicrisp_bench.cost import answer_times, cost_of, questions_of
from lasting import LONG

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hicrisp_core" / "test"))
from chat_server import ChatServer

CONFIG = Path(__file__).resolve().parents[3] / "config"
PROBLEM = """(define (problem two) (:domain blocksworld-4ops) (:objects a b c)
(:init (handempty) (ontable a) (ontable b) (ontable c) (clear a) (clear b) (clear c))
(:goal (and (on a b))))
"""


@pytest.fixture
def problems(tmp_path, monkeypatch):
    """A folder of others' data with one problem."""
    folder = tmp_path / "data" / "planbench" / "generated_basic_3"
    folder.mkdir(parents=True)
    (folder / "instance-1.pddl").write_text(PROBLEM)
    monkeypatch.setenv("HICRISP_DATA", str(tmp_path / "data"))


def ablate(tmp_path, *arguments, out="out"):
    status = main(["ablate", *arguments, "--jobs", "1", "--config", str(CONFIG), "--out", str(tmp_path / out)])
    file = tmp_path / out / "results.json"
    return status, json.loads(file.read_text()) if file.is_file() else {}


def test_every_combination_of_values_is_a_row_with_the_suites_own_metrics_and_one_figure(tmp_path, problems):
    status, found = ablate(tmp_path, "blocks", "--policy", "copal_h2", "brainbody", "--set", "replans=0,2",
                           "--set", "verify_goal=off,steps", "--plans", "live")
    assert status == 0
    assert [(row["policy"], row["set"]) for row in found["rows"]] == [
        (policy, f"replans={replans}, verify_goal={goal}") for policy in ("copal_h2", "brainbody")
        for replans in (0, 2) for goal in ("off", "steps")]
    assert all(row["goal_reached"] == 1.0 and len(row["goal_reached_ci"]) == 2 for row in found["rows"])
    assert [each["name"] for each in found["pictures"]] == ["ablation"]
    assert (tmp_path / "out" / "ablation.svg").is_file()


def test_what_is_set_reaches_the_run(tmp_path, problems):
    _, found = ablate(tmp_path, "blocks", "--policy", "brainbody", "--set", "replans=0,5", "--plans", "injected",
                      "--seed", "6")
    corrected = {row["set"]: row["goal_reached"] for row in found["rows"]}
    assert corrected == {"replans=0": 0.0, "replans=5": 1.0}


@LONG
def test_models_are_compared_with_what_they_cost_by_role(tmp_path, problems, monkeypatch):
    plan = {"steps": [{"action": "pick_up", "arguments": {"item": "red_block"}},
                      {"action": "stack", "arguments": {"item": "red_block", "below": "blue_block"}}]}
    with ChatServer(json.dumps(plan)) as server:
        monkeypatch.setenv("HICRISP_LLM_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        _, found = ablate(tmp_path, "blocks", "--policy", "copal_h2", "--set", "brain=single", "--llm", "offline",
                          "openai", "--plans", "live")
    by_model = {row["llm"]: row for row in found["rows"]}
    assert by_model["offline"]["calls"] == {}
    assert by_model["openai"]["calls"] == {"brain": 1.0}, by_model["openai"]
    assert by_model["openai"]["tokens"]["brain"] > 0
    assert by_model["openai"]["seconds"]["brain"] > 0


@LONG
def test_a_suite_without_policies_is_compared_by_model(tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text("llm: own\nbackend: offline\n")
    status, found = ablate(tmp_path, "language", "--llm", "offline", str(own), "--every", "400")
    assert status == 0
    rows = [row for row in found["rows"] if row["class"] == "all"]
    assert [row["llm"] for row in rows] == ["offline", str(own)]
    assert rows[0]["right"] == rows[1]["right"]
    assert [row["calls"] for row in rows] == [{}, {}]


@pytest.mark.parametrize(("arguments", "words"), [
    (["blocks", "--set", "replan=1"], ("no key 'replan' (did you mean 'replans'?)", "threshold")),
    (["blocks", "--set", "feedback_level=much,how"], ("'much' is not one of: how, what, why",)),
    (["blocks", "--set", "budget.secs=1"], ("secs", "seconds")),
    (["blocks", "--policy", "nope"], ("no 'nope'", "brainbody")),
    (["blocks", "--llm", "nope"], ("no 'nope'", "offline")),
    (["search", "--set", "replans=1"], ("search takes no --policy", "franka7")),
])
def test_what_is_unknown_is_refused_with_what_there_is_before_anything_runs(
        tmp_path, problems, capsys, arguments, words):
    status, found = ablate(tmp_path, *arguments)
    said = capsys.readouterr().err
    assert (status, found) == (2, {})
    assert all(word in said for word in words), said


def test_a_question_that_is_repeated_is_one_with_its_requests():
    asked = [{"kind": "exchange", "role": role, "attempt": attempt, "prompt_tokens": tokens, "completion_tokens": 1,
              "messages": [], "answer": "", "answered_by": "",
              "seconds": seconds} for role, attempt, tokens, seconds in (
                  ("travi", 1, 0, 2.0), ("travi", 2, 10, 3.0), ("ropa", 1, 20, 5.0), ("ropa", 0, 0, 0.0))]
    questions = questions_of([{"kind": "plan"}, *asked])
    assert [(each["role"], each["calls"], each["tokens"], each["seconds"]) for each in questions] == [
        ("travi", 2, 12, 3.0), ("ropa", 1, 21, 5.0), ("ropa", 0, 1, 0.0)]
    results = [{"questions": questions}, {"questions": []}]
    assert cost_of(results)["by_role"]["travi"] == {"calls": 1.0, "tokens": 6.0, "seconds": 1.5}
    assert [(row["role"], row["n"], row["seconds"]) for row in answer_times(results)] == [
        ("ropa", 1, 5.0), ("travi", 1, 3.0)]
