"""One step of a plan as the page shows it: its state, and what was tried in it, in order."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional

from hicrisp_core.trace.events import CommandTried, CorrectionMade, OutcomeClaimed, VerdictGiven
from hicrisp_core.trace.explain import maker_words
from hicrisp_core.trace.records import FeedbackRecord, Numbers

WAITING, RUNNING, DONE, FAILED, CHANGED = "waiting", "running", "done", "failed", "changed"
"""The states of a step; ``changed``: it was stopped because the user changed the task."""


class StepView:
    """A step, written by the events of a run in their order.

    Args:
        index: its place in the plan, from 0.
    """

    def __init__(self, index: int, text: str, robot: str = "") -> None:
        self.index = index
        self.text = text
        self.robot = robot
        self.state = WAITING
        self.began: Optional[float] = None
        self.ended: Optional[float] = None
        self._moments: List[Dict[str, Any]] = []
        self._tried: Optional[Dict[str, Any]] = None

    def begin(self, t: float, text: str, robot: str) -> None:
        """Begin the step.

        Args:
            t: wall seconds since the task began.
            text: the step in words.
            robot: the robot that carries it out.
        """
        self.state, self.began = RUNNING, t
        self.text, self.robot = text or self.text, robot or self.robot

    def end(self, t: float, ok: Optional[bool]) -> None:
        """End the step.

        Args:
            t: wall seconds since the task began.
            ok: whether it holds; ``None`` if the user changed the task.
        """
        self.state, self.ended = CHANGED if ok is None else DONE if ok else FAILED, t
        self._tried = None

    def command(self, event: CommandTried, number: int) -> None:
        """Add a command.

        Args:
            event: the command.
            number: of the command in the run, from 1.
        """
        self._tried = {"is": "command", "number": number, "t": event.t, "text": event.text or event.command,
                       "command": event.command, "purpose": event.purpose, "depth": event.depth,
                       "ok": None}
        self._moments.append(self._tried)

    def outcome(self, event: OutcomeClaimed) -> None:
        """Add what the driver claims of the latest command.

        Args:
            event: the claim.
        """
        if self._tried is not None:
            self._tried["claimed"] = {"status": event.status, "message": event.message}

    def verdict(self, event: VerdictGiven) -> Optional[Dict[str, Any]]:
        """Add what the detector observed of the latest command.

        Args:
            event: the verdict.

        Returns:
            The command's entry; ``None`` without a command.
        """
        tried = self._tried
        if tried is None:
            return None
        tried.update(ok=event.ok, note=event.note, seconds=round(max(0.0, event.t - tried["t"]), 3))
        seen = event.feedback
        if seen is not None:
            tried["feedback"] = _feedback(seen)
        tried["deviation"] = deviation(event.deviation or (seen.deviation if seen is not None else None))
        return tried

    def correction(self, event: CorrectionMade) -> None:
        """Add an answer of the corrector.

        Args:
            event: the correction.
        """
        self._moments.append({"is": "correction", "t": event.t, "rung": event.rung, "who": maker_words(event),
                              "why": event.note, "commands": list(event.commands)})

    def note(self, t: float, text: str, kind: str = "note") -> None:
        """Add another entry.

        Args:
            t: wall seconds since the task began.
            text: its words.
            kind: the kind of entry.
        """
        self._moments.append({"is": kind, "t": t, "text": text})

    def section(self, folded: bool = False) -> Dict[str, Any]:
        """Render the step.

        Args:
            folded: whether its entries are only counted.

        Returns:
            JSON values that later events do not change.
        """
        return {"index": self.index, "text": self.text, "robot": self.robot, "state": self.state,
                "began": self.began, "ended": self.ended, "folded": len(self._moments) if folded else 0,
                "moments": [] if folded else [dict(each) for each in self._moments]}


def deviation(measured: Optional[Numbers]) -> Optional[Dict[str, float]]:
    """Convert a measured deviation.

    Args:
        measured: x, y, z in the goal's frame, metres.

    Returns:
        Millimetres along x, y, z and in the plane; ``None`` if it was not measured.
    """
    if not measured:
        return None
    x, y, z = (*measured, 0.0, 0.0, 0.0)[:3]
    return {"x": round(1000.0 * x, 2), "y": round(1000.0 * y, 2), "z": round(1000.0 * z, 2),
            "plane": round(1000.0 * math.hypot(x, y), 2)}


def _feedback(seen: FeedbackRecord) -> Dict[str, Any]:
    return {"level": seen.level, "kind": seen.kind, "error": seen.error, "reason": seen.reason,
            "suggestion": seen.suggestion, "blockers": list(seen.blockers),
            "measured": [{"name": each.name, "value": each.value, "unit": each.unit, "of": each.of}
                         for each in seen.measured]}
