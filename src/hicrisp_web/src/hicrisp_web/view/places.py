"""Where commands were to put things and where these ended: points for the view from above."""

from __future__ import annotations

from typing import Any, Dict, List

from hicrisp_core.trace.events import CommandTried, VerdictGiven
from hicrisp_core.trace.ground_shapes import achieved
from hicrisp_core.trace.plain import plain

_MOST = 40
"""Commands whose points are kept, the latest ones."""


class Places:
    """The targets, aims and achieved points of a run's commands, metres in the world frame."""

    def __init__(self) -> None:
        self._found: List[Dict[str, Any]] = []

    def aim(self, event: CommandTried, number: int) -> None:
        """Add the target of a command; one without a target is skipped.

        Args:
            event: the command.
            number: of the command in the run, from 1.
        """
        if event.target:
            self._found = [*self._found, {
                "number": number, "item": event.arguments.get("item", ""), "robot": event.robot,
                "text": event.text or event.command, "target": plain(event.target),
                "aim": plain(event.aim), "turn": event.turn,
                "achieved": None, "ok": None}][-_MOST:]

    def seen(self, event: VerdictGiven, number: int) -> bool:
        """Add how far from its target a command ended.

        Args:
            event: the verdict.
            number: of the command in the run, from 1.

        Returns:
            Whether the command has a target here.
        """
        found = next((each for each in reversed(self._found) if each["number"] == number), None)
        if found is None:
            return False
        measured = event.deviation or (event.feedback.deviation if event.feedback is not None else None)
        found.update(ok=event.ok, achieved=achieved(found["target"], found["turn"], measured))
        return True

    def section(self) -> List[Dict[str, Any]]:
        """The places as JSON values, the latest last."""
        return [{name: value for name, value in each.items() if name != "turn"} for each in self._found]
