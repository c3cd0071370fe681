"""The feedback stack and what the corrector answers."""

from __future__ import annotations

from typing import Iterable, List, Tuple, Union

from hicrisp_core.extensions import extensions
from hicrisp_core.model import Correction, Maker, MakerKind, Rung, StackEntry, TriedCommand

from hicrisp_msgs.msg import Correction as CorrectionMsg
from hicrisp_msgs.msg import StackEntry as StackEntryMsg
from hicrisp_ros.conversions.goal import goal_from_msg, goal_to_msg
from hicrisp_ros.conversions.task import command_from_msg, command_to_msg, step_from_msg, step_to_msg
from hicrisp_ros.conversions.verdict import feedback_from_msg, feedback_to_msg

_RUNG_CODES = {
    Rung.REPAIR: CorrectionMsg.REPAIR, Rung.OFFSET: CorrectionMsg.OFFSET, Rung.HELP: CorrectionMsg.HELP,
    Rung.MEMORY: CorrectionMsg.MEMORY, Rung.LLM_STEP: CorrectionMsg.LLM_STEP, Rung.LLM_REPLAN: CorrectionMsg.LLM_REPLAN,
    Rung.GIVE_UP: CorrectionMsg.GIVE_UP}
_RUNGS = {code: rung for rung, code in _RUNG_CODES.items()}

_MAKERS = {kind.value: kind for kind in MakerKind}


def entry_to_msg(entry: StackEntry) -> StackEntryMsg:
    """Convert an entry of the feedback stack to a message.

    Args:
        entry: the failed command with its feedback.

    Returns:
        The message.
    """
    return StackEntryMsg(command_to_msg(entry.command), feedback_to_msg(entry.feedback), entry.attempts,
                         entry.maker.kind.value, entry.maker.name)


def entry_from_msg(message: StackEntryMsg) -> StackEntry:
    """Convert an entry of the feedback stack from a message.

    Args:
        message: the ROS message.

    Returns:
        The entry.
    """
    return StackEntry(command_from_msg(message.command), feedback_from_msg(message.feedback),
                      message.attempts, _maker(message))


def stack_to_msg(entries: Iterable[StackEntry]) -> List[StackEntryMsg]:
    """Convert a feedback stack to messages.

    Args:
        entries: the stack, bottom first.

    Returns:
        The messages in the same order.
    """
    return [entry_to_msg(entry) for entry in entries]


def stack_from_msg(entries: Iterable[StackEntryMsg]) -> Tuple[StackEntry, ...]:
    """Convert a feedback stack from messages.

    Args:
        entries: the messages, bottom first.

    Returns:
        The stack in the same order.
    """
    return tuple(entry_from_msg(entry) for entry in entries)


def tried_to_msg(tried: Iterable[TriedCommand]) -> List[StackEntryMsg]:
    """Convert the commands that were tried for a step to messages.

    Args:
        tried: in the order in which they were tried.

    Returns:
        The messages in the same order; one of a command that worked has no attempts and no feedback.
    """
    return [StackEntryMsg(command=command_to_msg(each.command)) if each.feedback is None else
            entry_to_msg(StackEntry(each.command, each.feedback)) for each in tried]


def tried_from_msg(tried: Iterable[StackEntryMsg]) -> Tuple[TriedCommand, ...]:
    """Convert the commands that were tried for a step from messages.

    Args:
        tried: the messages.

    Returns:
        The commands in the same order.
    """
    return tuple(TriedCommand(command_from_msg(each.command),
                              feedback_from_msg(each.feedback) if each.attempts else None) for each in tried)


def correction_to_msg(correction: Correction) -> CorrectionMsg:
    """Convert a correction to a message.

    Args:
        correction: rung, commands and steps.

    Returns:
        The message.
    """
    return CorrectionMsg(
        rung=_RUNG_CODES.get(correction.rung, CorrectionMsg.OWN),
        own_rung="" if correction.rung in _RUNG_CODES else correction.rung,
        commands=[command_to_msg(command) for command in correction.commands],
        steps=[step_to_msg(step) for step in correction.steps],
        drop=correction.drop,
        note=correction.note,
        maker=correction.maker.kind.value,
        maker_name=correction.maker.name,
        has_goal=correction.goal is not None,
        goal=goal_to_msg(correction.goal),
    )


def correction_from_msg(message: CorrectionMsg) -> Correction:
    """Convert a correction from a message.

    Args:
        message: the ROS message.

    Returns:
        The correction; an unknown rung becomes GIVE_UP.
    """
    return Correction(
        rung=_rung(message),
        commands=tuple(command_from_msg(command) for command in message.commands),
        steps=tuple(step_from_msg(step) for step in message.steps),
        drop=message.drop,
        note=message.note,
        maker=_maker(message),
        goal=goal_from_msg(message.goal, message.has_goal),
    )


def _maker(message: Union[CorrectionMsg, StackEntryMsg]) -> Maker:
    return Maker(_MAKERS.get(message.maker, MakerKind.NOBODY), message.maker_name)


def _rung(message: CorrectionMsg) -> str:
    if message.rung == CorrectionMsg.OWN and message.own_rung in extensions().rungs:
        return str(message.own_rung)
    return _RUNGS.get(message.rung, Rung.GIVE_UP)
