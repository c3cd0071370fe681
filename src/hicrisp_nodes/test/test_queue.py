"""The queue of tasks, without ROS."""

from __future__ import annotations

import tracemalloc
from threading import Event
from typing import Iterator, List

import pytest
from hicrisp_core.model.meaning import Speaker, Turn
from hicrisp_core.trace.task_state import State
from hicrisp_nodes.supervisor.queue import MAX_REMEMBERED, MAX_WAITING, TaskQueue
from hicrisp_nodes.supervisor.request import MAX_TEXT, Request, objection
from waiting import PATIENCE, until


class Work:
    """Runs requests: each waits for ``go`` or its own cancel; one whose text is "break" raises."""

    def __init__(self) -> None:
        self.go = Event()
        self.begun: List[str] = []
        self.queue = TaskQueue(self.run, lambda request: None)

    def run(self, request: Request) -> None:
        self.begun.append(request.text)
        if request.text == "break":
            raise ValueError("something is wrong")
        while not self.go.wait(0.01) and not request.cancel.is_set():
            pass
        if not request.cancel.is_set():
            request.progress = request.progress.ended(State.SUCCEEDED, "done")


@pytest.fixture
def work() -> Iterator[Work]:
    work = Work()
    work.queue.start()
    yield work
    work.queue.close(PATIENCE)


def submit(work: Work, text: str, request_id: str = "") -> Request:
    admission = work.queue.submit(text, request_id=request_id)
    assert admission.request is not None, admission.message
    return admission.request


@pytest.mark.parametrize(
    ("text", "word"),
    [("", "empty"), (" \n", "empty"), ("x" * (MAX_TEXT + 1), str(MAX_TEXT)), ("stop\x00", "U+0000"),
     ("1 2", "word")])
def test_what_is_no_task_is_refused_with_the_reason(text: str, word: str) -> None:
    assert word in objection(text)


@pytest.mark.parametrize("text", ["place the box", "Stelle den Würfel neben die Dose", "把盒子放下", "a\nb"])
def test_any_language_may_be_a_task(text: str) -> None:
    assert objection(text) == ""


def test_tasks_run_one_at_a_time_in_their_order(work: Work) -> None:
    first, second = submit(work, "first"), submit(work, "second")
    until(lambda: work.begun, "beginning")
    assert work.begun == ["first"]
    assert not second.finished.is_set()
    work.go.set()
    assert first.finished.wait(PATIENCE)
    assert second.finished.wait(PATIENCE)
    assert work.begun == ["first", "second"]


def test_a_waiting_task_that_is_canceled_never_begins(work: Work) -> None:
    first, second = submit(work, "first"), submit(work, "second")
    assert work.queue.cancel(second.id)[0]
    assert second.progress.state is State.CANCELED
    work.go.set()
    assert first.finished.wait(PATIENCE)
    assert work.begun == ["first"]


def test_the_running_task_is_canceled_when_no_id_is_given(work: Work) -> None:
    request = submit(work, "first")
    until(lambda: work.queue.current is request, "beginning")
    assert work.queue.cancel()[0]
    assert request.finished.wait(PATIENCE)
    assert request.progress.state is State.CANCELED
    assert work.queue.cancel(request.id)[0] is False


def test_a_fault_in_one_task_does_not_end_the_line(work: Work) -> None:
    broken, next_ = submit(work, "break"), submit(work, "next")
    work.go.set()
    assert next_.finished.wait(PATIENCE)
    assert broken.progress.state is State.FAILED
    assert "something is wrong" in broken.progress.message
    assert next_.progress.state is State.SUCCEEDED


def test_the_same_request_id_is_the_same_task(work: Work) -> None:
    assert submit(work, "first", "a") is submit(work, "first", "a")
    assert submit(work, "first", "b") is not submit(work, "first")


def test_a_task_knows_what_was_said_in_the_middle_of_the_one_before_it(work: Work) -> None:
    first = submit(work, "put the red box in the bowl")
    first.conversation = (Turn(Speaker.USER, "put the red box in the bowl"), Turn(Speaker.USER, "no, the blue one"),
                          Turn(Speaker.ROBOT, "Then the blue box."))
    second = submit(work, "and now the other")
    work.go.set()
    for request in (first, second):
        assert request.finished.wait(PATIENCE)
    assert second.history == ("User: put the red box in the bowl", "User: no, the blue one",
                              "Robot: Then the blue box.", "Robot did: nothing", "Robot: done")


def test_a_line_that_is_full_takes_no_more(work: Work) -> None:
    submit(work, "first")
    until(lambda: work.begun, "beginning")
    for _ in range(MAX_WAITING):
        submit(work, "another")
    assert not work.queue.submit("one more").accepted


def test_a_task_knows_what_was_asked_done_and_answered_before_it(work: Work) -> None:
    first = submit(work, "take the box")
    first.done = ("pick up box",)
    second = submit(work, "put it back")
    rehearsed = work.queue.submit("what if", dry_run=True).request
    third = submit(work, "again")
    work.go.set()
    assert rehearsed is not None
    for request in (first, second, rehearsed, third):
        assert request.finished.wait(PATIENCE)
    assert first.history == ()
    assert second.history == ("User: take the box", "Robot did: pick up box", "Robot: done")
    assert third.history[3:] == ("User: put it back", "Robot did: nothing", "Robot: done")


def test_ids_are_unique_and_sorted(work: Work) -> None:
    ids = [submit(work, "task").id for _ in range(5)]
    assert ids == sorted(set(ids))


def test_a_task_that_has_ended_is_remembered_by_little() -> None:
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    remembered = [Request(f"task-{number}", "place the box") for number in range(MAX_REMEMBERED)]
    for request in remembered:
        request.finish()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(request.finished.is_set() for request in remembered)
    assert after - before < 2000 * MAX_REMEMBERED


def test_while_tasks_are_held_none_begins(work: Work) -> None:
    assert work.queue.hold(PATIENCE, 0.0) == ""
    work.go.set()
    request = submit(work, "first")
    assert not request.finished.wait(0.3)
    assert work.begun == []
    work.queue.release()
    assert request.finished.wait(PATIENCE)


def test_tasks_are_not_held_for_ever(work: Work) -> None:
    assert work.queue.hold(0.2, 0.0) == ""
    work.go.set()
    assert submit(work, "first").finished.wait(PATIENCE)


def test_tasks_cannot_be_held_under_one_that_runs(work: Work) -> None:
    request = submit(work, "first")
    until(lambda: work.begun == ["first"], "running task")
    assert f"task {request.id} is running ('first'): cancel it first" in work.queue.hold(PATIENCE, 0.0)
    work.go.set()
    assert work.queue.hold(PATIENCE, PATIENCE) == "", "one that is about to end is waited for"


def test_only_the_running_task_is_told_something(work: Work) -> None:
    assert work.queue.tell("", "the blue one") == (False, "no task is running")
    running, waiting = submit(work, "first"), submit(work, "second")
    until(lambda: work.begun, "the first task", PATIENCE)
    ok, message = work.queue.tell("", "the blue  one")
    assert ok, message
    assert running.remarks.take() == "the blue one"
    assert work.queue.tell(running.id, "the red one")[0]
    assert "has not begun" in work.queue.tell(waiting.id, "the red one")[1]
    assert "no task 'other'" in work.queue.tell("other", "the red one")[1]
    assert "the remark is empty" in work.queue.tell("", " ")[1]
    running.remarks.end()
    assert "no longer accepts changes" in work.queue.tell("", "the red one")[1]
    work.go.set()
    assert running.finished.wait(PATIENCE)
    assert "has ended already" in work.queue.tell(running.id, "the red one")[1]
