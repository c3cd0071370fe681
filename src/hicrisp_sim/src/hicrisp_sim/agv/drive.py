"""One drive to a goal: plan, follow, replan, recover, give up, in the way and in the words of move_base."""

from __future__ import annotations

import math
from threading import Event
from typing import Optional

import numpy as np
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status
from hicrisp_core.ports.robot import AWAITED, Progress
from hicrisp_core.robot.safety import ZoneGuard
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.agv.giving_way import Way
from hicrisp_sim.agv.planner import path_length
from hicrisp_sim.agv.pursuit import Twist
from hicrisp_sim.agv.vehicle import Vehicle

NO_PLAN = "Failed to find a valid plan. Even after executing recovery behaviors."
NO_CONTROL = "Failed to find a valid control. Even after executing recovery behaviors."
_RECOVERIES = ("conservative reset", "rotate", "aggressive reset", "rotate")
_KEPT = 1.0
"""Metres around the base that the conservative reset leaves as they are."""
_MOVED = 0.10
"""Metres from where it last counted as moving after which the base counts as moving again; and metres of path
less than ever before that count as progress: a base that comes and goes between two closed gaps makes none."""
_AHEAD = math.radians(80.0)
"""Directions in which a pressed bumper is in the way of driving on."""
_BESIDE = 0.4
"""Metres between two footprints within which one is in the other's way."""
_LONGEST_WAIT = 45.0
"""Seconds after which a base that does not let this one pass is what blocks it."""
_LONGEST_TURN = 240.0
"""Seconds for which a base waits for its turn in an order."""
_BUMPED = 3
"""Control periods in a row with a pressed bumper that end a drive: one may be a graze while turning away."""


class Drive:
    """A goal under way. The caller is moving the simulation.

    Args:
        tolerance: greatest distance from the goal, metres, if less than the base's own.
    """

    def __init__(
        self, base: Vehicle, goal: Pose, deadline: Deadline, cancel: Event, progress: Progress,
        tolerance: float = math.inf,
    ) -> None:
        self._base = base
        self._goal = goal
        self._deadline = deadline
        self._cancel = cancel
        self._progress = progress
        self._tolerance = min(tolerance, base.settings.xy_tolerance)
        self._guard = ZoneGuard([shape for shape in base.local.keep_outs if shape.name], base.radius,
                                base.settings.acceleration, 1.0 / base.settings.control_rate)
        self._path: Optional[np.ndarray] = None
        self._planned = -math.inf
        self._last_plan = base.simulation.time
        self._last_moved = base.simulation.time
        self._anchor = base.pose().position
        self._whole = self._left = self._done = 0.0
        self._nearest = math.inf
        self._recoveries = 0
        self._bumped = 0
        self._way = Way()
        self._began = base.simulation.time
        self._waits_since, self._held = math.inf, base.held
        self._forward = False
        self._turning = False

    def run(self) -> Outcome:
        """Drive until the goal is reached or the drive has failed.

        Returns:
            The outcome.
        """
        try:
            return self._run()
        finally:
            self._base.end_drive()

    def _run(self) -> Outcome:
        while True:
            ended = self._ended() or self._arrived()
            if ended is not None:
                return ended
            if self._turning:
                self._base.tick(self._base.controller.face(self._base.pose(), self._goal.yaw))
                continue
            self._plan_when_due()
            given_up = self._waited_too_long() or self._out_of_patience()
            if given_up is not None:
                return given_up
            twist = None if self._path is None else self._base.controller.follow(self._base.pose(),
                                                                                 self._path)
            if twist is None:
                # Something is in the way: plan with the next scans, not when the time comes.
                soon = 2.0 / self._base.settings.scan_rate - 1.0 / self._base.settings.plan_rate
                self._planned = min(self._planned, self._base.simulation.time + soon)
                self._base.controller.reset()
                self._wait_for_near()
            self._forward = twist is not None and twist.forward > 0.02
            self._base.tick(twist or Twist())

    def _ended(self) -> Optional[Outcome]:
        """Return why the drive must end here, whatever the plan says."""
        if self._cancel.is_set() or self._base.halted.is_set():
            return Outcome(Status.CANCELED, "The drive was canceled; the base stands still.",
                           cause=Cause(CauseKind.CANCELED))
        if self._deadline.passed:
            return Outcome(Status.TIMEOUT, "The time limit passed; the base stands still.",
                           cause=Cause(CauseKind.OUT_OF_TIME))
        speed, turn = self._base.body.wheel_speeds
        forbidden = self._guard.ahead(self._base.pose(), speed, turn)
        if forbidden is not None:
            return Outcome(Status.EXECUTION, f"The base was stopped before it came over {forbidden}.",
                           cause=Cause(CauseKind.FORBIDDEN, (str(forbidden),)))
        if self._base.scan_age > self._base.settings.scan_timeout:
            age = self._base.scan_age
            return Outcome(Status.SAFETY,
                           f"No scan has arrived for {age:.1f} s; the base does not drive blind and stands still.",
                           cause=Cause(CauseKind.STALE_SENSOR, ("lidar",), age))
        bumper = self._base.body.bumper
        pressed = self._forward and bumper is not None and abs(bumper) < _AHEAD
        self._bumped = self._bumped + 1 if pressed else 0
        if self._bumped >= _BUMPED:
            x, y, _ = self._base.pose().position
            return Outcome(Status.EXECUTION,
                           f"The bumper was pressed at ({x:.2f}, {y:.2f}) by something that the "
                           "lidar does not see.", cause=Cause(CauseKind.TOUCHED))
        return None

    def _arrived(self) -> Optional[Outcome]:
        """SUCCESS at the goal; within reach of it the base turns to the goal's heading."""
        pose = self._base.pose()
        apart = math.dist(pose.position[:2], self._goal.position[:2])
        self._turning = apart <= (1.5 * self._tolerance if self._turning else self._tolerance)
        off = abs(math.remainder(pose.yaw - self._goal.yaw, math.tau))
        if self._turning and off <= self._base.settings.yaw_tolerance:
            self._progress("drive", 1.0)
            return Outcome(Status.SUCCESS, "Goal reached.")
        return None

    def _plan_when_due(self) -> None:
        now = self._base.simulation.time
        if now - self._planned < 1.0 / self._base.settings.plan_rate - 1e-6:
            return
        self._planned = now
        way = self._base.way(self._goal, self._began)
        self._path = way.path
        self._wait_for(way)
        if self._path is None or way.words:
            return
        self._last_plan, self._base.route = now, self._path
        self._left = path_length(self._path)
        if self._left < self._nearest - _MOVED:  # Nearer than ever: what stopped it before is behind it.
            self._nearest, self._recoveries, self._waits_since = self._left, 0, math.inf
        self._whole = max(self._whole, self._left, 1e-6)
        self._progress("drive", self._fraction())

    def _wait_for(self, way: Way) -> None:
        """Take in whom the base waits for: that is no lack of a plan, and no lack of progress."""
        now, before = self._base.simulation.time, self._way.words
        self._way = way
        if not way.words:
            return
        if way.words != before:
            self._progress(f"{AWAITED}{way.words}", self._fraction())
        self._waits_since = math.inf if way.held else min(self._waits_since, now)
        self._last_plan = self._last_moved = now

    def _wait_for_near(self) -> None:
        """Wait for a base that stands or moves right in front, and not for a recovery."""
        spot = self._base.pose().position[:2]
        near = [mate for mate in self._base.controller.mates if mate.apart(spot) <= self._base.radius + _BESIDE]
        if near and not self._way.words:
            self._wait_for(Way(words=f"{near[0].name} to clear the way", whom=near[0].name))

    def _waited_too_long(self) -> Optional[Outcome]:
        """Return the failure of a drive that waited in vain for another base."""
        waited, held = self._base.simulation.time - self._waits_since, self._base.held - self._held
        if not self._way.words or waited < _LONGEST_WAIT and held < _LONGEST_TURN:
            return None
        return Outcome(Status.EXECUTION, f"The base waited {max(waited, held):.0f} s in vain for {self._way.words}.",
                       cause=Cause(CauseKind.BLOCKED, (self._way.whom,) if self._way.whom else ()))

    def _fraction(self) -> float:
        """Return the completed share of the longest path so far; it never decreases."""
        if self._whole:
            self._done = max(self._done, 1.0 - self._left / self._whole)
        return self._done

    def _out_of_patience(self) -> Optional[Outcome]:
        """Recover when there was no plan or no progress for too long; the failure when all recoveries were tried."""
        now, settings = self._base.simulation.time, self._base.settings
        if math.dist(self._anchor, self._base.pose().position) > _MOVED:
            self._anchor, self._last_moved = self._base.pose().position, now
        planless = self._path is None and now - self._last_plan >= settings.planner_patience
        stuck = now - self._last_moved >= settings.controller_patience
        if not planless and not stuck:
            return None
        if self._recoveries >= len(_RECOVERIES):
            if self._path is None:
                return Outcome(Status.PLANNING, NO_PLAN, cause=Cause(CauseKind.NO_PATH))
            return Outcome(Status.EXECUTION, NO_CONTROL, cause=Cause(CauseKind.BLOCKED))
        behaviour = _RECOVERIES[self._recoveries]
        self._recoveries += 1
        self._progress(f"recovery: {behaviour}", self._fraction())
        self._recover(behaviour)
        self._planned = -math.inf
        self._last_plan = self._last_moved = self._base.simulation.time - 0.5 * settings.planner_patience
        return None

    def _recover(self, behaviour: str) -> None:
        if behaviour == "conservative reset":
            x, y, _ = self._base.pose().position
            self._base.local.clear((x, y), _KEPT)
        elif behaviour == "aggressive reset":
            self._base.local.clear()
        else:
            self._rotate()
        self._base.look()

    def _rotate(self) -> None:
        """Once around on the spot."""
        turned, yaw = 0.0, self._base.pose().yaw
        while turned < math.tau and not self._ended():
            self._base.tick(self._base.controller.spin())
            now = self._base.pose().yaw
            turned += abs(math.remainder(now - yaw, math.tau))
            yaw = now
        self._base.controller.reset()
