"""The emergency stop, a cancel, and the end of the supervisor."""

from __future__ import annotations

import os
import signal
import time

from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until

from hicrisp_bench.faults.case import ARM, LAB, FaultCase, Seen
from hicrisp_bench.faults.rig import LIMIT, Rig

_SOON = 1.0
"""Wall seconds within which a robot must stand."""
_AT_ONCE = 1.0
"""Wall seconds within which a service answers at once."""


def emergency_stop(rig: Rig, seen: Seen) -> None:
    """In mid-motion; then everything that could end it except clear_estop."""
    task = rig.in_motion()
    waiting = rig.submit()
    began = time.monotonic()
    rig.trigger("estop")
    stood(rig, seen, began)
    seen.note(f"the task: {rig.ended(task)}", rig.state(task) == "failed")
    refused = rig.ask("submit_task", rig.world.task)
    seen.note(f"a new task: {refused.message}", not refused.accepted)
    seen.note(f"one in line: {rig.said(waiting)}", rig.state(waiting) == "queued")
    seen.note("resume is refused", not rig.trigger("resume").success)
    still_since = time.monotonic()
    rig.kill("supervisor")
    seen.note("active after the supervisor was killed", not rig.ask("submit_task", rig.world.task).accepted)
    seen.note("nothing moved meanwhile", rig.motion.moved_at < still_since)
    rig.kill("embedded_world")
    rig.until_world_is_back()
    seen.note("active after the world was killed", not rig.ask("submit_task", rig.world.task).accepted)
    seen.note(f"in line: {rig.state(waiting)}", rig.state(waiting) == "queued")
    seen.note("clear_estop ends it", rig.trigger("clear_estop").success)
    cleared = time.monotonic()
    time.sleep(_SOON)
    seen.note("and begins nothing", rig.state(waiting) == "queued" and rig.motion.moved_at < cleared)
    rig.trigger("resume")
    seen.note("resume begins the task in line", _begins(rig, waiting))


def stood(rig: Rig, seen: Seen, began: float, limit: float = _SOON) -> None:
    """Note how long after a moment the robots stood."""
    seconds = seen.stood_s = rig.motion.standstill_after(began, LIMIT)
    seen.note(f"stands after {seconds:.2f} s", seconds <= limit)


def _begins(rig: Rig, task: str) -> bool:
    """Whether a task in line begins in time."""
    return wait_until(lambda: rig.state(task) != "queued", Deadline(LIMIT), period=0.1)


def supervisor_killed(rig: Rig, seen: Seen) -> None:
    """In mid-motion, with a task in line."""
    task = rig.in_motion()
    waiting = rig.submit()
    began = time.monotonic()
    rig.kill("supervisor")
    stood(rig, seen, began)
    rig.until_ready()
    seen.note(f"the task: {rig.said(task)}", rig.ended(task) == "interrupted")
    begun = _begins(rig, waiting)
    seen.note(f"back after {time.monotonic() - began:.1f} s, the task in line begins", begun)
    seen.note("the launch is up", rig.launch.alive)
    rig.ask("cancel_task", waiting)


def supervisor_hangs(rig: Rig, seen: Seen) -> None:
    """Stopped by the system in mid-motion until the robot stands: its sockets stay open."""
    task = rig.in_motion()
    began = time.monotonic()
    pid = rig.kill("supervisor", signal.SIGSTOP)
    stood(rig, seen, began, 1.5)
    os.kill(pid, signal.SIGCONT)
    seen.note(f"the task, with the supervisor back: {rig.ended(task)}", rig.state(task) == "succeeded")


def cancel_in_motion(rig: Rig, seen: Seen) -> None:
    """Twice, in mid-motion."""
    task = rig.in_motion()
    _cancel(rig, seen, task)
    seen.note("a second cancel says that it has ended, or is ending",
              rig.ask("cancel_task", task).message != "")
    state = rig.ended(task)
    seen.note(f"the task: {rig.said(task)}", state == "canceled")


def cancel_before_motion(rig: Rig, seen: Seen) -> None:
    """While it is understood and planned."""
    task = rig.submit()
    _cancel(rig, seen, task)
    state = rig.ended(task)
    seen.note(f"the task: {rig.said(task)}", state == "canceled")


def cancel_in_grasp(rig: Rig, seen: Seen) -> None:
    """While the fingers are at the thing: some seconds into the first pick."""
    task = rig.in_motion()
    time.sleep(2.5)
    _cancel(rig, seen, task)
    state = rig.ended(task)
    seen.note(f"the task: {rig.said(task)}", state in ("canceled", "succeeded"))


def _cancel(rig: Rig, seen: Seen, task: str) -> None:
    began = time.monotonic()
    answer = rig.ask("cancel_task", task)
    took = time.monotonic() - began
    seen.note(f"the answer comes after {took:.2f} s", answer.ok and took <= _AT_ONCE)
    stood(rig, seen, began)


CASES = (
    FaultCase("emergency stop in mid-motion", "stands within 1 s; latched until cleared", emergency_stop, quick=True),
    FaultCase("kill -9 of the supervisor", "stands within 1 s; task interrupted", supervisor_killed, quick=True),
    FaultCase("supervisor hangs", "stands within 1.5 s; step tried again", supervisor_hangs),
    FaultCase("cancel in mid-motion, twice", "known to stand within 1 s", cancel_in_motion),
    FaultCase("cancel while planning", "nothing moves", cancel_before_motion),
    FaultCase("cancel in mid-grasp", "stands within 1 s", cancel_in_grasp, worlds=(ARM, LAB)),
)
