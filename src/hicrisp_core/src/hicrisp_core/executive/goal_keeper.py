"""The goal of a task under way: what it is, how far it has come, and whether it is seen at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional, Tuple

from hicrisp_core.detector.certainty import STILL_SURE, doubt_about
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import words_of
from hicrisp_core.executive.ledger import Ledger
from hicrisp_core.executive.looking import out_of_sight
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.verdict import missed
from hicrisp_core.model import Cause, Feedback, FeedbackKind, Level, Relation, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.policy.policy import TASK, Policy
from hicrisp_core.trace.goal_events import GoalJudged, GoalUnderstood

UNKNOWN, MISSED, SEEN = "unknown", "missed", "seen"
"""What is known of a goal at the end of a task."""


class GoalKeeper:
    """Holds a task's goal and judges it.

    Args:
        goal: what the brain says; ``None`` where it does not know.
    """

    def __init__(self, domain: Domain, policy: Policy, ledger: Ledger, goal: Optional[Goal]) -> None:
        self._domain = domain
        self._asked = policy.verify_goal == TASK and policy.detect
        self._ledger = ledger
        self._goal = goal
        self._reached = 0
        """How many of what comes first were seen."""
        self.state = UNKNOWN if self._asked and goal is None else ""
        if goal is not None or self._asked:
            self._tell()

    @property
    def goal(self) -> Optional[Goal]:
        """What is left of the goal: without what comes first and was seen already."""
        return None if self._goal is None else replace(self._goal, first=self._goal.first[self._reached:])

    @property
    def judged(self) -> bool:
        """Whether the end of the task is judged by its goal."""
        return self._asked and self._goal is not None

    @property
    def staged(self) -> bool:
        """Whether something that comes first was not seen yet."""
        return self._goal is not None and self._reached < len(self._goal.first)

    def restated(self, goal: Optional[Goal]) -> None:
        """A new plan says what it leads to: another thing that serves as well, for example."""
        if goal is not None and goal not in (self._goal, self.goal):
            self._goal, self._reached = goal, 0
            self._tell()

    def see(self, world: WorldState) -> None:
        """Note what of that which comes first holds now."""
        while self._goal is not None and self.staged \
                and holds(self._goal.first[self._reached], world.relations, self._domain):
            self._reached += 1

    def unseen(self, world: WorldState) -> Tuple[str, ...]:
        """The things of which a world does not show whether they are as the goal wants them."""
        found = None if self._goal is None else missed(self._goal, self._domain, world, self._doubt)
        if found is None or found.kind is FeedbackKind.GOAL_UNSEEN:
            return found.subjects if found is not None else ()
        return out_of_sight(world, found.subjects)

    def judge(self, world: WorldState) -> Optional[Feedback]:
        """What of the goal is missing; ``None`` where all of it is seen."""
        self.see(world)
        if self._goal is None:
            return None
        found = missed(self._goal, self._domain, world, self._doubt)
        before = self._goal.first[self._reached:]
        if before:
            later = found.conditions if found is not None and found.kind is FeedbackKind.GOAL_MISSED else ()
            found = Feedback(Level.HIGH, FeedbackKind.GOAL_MISSED, conditions=(*before, *later))
        self.state = SEEN if found is None else MISSED
        words = words_of(found, self._domain).error if found is not None else ""
        self._ledger.tell(GoalJudged(seen=found is None, missing=words))
        return found

    def _doubt(self, fact: Relation, world: WorldState) -> Optional[Cause]:
        return doubt_about(self._domain, fact, world, STILL_SURE)

    def _tell(self) -> None:
        goal = self._goal or Goal()
        self._ledger.tell(GoalUnderstood(
            known=self._goal is not None, said=goal.said, source=goal.source,
            first=tuple(map(str, goal.first)),
            end=tuple(map(str, goal.end)), keep=tuple(map(str, goal.keep)), goal_robot=goal.robot))
