"""What every ``Base`` must do, as tests that the embedded base and the drivers share.

A test class derives from :class:`BaseConformance` (for unittest also from ``TestCase``) and gives it a
``rig``.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from threading import Event
from typing import Callable, List, Optional
from unittest import SkipTest

from hicrisp_core.model import CauseKind, Outcome, Pose, Status
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.ports.robot import Base, Progress
from hicrisp_core.robot.testing import LOST_LIMIT, why
from hicrisp_core.time.deadline import Deadline

_NUDGE = 0.05
"""Way of a base that counts as not having been moved, metres."""


@dataclass(frozen=True)
class BaseRig:
    """A base, standing at the start, and what can be done to it.

    Args:
        where: where it truly is in the map frame.
        moving: whether it truly moves.
        reachable: a pose at least a metre away from the start.
        unreachable: a pose that no path leads to.
        tolerance: how far from a goal it may end, metres.
        hurry: a time limit in which ``reachable`` cannot be reached, seconds of wall time.
        patience: time in which every drive here ends, seconds of wall time.
        soon: time within which the base must stand after a stop, seconds of wall time; longer for a
            simulated one on a busy machine.
        lose: takes the connection to the base away; ``None`` if there is none.
    """

    base: Base
    where: Callable[[], Pose]
    moving: Callable[[], bool]
    reachable: Pose
    unreachable: Pose
    tolerance: float = 0.25
    hurry: float = 0.5
    patience: float = 60.0
    soon: float = 1.0
    lose: Optional[Callable[[], None]] = None


class BaseConformance:
    """The tests; every one begins with a base that stands at its start."""

    rig: BaseRig

    def test_it_reaches_a_pose_and_stands_there(self) -> None:
        outcome = self._go(self.rig.reachable)
        assert outcome.ok, outcome
        assert planar_distance(self.rig.where().position, self.rig.reachable.position) <= self.rig.tolerance
        assert not self.rig.moving()

    def test_it_says_how_far_it_is(self) -> None:
        seen: List[float] = []
        assert self._go(self.rig.reachable, progress=lambda _, part: seen.append(part)).ok
        assert seen
        assert seen == sorted(seen)
        assert all(0.0 <= part <= 1.0 for part in seen)

    def test_a_pose_that_no_path_leads_to_is_a_matter_of_planning(self) -> None:
        outcome = self._go(self.rig.unreachable)
        assert outcome.status is Status.PLANNING, outcome
        assert outcome.message
        assert not self.rig.moving()

    def test_what_is_no_pose_is_refused_and_moves_nothing(self) -> None:
        x, y, _ = self.rig.reachable.position
        start = self.rig.where()
        for wrong in (Pose((math.nan, y, 0.0)), Pose((x, math.inf, 0.0)), Pose((x, y, 0.0), (0.0, 0.0, 0.0, 0.0))):
            assert self._go(wrong).status is Status.INVALID
        assert planar_distance(self.rig.where().position, start.position) < _NUDGE

    def test_a_cancel_on_the_way_stops_it_soon(self) -> None:
        cancel, asked = Event(), [math.inf]

        def on_the_way(_: str, part: float) -> None:
            if part > 0.1 and not cancel.is_set():
                asked[0] = time.monotonic()
                cancel.set()

        outcome = self._go(self.rig.reachable, cancel=cancel, progress=on_the_way)
        assert why(outcome) == (Status.CANCELED, CauseKind.CANCELED), outcome
        assert time.monotonic() - asked[0] < self.rig.soon
        assert not self.rig.moving()
        assert planar_distance(self.rig.where().position, self.rig.reachable.position) > self.rig.tolerance

    def test_a_canceled_drive_does_not_begin(self) -> None:
        cancel, start = Event(), self.rig.where()
        cancel.set()
        assert why(self._go(self.rig.reachable, cancel=cancel)) == (Status.CANCELED, CauseKind.CANCELED)
        assert planar_distance(self.rig.where().position, start.position) < _NUDGE

    def test_a_deadline_ends_a_drive_and_stops_it(self) -> None:
        began = time.monotonic()
        outcome = self._go(self.rig.reachable, Deadline(self.rig.hurry))
        assert why(outcome) == (Status.TIMEOUT, CauseKind.OUT_OF_TIME), outcome
        assert time.monotonic() - began < self.rig.hurry + 2.0 * self.rig.soon
        assert not self.rig.moving()

    def test_a_base_that_stands_confirms_it_soon(self) -> None:
        began = time.monotonic()
        assert self.rig.base.stop(Deadline(self.rig.soon)).ok
        assert time.monotonic() - began < self.rig.soon

    def test_a_drive_can_follow_one_that_failed(self) -> None:
        assert not self._go(self.rig.unreachable).ok
        assert self._go(self.rig.reachable).ok

    def test_a_base_that_was_lost_on_the_way_is_told_so(self) -> None:
        lose = self.rig.lose
        if lose is None:
            raise SkipTest("nothing can be lost here")
        lost: List[float] = []

        def on_the_way(_: str, part: float) -> None:
            if part > 0.1 and not lost:
                lost.append(time.monotonic())
                lose()

        outcome = self._go(self.rig.reachable, progress=on_the_way)
        assert outcome.status is Status.LOST, outcome
        assert time.monotonic() - lost[0] < LOST_LIMIT + self.rig.soon
        assert not self.rig.moving()

    def _go(
        self, pose: Pose, deadline: Optional[Deadline] = None, cancel: Optional[Event] = None,
        progress: Progress = lambda phase, part: None,
    ) -> Outcome:
        return self.rig.base.go_to(pose, deadline or Deadline(self.rig.patience), cancel or Event(), progress)
