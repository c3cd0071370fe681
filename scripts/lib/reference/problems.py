"""What the sources leave undescribed: collected, so that all of it is told at once."""

from __future__ import annotations

from typing import List


class Problems:
    """What is missing or wrong, one line each."""

    def __init__(self) -> None:
        self.lines: List[str] = []

    def add(self, where: str, what: str) -> None:
        """Note something that somebody has to mend."""
        self.lines.append(f"{where}: {what}")

    def text(self, where: str, text: str) -> str:
        """A description; an empty one is noted."""
        if not text.strip():
            self.add(where, "has no description")
        return text.strip()
