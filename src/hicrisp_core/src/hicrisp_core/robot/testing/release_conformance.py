"""What looking before letting go must do on every arm, as tests that scripted, embedded and other arms share.

A test class derives from :class:`ReleaseConformance` and gives it a ``rig``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from threading import Event
from typing import Callable, List, Tuple

from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Status
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.ports.robot import RobotPort
from hicrisp_core.time.deadline import Deadline

_WITHIN, _RESTS = 0.015, 0.008
"""How near the goal objects are let go here, and how far they may move until they rest, metres."""


@dataclass(frozen=True)
class ReleaseRig:
    """An arm with an object in its hand, and a free goal for it.

    Args:
        robot: carries out commands.
        place: puts the object on the goal; it looks at nothing before it lets go.
        lies: where the object truly is, in the world frame.
        held: whether it is truly in the hand.
        misses: makes every further approach miss its commanded pose, by a mean in x and y and a scatter
            along each, metres.
        patience: time in which every command here ends, seconds of wall time.
    """

    robot: RobotPort
    place: Command
    lies: Callable[[], Pose]
    held: Callable[[], bool]
    misses: Callable[[Tuple[float, float], float], None]
    patience: float = 60.0


class ReleaseConformance:
    """The tests; every one begins with the object in the hand."""

    rig: ReleaseRig

    def test_without_a_look_it_is_let_go_wherever_the_arm_ends(self) -> None:
        self.rig.misses((0.04, -0.03), 0.0)
        outcome, phases = self._place(0.0)
        assert outcome.ok, outcome
        assert abs(self._beside() - 0.05) < _RESTS
        assert phases.count("release") == 1

    def test_an_arm_that_does_not_miss_is_not_corrected(self) -> None:
        outcome, phases = self._place(_WITHIN)
        assert outcome.ok, outcome
        assert phases.count("approach") == phases.count("release") == 1
        assert self._beside() < _RESTS

    def test_a_miss_that_stays_the_same_is_corrected_before_the_hand_opens(self) -> None:
        self.rig.misses((0.05, -0.03), 0.0)
        outcome, phases = self._place(_WITHIN)
        assert outcome.ok, outcome
        assert phases.count("release") == 1
        assert 2 <= phases.count("approach") <= 6
        assert self._beside() < _WITHIN + _RESTS

    def test_misses_that_are_drawn_anew_are_approached_until_one_is_near_enough(self) -> None:
        self.rig.misses((0.0, 0.0), 0.02)
        outcome, phases = self._place(_WITHIN)
        assert outcome.ok, outcome
        assert phases.count("release") == 1
        assert self._beside() < _WITHIN + _RESTS

    def test_what_would_miss_stays_in_the_hand_and_it_is_said_by_how_much(self) -> None:
        self.rig.misses((0.0, 0.0), 0.05)
        outcome, phases = self._place(0.0005)
        assert outcome.status is Status.EXECUTION, outcome
        assert outcome.cause is not None
        assert outcome.cause.kind is CauseKind.OFF_GOAL
        assert outcome.cause.metres is not None
        assert 0.0005 < outcome.cause.metres < 0.05
        assert "release" not in phases
        assert self.rig.held()

    def test_a_distance_that_is_none_is_refused(self) -> None:
        for wrong in (-0.01, math.nan, math.inf):
            outcome, phases = self._place(wrong)
            assert outcome.status is Status.INVALID, outcome
            assert not phases
        assert self.rig.held()

    def _place(self, within: float) -> Tuple[Outcome, List[str]]:
        """The outcome of putting the object down, and the phases on the way."""
        phases: List[str] = []
        outcome = self.rig.robot.execute(replace(self.rig.place, look_within=within),
                                         Deadline(self.rig.patience), Event(), lambda phase, _: phases.append(phase))
        return outcome, phases

    def _beside(self) -> float:
        """How far beside its goal the object lies, metres."""
        assert self.rig.place.target is not None
        return planar_distance(self.rig.lies().position, self.rig.place.target.position)
