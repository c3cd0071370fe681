"""An interpreter that is told the goal as data: what a perfect reading of the words would reach."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import goal_words
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.time.deadline import Deadline

KNOWN = "known"
"""Stands in place of a model's name."""


class _Told:
    """Answers every request with one goal."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return the goal that was told."""
        return Understood(self._goal)


@dataclass(frozen=True)
class KnownGoal:
    """Makes the interpreter for a domain."""

    goal: Goal

    def __call__(self, domain: Domain) -> Interpreter:
        """Return the interpreter."""
        return _Told(replace(self.goal, said=goal_words(self.goal, domain), source=KNOWN))
