"""What the sources leave undescribed: collected, so that all of it is told at once."""

from __future__ import annotations

from typing import List


class Problems:
    """What is missing or wrong, one line each."""

    def __init__(self) -> None:
        self.lines: List[str] = []

    def add(self, where: str, what: str) -> None:
        """Note a problem.

        Args:
            where: place in the sources.
            what: what is missing or wrong.
        """
        self.lines.append(f"{where}: {what}")

    def text(self, where: str, text: str) -> str:
        """Note an empty description.

        Args:
            where: place in the sources.
            text: the description.

        Returns:
            The description without surrounding space.
        """
        if not text.strip():
            self.add(where, "has no description")
        return text.strip()
