"""Picking: look, approach a grasp, close the fingers, make sure that something is between them, lift."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Callable, FrozenSet, Iterable, Iterator, List, Optional, Sequence

from hicrisp_core.domain.wording import quantity
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.model.geometry import distance, from_yaw, planar_distance, rotate, turn_between
from hicrisp_core.model.keep_out import grip_at, thinnest, vertical_span, width_along
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.affordances import Margin, ranked
from hicrisp_core.robot.grasps import Grasp, grasp_candidates, leaning
from hicrisp_core.robot.gripper import hand_clearance
from hicrisp_core.robot.skills import DONE, SkillContext, below, clears, failed, first_reason
from hicrisp_core.robot.skills_placements import can_place

_REACHES, _AGAIN = 3, (CauseKind.OFF_GOAL, CauseKind.TOUCHED)
"""How often the hand reaches for an object that is seen elsewhere once it is there, or beside which it touches what was
not seen.
"""
NOTHING = 0.35
"""Part of the expected width below which the fingers closed on nothing."""
_OPEN, _WIDE = 0.96, 0.985
"""Share of the largest opening at which the hand counts as open, and that around what it is seen to have closed on."""
_AROUND = 0.008
"""How much further apart than an item's width the fingers are that do not touch it, metres."""
_RESTS = 0.01
"""How far above another object an item may be seen that stands on it, metres."""
_IN_HAND = 0.015
"""How far outside an item the tool may be seen while it holds it, metres."""
_SHORT = 0.005
"""How far before its grasp the hand may touch something: the fingers reach beyond the tool, metres."""
_ABOVE = 0.002
"""By which a palm that is as low as it may be counts as above what is held, metres."""
_ASIDE, _BEARINGS = (0.06, 0.12, 0.18), 8
"""How far and in how many directions from under what leans over it an item is taken, metres."""
_NEARER = (1.0, 2.0, 4.0)
"""By what the way is divided on which the hand comes to a grasp where it does not get farther back, or what stays
leaves it no room there.
"""
_TILTED = math.radians(95.0)
"""By which a vessel is tilted that is poured empty."""
_LOOKED_AT = 40
"""Grasps among which those that are tried are chosen."""
_ALIKE, _TURNED = 0.03, math.radians(30.0)
"""Metres and radians up to which what is in the way of one grasp is in the way of another one, too."""


def pick(context: SkillContext, item: str, within: float = 0.0, target: Optional[Pose] = None) -> Outcome:
    """Take an item from its place, standing or lying, and lift it.

    Args:
        context: the running command with its arm, observer and limits.
        item: name of the object.
        within: greatest distance in the plane, metres, between where the hand reached and where the item is
            observed when the fingers close; 0 skips this check.
        target: pose of its centre, world frame, at which it is put down next; grasps by which it can be come first.

    Returns:
        DONE with the item in the hand, or why not.
    """
    doing, outcome = f"pick up the {item}", DONE
    touched: List[Grasp] = []
    for _ in range(_REACHES):
        context.progress("look", 0.0)
        world = context.look()
        between = next((each for each in world.objects.values() if each.movable and in_hand(context, each)), None)
        if between is not None and _loose(context, between, world):
            moved = _back_off(context, between)
            if not moved.ok:
                return failed(moved, doing)
            world, between = context.look(), None
        object_ = world.objects[item]
        if between is not None and between.name == item and _rests(object_, world):
            return failed(_close(context, object_, 0.0, world), doing)  # An earlier pick ended before the lift.
        refusal = _refusal(object_, between)
        if refusal is not None:
            return refusal
        context.arm.detach()  # The hand is seen to be empty, whatever an earlier command left.
        candidates = grasp_candidates(object_, world, context.gripper)
        if not candidates:
            return Outcome.because(CauseKind.NO_GRASP, Status.PLANNING,
                                   f"Cannot {doing}: it is too wide for the fingers as it lies.", item)
        outcome = _try(context, object_, candidates, world, within, target, touched)
        if outcome.cause is None or outcome.cause.kind not in _AGAIN or context.interrupted() is not None:
            break
    return failed(outcome, doing)


def _loose(context: SkillContext, item: WorldObject, world: WorldState) -> bool:
    """Check whether the fingers are open around a standing object: a pick was interrupted."""
    if item.pose is None or not _rests(item, world):
        return False
    closing = rotate(context.arm.tool_pose().orientation, (0.0, 1.0, 0.0))
    return context.arm.opening() > width_along(item, item.pose, closing) + _AROUND


def _rests(item: WorldObject, world: WorldState) -> bool:
    """Check whether an object stands or lies on another one."""
    if item.pose is None:
        return False
    bottom = vertical_span(item, item.pose)[0]
    return any(vertical_span(other, other.pose)[1] > bottom - _RESTS
               for other in map(world.objects.get, below(item, item.pose, world))
               if other is not None and other.pose is not None)


def hand_full(context: SkillContext, world: WorldState) -> Optional[Outcome]:
    """Return why a hand that must be empty is not.

    Args:
        context: the running command with its arm.
        world: the objects as they are seen.

    Returns:
        PRECONDITION with the cause HAND_FULL; ``None`` if the hand is empty.
    """
    held = next((item.name for item in world.objects.values() if item.movable and in_hand(context, item)), None)
    return None if held is None else Outcome.because(
        CauseKind.HAND_FULL, Status.PRECONDITION, f"the {held} is in the hand", held)


def _back_off(context: SkillContext, item: WorldObject) -> Outcome:
    """Open the fingers and leave an object where it stands."""
    opened = context.open_hand(context.arm.max_opening)
    if not opened.ok:
        return opened
    context.arm.detach()
    return context.raise_tool(context.settings.approach, frozenset({item.name}))


def _refusal(item: WorldObject, held: Optional[WorldObject]) -> Optional[Outcome]:
    """Return why the hand cannot take an object as the world is seen."""
    if item.pose is None:
        return Outcome(Status.PRECONDITION, f"Cannot pick up the {item.name}: it is not in sight.",
                       cause=Cause(CauseKind.NOT_SEEN, (item.name,)))
    if held is not None:
        return Outcome.because(
            CauseKind.HAND_FULL, Status.PRECONDITION,
            f"Cannot pick up the {item.name}: the {held.name} is in the hand already.", held.name)
    return None


def _try(
    context: SkillContext, item: WorldObject, candidates: List[Grasp], world: WorldState, within: float,
    target: Optional[Pose], touched: List[Grasp]
) -> Outcome:
    """Carry out the best grasp to which there is a motion; without one, explain that for the
    best.

    Args:
        touched: grasps on whose way the hand touched something; one that ends so is added.
    """
    touch = frozenset({item.name})
    ground = below(item, item.pose, world) if item.pose else touch
    best: Optional[Outcome] = None
    margin = partial(_pouring_margin, context) if item.form.open else context.arm.margin

    def suits(grasp: Grasp) -> bool:
        return target is None or can_place(item, grasp, target, world, context.gripper, context.arm.margin)

    for ways in _rounds(candidates, lambda: leaning(candidates, item, world, context.gripper), suits, margin):
        for grasp in islice(_spread(islice(ways, _LOOKED_AT), touched), context.settings.tries):
            approached = approach(context, _as_open(context, grasp, world), touch | ground if grasp.low else touch)
            stopped = context.interrupted()
            if stopped is not None:
                return stopped
            if approached.ok and within > 0.0:
                approached = _still_there(context, item, within)
            if approached.ok:
                return _close(context, item, grasp.width, world)
            if approached.status is not Status.PLANNING:
                context.raise_tool(context.settings.retreat, touch)
                if approached.cause is not None and approached.cause.kind is CauseKind.TOUCHED:
                    flipped = grasp.pose.compose(Pose((0.0, 0.0, 0.0), from_yaw(math.pi)))
                    touched += (grasp, replace(grasp, pose=flipped))  # The other way round, the fingers are the same.
                return approached
            best = first_reason(best, approached, world)
        if best is not None and clears(best, world):
            break
    return best or DONE


def _as_open(context: SkillContext, grasp: Grasp, world: WorldState) -> Grasp:
    """Return the grasp with the fingers as they are, where that is wider and has room, also inside what is held by its
    wall: narrowing them first takes time.
    """
    if grasp.low:  # A wider finger would be beside the rim.
        return grasp
    opening, hand = context.arm.opening(), replace(context.gripper, depth=context.gripper.depth + _ABOVE)
    wide = opening > grasp.opening and hand_clearance(grasp.pose, opening, world, hand, "") >= hand.room
    return replace(grasp, opening=opening) if wide else grasp


def _rounds(
    upright: List[Grasp], leant: Callable[[], List[Grasp]], suits: Callable[[Grasp], bool], margin: Margin
) -> Iterator[Iterable[Grasp]]:
    """Yield the grasps by which a hand goes on as it shall, those with a leaning hand behind them, and the others."""
    others: List[Grasp] = []

    def suiting(grasps: List[Grasp]) -> Iterator[Grasp]:
        for grasp in ranked(grasps, lambda grasp: grasp, margin):
            if suits(grasp):
                yield grasp
            else:
                others.append(grasp)

    yield suiting(upright)
    yield suiting(leant())
    yield ranked(others, lambda grasp: grasp, margin)


def _spread(grasps: Iterable[Grasp], tried: Sequence[Grasp] = ()) -> Iterator[Grasp]:
    """Yield the best grasp of each kind that was not tried, and then the others: where the best has no room, one beside
    it hardly has.
    """
    first, later = list(tried), []
    for grasp in grasps:
        if any(distance(grasp.pose.position, other.pose.position) < _ALIKE
               and turn_between(grasp.pose.orientation, other.pose.orientation) < _TURNED for other in first):
            later.append(grasp)
        else:
            first.append(grasp)
            yield grasp
    if later:
        yield from _spread(later) if len(first) > len(tried) else later


def _pouring_margin(context: SkillContext, pose: Pose) -> Optional[float]:
    """Return the least joint margin of a grasp and, once it is lifted, of a tilt to the better side."""
    held, best = context.arm.margin(pose), None
    lifted = pose.shifted((0.0, 0.0, context.settings.approach))
    for side in (_TILTED, -_TILTED):
        if held is None or best is not None and best >= held:
            break  # The other side does not change the least.
        tilted = context.arm.margin(lifted.compose(Pose((0.0, 0.0, 0.0), from_yaw(side))))
        best = max((each for each in (best, tilted) if each is not None), default=None)
    return None if held is None or best is None else min(held, best)


def approach(context: SkillContext, grasp: Grasp, touch: FrozenSet[str], then: Sequence[Pose] = ()) -> Outcome:
    """Go before a grasp and straight to it.

    Args:
        context: the running command with its arm, observer and limits.
        grasp: where the hand shall hold something.
        touch: names of objects that the hand may touch on the straight way.
        then: poses to which the tool shall be able to go on from there in straight lines.

    Returns:
        DONE with the open fingers around it; PLANNING when another grasp should be tried.
    """
    context.progress("approach", 0.1)
    opened = context.ready_hand(grasp.opening)
    if not opened.ok:
        return opened
    for part in _NEARER:
        motion = context.plan_to(grasp.before(context.settings.approach / part), touch, (grasp.pose, *then))
        if not isinstance(motion, MotionFailure) or motion.kind != "unreachable" and all(
                name not in context.known or context.known[name].movable for name in motion.blockers):
            break
    if isinstance(motion, MotionFailure):
        return motion.outcome()
    moved = context.follow(motion)
    if not moved.ok:
        return moved
    context.progress("descend", 0.4)
    moved = context.line(grasp.pose, context.settings.guarded * 2.0, touch, guarded=True)
    short = -grasp.pose.seen(context.arm.tool_pose().position)[2]
    return DONE if moved.status is Status.EXECUTION and short <= _SHORT else moved


def _still_there(context: SkillContext, item: WorldObject, within: float) -> Outcome:
    """Check that the object is observed where the hand reached for it (EXECUTION with OFF_GOAL if it is not)."""
    seen = context.look().objects[item.name]
    if seen.pose is None or item.pose is None:
        return DONE  # The hand hides it.
    off = planar_distance(seen.pose.position, item.pose.position)
    if off <= within:
        return DONE
    why = f"it was seen {quantity(off, 'm')} from where the hand reached for it"
    return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.OFF_GOAL, (item.name,), said=why, metres=off))


def closed_on_nothing(context: SkillContext, name: str, width: float) -> Optional[Outcome]:
    """Return why fingers that have closed hold nothing.

    Args:
        context: the running command with its arm.
        name: of what they closed on.
        width: its extent between the fingers, metres.

    Returns:
        EXECUTION with the cause NOT_GRIPPED; ``None`` if something is between them.
    """
    if context.arm.opening() >= NOTHING * width:
        return None
    return Outcome(Status.EXECUTION, "the gripper closed on nothing", cause=Cause(CauseKind.NOT_GRIPPED, (name,)))


def _close(context: SkillContext, item: WorldObject, width: float, world: WorldState) -> Outcome:
    """Close the fingers, lift, and look whether the item came along.

    Args:
        width: the item's extent between the fingers, metres; 0 where they hold it already.
    """
    context.progress("grasp", 0.6)
    closed = context.arm.grasp(context.settings.force, context.deadline, context.cancel)
    if not closed.ok:
        return closed
    nothing = closed_on_nothing(context, item.name, thinnest(item, width))
    if nothing is not None:
        context.open_hand(context.arm.max_opening)
        context.raise_tool(context.settings.retreat, frozenset({item.name}))
        return nothing
    if context.look().objects[item.name].pose is None:  # Nobody knows how it lies in the hand.
        context.open_hand(context.arm.max_opening)
        context.raise_tool(context.settings.retreat, frozenset())
        return Outcome(Status.EXECUTION, f"the {item.name} was lost from view in the gripper",
                       cause=Cause(CauseKind.SLIPPED, (item.name,)))
    context.arm.attach(item.name)
    context.progress("lift", 0.8)
    support = _carriers(item, world)
    height = context.arm.tool_pose().position[2] + context.settings.approach
    lifted = context.raise_tool(context.settings.approach, support)
    if not lifted.ok:
        return lifted
    missing = height - context.arm.tool_pose().position[2]
    if missing > context.settings.approach / 3.0:
        _from_under(context, missing, support)
    lifted_item = context.look().objects.get(item.name)
    if lifted_item is None or not in_hand(context, lifted_item):  # What no file describes may be lost from view.
        context.arm.detach()
        return Outcome(Status.EXECUTION, f"the {item.name} slipped out of the gripper",
                       cause=Cause(CauseKind.SLIPPED, (item.name,)))
    return DONE


def _carriers(item: WorldObject, world: WorldState) -> FrozenSet[str]:
    """Return what may carry an item that is lifted; an open drawer over it does not."""
    if item.pose is None:
        return frozenset()
    top = vertical_span(item, item.pose)[1]
    return frozenset(other.name for other in map(world.objects.__getitem__, below(item, item.pose, world))
                     if other.pose is not None and vertical_span(other, other.pose)[0] < top)


def _from_under(context: SkillContext, height: float, touch: FrozenSet[str]) -> None:
    """Take what is in the hand to beside what leans over it, on the shortest way after which it can be lifted on.

    Args:
        height: by which it shall be lifted on, metres.
        touch: names of objects that the motion may touch.
    """
    here = context.arm.tool_pose()
    for way in _ASIDE:
        for number in range(_BEARINGS):
            bearing = context.gripper.away(here) + math.pi + math.tau * number / _BEARINGS
            side = here.shifted((way * math.cos(bearing), way * math.sin(bearing), 0.0))
            motion = context.plan_to(side, touch, (side.shifted((0.0, 0.0, height)),))
            if not isinstance(motion, MotionFailure):
                if context.follow(motion).ok:
                    context.raise_tool(height, touch)
                return


def in_hand(context: SkillContext, item: WorldObject) -> bool:
    """Check whether an item is observed at the tool, with the fingers neither closed nor fully open.

    A verdict needs more (``detector.fact_tests.holding``: the fingers are as far apart as the item is wide). A skill
    must not drop an item whose width is estimated wrong; it only asks whether these fingers can be around it.

    Args:
        context: the running command with its arm, observer and limits.
        item: the observed object.

    Returns:
        True if it is held; false without a pose, and for what hands do not take.
    """
    opening = context.arm.opening()
    if item.pose is None or not item.form.held:
        return False
    outside, width = grip_at(item, item.pose, context.arm.tool_pose())
    open_at = context.arm.max_opening * (_WIDE if item.closed_around else _OPEN)
    most = width + _AROUND if item.form.rim and not item.closed_around else open_at
    return NOTHING * min(thinnest(item, width), *item.size) < opening < most and outside <= _IN_HAND
