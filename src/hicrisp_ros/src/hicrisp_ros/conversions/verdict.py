"""Outcomes, feedback and verdicts; corrections and the stack of failed commands."""

from __future__ import annotations

import math
from typing import Any

from hicrisp_core.extensions import extensions
from hicrisp_core.model.goal_text import statements_of
from hicrisp_core.ports.body import Translation

from hicrisp_core import model
from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Part, Spread, codec, marked, named
from hicrisp_ros.conversions.geometry import vector_from_msg, vector_to_msg
from hicrisp_ros.conversions.goal import GOAL
from hicrisp_ros.conversions.task import COMMAND, STEP, USAGE

_SAID = codec(model.Cause, msg.Cause, kind=named(model.CauseKind, model.CauseKind.UNKNOWN))
_CAUSE = Part(_SAID.to_msg, lambda message: _SAID.from_msg(message) if message.kind else None)
_TOLD = codec(
    model.Outcome, msg.Outcome, cause=_CAUSE, status=named(model.Status, model.Status.INVALID, msg.Outcome),
    missed=Part(lambda missed: missed or (), lambda missed: tuple(missed)
                if len(missed) == 2 and all(map(math.isfinite, missed)) else None))


def _outcome_from_msg(message: msg.Outcome) -> model.Outcome:
    told = _TOLD.from_msg(message)
    if told.status is model.Status.INVALID and message.status != msg.Outcome.INVALID:
        return model.Outcome.because(
            model.CauseKind.UNKNOWN, model.Status.INVALID,
            f"the driver answered the unknown status {message.status}: {message.message}")
    return told


OUTCOME = Part(_TOLD.to_msg, _outcome_from_msg)
"""An undefined status becomes INVALID, never a success."""
FACT: Part[Any] = Part(lambda fact: msg.Relation(*fact),
                       lambda fact: model.Relation(fact.subject, fact.predicate, fact.object))
_UNMET = codec(model.Unmet, msg.Unmet, facts=FACT.each,
               names=Part(lambda pair: msg.KeyValue(*pair), lambda pair: (pair.key, pair.value)).each)
_DEVIATION = Part(vector_to_msg, vector_from_msg)
FEEDBACK = codec(
    model.Feedback, msg.Feedback, level=named(model.Level, model.Level.HIGH, msg.Feedback),
    kind=named(model.FeedbackKind, model.FeedbackKind.REFUSED), command=COMMAND, step=STEP,
    measured=codec(model.Measured, msg.Measured).each, deviation=_DEVIATION, unmet=_UNMET.each, seen=FACT.each,
    cause=_CAUSE, conditions=Part(lambda found: list(map(str, found)), statements_of))
"""The message has sentences for people beside it: ``error``, ``reason`` and ``suggestion``."""
_FAILED = marked(FEEDBACK, "feedback", "ok", present=False)
VERDICT = codec(model.Verdict, msg.Verdict, feedback=_FAILED, deviation=_DEVIATION)
TRANSLATION = codec(Translation, msg.TranslateStepResult, feedback=_FAILED, commands=COMMAND.each, usage=USAGE)
_MAKERS = named(model.MakerKind, model.MakerKind.NOBODY)
_MAKER = Spread(lambda maker: {"maker": maker.kind.value, "maker_name": maker.name},
                lambda message: model.Maker(_MAKERS.from_msg(message.maker), message.maker_name))
STACK = codec(model.StackEntry, msg.StackEntry, command=COMMAND, feedback=FEEDBACK, maker=_MAKER).each
TRIED = codec(model.TriedCommand, msg.StackEntry, command=COMMAND, feedback=Spread(
    lambda feedback: {"feedback": FEEDBACK.to_msg(feedback), "attempts": int(feedback is not None)},
    lambda message: FEEDBACK.from_msg(message.feedback) if message.attempts else None)).each
"""A command that worked has no attempts and no feedback."""
_RUNG_CODES = {rung: getattr(msg.Correction, name) for name, rung in vars(model.Rung).items()
               if name.isupper() and hasattr(msg.Correction, name)}
_RUNGS = {code: rung for rung, code in _RUNG_CODES.items()}


CORRECTION = codec(model.Correction, msg.Correction, commands=COMMAND.each, steps=STEP.each, goal=GOAL, maker=_MAKER,
                   rung=Spread(
    lambda rung: {"rung": _RUNG_CODES.get(rung, msg.Correction.OWN), "own_rung": "" if rung in _RUNG_CODES else rung},
    lambda message: message.own_rung if message.rung == msg.Correction.OWN and message.own_rung in extensions().rungs
    else _RUNGS.get(message.rung, model.Rung.GIVE_UP)))
"""An unknown rung becomes GIVE_UP."""
