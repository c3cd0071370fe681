"""A brain that is told the goal as data: what a perfect translation of the words would reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from hicrisp_core.brain.goal_brain import GoalBrain
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.brain.translator import Translated, Translator
from hicrisp_core.domain.goal_words import goal_words
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model.goal import Goal, Statement
from hicrisp_core.ports.brain import Brain, PlanRequest
from hicrisp_core.time.deadline import Deadline

KNOWN = "known"
"""Stands in place of a model's name."""


class _Told(Translator):
    """Answers every request with one goal."""

    def __init__(self, domain: Domain, offline: OfflineBrain, goal: Goal) -> None:
        super().__init__(domain, None, offline)
        self._goal = goal

    def translate(self, request: PlanRequest, deadline: Deadline) -> Translated:
        """The goal that was told."""
        return Translated(self._goal)


@dataclass(frozen=True)
class KnownGoal:
    """Makes the brain for a domain.

    Args:
        end: what is to hold at the end.
    """

    end: Tuple[Statement, ...]

    def __call__(self, domain: Domain) -> Brain:
        """The brain."""
        offline = OfflineBrain(domain)
        goal = Goal(self.end, source=KNOWN)
        return GoalBrain(domain, _Told(domain, offline, Goal(
            goal.end, said=goal_words(goal, domain), source=KNOWN)), offline)
