"""What a request that the grammar has read means as a goal: the facts that it asks for, judged on where its
plan ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from hicrisp_core.domain.effects import apply_effects, expected_facts
from hicrisp_core.domain.goal_words import goal_words
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Conditions
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.truth import holds, ways_to_say
from hicrisp_core.model import OFFLINE_SOURCE, Command, Relation, Step, WorldState
from hicrisp_core.model.goal import Goal, Holds, Not, Statement


class StatedGoal:
    """Collects what a request asks for, in its order."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._stated: Dict[Statement, None] = {}

    def facts(self, facts: Iterable[Relation]) -> None:
        """Facts that are asked for; one that says the same as another is not repeated."""
        for fact in facts:
            if not any(Holds(same) in self._stated for same in ways_to_say(fact, self._domain)):
                self._stated[Holds(fact)] = None

    def made_by(self, command: Command) -> None:
        """The facts for which a command is given that says itself what is wanted."""
        self.facts(wanted_of(command, self._domain))

    def conditions(self, conditions: Conditions) -> None:
        """Conditions that are asked for; such as are no single facts are left out."""
        for condition in conditions:
            clause = condition.clauses[0]
            if len(condition.clauses) == len(clause.atoms) == 1 and clause.atoms[0].ground:
                fact = Holds(clause.atoms[0].fact())
                self._stated[Not(fact) if clause.negated else fact] = None

    def goal(self, end: WorldState, robot: str = "") -> Optional[Goal]:
        """What holds where the plan ends is the end; what the request itself undoes again comes first.

        What is only in the hand on the way is no stage: it is a means.
        """
        last = tuple(each for each in self._stated if holds(each, end.relations, self._domain))
        first = tuple(each for each in self._stated if each not in last and not self._passing(each))
        if not (last or first):
            return None
        return _said(Goal(last, first=first, robot=robot, source=OFFLINE_SOURCE), self._domain)

    def _passing(self, statement: Statement) -> bool:
        if not isinstance(statement, Holds):
            return True
        name = statement.fact.predicate
        return name == self._domain.roles.held or self._domain.predicates[name].transient


def goal_of_steps(steps: Sequence[Step], domain: Domain, world: WorldState) -> Optional[Goal]:
    """What steps are for that say themselves what is wanted, such as drives: the facts that they make and
    leave.

    A fact that passes by itself counts where the last step makes it.
    """
    made: List[Relation] = []
    latest: Tuple[Relation, ...] = ()
    for step in steps:
        try:
            command = domain.ground(step, world, step.robot)
        except DomainError:
            return None
        world = apply_effects(domain, command, world)
        facts = wanted_of(command, domain)
        latest = facts or latest
        made += facts
    left = [fact for fact in dict.fromkeys(made) if fact in world.relations
            and (fact in latest or not domain.predicates[fact.predicate].transient)]
    goal = Goal(tuple(map(Holds, left)), source=OFFLINE_SOURCE)
    return _said(goal, domain) if left else None


def wanted_of(command: Command, domain: Domain) -> Tuple[Relation, ...]:
    """The facts for which a command is given: those about the thing that it handles, where it handles one."""
    made, item = expected_facts(domain, command)[0], domain.item(command)
    return tuple(fact for fact in made if not item or item in (fact.subject, fact.object))


def _said(goal: Goal, domain: Domain) -> Goal:
    """The goal with its words; to be somewhere says already that one was there."""
    roles = domain.roles
    there = {(each.fact.subject, each.fact.object) for each in goal.end
             if isinstance(each, Holds) and each.fact.predicate == roles.located}
    end = tuple(each for each in goal.end if not (
        isinstance(each, Holds) and each.fact.predicate == roles.visited
        and (each.fact.subject, each.fact.object) in there))
    goal = replace(goal, end=end)
    return replace(goal, said=goal_words(goal, domain))
