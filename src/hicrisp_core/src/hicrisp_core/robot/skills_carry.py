"""Carrying what is held to above its goal: from above, or past something that leans over it."""

from __future__ import annotations

import math

from shapely.geometry import Point

from hicrisp_core.model import Outcome, Pose, Status, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import Planar, conjugate, from_yaw, multiply
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.track import EXACT
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.skills import DONE, SkillContext, below
from hicrisp_core.robot.skills_placements import Placement

NEARLY = 0.012
"""Height above the goal, or above a bowl's rim, at which an item must still be clear of everything,
metres.
"""
LEAST_LIFT = 0.02
"""Least height by which an item goes back up that touched something too early, metres."""
_ASIDE = (0.01, 0.015, 0.02)
"""How far beside what leans over its goal an item goes down, metres."""
_FOOT = 0.75
"""Where the far edge of a dish's foot is seen from its rim, as a part of its width."""
_DROOPS = 0.35
"""Part of its width by which the far side of what is held by its rim may hang lower."""


def beside(seen: WorldObject, placement: Placement) -> Planar:
    """Return the horizontal distance of an observed item from its goal.

    Args:
        seen: the item as observed.
        placement: where it shall be.

    Returns:
        Metres along x and y; infinite if it is not seen.
    """
    if seen.pose is None:
        return (math.inf, math.inf)
    (x, y, _), (goal_x, goal_y, _) = seen.pose.position, placement.item.position
    return (x - goal_x, y - goal_y)


def tool_at(context: SkillContext, seen: WorldObject, item: Pose) -> Pose:
    """Return the tool pose that brings an item to a pose, from how it is held now.

    Args:
        context: the running command with its arm, observer and limits.
        seen: the item as observed in the hand.
        item: target pose of the item, world frame.

    Returns:
        Pose in the world frame.

    Raises:
        ValueError: if the item has no pose.
    """
    if seen.pose is None:
        raise ValueError(f"{seen.name} was not seen")
    return item.compose(context.arm.tool_pose().inverse().compose(seen.pose).inverse())


def rolled(seen: WorldObject, goal: Pose) -> Pose:
    """Return a goal turned about its axis as what is round is in the hand, where it rolls: the hand need not turn it
    back.

    Args:
        seen: the item as observed.
        goal: of the item, world frame.

    Returns:
        Pose in the world frame.
    """
    if seen.pose is None or not seen.form.rod or seen.form.walls:
        return goal
    _, _, z, w = multiply(conjugate(goal.orientation), seen.pose.orientation)
    return goal.compose(Pose((0.0, 0.0, 0.0), from_yaw(2.0 * math.atan2(z, w))))


def carry(
    context: SkillContext, item: WorldObject, world: WorldState, placement: Placement, clear: float, correction: Vector
) -> Outcome:
    """Bring the held item above its goal, if it is free of everything there and on the way down.

    Args:
        context: the running command with its arm, observer and limits.
        item: the held item.
        world: observed objects, robots and facts; poses in the world frame.
        placement: where the item shall be, and the hand with it.
        clear: height above the goal at which it must be free, metres.
        correction: offset added to the commanded pose, metres.

    Returns:
        DONE above the goal, or why not.
    """
    context.progress("transfer", 0.2)
    goal = placement.grasp.pose
    reached = context.plan_to(goal.shifted((0.0, 0.0, clear)), below(item, placement.item, world), (goal,))
    if isinstance(reached, MotionFailure):
        return reached.outcome()
    # A dish that is carried higher than it was lifted may get tilted.
    lifted = context.arm.tool_pose().position[2] - goal.position[2] if item.form.rim else math.inf
    most, outcome = max(clear, min(lifted, context.settings.approach)), DONE
    rise = goal.position[2] + most - context.arm.tool_pose().position[2]
    if item.form.rim and rise > LEAST_LIFT:
        there = goal.shifted((0.0, 0.0, most)).shifted(correction)
        if isinstance(context.arm.plan_line(there, context.deadline, context.settings.fast), MotionFailure):
            context.raise_tool(rise, frozenset())  # It keeps level on straight ways, which lead over what stands there.
    for height in (most, (most + clear) / 2.0, clear):
        motion = context.plan_to(goal.shifted((0.0, 0.0, height)).shifted(correction))
        if not isinstance(motion, MotionFailure):
            return context.follow(motion)
        outcome = motion.outcome()  # Less high is nearer, and below what leans over the goal.
    return outcome


def slip_under(
    context: SkillContext, item: WorldObject, placement: Placement, blocked: Outcome, world: WorldState, shift: Vector
) -> Outcome:
    """Bring the held item just above its goal below something that leans over it: down beside that, and then under it.

    Args:
        context: the running command with its arm, observer and limits.
        item: the held item.
        placement: where the item shall be, and the hand with it.
        blocked: why it cannot come from above; its first blocker leans over the goal.
        world: observed objects, robots and facts; poses in the world frame.
        shift: offset added to the commanded pose, metres.

    Returns:
        DONE just above the goal; else ``blocked``, or why the motion was stopped.
    """
    over, touch = world.objects.get(blocked.blockers[0], item), below(item, placement.item, world)
    (x, y), goal = beside(over, placement), placement.grasp.pose.shifted(shift)
    there, apart = goal.shifted((0.0, 0.0, NEARLY)), max(math.hypot(x, y), LEAST_LIFT)
    for aside in _ASIDE:
        side = there.shifted((-aside * x / apart, -aside * y / apart, 0.0))
        motion = context.plan_to(side.shifted((0.0, 0.0, context.settings.approach)), touch, (side, there, goal))
        outcome = motion.outcome() if isinstance(motion, MotionFailure) else context.follow(motion)
        for pose in (side, there):
            outcome = context.line(pose, context.settings.guarded, touch) if outcome.ok else outcome
        if outcome.ok or context.interrupted() is not None:
            return outcome
        if outcome.status is Status.EXECUTION:
            context.raise_tool(context.settings.approach, touch)
    return blocked


def droop(item: WorldObject) -> float:
    """Return by how much one side of what is held by its rim may hang lower: a camera takes it to be level.

    Args:
        item: the held item.

    Returns:
        Metres; 0 for what does not hang.
    """
    return _DROOPS * max(item.size[:2]) if item.form.rim and item.uncertainty != EXACT else 0.0


def against_swing(context: SkillContext, item: WorldObject, drop: float, world: WorldState) -> None:
    """Move what hangs askew from its rim, and touches with the far edge of its foot, to where it comes to stand right:
    when it is let go, it turns about that edge, towards the hand. What touches as low as it shall stays.

    Args:
        context: the running command with its arm, observer and limits.
        item: the item as it shall stand.
        drop: how far above its goal the hand is, metres.
        world: observed objects, robots and facts; poses in the world frame.
    """
    here = context.arm.tool_pose()
    if item.pose is None or min(drop, droop(item)) <= context.settings.early:
        return
    along, high = _FOOT * max(item.size[:2]), item.size[2]
    slope = math.asin(min(1.0, (drop + high) / math.hypot(along, high))) - math.atan2(high, along)
    swings = along * (1.0 - math.cos(slope)) + high * math.sin(slope)
    x, y = (at - other for at, other in zip(item.pose.position[:2], here.position))
    away = swings / max(math.hypot(x, y), swings)
    context.raise_tool(LEAST_LIFT, frozenset(world.objects))
    moved = DONE
    for up in (LEAST_LIFT, 0.0):
        there = here.shifted((away * x, away * y, up))
        moved = context.line(there, context.settings.guarded, frozenset(world.objects), True)
    if moved.status is Status.PLANNING:  # It is not let go higher than it was.
        context.line(here, context.settings.guarded, frozenset(world.objects), True)


def rim(item: WorldObject, pose: Pose, world: WorldState) -> float:
    """Return the height of a bowl's rim above the bottom of an item in it.

    Args:
        item: the item.
        pose: of the item, world frame.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Metres; 0 if the item is not in a bowl.
    """
    bottom, (x, y, _) = vertical_span(item, pose)[0], pose.position
    rims = [vertical_span(bowl, bowl.pose)[1] for bowl in world.objects.values()
            if bowl.form.hollow and bowl.pose is not None and bowl.name != item.name
            and footprint(bowl, bowl.pose).contains(Point(x, y))]
    return max([0.0, *(top - bottom for top in rims)])
