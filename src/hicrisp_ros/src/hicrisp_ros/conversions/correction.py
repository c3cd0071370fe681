"""Corrections and the stack of failed commands."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Tuple

from hicrisp_core.extensions import extensions
from hicrisp_core.model import Correction, Maker, MakerKind, Rung, StackEntry, TriedCommand

from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Codec, Part, named
from hicrisp_ros.conversions.goal import GOAL
from hicrisp_ros.conversions.task import COMMAND, STEP
from hicrisp_ros.conversions.verdict import feedback_from_msg, feedback_to_msg

_RUNG_CODES = {rung: getattr(msg.Correction, name) for name, rung in vars(Rung).items()
               if name.isupper() and hasattr(msg.Correction, name)}
_RUNGS = {code: rung for rung, code in _RUNG_CODES.items()}
_MAKERS = named(MakerKind, MakerKind.NOBODY)
_ENTRY = Codec(StackEntry, msg.StackEntry, command=COMMAND, feedback=Part(feedback_to_msg, feedback_from_msg))
_CORRECTION = Codec(Correction, msg.Correction, commands=COMMAND.each, steps=STEP.each, goal=GOAL)


def entry_to_msg(entry: StackEntry) -> msg.StackEntry:
    """Convert an entry of the feedback stack to a message.

    Args:
        entry: the failed command with its feedback.

    Returns:
        The message.
    """
    return _ENTRY.to_msg(entry, **_made_by(entry.maker))


def entry_from_msg(message: msg.StackEntry) -> StackEntry:
    """Convert an entry of the feedback stack from a message.

    Args:
        message: the ROS message.

    Returns:
        The entry.
    """
    return _ENTRY.from_msg(message, maker=_maker(message))


_STACK = Part(entry_to_msg, entry_from_msg).each
stack_to_msg, stack_from_msg = _STACK.to_msg, _STACK.from_msg


def tried_to_msg(tried: Iterable[TriedCommand]) -> List[Any]:
    """Convert the commands that were tried for a step to messages.

    Args:
        tried: in the order in which they were tried.

    Returns:
        The messages in the same order; one of a command that worked has no attempts and no feedback.
    """
    return [msg.StackEntry(command=COMMAND.to_msg(each.command)) if each.feedback is None else
            entry_to_msg(StackEntry(each.command, each.feedback)) for each in tried]


def tried_from_msg(tried: Iterable[Any]) -> Tuple[TriedCommand, ...]:
    """Convert the commands that were tried for a step from messages.

    Args:
        tried: the messages.

    Returns:
        The commands in the same order.
    """
    return tuple(TriedCommand(COMMAND.from_msg(each.command),
                              feedback_from_msg(each.feedback) if each.attempts else None) for each in tried)


def correction_to_msg(correction: Correction) -> msg.Correction:
    """Convert a correction to a message.

    Args:
        correction: rung, commands and steps.

    Returns:
        The message.
    """
    return _CORRECTION.to_msg(
        correction, rung=_RUNG_CODES.get(correction.rung, msg.Correction.OWN),
        own_rung="" if correction.rung in _RUNG_CODES else correction.rung, **_made_by(correction.maker))


def correction_from_msg(message: msg.Correction) -> Correction:
    """Convert a correction from a message.

    Args:
        message: the ROS message.

    Returns:
        The correction; an unknown rung becomes GIVE_UP.
    """
    own = message.rung == msg.Correction.OWN and message.own_rung in extensions().rungs
    rung = str(message.own_rung) if own else _RUNGS.get(message.rung, Rung.GIVE_UP)
    return _CORRECTION.from_msg(message, rung=rung, maker=_maker(message))


def _made_by(maker: Maker) -> Dict[str, str]:
    return {"maker": maker.kind.value, "maker_name": maker.name}


def _maker(message: Any) -> Maker:
    return Maker(_MAKERS.from_msg(message.maker), message.maker_name)
