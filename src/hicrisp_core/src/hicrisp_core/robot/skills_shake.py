"""Shaking: move a held vessel up and down, upright, and see each time that it came along."""

from __future__ import annotations

from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Status
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.robot.skills import DONE, SkillContext, failed
from hicrisp_core.robot.skills_place import carried

STROKE, STROKES = 0.06, 8
"""Length of a way up or down, metres, and how many of them are made."""
_MOVED = 0.8
"""Part of a stroke that the vessel must be seen to make."""
_SPEED = 0.4
"""Of the tool, m/s."""


def shake(context: SkillContext, command: Command) -> Outcome:
    """Shake the held vessel, upright, as it may be open.

    Args:
        context: the running command with its arm, observer and limits.
        command: its item is the vessel in the hand.

    Returns:
        DONE with the vessel where it was before; EXECUTION if it did not make a stroke with the hand.
    """
    del command  # The context has its item.
    doing, touch, here = f"shake the {context.item}", frozenset({context.item}), context.arm.tool_pose()
    seen = carried(context, context.item)
    for number in range(STROKES):
        context.progress("shake", number / STROKES)
        if isinstance(seen, Outcome) or seen.pose is None:
            return failed(seen, doing) if isinstance(seen, Outcome) else DONE
        last = seen.pose.position[2]
        moved = context.line(here.shifted((0.0, 0.0, 0.0 if number % 2 else STROKE)), _SPEED, touch)
        stopped = context.interrupted()
        if stopped is not None or not moved.ok:
            return failed(stopped or moved, doing)
        seen = carried(context, context.item)
        if not isinstance(seen, Outcome) and seen.pose is not None \
                and abs(seen.pose.position[2] - last) < _MOVED * STROKE:
            why = f"it moved {100 * abs(seen.pose.position[2] - last):.1f} cm of {100 * STROKE:g} cm"
            return failed(Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.OFF_GOAL, (context.item,), said=why)),
                          doing)
    return failed(seen, doing) if isinstance(seen, Outcome) else DONE


SHAKE = Skill(ARM, shake, item=True)
