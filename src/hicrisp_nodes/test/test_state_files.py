"""What survives a supervisor that is killed: its emergency stop, its queue, and what ran."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import List

import pytest
from hicrisp_core.trace.task_state import State
from hicrisp_nodes.supervisor.gate import Gate
from hicrisp_nodes.supervisor.queue import TaskQueue
from hicrisp_nodes.supervisor.request import Request
from hicrisp_nodes.supervisor.state_files import EstopFile, TaskFile, state_folder
from waiting import PATIENCE, until


def gate(folder: Path) -> Gate:
    return Gate("supervised", PATIENCE, lambda: None, EstopFile(folder), "rosservice call /clear")


def test_an_emergency_stop_outlives_whoever_was_killed_and_ends_only_on_purpose(tmp_path: Path) -> None:
    gate(tmp_path).stop("smoke")
    for _ in range(2):
        after = gate(tmp_path)
        assert after.estop.is_set()
        assert after.reason == "smoke"
    assert after.clear()[0]
    for _ in range(2):  # A supervisor that is started again is no resume.
        after = gate(tmp_path)
        assert (after.estop.is_set(), after.paused, bool(after.waits)) == (False, True, True)
    after.resume()
    assert (gate(tmp_path).paused, gate(tmp_path).waits) == (False, "")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"active": "no"}', '{"active": false',
                                     '{"active": ' + "[" * 100_000])
def test_a_broken_file_is_taken_for_a_stop_that_can_be_cleared(tmp_path: Path, content: str) -> None:
    file = EstopFile(tmp_path)
    file.path.write_text(content)
    broken = gate(tmp_path)
    assert broken.estop.is_set()
    assert str(file.path) in broken.stopped
    assert broken.clear()[0]
    assert not gate(tmp_path).estop.is_set()


def test_a_stop_that_cannot_be_written_down_stops_all_the_same_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    subject = gate(tmp_path / "file")
    subject.estop.clear()
    assert "a restart of the supervisor would end it" in subject.stop("smoke")
    assert subject.estop.is_set()


def test_while_stopped_a_resume_is_refused_with_how_to_clear(tmp_path: Path) -> None:
    subject = gate(tmp_path)
    subject.pause()
    subject.stop("smoke")
    resumed, said = subject.resume()
    assert not resumed
    assert "rosservice call /clear" in said
    assert "until you resume" in subject.clear()[1]
    assert subject.paused
    assert subject.resume() == (True, "commands run again")


def test_a_supervisor_that_ends_with_nothing_stopped_leaves_no_file(tmp_path: Path) -> None:
    folder = state_folder(tmp_path, "http://127.0.0.1:11311", "/hicrisp/supervisor")
    file = EstopFile(folder)
    file.keep(True, "smoke")
    file.forget()
    assert file.recall() == "smoke"
    file.keep(False, "")
    TaskFile(folder, "a").keep((), 3)
    file.forget()
    TaskFile(folder, "a").forget()
    assert not folder.exists()


def test_graphs_and_names_have_files_of_their_own(tmp_path: Path) -> None:
    folders = {state_folder(tmp_path, uri, node) for uri in ("http://a:1", "http://a:2")
               for node in ("/one/supervisor", "/two/supervisor")}
    assert len(folders) == 4


class Life:
    """One supervisor's queue, from its start until it is killed."""

    def __init__(self, folder: Path, launch: str = "launch 1", blocked: str = "") -> None:
        self.begun: List[str] = []
        self.go = Event()
        self.blocked = blocked
        file = TaskFile(folder, launch)
        self.queue = TaskQueue(self._run, lambda request: None, lambda: self.blocked, file.keep)
        self.left = self.queue.restore(file.recall())

    def _run(self, request: Request) -> None:
        self.begun.append(request.text)
        self.go.wait(PATIENCE)
        request.progress = request.progress.ended(State.SUCCEEDED, "done")

    def running(self, *texts: str) -> "Life":
        self.queue.start()
        for text in texts:
            assert self.queue.submit(text, request_id=f"request {text}").accepted
        until(lambda: self.begun, "beginning")
        return self


def test_tasks_in_line_come_back_in_their_order_and_what_ran_is_interrupted(tmp_path: Path) -> None:
    first = Life(tmp_path).running("one", "two", "three")
    running, waiting = first.queue.current, first.queue.waiting
    second = Life(tmp_path)
    assert running is not None
    assert [request.id for request in second.left] == [running.id]
    found = second.queue.find(running.id)
    assert found is not None
    assert found.progress.state is State.INTERRUPTED
    assert found.finished.is_set()
    assert second.queue.waiting == waiting
    second.go.set()
    second.queue.start()
    until(lambda: second.begun == ["two", "three"], "the rest of the line")
    first.go.set()


def test_a_request_that_is_sent_again_after_a_restart_is_the_same_task(tmp_path: Path) -> None:
    first = Life(tmp_path).running("one", "two")
    second = Life(tmp_path)
    again = second.queue.submit("one", request_id="request one")
    assert again.request is not None
    assert first.queue.current is not None
    assert again.request.id == first.queue.current.id
    new = second.queue.submit("four")
    assert new.request is not None
    assert new.request.id.endswith("-003")
    first.go.set()


def test_tasks_in_line_of_an_earlier_launch_do_not_begin_by_themselves(tmp_path: Path) -> None:
    first = Life(tmp_path).running("one", "two")
    for launch in ("launch 2", ""):
        later = Life(tmp_path, launch)
        assert later.queue.waiting == ()
    assert [request.progress.state for request in later.left] == []
    first.go.set()


def test_tasks_that_ended_keep_their_end(tmp_path: Path) -> None:
    first = Life(tmp_path).running("one")
    request = first.queue.current
    assert request is not None
    first.go.set()
    assert request.finished.wait(PATIENCE)
    found = Life(tmp_path).queue.find()
    assert found is not None
    assert (found.id, found.progress.state, found.progress.message) == (request.id, State.SUCCEEDED, "done")


def test_a_broken_file_of_tasks_begins_nothing_and_says_so(tmp_path: Path) -> None:
    TaskFile(tmp_path, "launch 1").path.write_text('{"tasks": [{"id": 3')
    assert "tasks.json" in TaskFile(tmp_path, "launch 1").recall().problem
    assert Life(tmp_path).queue.waiting == ()


def test_while_something_blocks_tasks_wait_and_new_ones_are_refused_with_why(tmp_path: Path) -> None:
    life = Life(tmp_path)
    assert life.queue.submit("one").accepted
    life.blocked = "the emergency stop is active"
    life.queue.start()
    assert life.queue.submit("two").message == "the emergency stop is active"
    assert life.begun == []
    life.go.set()
    life.blocked = ""
    life.queue.look()
    until(lambda: life.begun == ["one"], "beginning")


def test_at_a_clean_end_nothing_stays_in_line(tmp_path: Path) -> None:
    life = Life(tmp_path).running("one", "two")
    waiting = life.queue.find(life.queue.waiting[0])
    life.go.set()
    assert life.queue.close(PATIENCE)
    assert waiting is not None
    assert waiting.progress.state is State.CANCELED
    assert waiting.finished.is_set()


def _kept(**changed: object) -> str:
    entry = {"id": "1", "text": "Pick up the box", "robot": "", "request_id": "", "dry_run": False,
             "begun": True, "ended": "", "message": "", "run_folder": "", **changed}
    return json.dumps({"launch": "a", "count": 1, "tasks": [entry]})


@pytest.mark.parametrize("content", [
    _kept(ended="nonsense"), _kept(id=7), _kept(begun="yes"), _kept(text=None), _kept(colour="red"),
    '{"launch": "a", "count": Infinity, "tasks": []}', '{"launch": "a", "count": 1, "tasks": [1]}',
    '{"launch": "a", "count": 1, "tasks": ' + "[" * 100_000])
def test_a_file_of_tasks_that_no_supervisor_writes_is_named_and_keeps_none_from_starting(
    tmp_path: Path, content: str
) -> None:
    file = TaskFile(tmp_path, "a")
    file.path.write_text(content)
    found = file.recall()
    assert str(file.path) in found.problem
    assert found.tasks == ()
    TaskQueue(lambda request: None, lambda request: None).restore(found)


def test_a_file_of_tasks_as_a_supervisor_writes_it_is_read(tmp_path: Path) -> None:
    file = TaskFile(tmp_path, "a")
    file.path.write_text(_kept(ended="succeeded"))
    assert [each.ended for each in file.recall().tasks] == ["succeeded"]
