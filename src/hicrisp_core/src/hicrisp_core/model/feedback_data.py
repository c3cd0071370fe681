"""Feedback as plain data for files and events, and back."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

from hicrisp_core.model.cause import Cause, CauseKind
from hicrisp_core.model.feedback import Feedback, Level, Measured, Unmet
from hicrisp_core.model.feedback_kind import FeedbackKind
from hicrisp_core.model.geometry import Vector
from hicrisp_core.model.task import Command, Step
from hicrisp_core.model.world import Relation


def feedback_data(feedback: Feedback) -> Dict[str, Any]:
    """Feedback as mappings, lists, texts and numbers; poses and constraints of its command are left out."""
    command, step = feedback.command, feedback.step
    return {
        "level": feedback.level.value, "kind": feedback.kind.value, "label": feedback.label,
        "command": None if command is None else {
            "action": command.action, "arguments": dict(command.arguments), "robot": command.robot},
        "step": None if step is None else {
            "text": step.text, "action": step.action, "arguments": dict(step.arguments), "robot": step.robot},
        "parameter": feedback.parameter, "subjects": list(feedback.subjects), "blockers": list(feedback.blockers),
        "measured": [{"name": each.name, "value": each.value, "unit": each.unit, "of": each.of}
                     for each in feedback.measured],
        "deviation": None if feedback.deviation is None else list(feedback.deviation),
        "alternatives": list(feedback.alternatives),
        "unmet": [{"facts": [list(fact) for fact in each.facts], "negated": each.negated,
                   "precondition": each.precondition, "names": dict(each.names)} for each in feedback.unmet],
        "seen": [list(fact) for fact in feedback.seen], "cause": cause_data(feedback.cause),
        "advice": feedback.advice,
    }


def cause_data(cause: Optional[Cause]) -> Optional[Dict[str, Any]]:
    """A cause as plain data."""
    if cause is None:
        return None
    return {"kind": cause.kind.value, "names": list(cause.names), "seconds": cause.seconds, "said": cause.said}


def feedback_from_data(data: Mapping[str, Any]) -> Feedback:
    """The feedback of plain data; what is missing is as it is by default.

    Raises:
        ValueError: for a level or a kind that there is not.
    """
    command, step, cause = data.get("command"), data.get("step"), data.get("cause")
    return Feedback(
        Level(data["level"]), FeedbackKind(data["kind"]),
        Command(command["action"], command["arguments"], command["robot"]) if command else None,
        Step(step["text"], step["action"], step["arguments"], step["robot"]) if step else None,
        data.get("parameter", ""), data.get("label", ""), tuple(data.get("subjects", ())),
        tuple(data.get("blockers", ())), tuple(Measured(**each) for each in data.get("measured", ())),
        _vector(data.get("deviation")), tuple(data.get("alternatives", ())),
        tuple(Unmet(tuple(Relation(*fact) for fact in each["facts"]), each["negated"], each["precondition"],
                    tuple(each["names"].items())) for each in data.get("unmet", ())),
        tuple(Relation(*fact) for fact in data.get("seen", ())),
        Cause(CauseKind(cause["kind"]), tuple(cause["names"]), cause["seconds"], cause["said"]) if cause else None,
        data.get("advice", ""))


def _vector(values: Optional[Tuple[Optional[float], ...]]) -> Optional[Vector]:
    """A vector, unless a part of it is missing: JSON knows no NaN."""
    if values is None or None in values:
        return None
    x, y, z = (float(value or 0.0) for value in values)
    return (x, y, z)
