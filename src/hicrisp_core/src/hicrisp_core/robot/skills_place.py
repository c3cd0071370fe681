"""Placing: carry above the goal, lower until it touches, let go, retreat."""

from __future__ import annotations

from shapely.geometry import Point

from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status, Vector, WorldObject, WorldState
from hicrisp_core.model.footprint import footprint, vertical_span
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.skills import DONE, Attempt, below, failed
from hicrisp_core.robot.skills_pick import in_hand
from hicrisp_core.robot.skills_placements import Placement, hold_of, ways_to_place

_NEARLY = 0.012
"""Height above the goal, or above a bowl's rim, at which an item must still be clear of everything,
metres.
"""
_FINGER_GAP, _LEAST_ROOM = 0.003, 0.004
"""Space that the opened fingers keep to other things, and how far each opens at least, metres."""


def place(attempt: Attempt, item: str, target: Pose, correction: Vector = (0.0, 0.0, 0.0)) -> Outcome:
    """Put the item in the hand down at a pose of its centre; its yaw is free as far as its shape looks the
    same.

    Args:
        correction: metres by which the arm is told to go elsewhere, because it is known to end beside where
            it is told to. Collisions are checked where it will be, not where it is told to be.
    """
    attempt.progress("look", 0.0)
    world = attempt.look()
    thing = world.objects[item]
    if not in_hand(attempt, thing):
        return Outcome.because(CauseKind.NOT_HELD, Status.PRECONDITION,
                               f"Cannot place the {item}: it is not in the hand.", item)
    attempt.arm.attach(item)
    doing = f"place the {item}"
    best = DONE
    hold = hold_of(thing, attempt.arm.tool_pose(), attempt.arm.opening())
    ways = ways_to_place(thing, hold, target, world, attempt.gripper, attempt.arm.margin,
                         attempt.settings.tries)
    for placement in ways:
        outcome = _carry(attempt, placement, _free_height(thing, placement.item, world), correction)
        if outcome.ok:
            outcome = _lower(attempt, thing, placement, world, correction)
        stopped = attempt.interrupted()
        if stopped is not None or outcome.status is not Status.PLANNING:
            return stopped or failed(outcome, doing)
        best = outcome if best.ok else best
    return failed(best, doing)


def _carry(attempt: Attempt, placement: Placement, clear: float, correction: Vector) -> Outcome:
    """Bring the item above its goal, if it can be free of everything at the height ``clear`` above the
    goal.
    """
    attempt.progress("transfer", 0.2)
    reached = attempt.plan_to(placement.grasp.pose.shifted((0.0, 0.0, clear)))
    if isinstance(reached, MotionFailure):
        return reached.outcome()
    above = placement.grasp.pose.shifted((0.0, 0.0, max(clear, attempt.settings.approach)))
    motion = attempt.plan_to(above.shifted(correction))
    if isinstance(motion, MotionFailure):
        return motion.outcome()
    return attempt.follow(motion)


def _lower(
    attempt: Attempt, thing: WorldObject, placement: Placement, world: WorldState, correction: Vector
) -> Outcome:
    """Lower until the item touches, let go, retreat; an early contact takes the item back up."""
    seen = attempt.look().objects[thing.name]
    if seen.pose is None or not in_hand(attempt, seen):
        attempt.arm.detach()
        return Outcome(Status.EXECUTION, f"the {thing.name} slipped out of the gripper on the way",
                       cause=Cause(CauseKind.SLIPPED, (thing.name,)))
    attempt.arm.attach(thing.name)  # It may have slipped on the way.
    attempt.progress("lower", 0.6)
    touch = below(thing, placement.item, world)
    goal = placement.item.compose(attempt.arm.tool_pose().inverse().compose(seen.pose).inverse())
    told = goal.shifted(correction).shifted((0.0, 0.0, -attempt.settings.press))
    unchecked = touch if correction == (0.0, 0.0, 0.0) else frozenset(world.objects)
    lowered = attempt.line(told, attempt.settings.guarded, unchecked, True)
    if lowered.status not in (Status.SUCCESS, Status.EXECUTION):
        return lowered
    above = attempt.arm.tool_pose().position[2] - goal.position[2]
    if above >= max(attempt.settings.early, _rim(thing, placement.item, world) - _NEARLY):
        attempt.raise_tool(max(0.02, attempt.settings.approach - above), touch)
        why = f"the {thing.name} touched something {100 * above:.1f} cm above the goal"
        return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.TOUCHED, said=why))
    attempt.progress("release", 0.8)
    room = min(max(placement.grasp.clearance - _FINGER_GAP, _LEAST_ROOM), attempt.gripper.spare / 2.0)
    opened = attempt.open_hand(attempt.arm.opening() + 2.0 * room)
    attempt.arm.detach()
    if not opened.ok:
        return opened
    attempt.progress("retreat", 0.9)
    attempt.look()
    retreated = attempt.raise_tool(attempt.settings.retreat, touch | {thing.name})
    # It is placed; the next motion finds a way out.
    return DONE if retreated.status is Status.PLANNING else retreated


def _rim(thing: WorldObject, pose: Pose, world: WorldState) -> float:
    """Height of a bowl's rim above the bottom of an item that goes into it, metres; 0 when it goes into
    none.
    """
    bottom, (x, y, _) = vertical_span(thing, pose)[0], pose.position
    rims = [vertical_span(bowl, bowl.pose)[1] for bowl in world.objects.values()
            if bowl.form.hollow and bowl.pose is not None
            and footprint(bowl, bowl.pose).contains(Point(x, y))]
    return max([0.0, *(rim - bottom for rim in rims)])


def _free_height(thing: WorldObject, pose: Pose, world: WorldState) -> float:
    """Height above its goal at which an item must be clear of everything, before it is lowered, metres."""
    return _rim(thing, pose, world) + _NEARLY
