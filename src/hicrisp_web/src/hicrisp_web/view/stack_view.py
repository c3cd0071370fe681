"""The feedback stack as it stands, and the columns of the drawing in which it grows and falls."""

from __future__ import annotations

from typing import Any, Dict, List

from hicrisp_core.trace.events import StackChanged

MOST_COLUMNS = 120
"""Changes of the stack that are drawn, the latest ones."""


class StackView:
    """Follows a run's stack."""

    def __init__(self) -> None:
        self._entries: List[Dict[str, Any]] = []
        self._columns: List[Dict[str, Any]] = []
        self._commands: Dict[str, int] = {}
        self._deepest = 0

    def change(self, event: StackChanged) -> None:
        """Replace the stack.

        Args:
            event: the stack, bottom first.
        """
        self._entries = [{"command": each.command, "error": each.error, "attempts": each.attempts,
                          "kind": each.kind} for each in event.entries]
        bars = [{"colour": self._commands.setdefault(each.command, len(self._commands)),
                 "attempts": each.attempts} for each in event.entries]
        if bars or self._columns:  # One that was empty from the beginning shows nothing.
            self._columns = [*self._columns, {"t": event.t, "bars": bars}][-MOST_COLUMNS:]
        self._deepest = max(self._deepest, len(bars))
        if len(self._commands) > MOST_COLUMNS:
            self._forget()

    def _forget(self) -> None:
        """Number anew the commands that are still drawn."""
        drawn = {bar["colour"] for column in self._columns for bar in column["bars"]}
        kept = [(name, colour) for name, colour in self._commands.items() if colour in drawn]
        numbers = {colour: at for at, (_, colour) in enumerate(kept)}
        self._commands = {name: numbers[colour] for name, colour in kept}
        for column in self._columns:
            column["bars"] = [{**bar, "colour": numbers[bar["colour"]]} for bar in column["bars"]]

    def section(self) -> Dict[str, Any]:
        """The stack as JSON values; ``colour`` counts the commands of the legend."""
        return {"entries": list(self._entries), "columns": list(self._columns),
                "legend": list(self._commands), "deepest": self._deepest}
