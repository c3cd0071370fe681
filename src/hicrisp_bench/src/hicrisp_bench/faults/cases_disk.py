"""A disk that takes nothing more, and logs that are moved away."""

from __future__ import annotations

import resource

from hicrisp_bench.faults.case import AGV, ARM, SMALL_DISK, FaultCase, Seen
from hicrisp_bench.faults.disk import fill, make_room
from hicrisp_bench.faults.rig import Rig

_QUESTION = "What is there?"
_LONG = 300.0


def runs_unwritable(rig: Rig, seen: Seen) -> None:
    """The folder of runs is gone, and something else has its name: nothing can be written there."""
    aside = rig.runs.with_name("runs_aside")
    rig.runs.rename(aside)
    rig.runs.touch()
    try:
        task = rig.submit(_QUESTION)
        rig.ended(task)
        seen.note(f"the task: {rig.said(task)}", rig.state(task) == "failed")
        stopped = rig.trigger("estop")
        seen.note(f"an emergency stop all the same: {stopped.message}", stopped.success)
        seen.note(f"and its end: {rig.trigger('clear_estop').message}", rig.trigger("resume").success)
    finally:
        rig.runs.unlink()
        aside.rename(rig.runs)
    after = rig.submit(_QUESTION)
    seen.note(f"once it is back: {rig.ended(after)}", rig.state(after) == "answered")


def disk_full(rig: Rig, seen: Seen) -> None:
    """In mid-motion: the system lets the supervisor write not one more byte to any file."""
    task = rig.in_motion()
    pid = rig.process("supervisor")
    usual = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, usual[1]))
    try:
        state = rig.ended(task, _LONG)
        seen.note(f"the task: {rig.said(task)}", state == "succeeded" and bool(rig.status(task).message))
        seen.note(f"an emergency stop all the same: {rig.trigger('estop').message}", True)
        stopped = rig.ask("submit_task", _QUESTION)
        seen.note("it holds", not stopped.accepted)
        seen.note(f"and its end: {rig.trigger('clear_estop').message}", rig.trigger("resume").success)
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, usual)
    after = rig.submit(_QUESTION)
    seen.note(f"once there is room: {rig.ended(after)}", rig.state(after) == "answered")


def really_full(rig: Rig, seen: Seen) -> None:
    """In mid-motion: the disk of the runs takes not one more byte."""
    task = rig.in_motion()
    seen.note(f"{fill(rig.runs) / 1e6:.1f} MB more, and the disk is full", True)
    try:
        state = rig.ended(task, _LONG)
        seen.note(f"the task: {rig.said(task)}", state == "succeeded" and bool(rig.status(task).message))
        stopped = rig.trigger("estop")
        seen.note(f"an emergency stop all the same: {stopped.message}", stopped.success)
        refused = rig.ask("submit_task", _QUESTION)
        seen.note("it holds", not refused.accepted)
        seen.note(f"and its end: {rig.trigger('clear_estop').message}", rig.trigger("resume").success)
        rig.kill("supervisor")
        rig.until_ready()
        second = rig.submit()
        state = rig.ended(second, _LONG)
        seen.note(f"a task on the full disk, by a supervisor that was killed: {rig.said(second)}",
                  state in ("succeeded", "answered", "failed", "refused")
                  and bool(rig.status(second).message))
    finally:
        make_room(rig.runs)
    after = rig.submit(_QUESTION)
    seen.note(f"once there is room: {rig.ended(after)}", rig.state(after) == "answered")
    complaints = rig.complaints()
    seen.note("no traceback" if not complaints else f"{len(complaints)} tracebacks", not complaints)


def logs_moved(rig: Rig, seen: Seen) -> None:
    """In mid-motion, as a rotation does it."""
    task = rig.in_motion()
    logs = rig.folder / "ros"
    logs.rename(rig.folder / "ros_before")
    logs.mkdir()
    seen.note(f"the task: {rig.ended(task, _LONG)}", rig.state(task) == "succeeded")


CASES = (
    FaultCase("folder of runs not writable", "ends before motion; the stop works", runs_unwritable, quick=True),
    FaultCase("disk full in mid-motion", "goes on; loss named; the stop works", disk_full),
    FaultCase("disk of the runs really full in mid-motion",
              "goes on; loss named; the stop works", really_full, (ARM, AGV), place=SMALL_DISK),
    FaultCase("folder of logs moved away in mid-motion", "goes on", logs_moved, (ARM,)),
)
