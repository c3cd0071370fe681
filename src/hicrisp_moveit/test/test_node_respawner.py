"""A node that died is started again as it was started: once, by one, not too often, and ended at the end."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List, Optional

import pytest
from hicrisp_moveit.node_respawner import MARK, NodeRespawner, Process, Unknown, process_of
from waiting import until

_WAITS = "import signal; signal.pause()"
_COMMAND = (sys.executable, "-c", _WAITS, "__name:=move_group")


class Said(logging.Handler):
    """What is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: List[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Graph:
    """Processes, what a ROS master knows of them, a clock, and what the keeper says."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now, self.silent = folder, 0.0, False
        self._log, said = logging.Logger("keeper"), Said()
        self._log.addHandler(said)
        self.said = said.lines
        self.known: Optional[Process] = None
        self._started: List["subprocess.Popen[bytes]"] = []

    def start(self) -> Process:
        child = subprocess.Popen(_COMMAND, cwd=self.folder, env={**os.environ, "ROS_TEST": "as it was"})
        self._started.append(child)
        self.known = until(lambda: process_of(child.pid), "process")
        return self.known

    def keeper(self) -> NodeRespawner:
        return NodeRespawner("move_group", self.find, self._log, clock=lambda: self.now)

    def find(self) -> Optional[Process]:
        if self.silent:
            raise Unknown("the master is silent")
        return self.known if self.known is not None and self.known.runs else None

    def wait(self, seconds: float, keeper: NodeRespawner) -> None:
        """Let time pass in steps of half a second, as the node does."""
        for _ in range(round(2.0 * seconds)):
            self.now += 0.5
            keeper.look()

    def close(self) -> None:
        for child in self._started:
            child.kill()
            child.wait()


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    graph = Graph(tmp_path)
    yield graph
    graph.close()


@pytest.fixture
def keeper(graph: Graph) -> Iterator[NodeRespawner]:
    keeper = graph.keeper()
    yield keeper
    keeper.end()


def kill(process: Process) -> None:
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: not process.runs, "death")


def kept(keeper: NodeRespawner) -> Process:
    """What the keeper looks after, once it truly is the program."""
    found = keeper._kept
    assert found is not None
    return until(lambda: _program(process_of(found.pid)), "program")


def _program(process: Optional[Process]) -> Optional[Process]:
    return process if process is not None and process.command == _COMMAND else None


def test_a_node_that_was_killed_is_started_again_as_it_was_started(graph: Graph, keeper: NodeRespawner) -> None:
    before = graph.start()
    keeper.look()
    kill(before)
    graph.wait(2.0, keeper)
    assert not keeper._runs(), "it waits a moment: the launch may be ending"
    graph.wait(0.5, keeper)
    after = kept(keeper)
    assert after.pid != before.pid
    assert (after.command, after.folder) == (before.command, str(graph.folder.resolve()))
    assert after.environment["ROS_TEST"] == "as it was"
    assert graph.said[-2] == f"move_group (process {before.pid}) has ended; it is started again in 2 s"
    assert graph.said[-1] == f"started move_group again (process {after.pid})"


def test_a_node_that_was_never_seen_is_not_started(graph: Graph, keeper: NodeRespawner) -> None:
    graph.wait(10.0, keeper)
    assert keeper._kept is None


def test_a_node_that_stands_still_has_not_ended(graph: Graph, keeper: NodeRespawner) -> None:
    before = graph.start()
    keeper.look()
    os.kill(before.pid, signal.SIGSTOP)
    graph.wait(10.0, keeper)
    assert keeper._kept == before


def test_what_somebody_else_has_started_again_is_looked_after_and_not_ended(
        graph: Graph, keeper: NodeRespawner) -> None:
    kill_first(graph, keeper)
    other = graph.start()
    graph.wait(10.0, keeper)
    assert keeper._kept == other
    assert "somebody else" in graph.said[-1]
    keeper.end()
    assert other.runs


def kill_first(graph: Graph, keeper: NodeRespawner) -> None:
    first = graph.start()
    keeper.look()
    kill(first)
    keeper.look()


def test_nothing_is_started_while_nobody_knows_whether_it_runs(graph: Graph, keeper: NodeRespawner) -> None:
    kill_first(graph, keeper)
    graph.silent = True
    graph.wait(10.0, keeper)
    assert not keeper._runs()
    assert sum("the master is silent" in line for line in graph.said) == 1
    graph.silent = False
    keeper.look()
    assert keeper._runs()


def test_starts_in_vain_become_rare_and_one_that_lasts_makes_them_prompt_again(
        graph: Graph, keeper: NodeRespawner) -> None:
    kill_first(graph, keeper)
    for seconds in (4, 8, 16, 32, 60, 60):
        graph.wait(60.0, keeper)
        graph.now = keeper._began + 1.0
        kill(kept(keeper))
        keeper.look()
        assert graph.said[-1].endswith(f"again in {seconds} s")
    graph.wait(60.0, keeper)
    graph.now = keeper._began + 100.0
    kill(kept(keeper))
    keeper.look()
    assert graph.said[-1].endswith("again in 2 s")


def test_a_node_that_cannot_be_started_is_told_and_tried_later(graph: Graph, keeper: NodeRespawner) -> None:
    kill_first(graph, keeper)
    graph.folder.rmdir()
    graph.wait(2.0, keeper)
    assert "cannot be started (" in graph.said[-1]
    graph.folder.mkdir()
    graph.wait(4.0, keeper)
    assert keeper._runs()


def test_what_was_started_is_ended_also_by_a_keeper_that_was_killed_and_is_back(
        graph: Graph, keeper: NodeRespawner) -> None:
    kill_first(graph, keeper)
    graph.wait(2.0, keeper)
    graph.known = kept(keeper)
    assert graph.known.environment[MARK] == "move_group"
    successor = graph.keeper()
    successor.look()
    successor.end()
    assert not keeper._runs()
