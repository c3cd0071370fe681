"""Outcomes, feedback and verdicts; corrections and the stack of failed commands."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, Optional, Tuple

from hicrisp_core.domain.wording import Words
from hicrisp_core.extensions import extensions
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Correction,
    Feedback,
    FeedbackKind,
    Level,
    Maker,
    MakerKind,
    Measured,
    Outcome,
    Relation,
    Rung,
    StackEntry,
    Status,
    TriedCommand,
    Unmet,
    Verdict,
)
from hicrisp_core.model.goal_text import statements_of

from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Codec, Part, named
from hicrisp_ros.conversions.geometry import vector_from_msg, vector_to_msg
from hicrisp_ros.conversions.goal import GOAL
from hicrisp_ros.conversions.task import COMMAND, STEP

_STATUS_CODES = {status: getattr(msg.Outcome, status.name) for status in Status}
_STATUSES = {code: status for status, code in _STATUS_CODES.items()}
_LEVEL_CODES = {level: getattr(msg.Feedback, level.name) for level in Level}
_LEVELS = {code: level for level, code in _LEVEL_CODES.items()}
_CAUSE = Codec(Cause, msg.Cause, kind=named(CauseKind, CauseKind.UNKNOWN))
cause_to_msg = _CAUSE.to_msg


def cause_from_msg(message: msg.Cause) -> Optional[Cause]:
    """Convert a cause from a message.

    Args:
        message: the ROS message.

    Returns:
        The cause; an undefined kind becomes UNKNOWN, an empty one ``None``.
    """
    return _CAUSE.from_msg(message) if message.kind else None


_OUTCOME = Codec(Outcome, msg.Outcome, cause=Part(cause_to_msg, cause_from_msg),
                 status=Part(_STATUS_CODES.__getitem__, _STATUSES.__getitem__))


def outcome_to_msg(outcome: Outcome) -> msg.Outcome:
    """Convert an outcome to a message.

    Args:
        outcome: status, message and cause.

    Returns:
        The message.
    """
    return _OUTCOME.to_msg(outcome)


def outcome_from_msg(message: msg.Outcome) -> Outcome:
    """Convert an outcome from a message.

    Args:
        message: the ROS message.

    Returns:
        The outcome; an undefined status becomes INVALID, never a success.
    """
    if message.status not in _STATUSES:
        return Outcome.because(
            CauseKind.UNKNOWN, Status.INVALID,
            f"the driver answered the unknown status {message.status}: {message.message}")
    missed = (message.missed[0], message.missed[1]) \
        if len(message.missed) == 2 and all(map(math.isfinite, message.missed)) else None
    return _OUTCOME.from_msg(message, missed=missed)


_FACT = Part(lambda fact: msg.Relation(*fact), lambda fact: Relation(fact.subject, fact.predicate, fact.object))
_UNMET = Codec(Unmet, msg.Unmet, facts=_FACT.each,
               names=Part(lambda pair: msg.KeyValue(*pair), lambda pair: (pair.key, pair.value)).each)
_DEVIATION = Part(vector_to_msg, vector_from_msg)
_FEEDBACK = Codec(
    Feedback, msg.Feedback, level=Part(_LEVEL_CODES.__getitem__, lambda code: _LEVELS.get(code, Level.HIGH)),
    kind=named(FeedbackKind, FeedbackKind.REFUSED), command=COMMAND, step=STEP,
    measured=Codec(Measured, msg.Measured).each, deviation=_DEVIATION, unmet=_UNMET.each, seen=_FACT.each,
    cause=Part(cause_to_msg, cause_from_msg), conditions=Part(lambda found: list(map(str, found)), statements_of))
feedback_from_msg = _FEEDBACK.from_msg


def feedback_to_msg(feedback: Feedback, words: Optional[Words] = None) -> msg.Feedback:
    """Convert feedback to a message.

    Args:
        feedback: what failed, and why.
        words: sentences for people, sent along with the data.

    Returns:
        The message.
    """
    said = words or Words()
    return _FEEDBACK.to_msg(feedback, error=said.error, reason=said.reason, suggestion=said.suggestion)


_VERDICT = Codec(Verdict, msg.Verdict, feedback=_FEEDBACK, deviation=_DEVIATION)


def verdict_to_msg(verdict: Verdict) -> msg.Verdict:
    """Convert a verdict to a message.

    Args:
        verdict: the detector's judgement of a command.

    Returns:
        The message.
    """
    return _VERDICT.to_msg(verdict, ok=verdict.ok)


def verdict_from_msg(message: msg.Verdict) -> Verdict:
    """Convert a verdict from a message.

    Args:
        message: the ROS message.

    Returns:
        The verdict.
    """
    return _VERDICT.from_msg(message, feedback=None if message.ok else feedback_from_msg(message.feedback))


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
