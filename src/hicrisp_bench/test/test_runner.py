"""The runner that all suites share: trials are kept as they end, and a stopped run goes on."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest
from hicrisp_bench.cli import HERE, SUITES, main, make_parser, parse, run_all_suites
from hicrisp_bench.runner import NAME, Runner, TrialFile, runner_of
from hicrisp_core.errors import ConfigError
from stand_in_suites import stand_in

CONFIG = Path(__file__).resolve().parents[3] / "config"
SETTINGS = {"llm": "offline"}


class Square(int):
    """A trial; one number crashes."""

    def key(self) -> str:
        return f"number {int(self)}"

    def run(self) -> Dict[str, Any]:
        if self == 3:
            raise RuntimeError("three is no good")
        return {"square": self * self, "pair": (int(self), int(self))}


def run(file: Path, numbers: List[int], resume: bool = False, **settings: Any) -> List[Dict[str, Any]]:
    kept = TrialFile(file, {**SETTINGS, **settings}, resume)
    return Runner(2, "", kept).run([Square(number) for number in numbers], "squares")


def keys(file: Path) -> List[str]:
    return [json.loads(line)["key"] for line in file.read_text().splitlines()[1:]]


def test_results_come_in_the_order_of_the_trials_and_are_kept_by_their_keys(tmp_path: Path) -> None:
    results = run(tmp_path / NAME, [5, 3, 4])
    assert [result.get("square") for result in results] == [25, None, 16]
    assert results[1]["crashed"] == "RuntimeError: three is no good"
    assert sorted(keys(tmp_path / NAME)) == ["number 3", "number 4", "number 5"]


def test_a_stopped_run_does_only_what_is_missing_crashed_or_was_being_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / NAME
    whole = run(file, [3, 4, 5, 6])
    lines = file.read_text().splitlines()
    cut = next(line for line in lines if "number 6" in line)
    file.write_text("\n".join(line for line in lines if line != cut) + "\n" + cut[:20])
    capsys.readouterr()
    assert run(file, [3, 4, 5, 6, 7], resume=True)[1:4] == whole[1:]
    assert "squares: 3/3" in capsys.readouterr().err
    assert sorted(keys(file)) == [f"number {number}" for number in (3, 4, 5, 6, 7)]


def test_a_run_does_not_go_on_with_other_settings(tmp_path: Path) -> None:
    run(tmp_path / NAME, [4])
    with pytest.raises(ConfigError, match="llm was 'offline' and is 'openai'"):
        run(tmp_path / NAME, [4], resume=True, llm="openai")
    assert keys(tmp_path / NAME) == ["number 4"]
    run(tmp_path / NAME, [5], llm="openai")
    assert keys(tmp_path / NAME) == ["number 5"]


def test_trials_that_cannot_be_told_apart_are_a_programmers_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="same key: number 4"):
        run(tmp_path / NAME, [4, 5, 4])


def test_a_killed_run_has_kept_every_trial_that_had_ended(tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(
        "import sys, time\nfrom pathlib import Path\n"
        "from hicrisp_bench.runner import Runner\nfrom hicrisp_bench.runner import TrialFile\n"
        "class Trial(int):\n"
        "    def key(self):\n        return str(self)\n"
        "    def run(self):\n"
        "        if self == 3:\n            print('at three', flush=True)\n            time.sleep(600)\n"
        "        return {'number': int(self)}\n"
        "Runner(1, '', TrialFile(Path(sys.argv[1]), {}, False)).run(\n"
        "    [Trial(number) for number in range(6)], 'numbers', alone=True)\n")
    file = tmp_path / NAME
    process = subprocess.Popen(
        [sys.executable, str(script), str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert process.stdout is not None
    assert process.stdout.readline() == "at three\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert keys(file) == ["0", "1", "2"]


def test_a_run_goes_on_when_nobody_looks_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Gone())
    assert [result["square"] for result in run(tmp_path / NAME, [4, 5])] == [16, 25]
    assert sorted(keys(tmp_path / NAME)) == ["number 4", "number 5"]


def test_every_suite_takes_a_cluster_goes_on_and_has_a_quick_form() -> None:
    for name, suite in SUITES.items():
        words = ["a", "b"] if name == "prompts" else []
        options = make_parser().parse_args([name, *words, "--dask", "tcp://there:8786", "--resume"])
        assert (options.dask, options.resume, options.quick) == ("tcp://there:8786", True, False)
        quick = parse([name, "--quick"])
        for key, value in suite.QUICK.items():
            assert getattr(quick, key) == value
        assert set(suite.SELECTS) <= set(vars(options)), name


def test_what_is_given_goes_before_a_quick_runs_own_size() -> None:
    assert parse(["agv", "--quick", "--trials", "7"]).trials == 7


def test_what_suites_share_has_one_name_and_older_names_are_taken() -> None:
    for words in (["agv", "--seeds"], ["eyes", "--layouts"], ["search", "--questions"], ["memory", "--lives"],
                  ["barman", "--runs"]):
        assert parse([*words, "7"]).trials == 7
    assert parse(["tabletop", "--first-seed", "7"]).seed == parse(["eyes", "--first", "7"]).seed == 7
    assert parse(["eyes", "--scene", "blocks", "--scene", "clutter"]).scenes == ["blocks", "clutter"]
    assert parse(["eyes", "--scenes", "blocks", "clutter"]).scenes == ["blocks", "clutter"]


def test_which_trials_are_run_may_change_when_a_run_goes_on_but_not_how(tmp_path: Path) -> None:
    def options(*words: str) -> Any:
        return parse(["tabletop", "--config", str(CONFIG), "--out", str(tmp_path), *words])

    selects = SUITES["tabletop"].SELECTS
    runner_of(options("--trials", "5"), selects)
    runner_of(options("--trials", "9", "--jobs", "1", "--resume"), selects)
    with pytest.raises(ConfigError, match="perception was 'poses' and is 'camera'"):
        runner_of(options("--perception", "camera", "--resume"), selects)


def test_what_this_machine_serves_on_loopback_is_not_asked_by_a_cluster_elsewhere() -> None:
    Runner(1, "tcp://127.0.0.1:8786").needs_loopback("the model")
    with pytest.raises(ConfigError, match="tcp://far:8786 cannot reach"):
        Runner(1, "tcp://far:8786").needs_loopback("the model")


def test_a_suite_on_a_cluster_gives_what_it_gives_here(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    words = ["search", "--questions", "1", "--config", str(CONFIG)]
    assert main([*words, "--out", str(tmp_path / "here")]) == 0
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        assert main([*words, "--out", str(tmp_path / "there"), "--dask", cluster.scheduler_address]) == 0
    here, there = (json.loads((tmp_path / way / "results.json").read_text()) for way in ("here", "there"))
    assert [row["found"] for row in here["rows"]] == [row["found"] for row in there["rows"]]


ALL_SUITES = {"good": "ends well", "parts": "fails in part", "dies": "is killed", "broken": "cannot run"}


def test_suites_that_start_nodes_here_are_known_as_such() -> None:
    for name, suite in SUITES.items():
        source = inspect.getsource(sys.modules[suite.run.__module__])
        assert name in HERE or ".run_together(" not in source, name


def test_all_suites_are_tried_whatever_becomes_of_one_and_each_says_in_a_line_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suites = [argparse.Namespace(suite=name, out=tmp_path / "out" / name) for name in ALL_SUITES]
    assert run_all_suites(suites, stand_in, tmp_path / "out", ALL_SUITES, tmp_path / "all.json") == 1
    assert list(json.loads((tmp_path / "all.json").read_text())["suites"]) == ["good", "parts"]
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(", ")[0] for line in lines] == [
        "[1/4] good: ok", "[2/4] parts: failed", "[3/4] dies: not run", "[4/4] broken: not run"]
    assert [line.partition(" s: ")[2] for line in lines] == [
        "", "one part is missing", "its process ended with the status -9", "ConfigError: no recording is there"]
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert all(each in page for each in ("one part is missing", "status -9", "no recording is there"))
