"""Placing: carry above the goal, lower until it touches, let go, retreat; where it is asked for, with a look
before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import FrozenSet, List, Optional, Union

from hicrisp_core.domain.wording import quantity
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import Planar, turn_between
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.offsets import OffsetEstimate, OffsetSettings
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.gripper import hand_clearance
from hicrisp_core.robot.skills import DONE, SkillContext, below, failed
from hicrisp_core.robot.skills_carry import (
    LEAST_LIFT,
    NEARLY,
    against_swing,
    beside,
    carry,
    droop,
    rim,
    rolled,
    slip_under,
    tool_at,
)
from hicrisp_core.robot.skills_pick import in_hand
from hicrisp_core.robot.skills_placements import LEAST_ROOM, LEVEL_HAND, Placement, hold_of, sags, ways_to_place

_BELOW_CARRY = 0.01
"""How far below the height at which it is carried the item is looked at first, metres."""
_SETTLES = 0.003
"""How much farther beside its goal an item may be seen at the contact than above it, metres."""
_DOUBT = 0.5
"""The part of what is allowed that the uncertainty of the view may take up: where it sees no better, the arm
cannot do better.
"""
_TILTED = 0.1
"""By which an item may have turned in the hand, radians, before the hand makes up for it."""
_BLOCKED = 3
"""How often something may be in the way of the last, straight part before another way is tried."""
_LEARNING = OffsetSettings(prior_sigma=0.03)
"""How the errors of one goal's approaches are separated into a bias, which is corrected, and scatter."""
_ENDING = 8.0
"""Seconds of the robot's clock that are kept for the way down, the release and the retreat."""
_MISSED = Outcome(Status.EXECUTION, cause=Cause(CauseKind.OFF_GOAL))
_AGAIN = (CauseKind.OFF_GOAL, CauseKind.TOUCHED)
"""What another approach may do better."""
_SAME = 0.001
"""Metres between two approaches of which the second touches what the first has touched."""
_FINGER_GAP = 0.003
"""Space that the opened fingers keep to other objects, metres."""
_OVER_TOP = 0.04
"""How far above what it let go the tool goes, which was around the middle of a tall one, metres."""


@dataclass
class Approach:
    """The approaches to one goal with an item in the hand.

    Args:
        placement: where the item shall be, and the hand with it.
        world: as it was seen before.
        within: how far beside the goal the item may be seen when it is let go, metres in the plane.
        told: offset of the commanded pose, metres, that compensates the known error of the arm.
    """

    context: SkillContext
    thing: WorldObject
    placement: Placement
    world: WorldState
    within: float
    told: Vector = (0.0, 0.0, 0.0)
    _learnt: OffsetEstimate = field(default_factory=OffsetEstimate)
    _nearest: float = math.inf
    _beside: Planar = (math.inf, math.inf)
    _count: int = 0

    def place(self, clear: float) -> Outcome:
        """Approach until the item is near enough, and let it go there.

        Args:
            clear: height above the goal at which the item is free of everything, metres.

        Returns:
            What came of it, with what the approaches missed by: EXECUTION with OFF_GOAL if none came near
            enough, and the item is still in the hand.
        """
        outcome = self._place(clear)
        learnt, alike = self._learnt, self._learnt.agreed(OffsetSettings())
        return replace(outcome, missed=learnt.mean, alike=alike) if learnt.samples else outcome

    def _place(self, clear: float) -> Outcome:
        carried_at = self.context.arm.tool_pose().position[2] - self.placement.grasp.pose.position[2]
        height = max(clear, min(carried_at, self.context.settings.approach) - _BELOW_CARRY)
        most, blocked, longest, outcome = self.context.settings.approaches, 0, 0.0, DONE
        touched: List[Planar] = []
        for number in range(most):
            left = self.context.left()
            if number and left < longest + _ENDING:
                break
            self._count = number + 1
            self.context.progress("approach", 0.3 + 0.3 * number / most)
            there = self._there() if number == 0 else None
            outcome = DONE if there is not None else self._above(height, outcome.status is Status.PLANNING)
            outcome = self._down(height if there is None else there) if outcome.ok else outcome
            stopped = self.context.interrupted()
            if stopped is not None:
                return stopped
            longest = max(longest, left - self.context.left()) if math.isfinite(left) else 0.0
            if outcome.status is Status.PLANNING:
                blocked += 1
                again = blocked < _BLOCKED
            else:
                again = outcome.cause is not None and outcome.cause.kind in _AGAIN
            if has_touched(outcome):
                again = again and all(math.dist(self._beside, other) > _SAME for other in touched)
                touched.append(self._beside)
            if not again:
                return outcome
        return self._off_goal() if outcome.cause == _MISSED.cause else outcome

    def _there(self) -> Optional[float]:
        """Return how high above its goal the item is, metres, if it was carried to there as well as it can be told."""
        context = self.context
        seen = carried(context, self.thing.name)
        if isinstance(seen, Outcome) or seen.pose is None or any(self.told):
            return None
        goal = rolled(seen, self.placement.item)
        self._beside = beside(seen, self.placement)
        tilted = turn_between(seen.pose.orientation, goal.orientation)
        if tilted > _TILTED or self._off(seen, self.within) > self.within * _DOUBT:
            return None
        return context.arm.tool_pose().position[2] - tool_at(context, seen, goal).position[2]

    def _above(self, height: float, again: bool) -> Outcome:
        """Go above the goal, and see whether that is near enough; what is touched is backed off from.

        Args:
            again: whether the way down from there was blocked before.
        """
        context = self.context
        seen = carried(context, self.thing.name)
        if isinstance(seen, Outcome):
            return seen
        goal = tool_at(context, seen, rolled(seen, self.placement.item)).shifted(self.told)
        above, everything = goal.shifted((0.0, 0.0, height)), frozenset(self.world.objects)
        if again:  # The straight way is blocked to the arm as it bends now.
            motion = context.plan_to(above, below(self.thing, self.placement.item, self.world), (goal,))
            moved = motion.outcome() if isinstance(motion, MotionFailure) else context.follow(motion)
        else:
            moved = context.line(above, context.settings.fast, everything if any(self.told) else frozenset(), True)
        if moved.status is Status.EXECUTION:
            context.raise_tool(context.settings.approach / 2.0, everything)
        return self._seen(self.within, learn=True) if moved.ok else moved

    def _down(self, height: float) -> Outcome:
        """Straight down, with a look above the contact and one at it; back up from where it would miss."""
        context = self.context
        touch = below(self.thing, self.placement.item, self.world)
        goal = context.arm.tool_pose().position[2] - height
        outcome, slow = DONE, context.settings.guarded
        for above, within, speed in ((NEARLY, self.within, 2.0 * slow),
                                     (-context.settings.press, self.within + _SETTLES, slow)):
            here = context.arm.tool_pose()
            told = here.shifted((0.0, 0.0, goal + above - here.position[2]))
            outcome = touch_down(context, self.thing, self.placement.item, told, goal, self.world, touch,
                                 speed)
            outcome = self._seen(within) if outcome.ok else outcome
            if not outcome.ok:
                back = goal + height - context.arm.tool_pose().position[2]
                if back > 0.0:
                    context.raise_tool(back, touch)
                return outcome
        drop = context.arm.tool_pose().position[2] - goal
        against_swing(context, self.thing.at(self.placement.item), drop, self.world)
        room = hand_clearance(context.arm.tool_pose(), context.arm.opening(), self.world, context.gripper,
                              self.thing.name)
        return let_go(context, self.thing, room, touch)

    def _seen(self, within: float, learn: bool = False) -> Outcome:
        """Return DONE if the item is observed in the hand, close enough above its goal.

        Args:
            learn: whether this is the end of an approach, by which the next one is corrected.
        """
        seen = carried(self.context, self.thing.name)
        if isinstance(seen, Outcome):
            return seen
        x, y = self._beside = beside(seen, self.placement)
        if learn:
            self._learnt = self._learnt.updated((x - self.told[0], y - self.told[1]), _LEARNING)
            bias = self._learnt.bias(_LEARNING)
            self.told = (-bias[0], -bias[1], 0.0)
        off = self._off(seen, within)
        if off <= within:
            return DONE
        self._nearest = min(self._nearest, off)
        return _MISSED

    def _off(self, seen: WorldObject, within: float) -> float:
        """Return how far beside its goal the item may be, metres."""
        return math.hypot(*beside(seen, self.placement)) + min(seen.uncertainty.position, within * _DOUBT)

    def _off_goal(self) -> Outcome:
        """Return why it is still in the hand."""
        name = self.thing.name
        nearest = f"the nearest of {self._count} approaches" if self._count > 1 else "it"
        why = (f"{nearest} was seen {quantity(self._nearest, 'm')} beside its goal, and "
               f"{quantity(self.within, 'm')} are allowed; the {name} stays in the hand")
        return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.OFF_GOAL, (name,), said=why, metres=self._nearest))


def carried(context: SkillContext, name: str) -> Union[WorldObject, Outcome]:
    """Observe the held item, which may have slipped in the hand, and attach it again.

    Args:
        context: the running command with its arm, observer and limits.
        name: name of the item.

    Returns:
        The observed item; EXECUTION if it is no longer in the hand.
    """
    seen = context.look().objects[name]
    if seen.pose is None or not in_hand(context, seen):
        context.arm.detach()
        return Outcome(Status.EXECUTION, f"the {name} slipped out of the gripper on the way",
                       cause=Cause(CauseKind.SLIPPED, (name,)))
    context.arm.attach(name)
    return seen


def touch_down(
    context: SkillContext, object_: WorldObject, item: Pose, told: Pose, goal: float, world: WorldState,
    unchecked: FrozenSet[str], speed: float
) -> Outcome:
    """Lower the item until it touches; after an early contact raise it again (EXECUTION).

    Args:
        context: the running command with its arm, observer and limits.
        object_: the held item.
        item: its target pose, world frame.
        told: tool pose to command; may lie below the goal.
        goal: height of the tool at which it is there, metres.
        world: observed objects, robots and facts; poses in the world frame.
        unchecked: names of objects that the motion may touch.
        speed: of the tool, m/s.

    Returns:
        DONE on the ground, or why not.
    """
    lowered = context.line(told, speed, unchecked, True)
    if lowered.status not in (Status.SUCCESS, Status.EXECUTION):
        return lowered
    here = context.arm.tool_pose().position[2]
    above = here - goal
    early = max(context.settings.early, rim(object_, item, world) - NEARLY, droop(object_))
    if here - max(goal, told.position[2]) < early:
        return DONE
    context.raise_tool(max(LEAST_LIFT, context.settings.approach - above), unchecked)
    why = f"the {object_.name} touched something {100 * above:.1f} cm above the goal"
    return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.TOUCHED, said=why))


def has_touched(outcome: Outcome) -> bool:
    """Check whether something was touched too early: it stands where the world does not show it.

    Args:
        outcome: of the way down.

    Returns:
        True if that is why it ended.
    """
    return outcome.cause is not None and outcome.cause.kind is CauseKind.TOUCHED


def let_go(context: SkillContext, item: WorldObject, clearance: float, touch: FrozenSet[str]) -> Outcome:
    """Open the fingers as far as there is room, and retreat.

    Args:
        context: the running command with its arm, observer and limits.
        item: the held item.
        clearance: space between the hand and other objects, metres.
        touch: names of the objects that the item stands on.

    Returns:
        DONE once the item is released; a retreat that cannot be planned is no failure.
    """
    context.progress("release", 0.8)
    room = min(max(clearance - _FINGER_GAP, LEAST_ROOM), context.gripper.spare / 2.0)
    opened = context.open_hand(context.arm.opening() + 2.0 * room)
    context.arm.detach()
    if not opened.ok:
        return opened
    context.progress("retreat", 0.9)
    seen = context.look().objects[item.name]
    top = vertical_span(seen, seen.pose)[1] if seen.pose is not None else -math.inf
    height = max(context.settings.retreat, top + _OVER_TOP - context.arm.tool_pose().position[2])
    tool, held = context.arm.tool_pose(), frozenset({item.name})
    # It may be under a roof and between walls, or have a finger under it.
    straight = abs(tool.axes[2][2]) < LEVEL_HAND or abs(tool.axes[1][2]) > LEVEL_HAND or item.form.pinched
    retreated = context.draw_back(context.settings.retreat, held) if straight \
        else context.raise_tool(height, touch | held)
    # It is placed; the next motion finds a way out.
    return DONE if retreated.status is Status.PLANNING else retreated


def place(
    context: SkillContext, item: str, target: Pose, correction: Vector = (0.0, 0.0, 0.0), within: float = 0.0
) -> Outcome:
    """Put the held item down at a pose of its centre.

    The yaw is free as far as the item's shape looks the same.

    Args:
        context: the running command with its arm, observer and limits.
        item: name of the object.
        target: pose of its centre, world frame.
        correction: offset added to the commanded pose, metres, to compensate a known error of the arm;
            collisions are checked at the target.
        within: greatest distance in the plane, metres, between the target and where the item is observed before
            release; 0 skips this check.

    Returns:
        DONE with the item released, or why not.
    """
    context.progress("look", 0.0)
    world = context.look()
    object_ = world.objects[item]
    if not in_hand(context, object_):
        return Outcome.because(CauseKind.NOT_HELD, Status.PRECONDITION,
                               f"Cannot place the {item}: it is not in the hand.", item)
    context.arm.attach(item)
    doing = f"place the {item}"
    best = DONE
    hold = hold_of(object_, context.arm.tool_pose(), context.arm.opening())
    ways = ways_to_place(object_, hold, target, world, context.gripper, context.arm.margin, context.settings.tries)
    if sags(object_):  # It keeps its hold in a hand that hardly turns.
        now = context.arm.tool_pose().orientation
        ways = iter(sorted(ways, key=lambda way: turn_between(way.grasp.pose.orientation, now)))
    for placement in ways:
        clear = rim(object_, placement.item, world) + NEARLY + _hanging(object_, placement, context.arm.tool_pose())
        shift = correction if within <= 0.0 else (0.0, 0.0, 0.0)
        if sags(object_):  # It keeps its hold on a straight way, over what stands there.
            over = placement.grasp.pose.position[2] + clear - context.arm.tool_pose().position[2]
            context.raise_tool(max(over, context.settings.approach), frozenset())
        outcome = carry(context, object_, world, placement, clear, shift)
        leans = bool(outcome.blockers) and clear > NEARLY and placement.grasp.clearance > 0.0
        if leans:
            outcome = slip_under(context, object_, placement, outcome, world, shift)
        if outcome.ok and within > 0.0 and not leans and not sags(object_):
            outcome = Approach(context, object_, placement, world, within, correction).place(clear)
        elif outcome.ok:
            outcome = _lower(context, object_, placement, world, shift)
        stopped = context.interrupted()
        otherwise = outcome.status is Status.PLANNING or within > 0.0 and has_touched(outcome)
        if stopped is not None or not otherwise:
            return stopped or failed(outcome, doing)
        best = outcome if best.ok else best
    return failed(best, doing)


def _hanging(item: WorldObject, placement: Placement, tool: Pose) -> float:
    """Return how far what hangs from its rim is below where it will be under the hand, metres."""
    if item.pose is None or not sags(item):
        return 0.0
    below_tool = tool.position[2] - vertical_span(item, item.pose)[0]
    return max(0.0, below_tool - placement.grasp.pose.position[2] + vertical_span(item, placement.item)[0])


def _lower(
    context: SkillContext, item: WorldObject, placement: Placement, world: WorldState, correction: Vector
) -> Outcome:
    """Lower the item until it touches, and let go wherever that is."""
    seen = carried(context, item.name)
    if isinstance(seen, Outcome):
        return seen
    context.progress("lower", 0.6)
    touch = below(item, placement.item, world)
    if sags(seen):  # What carries it turns it back.
        lowered = context.line(placement.grasp.pose.shifted(correction), context.settings.guarded, touch)
        return let_go(context, item, 0.0, touch) if lowered.ok else lowered
    goal = tool_at(context, seen, rolled(seen, placement.item))
    told = goal.shifted(correction).shifted((0.0, 0.0, -context.settings.press))
    unchecked = touch if correction == (0.0, 0.0, 0.0) else frozenset(world.objects)
    lowered = touch_down(context, item, placement.item, told, goal.position[2], world, unchecked,
                         context.settings.guarded)
    drop = context.arm.tool_pose().position[2] - goal.position[2]
    if not lowered.ok:
        return lowered
    against_swing(context, seen.at(placement.item), drop, world)
    return let_go(context, item, placement.grasp.clearance, touch)
