"""What user and robot said and what was done, task after task: the history that Alex keeps (CoPAL, section
III-A).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence, Tuple

from hicrisp_core.model.meaning import Turn

EXCHANGES = 8
"""Tasks that are remembered."""
_LONGEST = 400
"""Characters of one line; a task may be longer, but what is remembered of it need not."""


@dataclass(frozen=True)
class Dialogue:
    """The last exchanges, oldest first. Nodes that think keep no state, so it travels with each request.

    Args:
        exchanges: for each task what the user asked, what was done and what was answered.
    """

    exchanges: Tuple[Tuple[str, ...], ...] = ()

    def after(
        self, asked: str, done: Iterable[str], answered: str, conversation: Sequence[Turn] = ()
    ) -> "Dialogue":
        """The dialogue with one more task.

        Args:
            conversation: what was said about it, oldest first; its first words are not told twice.
        """
        actions = "; ".join(done)
        said = (f"{turn.speaker.value.capitalize()}: {turn.text}" for turn in conversation if turn.text != asked)
        lines = (f"User: {asked}", *said, f"Robot did: {actions or 'nothing'}", f"Robot: {answered}")
        return Dialogue((*self.exchanges, tuple(_bounded(line) for line in lines))[-EXCHANGES:])

    @property
    def history(self) -> Tuple[str, ...]:
        """The lines, as :class:`hicrisp_core.ports.brain.PlanRequest` takes them."""
        return tuple(line for exchange in self.exchanges for line in exchange)


def _bounded(line: str) -> str:
    return line if len(line) <= _LONGEST else line[:_LONGEST] + " [cut]"
