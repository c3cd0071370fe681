"""The benchmark's process, here a stand-in that speaks the same frames: it answers, refuses, dies and hangs."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event, Thread

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_libero.client import ENVIRONMENT, Benchmark, BenchmarkLost, interpreter

_STAND_IN = """
import os, sys, time
sys.path.insert(0, {folder!r})
import worker

def answer(told, numbers, episode):
    do = told["do"]
    if do == "die":
        sys.stderr.write("the physics exploded\\n")
        sys.stderr.flush()
        os._exit(3)
    if do == "hang":
        time.sleep(3600)
    if do == "fail":
        raise ValueError("a NaN in the state")
    if do == "step":
        return {{}}, 2.0 * numbers, episode
    if do == "hello":
        return {{"protocol": {protocol}}}, (), episode
    raise worker.Refused("unknown suite; there are: a, b")

worker.answer = answer
sys.path.insert(0, os.path.dirname(os.path.abspath(worker.__file__)))
worker.main()
"""


def _benchmark(tmp_path: Path, protocol: int = 1) -> Benchmark:
    folder = Path(__file__).resolve().parents[1] / "src" / "hicrisp_libero"
    file = tmp_path / "stand_in.py"
    file.write_text(_STAND_IN.format(folder=str(folder), protocol=protocol), encoding="utf-8")
    return Benchmark([sys.executable, str(file)], tmp_path / "log")


def test_numbers_travel_both_ways(tmp_path: Path) -> None:
    with _benchmark(tmp_path) as benchmark:
        _, numbers = benchmark.ask("step", [0.5, -1.0])
    assert numbers.tolist() == [1.0, -2.0]


def test_a_refusal_names_what_is_valid_and_the_process_goes_on(tmp_path: Path) -> None:
    with _benchmark(tmp_path) as benchmark:
        with pytest.raises(ConfigError, match="there are: a, b"):
            benchmark.ask("make")
        assert benchmark.ask("step", [1.0])[1].tolist() == [2.0]


@pytest.mark.parametrize(
    ("do", "seconds", "why"),
    [
        ("die", 60.0, "ended during 'die' with status 3.*\n.*the physics exploded"),
        ("hang", 0.3, "did not answer 'hang' in time"),
        ("fail", 60.0, "a NaN in the state"),
    ],
)
def test_a_process_that_is_lost_says_how_and_answers_nothing_more(
    tmp_path: Path, do: str, seconds: float, why: str
) -> None:
    with _benchmark(tmp_path) as benchmark:
        with pytest.raises(BenchmarkLost, match=why):
            benchmark.ask(do, seconds=seconds)
        with pytest.raises(BenchmarkLost):
            benchmark.ask("step", [1.0])


def test_another_protocol_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="protocol 7"):
        _benchmark(tmp_path, protocol=7)


def test_without_the_benchmark_the_message_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, "/nowhere/python3")
    with pytest.raises(ConfigError, match="/nowhere/python3 does not exist; scripts/bench libero"):
        interpreter()


def test_who_steps_all_the_time_keeps_no_one_waiting(tmp_path: Path) -> None:
    with _benchmark(tmp_path) as benchmark:
        ended = Event()

        def step() -> None:
            while not ended.is_set():
                benchmark.ask("step", [1.0])

        stepping = [Thread(target=step) for _ in range(3)]
        for each in stepping:
            each.start()
        try:
            for value in range(20):
                assert benchmark.ask("step", [value], seconds=30.0)[1].tolist() == [2.0 * value]
        finally:
            ended.set()
            for each in stepping:
                each.join()
