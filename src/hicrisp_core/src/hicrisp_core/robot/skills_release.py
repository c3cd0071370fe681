"""Looking before letting go: HiCRISP's low-level feedback inside the action (section III-C).

The item in the hand is seen above its goal and compared with it. While it is too far beside, the arm goes
there again, led by what it missed by so far; once it is near enough it goes straight down, is looked at above
the contact and at the contact, and only then the fingers open. What would miss stays in the hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from hicrisp_core.domain.wording import quantity
from hicrisp_core.model import Cause, CauseKind, Outcome, Status, Vector, WorldObject, WorldState
from hicrisp_core.model.offsets import OffsetEstimate, OffsetSettings, Planar
from hicrisp_core.robot.hand import hand_clearance
from hicrisp_core.robot.skills import DONE, Attempt, below
from hicrisp_core.robot.skills_lower import NEARLY, carried, let_go, tool_at, touch_down
from hicrisp_core.robot.skills_placements import Placement

_BELOW_CARRY = 0.01
"""How far below the height at which it is carried the item is looked at first, metres."""
_SETTLES = 0.003
"""How much farther beside its goal an item may be seen at the contact than above it, metres."""
_DOUBT = 0.5
"""The part of what is allowed that the uncertainty of the view may take up: where it sees no better, the arm
cannot do better.
"""
_BLOCKED = 3
"""How often something may be in the way of the last, straight part before another way is tried."""
_LEARNING = OffsetSettings(prior_sigma=0.03)
"""How the misses of one goal's approaches are told apart into a bias, which is corrected, and scatter."""
_ENDING = 8.0
"""Seconds of the robot's clock that are kept for the way down, the release and the retreat."""
_MISSED = Outcome(Status.EXECUTION, cause=Cause(CauseKind.OFF_GOAL))
_AGAIN = (CauseKind.OFF_GOAL, CauseKind.TOUCHED)
"""What another approach may do better."""


@dataclass
class Approach:
    """The approaches to one goal with an item in the hand.

    Args:
        placement: where the item shall be, and the hand with it.
        world: as it was seen before.
        within: how far beside the goal the item may be seen when it is let go, metres in the plane.
        told: metres by which the arm is told to go elsewhere, because it is known to end beside where it is
            told to.
    """

    attempt: Attempt
    thing: WorldObject
    placement: Placement
    world: WorldState
    within: float
    told: Vector = (0.0, 0.0, 0.0)
    _learnt: OffsetEstimate = field(default_factory=OffsetEstimate)
    _nearest: float = math.inf
    _count: int = 0

    def place(self, clear: float) -> Outcome:
        """Approach until the item is near enough, and let it go there.

        Args:
            clear: height above the goal at which the item is free of everything, metres.

        Returns:
            What came of it, with what the approaches missed by: EXECUTION with OFF_GOAL where none came near
            enough, and the item is still in the hand.
        """
        outcome = self._place(clear)
        return replace(outcome, missed=self._learnt.mean) if self._learnt.samples else outcome

    def _place(self, clear: float) -> Outcome:
        height = max(clear, self.attempt.settings.approach - _BELOW_CARRY)
        most, blocked, longest, outcome = self.attempt.settings.approaches, 0, 0.0, DONE
        for number in range(most):
            left = self.attempt.left()
            if number and left < longest + _ENDING:
                break
            self._count = number + 1
            self.attempt.progress("approach", 0.3 + 0.3 * number / most)
            outcome = self._above(height)
            outcome = self._down(height) if outcome.ok else outcome
            stopped = self.attempt.interrupted()
            if stopped is not None:
                return stopped
            longest = max(longest, left - self.attempt.left()) if math.isfinite(left) else 0.0
            if outcome.status is Status.PLANNING:
                blocked += 1
                again = blocked < _BLOCKED
            else:
                again = outcome.cause is not None and outcome.cause.kind in _AGAIN
            if not again:
                return outcome
        return self._off_goal() if outcome.cause == _MISSED.cause else outcome

    def _above(self, height: float) -> Outcome:
        """Go above the goal, and see whether that is near enough; what is touched is backed off from."""
        attempt = self.attempt
        seen = carried(attempt, self.thing.name)
        if isinstance(seen, Outcome):
            return seen
        goal = tool_at(attempt, seen, self.placement.item).shifted((0.0, 0.0, height))
        everything = frozenset(self.world.objects)
        moved = attempt.line(goal.shifted(self.told), attempt.settings.fast,
                             everything if any(self.told) else frozenset(), guarded=True)
        if moved.status is Status.EXECUTION:
            attempt.raise_tool(attempt.settings.approach / 2.0, everything)
        return self._seen(self.within, learn=True) if moved.ok else moved

    def _down(self, height: float) -> Outcome:
        """Straight down, with a look above the contact and one at it; back up from where it would miss."""
        attempt = self.attempt
        touch = below(self.thing, self.placement.item, self.world)
        goal = attempt.arm.tool_pose().position[2] - height
        outcome = DONE
        for above, within in ((NEARLY, self.within), (-attempt.settings.press, self.within + _SETTLES)):
            here = attempt.arm.tool_pose()
            told = here.shifted((0.0, 0.0, goal + above - here.position[2]))
            outcome = touch_down(attempt, self.thing, self.placement.item, told, goal, self.world, touch)
            outcome = self._seen(within) if outcome.ok else outcome
            if not outcome.ok:
                back = goal + height - attempt.arm.tool_pose().position[2]
                if back > 0.0:
                    attempt.raise_tool(back, touch)
                return outcome
        room = hand_clearance(attempt.arm.tool_pose(), attempt.arm.opening(), self.world, attempt.gripper,
                              self.thing.name)
        return let_go(attempt, self.thing, room, touch)

    def _seen(self, within: float, learn: bool = False) -> Outcome:
        """Whether the item is seen in the hand and near enough to above its goal.

        Args:
            learn: whether this is the end of an approach, by which the next one is corrected.
        """
        seen = carried(self.attempt, self.thing.name)
        if isinstance(seen, Outcome):
            return seen
        x, y = _beside(seen, self.placement)
        if learn:
            self._learnt = self._learnt.updated((x - self.told[0], y - self.told[1]), _LEARNING)
            bias = self._learnt.bias(_LEARNING)
            self.told = (-bias[0], -bias[1], 0.0)
        doubt = min(seen.uncertainty.position, within * _DOUBT)
        off = math.hypot(x, y) + doubt
        if off <= within:
            return DONE
        self._nearest = min(self._nearest, off)
        return _MISSED

    def _off_goal(self) -> Outcome:
        """Why it is still in the hand."""
        name = self.thing.name
        nearest = f"the nearest of {self._count} approaches" if self._count > 1 else "it"
        why = (f"{nearest} was seen {quantity(self._nearest, 'm')} beside its goal, and "
               f"{quantity(self.within, 'm')} are allowed; the {name} stays in the hand")
        return Outcome(Status.EXECUTION, why,
                       cause=Cause(CauseKind.OFF_GOAL, (name,), said=why, metres=self._nearest))


def _beside(seen: WorldObject, placement: Placement) -> Planar:
    """How far an item is seen beside its goal, metres in the world's plane."""
    if seen.pose is None:
        return (math.inf, math.inf)
    (x, y, _), (goal_x, goal_y, _) = seen.pose.position, placement.item.position
    return (x - goal_x, y - goal_y)
