"""The skills of an arm as commands name them: pick, place and home."""

from __future__ import annotations

from hicrisp_core.model import CauseKind, Command, Outcome, Status
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.skills import SkillContext
from hicrisp_core.robot.skills_pick import pick
from hicrisp_core.robot.skills_place import place


def _pick(context: SkillContext, command: Command) -> Outcome:
    if not context.item:
        return Outcome.because(CauseKind.MALFORMED, Status.INVALID, f"{command} names no item.", "item")
    return pick(context, context.item, command.look_within, command.target)


def _place(context: SkillContext, command: Command) -> Outcome:
    item, goal = context.item, command.target or command.aim
    if not item or goal is None:
        return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                               f"{command} does not say {'where to' if item else 'which item to'} place.",
                               "target" if item else "item")
    x, y, z = (a - b for a, b in zip((command.aim or goal).position, goal.position))
    return place(context, item, goal, (x, y, z), command.look_within)


def _home(context: SkillContext, command: Command) -> Outcome:
    del command  # It has no arguments that matter.
    context.progress("home", 0.0)
    context.look()
    motion = context.arm.plan_home(context.deadline)
    return motion.outcome() if isinstance(motion, MotionFailure) else context.follow(motion)


def _move_tool(context: SkillContext, command: Command) -> Outcome:
    if command.target is None:
        return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                               f"{command} does not say where to move the tool.", "target")
    context.progress("move", 0.0)
    context.look()
    motion = context.plan_to(command.target)
    return motion.outcome() if isinstance(motion, MotionFailure) else context.follow(motion)


PICK = Skill(ARM, _pick, item=True)
PLACE = Skill(ARM, _place, item=True)
HOME = Skill(ARM, _home)
CLEAR_VIEW = Skill(ARM, _home, own=True)
MOVE_TOOL = Skill(ARM, _move_tool, own=True)
