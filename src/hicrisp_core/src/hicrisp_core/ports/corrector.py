"""What the corrector is asked and answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import FrozenSet, Optional, Protocol, Tuple

from hicrisp_core.model import Correction, Feedback, Relation, StackEntry, Step, StepRecord, Task, WorldState
from hicrisp_core.model.correction import TriedCommand
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Turn
from hicrisp_core.model.remembered import KnownWay
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class CorrectorRequest:
    """What the corrector is asked; it keeps no state between questions.

    Args:
        stack: the failed commands, bottom first.
        world: what is seen now.
        done: the steps that were carried out, and those that go on elsewhere.
        remaining: the plan's steps from the failed one on.
        seen: the marks of the loop guard for this task.
        replans_left: how many new plans the task may still have.
        made: the facts that the finished steps made and no later one undid.
        earlier: the failures that led to new plans before, the latest last.
        goal: what the task means, where that is known.
        missed: what of the goal is missing once all steps are done; then the stack is empty, and steps are
            wanted that lead from here to the goal.
        known: corrections that worked in earlier runs for such a failure, the best first; only proposals.
        conversation: what was said about the task since it was submitted.
        tried: the commands that were tried for the failed step, in their order.
    """

    task: Task
    stack: Tuple[StackEntry, ...]
    world: WorldState
    done: Tuple[StepRecord, ...] = ()
    remaining: Tuple[Step, ...] = ()
    seen: FrozenSet[str] = frozenset()
    replans_left: int = 0
    made: FrozenSet[Relation] = frozenset()
    earlier: Tuple[Feedback, ...] = ()
    goal: Optional[Goal] = None
    missed: Optional[Feedback] = None
    known: Tuple[KnownWay, ...] = ()
    conversation: Tuple[Turn, ...] = ()
    tried: Tuple[TriedCommand, ...] = ()


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
