"""Cutting: draw the held blade to and fro across a seam, a little deeper each time, until the parts are seen apart."""

from __future__ import annotations

import math
from typing import Iterator, Optional

from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Pose, Status, WorldState
from hicrisp_core.model.cutting import PART_OF, seam_between
from hicrisp_core.model.geometry import from_yaw, multiply
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.shapes import Solid
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.skills import DONE, SkillContext, failed
from hicrisp_core.robot.skills_carry import tool_at
from hicrisp_core.robot.skills_pick import in_hand
from hicrisp_core.robot.skills_place import carried

_STROKE, _PRESS, _ABOVE = 0.02, 0.0015, 0.02
"""Metres to either side of the seam's middle, below the edge as it is seen, and above the piece at first."""
_STROKES = 60
_SPEED = 0.1
"""Of the tool, m/s."""


def cut(context: SkillContext, command: Command) -> Outcome:
    """Cut what a part is grown to in two with the held blade.

    Args:
        context: the running command with its arm, observer and limits.
        command: its item is the blade in the hand, its target what is cut.

    Returns:
        DONE with the parts seen apart and the blade above them; EXECUTION if the blade did not get through.
    """
    del command  # The context has what it names.
    context.progress("look", 0.0)
    world, whole = context.look(), context.other
    seam, doing = _seam(world, whole), f"cut the {whole} with the {context.item}"
    if not in_hand(context, world.objects[context.item]):
        return failed(Outcome.because(CauseKind.NOT_HELD, Status.PRECONDITION, f"the {context.item} is not in the hand",
                                      context.item), doing)
    if seam is None:
        return failed(Outcome(Status.PRECONDITION, f"nothing is one piece with the {whole}"), doing)
    ground = (name for name, item in world.objects.items() if item.form.ground)
    touch = frozenset({whole, context.item, *_parts(world, whole), *ground})
    outcome = _above(context, seam)
    if outcome.ok:
        outcome = _through(context, whole, seam, touch)
        up = context.raise_tool(context.settings.approach, touch)
        outcome = outcome if not outcome.ok or up.status is Status.PLANNING else up
    return context.interrupted() or failed(outcome, doing)


def _seam(world: WorldState, whole: str) -> Optional[Solid]:
    return next((seam_between(world.objects[whole], world.objects[part]) for part in _parts(world, whole)
                 if part in world.objects), None)


def _parts(world: WorldState, whole: str) -> Iterator[str]:
    return (fact.subject for fact in world.relations if fact.predicate == PART_OF and fact.object == whole)


def _tool(context: SkillContext, seam: Solid, aside: float, edge: float, half: float) -> "Outcome | Pose":
    """Return the tool pose that brings the blade's edge to a height, beside the middle of the seam."""
    seen = carried(context, context.item)
    if isinstance(seen, Outcome):
        return seen
    middle = seam.pose.apply((0.0, aside, 0.0))
    ways = [tool_at(context, seen, Pose((middle[0], middle[1], edge + seen.size[2] / 2.0),
                                        multiply(from_yaw(turn), seam.pose.orientation))) for turn in (0.0, half)]
    return max(ways, key=lambda way: context.arm.margin(way) or 0.0)


def _above(context: SkillContext, seam: Solid) -> Outcome:
    context.progress("approach", 0.2)
    tool = _tool(context, seam, 0.0, seam.pose.position[2] + seam.size[2] / 2.0 + _ABOVE, math.pi)
    if isinstance(tool, Outcome):
        return tool
    motion = context.plan_to(tool)
    return motion.outcome() if isinstance(motion, MotionFailure) else context.follow(motion)


def _through(context: SkillContext, whole: str, seam: Solid, touch: "frozenset[str]") -> Outcome:
    top = seam.pose.position[2] + seam.size[2] / 2.0
    bottom, edge = top - seam.size[2], top
    for number in range(_STROKES):
        context.progress("cut", 0.3 + 0.6 * number / _STROKES)
        tool = _tool(context, seam, _STROKE * (1.0 if number % 2 else -1.0), max(bottom, edge - _PRESS), 0.0)
        if isinstance(tool, Outcome):
            return tool
        moved = context.line(tool, _SPEED, touch)
        world = context.look()
        stopped, seen = context.interrupted(), world.objects[context.item]
        if stopped is not None or not moved.ok or seen.pose is None:
            return stopped or (moved if not moved.ok else Outcome(
                Status.EXECUTION, "the blade went out of sight", cause=Cause(CauseKind.NOT_SEEN, (context.item,))))
        still = _seam(world, whole)
        if still is None:
            return DONE
        edge, seam = vertical_span(seen, seen.pose)[0], still
    why = f"the blade got {100.0 * (top - edge):.1f} cm deep"
    return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.STUCK, (whole,), said=why, metres=top - edge))


CUT = Skill(ARM, cut, item=True, target=True)
