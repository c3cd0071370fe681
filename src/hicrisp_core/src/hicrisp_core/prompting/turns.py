"""The turns of a conversation in a prompt: who said what, each fenced off as data."""

from __future__ import annotations

from typing import Sequence

from hicrisp_core.model.meaning import Turn
from hicrisp_core.prompting.quarantine import quarantined


def turns_text(turns: Sequence[Turn]) -> str:
    """Return the turns, one a line."""
    return "\n".join(f"{turn.speaker.value}: {quarantined(turn.text)}" for turn in turns)


def task_text(task: str, conversation: Sequence[Turn]) -> str:
    """Return a task with what was said about it since."""
    return "\n".join(filter(None, (quarantined(task), turns_text(conversation))))
