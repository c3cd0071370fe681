"""A base without physics that does as the test says: arrives, lies, fails, or drives until it is told to stop."""

from __future__ import annotations

import time
from threading import Event
from typing import List, Optional

from hicrisp_core.model import Outcome, Pose, Status
from hicrisp_core.ports.robot import UNCONSTRAINED, USUAL, Constraints, Manner, Progress
from hicrisp_core.time.deadline import Deadline

ARRIVES = Outcome(Status.SUCCESS)


class ScriptedBase:
    """Stands at ``pose``; the next drives end with ``answers``, then it arrives at once at every goal, or
    at ``misses``, one after the other."""

    name = "agv"
    takes = 0.0
    """Seconds of its clock that a drive takes, which nobody has to wait for."""

    def __init__(self) -> None:
        self.hurry = 0.0
        self.durations: List[float] = []
        """As ``takes``, of the next drives."""
        self.pose: Optional[Pose] = Pose((0.0, 0.0, 0.0))
        self.goals: List[Pose] = []
        self.patience: List[float] = []
        self.manners: List[Manner] = []
        self.constraints: List[Constraints] = []
        self.answers: List[Outcome] = []
        self.arrives_at: Optional[Pose] = None
        self.misses: List[Pose] = []
        self.drives_on = False
        self.halts = Outcome(Status.SUCCESS)
        self.stops = 0
        self.on_the_way = Event()

    def time(self) -> float:
        """Its clock, seconds: it goes as the wall's, and ahead while it drives."""
        return time.monotonic() + self.hurry

    def go_to(
        self, pose: Pose, deadline: Deadline, cancel: Event, progress: Progress, manner: Manner = USUAL,
        constraints: Constraints = UNCONSTRAINED,
    ) -> Outcome:
        self.goals.append(pose)
        self.patience.append(deadline.remaining)
        self.manners.append(manner)
        self.constraints.append(constraints)
        progress("drive", 0.5)
        if self.drives_on:
            self.on_the_way.set()
            cancel.wait(deadline.remaining)
            return Outcome(Status.CANCELED if cancel.is_set() else Status.TIMEOUT, "stopped on the way")
        end = self.hurry + (self.durations.pop(0) if self.durations else self.takes)
        while self.hurry < end:
            if cancel.is_set():
                return Outcome(Status.CANCELED, "stopped on the way")
            self.hurry += 0.5
        answer = self.answers.pop(0) if self.answers else ARRIVES
        if answer.ok and self.pose is not None:
            self.pose = self.misses.pop(0) if self.misses else self.arrives_at or pose
        return answer

    def stop(self, deadline: Deadline) -> Outcome:
        del deadline
        self.stops += 1
        return self.halts

    def where(self) -> Optional[Pose]:
        return self.pose
