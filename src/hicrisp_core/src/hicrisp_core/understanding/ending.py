"""The words that end a task without any model: the one fixed list."""

from __future__ import annotations

import re

ENDING = ("stop", "cancel", "abort", "halt", "stop it", "cancel it", "stop now", "stop that", "stop everything",
          "stop the task", "cancel the task", "cancel that")
_ASIDE = ("please", "no", "now", "ok", "okay")
"""Words that change nothing about an order to stop."""


def wants_end(text: str) -> bool:
    """Check whether words only say that the task is to end: "Stop!", "no, cancel it please"."""
    words = re.sub(r"[^\w\s']", " ", text.lower()).split()
    return " ".join(words) in ENDING or " ".join(word for word in words if word not in _ASIDE) in ENDING
