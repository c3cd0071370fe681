"""How every placement ends: lower until it touches, open the fingers, retreat."""

from __future__ import annotations

from typing import FrozenSet, Union

from shapely.geometry import Point

from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.model.footprint import footprint, vertical_span
from hicrisp_core.robot.skills import DONE, Attempt
from hicrisp_core.robot.skills_pick import in_hand

NEARLY = 0.012
"""Height above the goal, or above a bowl's rim, at which an item must still be clear of everything,
metres.
"""
_FINGER_GAP, _LEAST_ROOM = 0.003, 0.004
"""Space that the opened fingers keep to other things, and how far each opens at least, metres."""
_LIFT = 0.02
"""Least height by which an item goes back up that touched something too early, metres."""


def carried(attempt: Attempt, name: str) -> Union[WorldObject, Outcome]:
    """The item as it is seen in the hand, where it may have slipped; EXECUTION where it is there no more."""
    seen = attempt.look().objects[name]
    if seen.pose is None or not in_hand(attempt, seen):
        attempt.arm.detach()
        return Outcome(Status.EXECUTION, f"the {name} slipped out of the gripper on the way",
                       cause=Cause(CauseKind.SLIPPED, (name,)))
    attempt.arm.attach(name)
    return seen


def tool_at(attempt: Attempt, seen: WorldObject, item: Pose) -> Pose:
    """The tool pose that has an item at a pose, by how it is seen in the hand."""
    if seen.pose is None:
        raise ValueError(f"{seen.name} was not seen")
    return item.compose(attempt.arm.tool_pose().inverse().compose(seen.pose).inverse())


def touch_down(
    attempt: Attempt, thing: WorldObject, item: Pose, told: Pose, goal: float, world: WorldState,
    unchecked: FrozenSet[str]
) -> Outcome:
    """Move the tool to a pose until the item touches; an early contact takes it back up (EXECUTION).

    Args:
        item: where the item shall be.
        goal: height of the tool at which it is there, metres.
        unchecked: what the plan of the motion need not keep clear of.
    """
    lowered = attempt.line(told, attempt.settings.guarded, unchecked, True)
    if lowered.status not in (Status.SUCCESS, Status.EXECUTION):
        return lowered
    here = attempt.arm.tool_pose().position[2]
    above = here - goal
    if here - max(goal, told.position[2]) < max(attempt.settings.early, rim(thing, item, world) - NEARLY):
        return DONE
    attempt.raise_tool(max(_LIFT, attempt.settings.approach - above), unchecked)
    why = f"the {thing.name} touched something {100 * above:.1f} cm above the goal"
    return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.TOUCHED, said=why))


def let_go(attempt: Attempt, thing: WorldObject, clearance: float, touch: FrozenSet[str]) -> Outcome:
    """Open the fingers as far as there is room, and retreat.

    Args:
        clearance: space between the hand and other things, metres.
        touch: what the item stands on.
    """
    attempt.progress("release", 0.8)
    room = min(max(clearance - _FINGER_GAP, _LEAST_ROOM), attempt.gripper.spare / 2.0)
    opened = attempt.open_hand(attempt.arm.opening() + 2.0 * room)
    attempt.arm.detach()
    if not opened.ok:
        return opened
    attempt.progress("retreat", 0.9)
    attempt.look()
    retreated = attempt.raise_tool(attempt.settings.retreat, touch | {thing.name})
    # It is placed; the next motion finds a way out.
    return DONE if retreated.status is Status.PLANNING else retreated


def rim(thing: WorldObject, pose: Pose, world: WorldState) -> float:
    """Height of a bowl's rim above the bottom of an item that goes into it, metres; 0 when it goes into
    none.
    """
    bottom, (x, y, _) = vertical_span(thing, pose)[0], pose.position
    rims = [vertical_span(bowl, bowl.pose)[1] for bowl in world.objects.values()
            if bowl.form.hollow and bowl.pose is not None
            and footprint(bowl, bowl.pose).contains(Point(x, y))]
    return max([0.0, *(top - bottom for top in rims)])
