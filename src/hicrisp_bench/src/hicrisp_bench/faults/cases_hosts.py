"""A robot and its mind on two hosts, and a line between them that is cut, loses packets or is slow."""

from __future__ import annotations

import re
import time
from functools import partial
from typing import Set

import rospy
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until

from hicrisp_bench.faults.case import AGV, ARM, LAB, TWO_HOSTS, FaultCase, Seen
from hicrisp_bench.faults.rig import Rig, RigFailed
from hicrisp_bench.over_ros import NAMESPACE
from hicrisp_msgs.msg import ExecuteCommandActionGoal

_GOALS = re.compile(rf"/{NAMESPACE}/robots/[^/]+/execute/goal")
_LONG = 300.0
_CUT = 10.0
"""Wall seconds for which the line is cut."""
_STANDS_WITHIN = 1.5
"""Wall seconds from the cut to the last motion."""
_QUIET = 5.0
"""Wall seconds after the end of a task in which nothing may move."""


class GoalWatch:
    """Counts the commands that come to the drivers; a line that was cut may bring one over two connections,
    of which a driver takes the first."""

    def __init__(self) -> None:
        self.came: Set[str] = set()
        """Their ids."""
        self._subscribers = [
            rospy.Subscriber(topic, ExecuteCommandActionGoal, lambda goal: self.came.add(goal.goal_id.id))
            for topic, _ in rospy.get_published_topics() if _GOALS.fullmatch(topic)]


def line_cut(rig: Rig, seen: Seen) -> None:
    """In mid-motion, for a while."""
    goals = GoalWatch()
    task = rig.in_motion()
    began = time.monotonic()
    _line(rig, loss=1.0)
    time.sleep(_CUT)
    last = max(0.0, rig.motion.moved_at - began)
    seen.note(f"last motion {last:.2f} s after the cut, seen for {rig.motion.heard_at - began:.1f} s",
              last <= _STANDS_WITHIN and rig.motion.heard_at - began > _CUT - 1.0)
    _line(rig)
    mended = time.monotonic()
    state = rig.ended(task, _LONG)
    seen.note(f"the task, {time.monotonic() - mended:.1f} s after the line was back: {rig.said(task)}",
              state in ("succeeded", "failed", "interrupted") and bool(rig.status(task).message))
    said = rig.outcomes(task)
    seen.note(f"said: {'; '.join(said) or 'nothing'}", bool(said) or state != "succeeded")
    _after(rig, seen, task, goals)


def line_cut_at_once(rig: Rig, seen: Seen) -> None:
    """While a task is planned, whose first command is sent into the line that is cut."""
    goals = GoalWatch()
    task = rig.submit()
    began = time.monotonic()
    _line(rig, loss=1.0)
    time.sleep(_CUT)
    seen.note("nothing moved meanwhile", rig.motion.moved_at < began)
    _line(rig)
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state in ("succeeded", "failed", "interrupted")
              and bool(rig.status(task).message))
    seen.note(f"said: {'; '.join(rig.outcomes(task)) or 'no failure'}")
    _after(rig, seen, task, goals)


def line_bad(loss: float, delay: float, rig: Rig, seen: Seen) -> None:
    """From before a task until its end."""
    goals = GoalWatch()
    _line(rig, loss, delay)
    try:
        task = rig.submit()
        state = rig.ended(task, _LONG)
        seen.note(f"the task: {rig.said(task)}", state in ("succeeded", "failed")
                  and bool(rig.status(task).message))
        said = rig.outcomes(task)
        seen.note(f"said: {'; '.join(said) or 'no failure'}", bool(said) or state == "succeeded")
    finally:
        _line(rig)
    _after(rig, seen, task, goals)


def _after(rig: Rig, seen: Seen, task: str, goals: GoalWatch) -> None:
    """Nothing was sent twice, nothing moves without a task, and the next one is done."""
    ended = time.monotonic()
    again = wait_until(lambda: rig.motion.moved_at > ended + 1.0, Deadline(_QUIET))
    seen.note("nothing moves after its end" if not again else "something moves after its end", not again)
    came, tried = len(goals.came), rig.tried(task)
    seen.note(f"{came} commands came to the drivers for {tried} that were tried", came <= tried)
    rig.until_ready()
    after = rig.submit()
    state = rig.ended(after, _LONG)
    seen.note(f"the same once more: {rig.said(after)}", state in ("succeeded", "answered"))


def _line(rig: Rig, loss: float = 0.0, delay: float = 0.0) -> None:
    if rig.hosts is None:
        raise RigFailed("there are no two hosts")
    rig.hosts.set_line(loss, delay)


_WORLDS = (ARM, AGV, LAB)
_GOES_ON = "done or explained; nothing sent twice"
CASES = (
    FaultCase("line between two hosts cut for 10 s in mid-motion",
              "stands within 1.5 s; nothing sent twice",
              line_cut, _WORLDS, place=TWO_HOSTS),
    FaultCase("line between two hosts cut for 10 s as a task begins",
              "nothing moves meanwhile or twice", line_cut_at_once, _WORLDS, place=TWO_HOSTS),
    FaultCase("line between two hosts loses 20 % of the packets", _GOES_ON, partial(line_bad, 0.2, 0.0),
              _WORLDS, place=TWO_HOSTS),
    FaultCase("line between two hosts is 200 ms slow each way", _GOES_ON, partial(line_bad, 0.0, 0.2),
              _WORLDS, place=TWO_HOSTS),
)
