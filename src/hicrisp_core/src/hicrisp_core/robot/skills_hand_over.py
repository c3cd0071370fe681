"""Handing over in the air: one arm offers what it holds, another one takes it, and then the first one releases it.

Each of the three is a skill of one arm. Between the second and the third both hands hold the item.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import Iterator, List, Optional, Tuple

from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Status, WorldObject
from hicrisp_core.model.geometry import from_yaw, heading, multiply, rotate
from hicrisp_core.model.keep_out import grip_at, vertical_span
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.affordances import ranked
from hicrisp_core.robot.grasps import Grasp, grasp_candidates
from hicrisp_core.robot.skills import DONE, SkillContext, failed
from hicrisp_core.robot.skills_carry import tool_at
from hicrisp_core.robot.skills_pick import approach, closed_on_nothing
from hicrisp_core.robot.skills_place import carried

_YAWS = 12
_BESIDE = (0.05, -0.05)
"""Where a level hand takes what another level hand holds: metres above or below its usual height."""
_END = 0.015
"""Metres from the end of an item that a finger's middle keeps."""


def offer(context: SkillContext, command: Command) -> Outcome:
    """Hold the item up where another arm can take it, upright as it is, with the hand pointing away from the base.

    Args:
        context: the running command with its arm, observer and limits.
        command: names the item; its target is where the item's middle shall be.

    Returns:
        DONE with the item there, still in the hand.
    """
    context.progress("offer", 0.2)
    seen = carried(context, context.item)
    if isinstance(seen, Outcome) or seen.pose is None or command.target is None:
        return seen if isinstance(seen, Outcome) else Outcome.because(
            CauseKind.MALFORMED, Status.INVALID, f"{command} does not say where to", "target")
    tools: List[Tuple[float, Pose]] = []
    for number in range(_YAWS):
        turned = Pose(command.target.position, multiply(from_yaw(math.tau * number / _YAWS), seen.pose.orientation))
        tool = tool_at(context, seen, turned)
        off = heading(rotate(tool.orientation, (0.0, 0.0, 1.0))) - context.gripper.away(turned)
        if context.arm.margin(tool) is not None:
            tools.append((abs(math.remainder(off, math.tau)), tool))
    best: Optional[Outcome] = None
    for _, tool in sorted(tools, key=lambda each: each[0])[:context.settings.tries]:
        motion = context.plan_to(tool)
        outcome = motion.outcome() if isinstance(motion, MotionFailure) else context.follow(motion)
        stopped = context.interrupted()
        if stopped is not None or outcome.status is not Status.PLANNING:
            return stopped or failed(outcome, f"offer the {context.item}")
        best = best or outcome
    return failed(best or Outcome.because(CauseKind.OUT_OF_REACH, Status.PLANNING, "it does not reach there"),
                  f"offer the {context.item}")


def take(context: SkillContext, command: Command) -> Outcome:
    """Close the fingers around what another arm holds up; nothing is lifted.

    Args:
        context: the running command with its arm, observer and limits.
        command: names the item.

    Returns:
        DONE with the item between the fingers; PLANNING where the other hand leaves no room for this one.
    """
    del command  # The context has its item.
    context.progress("look", 0.0)
    world = context.look()
    item = world.objects[context.item]
    context.arm.detach()
    besides = [way.pose for way in _beside(item, grasp_candidates(item, world, context.gripper))]
    grasps = grasp_candidates(item, world, context.gripper, besides)
    best = Outcome.because(CauseKind.NO_GRASP, Status.PLANNING, "it cannot be held beside the other hand", item.name)
    for grasp in islice(ranked(grasps, lambda each: each, context.arm.margin), 2 * context.settings.tries):
        outcome = approach(context, grasp, frozenset({item.name}))
        stopped = context.interrupted()
        if stopped is not None:
            return stopped
        if outcome.ok:
            return failed(_close(context, item), f"take the {item.name}")
        if outcome.status is not Status.PLANNING:
            return failed(outcome, f"take the {item.name}")
        best = outcome
    return failed(best, f"take the {item.name}")


def release(context: SkillContext, command: Command) -> Outcome:
    """Let go of what another hand holds as well, and draw back.

    Args:
        context: the running command with its arm, observer and limits.
        command: names the item.

    Returns:
        DONE with the hand away from the item.
    """
    del command  # The context has its item.
    context.progress("release", 0.8)
    opened = context.open_hand(context.arm.opening() + context.gripper.spare)
    context.arm.detach()
    context.look()
    here, moved = context.arm.tool_pose(), opened
    for part in (1.0, 0.5, 0.25) if opened.ok else ():
        back = here.compose(Pose((0.0, 0.0, -part * context.settings.approach)))
        moved = context.line(back, context.settings.fast, frozenset({context.item}))
        if moved.status is not Status.PLANNING:
            break
    return failed(moved, f"release the {context.item}")


def _beside(item: WorldObject, grasps: List[Grasp]) -> Iterator[Grasp]:
    """Yield the level grasps higher and lower, where the item is long enough."""
    if item.pose is None:
        return
    bottom, top = vertical_span(item, item.pose)
    for grasp in grasps:
        for by in _BESIDE if grasp.from_side else ():
            if bottom + _END < grasp.pose.position[2] + by < top - _END:
                yield replace(grasp, pose=grasp.pose.shifted((0.0, 0.0, by)))


def _close(context: SkillContext, item: WorldObject) -> Outcome:
    context.progress("grasp", 0.6)
    closed = context.arm.grasp(context.settings.force, context.deadline, context.cancel)
    if not closed.ok:
        return closed
    seen = context.look().objects[item.name]
    width = grip_at(seen, seen.pose, context.arm.tool_pose())[1] if seen.pose is not None else min(item.size)
    nothing = closed_on_nothing(context, item.name, width)
    if nothing is not None:
        context.open_hand(context.arm.max_opening)
        return nothing
    context.arm.attach(item.name)
    return DONE


OFFER = Skill(ARM, offer, own=True)
TAKE = Skill(ARM, take, own=True)
RELEASE = Skill(ARM, release, own=True)
