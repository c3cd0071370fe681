"""Placing: carry above the goal, lower until it touches, let go, retreat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import FrozenSet, List

from hicrisp_core.model import Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.model.footprint import vertical_span
from hicrisp_core.model.geometry import Quaternion, from_yaw, multiply, rotate
from hicrisp_core.robot.grasps import Grasp, hand_clearance, preference
from hicrisp_core.robot.ports import MotionFailure
from hicrisp_core.robot.skills import DONE, Attempt, below, failed
from hicrisp_core.robot.skills_pick import in_hand

_ROUND_YAWS = 12


@dataclass(frozen=True)
class Placement:
    """One way to put an item down: its pose, the tool's pose, and the room that the fingers have."""

    item: Pose
    grasp: Grasp


def place(attempt: Attempt, item: str, target: Pose) -> Outcome:
    """Put the item in the hand down at a pose of its centre; its yaw is free as far as its shape looks the same."""
    attempt.progress("look", 0.0)
    world = attempt.look()
    thing = world.objects[item]
    if not in_hand(attempt, thing):
        return Outcome(Status.PRECONDITION, f"Cannot place the {item}: it is not in the hand.")
    attempt.arm.attach(item)
    doing = f"place the {item}"
    best = DONE
    for placement in placements(attempt, thing, target, world)[: attempt.settings.tries]:
        touch = below(thing, placement.item, world)
        carried = _carry(attempt, placement, touch)
        stopped = attempt.interrupted()
        if stopped is not None:
            return stopped
        if carried.ok:
            return failed(_lower(attempt, thing, placement, touch), doing)
        if carried.status is not Status.PLANNING:
            return failed(carried, doing)
        best = carried if best.ok else best
    return failed(best, doing)


def placements(attempt: Attempt, thing: WorldObject, target: Pose, world: WorldState) -> List[Placement]:
    """The ways to put a held item down, those with most room for the fingers first; upright before as it is held."""
    if thing.pose is None:
        return []
    held = attempt.arm.tool_pose().inverse().compose(thing.pose)
    width = attempt.arm.opening()
    found: List[Placement] = []
    for orientation in _orientations(thing, thing.pose, target):
        pose = Pose(target.position, orientation)
        pose = pose.shifted((0.0, 0.0, _bottom(thing, target) - vertical_span(thing, pose)[0]))
        tool = pose.compose(held.inverse())
        space = hand_clearance(tool, attempt.gripper.width_for(width), world, attempt.gripper, thing.name)
        found.append(Placement(pose, Grasp(tool, width, space)))
    return sorted(found, key=lambda placement: preference(placement.grasp))


def _carry(attempt: Attempt, placement: Placement, touch: FrozenSet[str]) -> Outcome:
    """Bring the item above its goal, if the goal can be reached from there."""
    attempt.progress("transfer", 0.2)
    reached = attempt.plan_to(placement.grasp.pose, touch)
    if isinstance(reached, MotionFailure):
        return reached.outcome()
    motion = attempt.plan_to(placement.grasp.pose.shifted((0.0, 0.0, attempt.settings.approach)))
    if isinstance(motion, MotionFailure):
        return motion.outcome()
    return attempt.follow(motion)


def _lower(attempt: Attempt, thing: WorldObject, placement: Placement, touch: FrozenSet[str]) -> Outcome:
    """Lower until the item touches, let go, retreat; an early contact takes the item back up."""
    attempt.progress("lower", 0.6)
    goal = placement.grasp.pose
    lowered = attempt.line(goal.shifted((0.0, 0.0, -attempt.settings.press)), attempt.settings.guarded, touch, True)
    if lowered.status not in (Status.SUCCESS, Status.EXECUTION):
        return lowered
    above = attempt.arm.tool_pose().position[2] - goal.position[2]
    if above >= attempt.settings.early:
        attempt.raise_tool(max(0.02, attempt.settings.approach - above), touch)
        return Outcome(Status.EXECUTION, f"the {thing.name} touched something {100 * above:.1f} cm above the goal")
    attempt.progress("release", 0.8)
    opened = attempt.open_hand(attempt.gripper.width_for(attempt.arm.opening()))
    attempt.arm.detach()
    if not opened.ok:
        return opened
    attempt.progress("retreat", 0.9)
    return attempt.raise_tool(attempt.settings.retreat, touch | {thing.name})


def _bottom(thing: WorldObject, target: Pose) -> float:
    """The height on which the item shall stand when its centre is at the target, upright."""
    return target.position[2] - thing.size[2] / 2.0


def _orientations(thing: WorldObject, now: Pose, target: Pose) -> List[Quaternion]:
    """The orientations that will do: level, turned by what the item's shape cannot be told from."""
    level = _levelled(now.orientation)
    ahead = rotate(level, (1.0, 0.0, 0.0))
    across = rotate(level, (0.0, 1.0, 0.0))
    flat = ahead if abs(ahead[2]) < 0.5 else across
    if thing.shape == "cylinder" and abs(rotate(level, (0.0, 0.0, 1.0))[2]) > 0.5:
        return [multiply(from_yaw(math.tau * turn / _ROUND_YAWS), level) for turn in range(_ROUND_YAWS)]
    turns = 4 if thing.shape == "box" and abs(thing.size[0] - thing.size[1]) < 0.002 else 2
    start = target.yaw - math.atan2(flat[1], flat[0])
    return [multiply(from_yaw(start + math.tau * turn / turns), level) for turn in range(turns)]


def _levelled(orientation: Quaternion) -> Quaternion:
    """The nearest orientation in which one of the body's axes is vertical."""
    axes = [rotate(orientation, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    up = max(axes, key=lambda axis: abs(axis[2]))
    sign = 1.0 if up[2] >= 0.0 else -1.0
    tilt = math.acos(min(1.0, abs(up[2])))
    length = math.hypot(up[0], up[1])
    if length < 1e-6:
        return orientation
    sine = math.sin(tilt / 2.0)
    # The turn that brings the axis to the vertical is about the horizontal direction across it.
    turn = (sign * up[1] / length * sine, -sign * up[0] / length * sine, 0.0, math.cos(tilt / 2.0))
    return multiply(turn, orientation)
