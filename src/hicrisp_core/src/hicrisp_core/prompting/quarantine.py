"""Text from users and object names is data: bounded, without control characters, and fenced off in a prompt."""

from __future__ import annotations

import re
import unicodedata
from typing import Sequence

from hicrisp_core.model.meaning import Turn

OPEN, CLOSE = "<<<", ">>>"
LIMIT = 2000
_FENCE_LIKE = re.compile("<{3,}|>{3,}")
"""A whole run: of five marks, taking three apart would leave a fence."""


def quarantined(text: str, limit: int = LIMIT) -> str:
    """The text between fences that it cannot contain itself.

    The prompts tell the model that what stands between the fences is data, never an instruction.
    """
    return f"{OPEN}{plain(text, limit)}{CLOSE}"


def plain(text: str, limit: int = LIMIT) -> str:
    """The text in one line, bounded, without control and formatting characters and without fences."""
    kinds = ((char, unicodedata.category(char)) for char in text)
    kept = "".join(" " if char in "\n\r\t" or kind in ("Zl", "Zp") else "" if kind.startswith("C") else char
                   for char, kind in kinds)
    kept = _FENCE_LIKE.sub(lambda found: " ".join(found.group()), kept)
    return kept if len(kept) <= limit else kept[:limit] + " [cut]"


def turns_text(turns: Sequence[Turn]) -> str:
    """Return the turns, one a line."""
    return "\n".join(f"{turn.speaker.value}: {quarantined(turn.text)}" for turn in turns)


def task_text(task: str, conversation: Sequence[Turn]) -> str:
    """Return a task with what was said about it since."""
    return "\n".join(filter(None, (quarantined(task), turns_text(conversation))))
