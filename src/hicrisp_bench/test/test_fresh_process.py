"""Trials that share nodes: a fresh process for each group, and a stopped run goes on."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence

import pytest
from hicrisp_bench.runner import NAME, Runner, TrialFile
from hicrisp_core.errors import ConfigError


class Number(int):
    """A trial."""

    def key(self) -> str:
        return str(self)

    def run(self) -> Dict[str, Any]:
        return {"number": int(self), "process": os.getpid()}


def until_five(numbers: Sequence[Number]) -> Iterator[Dict[str, Any]]:
    """Works through numbers of one group, and ends its process at five."""
    for number in numbers:
        if number == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        yield number.run()


def keys(file: Path) -> List[str]:
    return [json.loads(line)["key"] for line in file.read_text().splitlines()[1:]]


def together(file: Path, groups: List[List[int]], resume: bool = False) -> List[Dict[str, Any]]:
    return Runner(2, "", TrialFile(file, {}, resume)).run_together(
        [[Number(each) for each in group] for group in groups], "numbers", until_five)


def test_each_group_has_a_process_of_its_own_and_what_it_does_not_come_to_has_crashed(tmp_path: Path) -> None:
    one, two, *lost, last = together(tmp_path / NAME, [[1, 2], [5, 6], [7]])
    assert one["process"] == two["process"] != last["process"]
    assert [result["crashed"] for result in lost] == ["its process ended with the status -9"] * 2
    assert sorted(keys(tmp_path / NAME)) == ["1", "2", "5", "6", "7"]


def test_a_group_goes_on_with_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = together(tmp_path / NAME, [[1, 2]])
    capsys.readouterr()
    after = together(tmp_path / NAME, [[1, 2, 3], [4]], resume=True)
    assert after[:2] == before
    assert [result["number"] for result in after] == [1, 2, 3, 4]
    assert "numbers: 2/2" in capsys.readouterr().err


def test_what_starts_nodes_here_takes_no_cluster() -> None:
    with pytest.raises(ConfigError, match="starts nodes on this machine"):
        Runner(1, "tcp://127.0.0.1:8786").run_together([[Number(1)]], "numbers", until_five)
