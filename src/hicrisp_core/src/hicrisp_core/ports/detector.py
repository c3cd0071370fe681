"""What the detector is asked and answers."""

from __future__ import annotations

from typing import Protocol

from hicrisp_core.model import Command, Outcome, Verdict, WorldState


class DetectorPort(Protocol):
    """Checks commands against observations."""

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Whether the command worked."""
