"""What the corrector is asked and answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import FrozenSet, Optional, Protocol, Tuple

from hicrisp_core.model import Correction, Feedback, KnownWay, Relation
from hicrisp_core.ports.brain import CorrectionRequest, Usage
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class CorrectorRequest(CorrectionRequest):
    """What the corrector is asked, beside what a brain is; it keeps no state between questions.

    Args:
        seen: the marks of the loop guard for this task.
        replans_left: how many new plans the task may still have.
        made: the facts that the finished steps made and no later one undid.
        earlier: the failures that led to new plans before, the latest last: a brain keeps nothing between questions.
        missed: what of the goal is missing once all steps are done; then the stack is empty, and steps are
            wanted that lead from here to the goal.
        known: corrections that worked in earlier runs for such a failure, the best first; only proposals.
    """

    seen: FrozenSet[str] = frozenset()
    replans_left: int = 0
    made: FrozenSet[Relation] = frozenset()
    earlier: Tuple[Feedback, ...] = ()
    missed: Optional[Feedback] = None
    known: Tuple[KnownWay, ...] = ()


@dataclass(frozen=True)
class CorrectorAnswer:
    """A correction, the mark by which the loop guard remembers it, and what it cost."""

    correction: Correction
    mark: str = ""
    usage: Usage = field(default_factory=Usage)


class Corrector(Protocol):
    """Answers failures."""

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """Find a correction for the top of the feedback stack.

        Args:
            request: the stack, the observed world and the rest of the plan.
            deadline: wall time by which the answer is due.

        Returns:
            The correction, whose rung is ``GIVE_UP`` if nothing is left to try, with its mark and its cost.
        """
