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
    """Put a text between fences that it cannot contain itself.

    The prompts tell the model that what stands between the fences is data, never an instruction.

    Args:
        text: untrusted text.
        limit: greatest length, characters.

    Returns:
        The fenced text in one line.
    """
    return f"{OPEN}{plain(text, limit)}{CLOSE}"


def plain(text: str, limit: int = LIMIT) -> str:
    """Reduce a text to one line without control characters, formatting characters and fences.

    Args:
        text: untrusted text.
        limit: greatest length, characters; longer texts are cut and marked.

    Returns:
        The line.
    """
    kept = "".join(map(_in_line, text))
    kept = _FENCE_LIKE.sub(lambda found: " ".join(found.group()), kept)
    return kept if len(kept) <= limit else kept[:limit] + " [cut]"


def _in_line(char: str) -> str:
    """Return the replacement of a character in one line of text."""
    if char in "\n\r\t" or unicodedata.category(char) in ("Zl", "Zp"):
        return " "
    return "" if unicodedata.category(char).startswith("C") else char


def turns_text(turns: Sequence[Turn]) -> str:
    """Format a conversation.

    Args:
        turns: the turns, oldest first.

    Returns:
        One turn a line, fenced.
    """
    return "\n".join(f"{turn.speaker.value}: {quarantined(turn.text)}" for turn in turns)


def task_text(task: str, conversation: Sequence[Turn]) -> str:
    """Format a task with the conversation about it.

    Args:
        task: the request.
        conversation: later turns, oldest first.

    Returns:
        The text, fenced.
    """
    return "\n".join(filter(None, (quarantined(task), turns_text(conversation))))
