"""The suite of recorded plans: the package's own figures, resuming, crashes as rows."""

import json
import os
import subprocess
import sys

import pytest
from hicrisp_bench.cli import main
from hicrisp_bench.runner import NAME
from hicrisp_bench.virtualhome import package

if not package.installed():
    pytest.skip(str(package.Missing()), allow_module_level=True)

from hicrisp_bench.virtualhome.evaluator import Judgement, judge, load_episode, read_by_evaluator
from hicrisp_bench.virtualhome.trial import OPEN_LOOP, REPAIRED, TaskPlans
from hicrisp_core.policy.policy import load_policy
from virtualhome_home import CONFIG, domain

IDS = ("604_2", "38_1")
MODEL = "gpt-4o-2024-05-13"


def bench(folder, *more):
    status = main(["virtualhome", "--models", "gpt-4o", "--ids", *IDS, "--jobs", "1", "--config", str(CONFIG),
                   "--out",
                   str(folder), *more])
    return status, json.loads((folder / "results.json").read_text())


def test_there_are_fifteen_models_and_342_tasks():
    assert len(package.models()) == 15
    assert len(package.tasks()) == 342
    assert all(set(package.recorded(model)) == set(package.tasks()) for model in package.models())


def test_the_table_has_a_row_for_each_policy_with_intervals(tmp_path):
    status, results = bench(tmp_path)
    assert status == 0
    rows = {row["policy"]: row for row in results["rows"]}
    assert set(rows) == {"open_loop", "repair"}
    for row in rows.values():
        assert (row["model"], row["llm"]) == (MODEL, f"recorded: {MODEL}")
        for figure in ("parsed", "execution_success", "task_success"):
            low, high = row[f"{figure}_ci"]
            assert 0.0 <= low <= row[figure] <= high <= 1.0


def test_a_run_that_was_stopped_goes_on_where_it_ended(tmp_path, capsys):
    _, whole = bench(tmp_path)
    file = tmp_path / NAME
    settings, *lines = file.read_text().splitlines()
    file.write_text(settings + "\n" + lines[0] + "\n" + lines[1][:20])  # Stopped while a line was written.
    _, resumed = bench(tmp_path, "--resume")
    assert "/1," in capsys.readouterr().err
    assert file.read_text().splitlines()[:2] == [settings, lines[0]]
    for before, after in zip(whole["rows"], resumed["rows"]):
        assert before == after


def test_without_resume_everything_is_run_again(tmp_path):
    bench(tmp_path)
    (tmp_path / NAME).write_text((tmp_path / NAME).read_text().replace('"scored": true', '"scored": false'))
    _, results = bench(tmp_path)
    assert results["rows"][0]["n"] == len(IDS)


def test_a_crash_is_a_row_and_is_tried_again_on_resuming(tmp_path, monkeypatch, capsys):
    whole = package.recorded(MODEL)
    monkeypatch.setattr(package, "recorded", lambda model: {**whole, "604_2": None})
    status, results = bench(tmp_path)
    assert status == 1
    rows = {row["policy"]: row for row in results["rows"]}
    assert rows["open_loop"]["crashed"] == 1
    assert len(results["crashes"]) == 1
    monkeypatch.undo()
    capsys.readouterr()
    status, results = bench(tmp_path, "--resume")
    assert status == 0
    assert results["crashes"] == []
    assert "/1," in capsys.readouterr().err


def test_a_plan_that_crashes_does_not_take_the_others_with_it(monkeypatch):
    answers = {MODEL: {"604_2": None}, "other": dict(package.recorded(MODEL))}
    monkeypatch.setattr(package, "recorded", lambda model: answers[model])
    work = TaskPlans("604_2", (MODEL, "other"), domain(), load_policy(CONFIG / "policies" / "repair.yaml"))
    first, second = work.run()["results"]
    assert "crashed" in first
    assert second[REPAIRED]["executable"]
    assert first["memory_mb"] > 0


def test_an_unknown_model_is_refused_with_the_known_ones(tmp_path, capsys):
    assert main(["virtualhome", "--models", "hal9000", "--config", str(CONFIG), "--out", str(tmp_path)]) == 2
    assert "gpt-4o-2024-05-13" in capsys.readouterr().err


def test_the_judgement_is_that_of_the_package_s_own_loop():
    """The evaluator's loop over a plan, written out with its own planner."""
    for identifier in IDS:
        episode = load_episode(identifier)
        actions, _ = read_by_evaluator(package.recorded(MODEL)[identifier], episode.names)
        planner, program = package.planner_of(identifier)
        planner.reset()
        done, executable = [], True
        for action in actions:
            ok, told = planner.my_execute_primitive_action_eval(action)
            if ok:
                done.append(action)
            elif told.get_error_type() != 4:
                executable = False
                break
        met = package.part("eval_utils").scene_evaluate_wID(
            planner.env_state.to_dict(), list(episode.nodes), list(episode.edges), planner.acting_char_id,
            action_seq=done, action_goals=list(episode.actions))[3]
        assert tuple(actions) != tuple(program)
        found = judge(episode, actions)
        assert (found.executable, found.success) == (executable, met)


def test_repairs_never_see_what_the_evaluator_asks(monkeypatch):
    """A judge that fails every plan changes no command of a run."""
    work = TaskPlans("604_2", (MODEL,), domain(), load_policy(CONFIG / "policies" / "repair.yaml"))
    honest = work.run()["results"][0]
    monkeypatch.setattr("hicrisp_bench.virtualhome.trial.judge", _refuse)
    blind = work.run()["results"][0]
    for key in ("repairs", "left_out", "refusals"):
        assert honest[REPAIRED][key] == blind[REPAIRED][key]
    assert not blind[OPEN_LOOP]["success"]


def _refuse(episode, actions):
    return Judgement(why="no")


def test_a_cluster_takes_the_work(tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        status, results = bench(tmp_path, "--dask", cluster.scheduler_address)
    assert status == 0
    assert [row["n"] for row in results["rows"]] == [len(IDS)] * 2


def test_without_dask_the_option_says_what_it_needs(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["virtualhome", "--models", "gpt-4o", "--ids", IDS[0], "--config", str(CONFIG), "--out",
                 str(tmp_path),
                 "--dask", "tcp://nowhere:8786"]) == 2
    assert "pip install distributed" in capsys.readouterr().err


def test_a_name_that_several_things_bear_means_the_same_one_in_every_process():
    said = {subprocess.run(
        [sys.executable, "-c", "from hicrisp_bench.virtualhome.evaluator import load_episode\n"
                               "print(sorted(load_episode('154_2').names.items()))"],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}, check=True,
        capture_output=True, text=True).stdout for seed in ("0", "1", "2")}
    assert len(said) == 1
