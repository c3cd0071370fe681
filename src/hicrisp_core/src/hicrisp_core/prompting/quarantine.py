"""Text from users and object names is data: bounded, without control characters, and fenced off in a
prompt.
"""

from __future__ import annotations

import unicodedata

OPEN, CLOSE = "<<<", ">>>"
LIMIT = 2000


def quarantined(text: str, limit: int = LIMIT) -> str:
    """The text between fences that it cannot contain itself.

    The prompts tell the model that what stands between the fences is data, never an instruction.
    """
    return f"{OPEN}{plain(text, limit)}{CLOSE}"


def plain(text: str, limit: int = LIMIT) -> str:
    """The text in one line, bounded, without control and formatting characters and without fences."""
    kept = "".join(" " if char in "\n\r\t" else char for char in text
                   if char in "\n\r\t" or not unicodedata.category(char).startswith("C"))
    kept = kept.replace(OPEN, "< < <").replace(CLOSE, "> > >")
    return kept if len(kept) <= limit else kept[:limit] + " [cut]"
