"""Waiting with an end: bounded calls that cannot pile up, linked events, deadlines."""

from __future__ import annotations

import threading
from threading import Condition, Event, Thread

import pytest
from hicrisp_core.time.bounded_call import BoundedCalls, Overdue
from hicrisp_core.time.deadline import Deadline, ThinkingTime
from hicrisp_core.time.waiting import AlarmEvent, LinkedEvent, wait_on, wait_until

PATIENCE = 60.0


def test_a_call_returns_what_the_work_returns() -> None:
    assert BoundedCalls("adder").call(lambda: 1 + 1, Deadline(PATIENCE)) == 2


def test_an_exception_of_the_work_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        BoundedCalls("divider").call(lambda: 1 // 0, Deadline(PATIENCE))


def test_calls_that_never_return_do_not_pile_up_threads() -> None:
    calls, release = BoundedCalls("never", most=3), Event()
    for _ in range(6):
        with pytest.raises(Overdue):
            calls.call(release.wait, Deadline(0.05))
    assert sum(thread.name == "never" for thread in threading.enumerate()) == 3
    release.set()
    assert calls.call(lambda: "free again", Deadline(PATIENCE)) == "free again"


def test_a_late_call_makes_room_when_it_returns() -> None:
    calls, release = BoundedCalls("one at a time"), Event()
    with pytest.raises(Overdue, match="did not return"):
        calls.call(release.wait, Deadline(0.01))
    with pytest.raises(Overdue, match="earlier call"):
        calls.call(lambda: None, Deadline(0.01))
    release.set()
    assert wait_until(lambda: not any(thread.name == "one at a time" for thread in threading.enumerate()),
                      Deadline(PATIENCE))
    assert calls.call(lambda: 3, Deadline(PATIENCE)) == 3


def test_calls_of_a_library_that_is_not_thread_safe_run_one_after_another() -> None:
    calls, running, most = BoundedCalls("serial"), [], []

    def work() -> None:
        running.append(1)
        most.append(len(running))
        running.pop()

    threads = [Thread(target=lambda: calls.call(work, Deadline(PATIENCE))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert most == [1] * 20


def test_a_linked_event_is_set_by_any_of_the_others_and_wakes_who_waits() -> None:
    first, second = Event(), Event()
    linked = LinkedEvent(first, second)
    assert not linked.wait(0.0)
    second.set()
    assert linked.wait(PATIENCE)
    linked.clear()
    assert linked.is_set()


def test_an_alarm_sets_the_event_and_the_first_one_is_kept() -> None:
    reasons = [None, "stale", "lost"]
    event = AlarmEvent(lambda: reasons.pop(0) if reasons else None, Event())
    assert not event.is_set()
    assert event.is_set()
    assert event.is_set()
    assert event.alarmed == "stale"


def test_waiting_ends_when_it_holds_when_it_is_canceled_and_when_it_is_in_vain() -> None:
    cancel, looks = Event(), iter([False, False, True])
    assert wait_until(lambda: next(looks), Deadline(PATIENCE), period=0.001)
    assert not wait_until(lambda: False, Deadline(0.0))
    cancel.set()
    assert not wait_until(lambda: False, Deadline(PATIENCE), cancel)
    assert not wait_until(lambda: False, Deadline(PATIENCE), in_vain=lambda: True)


def test_a_wait_on_a_condition_ends_when_it_is_announced_and_at_its_deadline() -> None:
    changed, seen = Condition(), []

    def announce() -> None:
        with changed:
            seen.append(1)
            changed.notify_all()

    thread = Thread(target=announce)
    with changed:
        thread.start()
        assert wait_on(changed, lambda: seen, Deadline(PATIENCE))
    thread.join(PATIENCE)
    assert not wait_on(changed, lambda: False, Deadline(0.0))
    assert not wait_on(changed, lambda: False, Deadline(PATIENCE), in_vain=lambda: True)


def test_thinking_time_passes_only_while_the_thread_that_began_computes() -> None:
    limit, seen = ThinkingTime(0.05, PATIENCE), []
    Event().wait(0.1)
    assert not limit.passed
    while not limit.passed:
        pass
    assert limit.remaining == 0.0
    other = Thread(target=lambda: seen.append(limit.passed))
    other.start()
    other.join(PATIENCE)
    assert seen == [False]


def test_thinking_time_ends_in_wall_time_too() -> None:
    limit = ThinkingTime(PATIENCE, 0.0)
    assert limit.passed
    assert limit.remaining == 0.0
