"""Pouring: bring a vessel's lip above another's mouth, tilt it until enough is seen to be gone, and tilt it back.

The hand that holds the vessel from the side turns about the way it points, so that the vessel tilts beside it; one that
holds a dish by its rim turns about the way its fingers close. The levels are those that perception sees; the hand feels
nothing of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, Tuple

from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Pose, Status, Vector, WorldObject
from hicrisp_core.model.geometry import Planar, from_yaw, multiply, rotate
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.liquids import VOLUME, level_of, retained
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.skills import DONE, SkillContext, failed
from hicrisp_core.robot.skills_pick import in_hand
from hicrisp_core.robot.skills_place import carried

_ABOVE = 0.03
"""Space of the vessel to the other's rim, metres."""
_YAWS = 12
"""Directions from which to pour."""
_LARGEST, _COARSE, _SLOW, _FINE = (math.radians(degrees) for degrees in (125.0, 6.0, 1.5, 0.3))
"""The greatest tilt, the largest step before anything runs and after that, and the smallest step."""
_DRAINED, _TIPPED, _BACK = math.radians(94.0), math.radians(115.0), 0.32
"""The tilts at which all liquid has left a vessel, and what is loose in it, too; and how far that flies, in heights."""
_PARTS = tuple(number / 12.0 for number in range(13))
_SPEED = 0.1
"""Of the tool, m/s."""
_EDGE = 0.5
"""Millilitres by which an amount may be missed: what the marks do not show anyway."""


@dataclass(frozen=True)
class _Way:
    """One way to pour: how the vessel is held when it is upright, and to which side it tilts.

    Args:
        upright: orientation of the vessel before it is tilted.
        axis: level, world frame; the vessel turns about it.
        lip: above which its lip is, world frame, at the height of the other's rim.
        width: radius of the other's mouth, metres.
        vessel: what is poured from, as it was seen in the hand.
        in_hand: pose of the tool in its frame.
        hand: outline of the hand across and along the vessel's axis, from its middle, metres.
    """

    upright: Tuple[float, float, float, float]
    axis: Vector
    lip: Vector
    width: float
    vessel: WorldObject
    in_hand: Pose
    hand: Tuple[Planar, ...]

    def tool(self, tilt: float) -> Pose:
        """Return the tool's pose at a tilt; the lip is as low as vessel and hand keep clear of the other's rim.

        Once the liquid has left, the lip goes back: what is loose slides, and flies ahead.
        """
        radius, height = self.vessel.size[0] / 2.0, self.vessel.size[2]
        sine, cosine = math.sin(tilt), math.cos(tilt)
        half = math.sin(tilt / 2.0)
        turn = (self.axis[0] * half, self.axis[1] * half, 0.0, math.cos(tilt / 2.0))
        ahead = (self.axis[1], -self.axis[0])  # Where the vessel's mouth goes.
        # In the plane of the tilt, from the lip: ahead and up.
        along, up = -height / 2.0 * sine - radius * cosine, -height / 2.0 * cosine + radius * sine
        side = [(-part * height * sine, -part * height * cosine) for part in _PARTS]
        hand = [(along + x * cosine + z * sine, up - x * sine + z * cosine) for x, z in self.hand]
        back = _BACK * height * min(1.0, max(0.0, (tilt - _DRAINED) / _COARSE))
        lowest = min((z for x, z in (*side, *hand) if abs(x - back) < self.width + _ABOVE), default=0.0)
        x, y = (each + forth * (along - back) for each, forth in zip(self.lip, ahead))
        middle = (x, y, self.lip[2] + _ABOVE - lowest + up)
        return Pose(middle, multiply(turn, self.upright)).compose(self.in_hand)


def pour(context: SkillContext, command: Command) -> Outcome:
    """Pour an amount from the held vessel into another one.

    Args:
        context: the running command with its arm, observer and limits.
        command: its item is the vessel in the hand, its target the vessel below, its amount the millilitres. More
            than the item holds tips it out, with what is loose in it.

    Returns:
        DONE with the vessel upright in the hand; EXECUTION if less arrived than was asked for.
    """
    del command  # The context has what it names.
    context.progress("look", 0.0)
    world, amount = context.look(), context.amount
    held, into = world.objects[context.item], world.objects.get(context.other)
    if into is None or into.pose is None or not in_hand(context, held):
        return Outcome.because(CauseKind.NOT_HELD, Status.PRECONDITION,
                               f"Cannot pour: the {context.item} is not in the hand.", context.item)
    seen = carried(context, context.item)
    had, there = level_of(world, context.item), level_of(world, into.name)
    doing = f"pour from the {context.item} into the {into.name}"
    had, there = (0.0, 0.0) if held.form.rim else (had, there)  # Its pieces have no level.
    if isinstance(seen, Outcome) or seen.pose is None or had is None or there is None:
        return seen if isinstance(seen, Outcome) else Outcome(
            Status.PRECONDITION, f"Cannot {doing}: their levels are not seen.",
            cause=Cause(CauseKind.NOT_SEEN, (context.item, into.name)))
    context.progress("approach", 0.2)
    until, whole, least = max(0.0, had - amount), level_of(world, context.item, VOLUME) or had, 0.0
    if amount > had:
        amount, least = had, _TIPPED
    way = _approach(context, seen, into, _tilts(seen, until, whole, least))
    if isinstance(way, Outcome):
        return failed(way, doing)
    context.progress("pour", 0.4)
    poured = _tilt(context, way, until, least)
    stopped = context.interrupted()
    if not poured.ok or stopped is not None:
        return failed(stopped or poured, doing)
    came = (level_of(context.look(), into.name) or 0.0) - there
    if came < amount - _EDGE:
        why = f"{came:g} ml of {amount:g} ml came into the {into.name}"
        return failed(Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.OFF_GOAL, (into.name,), said=why)), doing)
    return DONE


def _tilts(held: WorldObject, until: float, whole: float, least: float) -> List[float]:
    """Return the tilts up to the one at which a vessel is down to a mark, and one more, radians."""
    slender, tilts = 2.0 * held.size[2] / held.size[0], [_COARSE]
    while tilts[-1] < least or \
            tilts[-1] < _LARGEST - _COARSE and retained(tilts[-1] - _COARSE, slender) * whole > until:
        tilts.append(tilts[-1] + _COARSE)
    return tilts


def _ranked(context: SkillContext, held: WorldObject, into: WorldObject, most: float) -> List[_Way]:
    """Return the ways to pour in which the joints stay away from their limits best, upright and tilted most."""
    found: List[Tuple[float, int, _Way]] = []
    for number, way in enumerate(_ways(context, held, into)):
        upright = context.arm.margin(way.tool(0.0))
        tilted = None if upright is None else context.arm.margin(way.tool(most))
        if upright is not None and tilted is not None:
            found.append((-min(upright, tilted), number, way))
    return [way for _, _, way in sorted(found, key=lambda each: each[:2])]


def _ways(context: SkillContext, held: WorldObject, into: WorldObject) -> Iterator[_Way]:
    """Yield the ways to pour: from all around, to the left and to the right of the hand."""
    if held.pose is None or into.pose is None:
        return
    tool = context.arm.tool_pose()
    in_hand_pose = held.pose.inverse().compose(tool)
    x, y, _ = into.pose.position
    lip, across, along = (x, y, vertical_span(into, into.pose)[1]), *(each / 2.0 for each in context.gripper.palm)
    hand: Tuple[Planar, ...] = tuple((part * along, 0.0) for part in _PARTS)
    if held.form.rim:
        above = in_hand_pose.position[2] + context.gripper.depth
        hand = tuple((across, above + part * context.gripper.height) for part in _PARTS)
    for number in range(_YAWS):
        turn = from_yaw(math.tau * number / _YAWS)
        ahead = rotate(multiply(turn, tool.orientation), (0.0, 1.0, 0.0) if held.form.rim else (0.0, 0.0, 1.0))
        length = math.hypot(ahead[0], ahead[1])
        if length < 0.7:
            return  # The hand points down: it would be in the stream.
        for side in (1.0, -1.0):
            axis = (side * ahead[0] / length, side * ahead[1] / length, 0.0)
            yield _Way(multiply(turn, held.pose.orientation), axis, lip, into.size[0] / 2.0, held, in_hand_pose,
                       hand)


def _approach(context: SkillContext, held: WorldObject, into: WorldObject, tilts: Sequence[float]) -> "Outcome | _Way":
    """Bring the vessel upright above the other one's rim, where the arm can tilt it all the way.

    Returns:
        The first way of which nothing is out of reach or in collision, or why the best cannot be: what is in the way
        before what is out of reach.
    """
    best: Optional[Outcome] = None
    touch = frozenset({context.item})
    for way in _ranked(context, held, into, tilts[-1]):
        motion = context.plan_to(way.tool(0.0), touch, [way.tool(tilt) for tilt in tilts])
        outcome = motion.outcome() if isinstance(motion, MotionFailure) else context.follow(motion)
        if outcome.ok:
            return way
        stopped = context.interrupted()
        if stopped is not None:
            return stopped
        if best is None or outcome.blockers and not best.blockers:
            best = outcome
    return best or Outcome(Status.PLANNING, "the arm can tilt it nowhere above there",
                           cause=Cause(CauseKind.OUT_OF_REACH))


def _tilt(context: SkillContext, way: _Way, until: float, least: float) -> Outcome:
    """Tilt the vessel until its level is down to a mark, at least by an angle, and back."""
    touch, tilt, step, outcome = frozenset({context.item}), 0.0, _SLOW, DONE
    world = context.look()
    left = last = level_of(world, context.item) or 0.0
    slender, whole = 2.0 * way.vessel.size[2] / way.vessel.size[0], level_of(world, context.item, VOLUME) or math.inf
    while (left > until + _EDGE and tilt < _LARGEST or tilt < least) and outcome.ok and context.interrupted() is None:
        gone = last - left
        step = min(_SLOW, max(_FINE, step * 0.4 * (left - until) / gone) if gone > 0.0 else step * 1.5)
        nothing_runs = gone == 0.0 and retained(tilt + _COARSE + _SLOW, slender) > left / whole
        tilt, last = tilt + (_COARSE if nothing_runs else step), left
        outcome = context.line(way.tool(tilt), _SPEED, touch)
        left = level_of(context.look(), context.item) or 0.0
    while tilt > 0.0:  # Upright again, whatever ended it.
        tilt = max(0.0, tilt - 2.0 * _COARSE)
        back = context.line(way.tool(tilt), 2.0 * _SPEED, touch)
        if not back.ok:
            return back if outcome.ok else outcome
    return outcome


POUR = Skill(ARM, pour, item=True, target=True, amount=True)
