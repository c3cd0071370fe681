"""What hands do to the things of a task: drop, move, take and add them."""

from __future__ import annotations

import math
import time
from typing import Callable

from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until

from hicrisp_bench.faults.case import ARM, CAMERA, LAB, FaultCase, Seen
from hicrisp_bench.faults.rig import LIMIT, Rig

_LONG = 300.0
_SEEN_WITHIN = 1.0
"""Simulated seconds."""
_TICKS = 0.2
"""Simulated seconds that a look and its way over ROS take."""
_ITEM, _OTHER, _TOOL = "box", "cylinder", "panda_hand_tcp"
_STACKED, _BOTH = "red_box", "bring the box to area 2 and put the red box on the blue box"
_OLD = 1.5
"""Wall seconds after which a pose from before is old."""
_IN_HAND, _MOVED = 0.04, 0.03
"""Metres between a thing in the hand and the tool, at most; metres from which on a thing has moved."""


def dropped(rig: Rig, seen: Seen) -> None:
    """It slips out of the gripper while it is carried."""
    rig.inject("slip", _ITEM, 0.5, count=1)
    task = rig.submit()
    watch = rig.seen
    held = _wait(lambda: any(fact[1:] == ("holding", _ITEM) for fact in watch.relations))
    gone = _wait(lambda: math.dist(watch.true[_ITEM], watch.true[_TOOL]) > _IN_HAND)
    since = watch.true_at
    found = _wait(lambda: not any(fact[1:] == ("holding", _ITEM) for fact in watch.relations))
    _noted(seen, "not in the hand", watch.stamp - since, held and gone and found)
    seen.note(f"the task: {rig.ended(task, _LONG)}", rig.state(task) == "succeeded")
    seen.note(f"{rig.status(task).corrections} corrections", rig.status(task).corrections > 0)


def moved(rig: Rig, seen: Seen) -> None:
    """A hand moves the reference while the arm is under way."""
    watch, task = rig.seen, rig.in_motion()
    before = watch.places[_OTHER]
    since = watch.true_at
    rig.inject("object_moved", _OTHER, 0.08)
    found = _wait(lambda: math.dist(watch.places.get(_OTHER, before), before) > _MOVED)
    _noted(seen, f"{_OTHER} elsewhere", watch.stamp - since, found)
    seen.note(f"the task: {rig.ended(task, _LONG)}", rig.state(task) == "succeeded")


def taken(rig: Rig, seen: Seen) -> None:
    """A hand takes the reference away while the arm is under way."""
    watch, task = rig.seen, rig.in_motion()
    since = watch.true_at
    rig.inject("vanish", _OTHER)
    found = _wait(lambda: _OTHER not in watch.places)
    _noted(seen, f"{_OTHER} not there", watch.stamp - since, found)
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state == "failed" and _OTHER in rig.status(task).message)


def added(rig: Rig, seen: Seen) -> None:
    """A hand puts something on the table that no scene knows, while the arm is under way."""
    watch, task = rig.seen, rig.in_motion()
    before, since = frozenset(watch.places), watch.true_at
    rig.inject("intruder")
    found = _wait(lambda: bool(frozenset(watch.places) - before))
    seen.note(f"{', '.join(sorted(frozenset(watch.places) - before))} is seen "
              f"{watch.stamp - since:.1f} simulated seconds later", found)
    seen.note(f"the task: {rig.ended(task, _LONG)}", rig.state(task) == "succeeded")


def one_of_two(rig: Rig, seen: Seen) -> None:
    """Nobody sees one of the two things that a task is about."""
    rig.inject("pose_missing", _STACKED)
    time.sleep(_OLD)
    task = rig.submit(_BOTH)
    state = rig.ended(task, _LONG)
    commands = rig.commands(task)
    seen.note(f"the task: {rig.said(task)}",
              state == "failed" and _STACKED.replace("_", " ") in rig.status(task).message.replace("_", " "))
    drives = [each.partition("(")[0] for each in commands if "(agv" in each]
    seen.note(f"the other one: {', '.join(drives)}", drives == ["dock", "carry_to"])


def _wait(until: Callable[[], bool]) -> bool:
    return wait_until(until, Deadline(LIMIT), period=0.01)


def _noted(seen: Seen, what: str, seconds: float, found: bool) -> None:
    seen.note(f"{what}: seen {seconds:.2f} simulated seconds later",
              found and seconds <= _SEEN_WITHIN + _TICKS)


_SEEN = "seen within 1 s; corrected"
CASES = (
    FaultCase("dropped in mid-carry", _SEEN, dropped, (ARM,)),
    FaultCase("moved by a hand in mid-motion", _SEEN, moved, (ARM,)),
    FaultCase("taken by a hand in mid-motion", "seen after 1 s; task fails", taken, (ARM,)),
    FaultCase("one of two things is not seen", "other delivered; this named", one_of_two, (LAB,)),
    FaultCase("added by a hand in mid-motion", "seen; done", added, (CAMERA,)),
)
