"""The blocks world's suite: problems, the optimum, runs with and without drops, recorded plans and their judgement."""

import argparse
import json
from pathlib import Path

import pytest
from hicrisp_bench.blocks import RunSettings
from hicrisp_bench.blocks_problems import Problem, optimal_length, planbench_problems, sentence_problems
from hicrisp_bench.blocks_recorded import PLANS, PROBLEMS, judge, unread_words
from hicrisp_bench.runner import Runner
from hicrisp_bench.suite import data_folder
from hicrisp_core.domain import load_domain
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.policy.policy import load_policy

from hicrisp_bench import blocks, blocks_recorded

CONFIG = Path(__file__).resolve().parents[3] / "config"
TOWER = Problem("tower", {"red_block": "blue_block", "blue_block": "table", "white_block": "table"},
                (("blue_block", "red_block"), ("white_block", "blue_block")))
PLANBENCH = data_folder() / "planbench"
RECORDED = data_folder() / "copal"
needs_planbench = pytest.mark.skipif(not PLANBENCH.is_dir(),
                                     reason="no PlanBench files; HICRISP_DATA names the folder")
needs_recorded = pytest.mark.skipif(not all((RECORDED / name).is_file() for name in (PLANS, PROBLEMS)),
                                    reason=
                                    f"no {PLANS} with {PROBLEMS}; HICRISP_DATA names the folder of 'copal'")


@pytest.fixture(scope="module")
def moves():
    return load_domain(CONFIG / "domains" / "blocks_moves.yaml")


def settings(policy, problem=TOWER, **more):
    return RunSettings(load_domain(CONFIG / "domains" / "blocks.yaml"), problem,
                       load_policy(CONFIG / "policies" / f"{policy}.yaml"),
                       load_llm_settings(CONFIG / "llm" / "offline.yaml"), CONFIG / "prompts" / "default",
                       **more)


@pytest.mark.parametrize(("below", "goal", "least"), [
    ({"a": "table", "b": "table"}, [("a", "b")], 2),
    ({"a": "b", "b": "table"}, [("a", "b")], 0),
    ({"a": "b", "b": "table"}, [("b", "a")], 4),
    ({"c": "a", "a": "table", "b": "table"}, [("a", "b"), ("b", "c")], 6),  # Sussman's anomaly
    ({"a": "table", "b": "table"}, [("a", "b"), ("b", "a")], None)])
def test_the_least_number_of_actions_is_known(below, goal, least):
    assert optimal_length(below, goal) == least


def test_a_problem_says_its_goal_in_the_domains_words():
    assert TOWER.sentence(load_domain(CONFIG / "domains" / "blocks.yaml")) == \
        "the blue block is on the red block, and the white block is on the blue block"


def test_the_goal_is_reached_in_the_fewest_steps():
    result = settings("hierarchical").run()
    assert result["success"]
    assert result["claimed"]
    assert (result["steps"], result["extra_steps"]) == (result["optimum"], 0)
    assert result["plan_ms"] > 0


@pytest.mark.parametrize(("policy", "reached"),
                         [("open_loop", False), ("brainbody", True), ("hierarchical", True)])
def test_a_dropped_block_costs_the_goal_only_where_nothing_is_corrected(policy, reached):
    result = settings(policy, drops=1.0).run()
    assert result["success"] is reached
    assert result["drops"] >= 1
    assert result["replans"] == (result["drops"] if policy == "brainbody" else 0)


def test_the_same_seed_drops_the_same_blocks():
    runs = [settings("hierarchical", drops=0.5, seed=seed).run() for seed in (3, 3)]
    for run in runs:
        run.pop("plan_ms")
    assert runs[0] == runs[1]


def test_pddl_is_read_into_a_problem(tmp_path):
    pytest.importorskip("pddl", reason="the package pddl reads these files")
    (tmp_path / "generated_basic").mkdir()
    (tmp_path / "generated_basic" / "instance-7.pddl").write_text("""
(define (problem p) (:domain blocksworld-4ops) (:objects a b c)
 (:init (handempty) (ontable a) (on b a) (ontable c) (clear b) (clear c)) (:goal (and (on a c))))""")
    assert planbench_problems(tmp_path) == [Problem(
        "generated_basic/instance-7",
        {"blue_block": "red_block", "orange_block": "table", "red_block": "table"},
        (("red_block", "orange_block"),))]


@needs_planbench
def test_planbenchs_problems_are_reached_by_size(monkeypatch, tmp_path):
    pytest.importorskip("pddl", reason="the package pddl reads these files")
    report = run_suite("--plans", "live", "--policies", "hierarchical", "--limit", "2")
    assert [(row["blocks"], row["n"], row["goal_reached"]) for row in report.rows] == [(3, 2, 1), (4, 2, 1),
                                                                                       (5, 2, 1)]
    assert report.ok


def test_without_the_data_the_suite_says_what_is_missing(monkeypatch, tmp_path):
    pytest.importorskip("pddl", reason="the package pddl reads these files")
    monkeypatch.setenv("HICRISP_DATA", str(tmp_path))
    report = run_suite()
    assert not report.ok
    assert ["no PlanBench problems" in why for why in report.failed] == [True]
    assert PLANS in report.note
    assert not report.rows


PROBLEM = Problem("p", {"b1": "b2", "b2": "b3", "b3": "table"}, (("b1", "b3"),))


def test_a_plan_of_no_moves_passes_only_the_loose_check(moves):
    found = judge([], PROBLEM, moves)
    assert (found.loose, found.exact, found.moves) == (True, False, 0)


def test_a_plan_is_run_to_its_goal(moves):
    found = judge(["move b1 on table", "move b2 on table", "move b1 on b3"], PROBLEM, moves)
    assert (found.loose, found.exact, found.moves) == (True, True, 3)


@pytest.mark.parametrize(("lines", "why"), [
    (["move b2 on table"], "B1 is on top of b2"), (["move b1 on table", "move b1 on b3"], "move 2"),
    (["move b1 on b1"], "Nothing can be on itself")])
def test_a_move_that_cannot_be_made_ends_the_plan_with_the_reason(moves, lines, why):
    found = judge(lines, PROBLEM, moves)
    assert why in found.refused
    assert not found.loose


@pytest.mark.parametrize("line", ["move b1 somewhere nice", "move b9 on b1", "then all is well"])
def test_what_cannot_be_read_is_quoted(moves, line):
    found = judge(["move b1 on table", line], PROBLEM, moves)
    assert line in found.unread
    assert not found.exact


@pytest.mark.parametrize(("lines", "unread"), [
    (["The plan is:", "1. Pick up b1", "2. Stack b1 on b3."], ""),
    (["Step 1: Unstack b1 from b2 (arm is now holding b1)", "Put down b1"], ""),
    (["Step 1: Unstack b1 from b2", "Put down b1 on b3"], "Put down b1 on b3"),
    (["pick up b1", "throw b1 out of the window"], "throw b1 out of the window"),
    (["[Roco to Robi] get b1 from b2 hand_right"], "get b1 from b2")])
def test_a_models_own_words_are_read_or_quoted(lines, unread):
    found = unread_words([lines], PROBLEM, load_domain(CONFIG / "domains" / "blocks.yaml"))
    assert bool(found) == bool(unread)
    assert unread in found


def test_problems_are_read_from_sentences(tmp_path):
    file = tmp_path / "problems.json"
    file.write_text(json.dumps({"domain": "what the actions do", "p01": {
        "domain": "You have 2 blocks. \nb2 is on top of b1. \nb1 is on the table. \nb2 is clear. \nYour arm "
                  "is empty. ",
        "goal": "Your goal is to move the blocks. \nb1 should be on top of b2. \n"}}))
    assert sentence_problems(file) == {"p01": Problem("p01", {"b2": "b1", "b1": "table"}, (("b1", "b2"),))}


@needs_recorded
def test_the_loose_check_gives_the_published_figures():
    recorded = blocks_recorded.measure(RECORDED, CONFIG)
    found = {(row["policy"], row["blocks"]): row for row in recorded.rows}
    for method, small, all_ in (("CoPAL", 0.83, 0.73), ("LLM+P", 0.33, 0.46), ("LLM-As-P", 0.17, 0.27)):
        assert found[method, "3 blocks"]["goal_loose"] == pytest.approx(small, abs=0.01)
        assert found[method, "up to 5 blocks"]["goal_loose"] == pytest.approx(all_, abs=0.01)
    assert all(row["goal_exact"] <= row["goal_loose"] <= row["executable"] for row in recorded.rows)
    assert all(error["error"] for error in recorded.errors)


def run_suite(*words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default=CONFIG)
    blocks.add_options(parser)
    return blocks.run(parser.parse_args(words), Runner())
