"""What goals in a domain and a world may speak of, for prompts and schemas."""

from __future__ import annotations

from typing import Tuple

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.model import Relation, WorldState


def goal_predicates(domain: Domain) -> Tuple[Predicate, ...]:
    """The predicates that some action makes or removes by name, in the domain's order: the others are as
    they are.
    """
    touched = {effect.atom.predicate for action in domain.actions.values() for effect in action.effects}
    return tuple(predicate for name, predicate in domain.predicates.items() if name in touched)


def telling_facts(domain: Domain, world: WorldState) -> Tuple[Relation, ...]:
    """Where things are, as far as it tells them apart: on, in or in the hand of something, not on the
    table itself.
    """
    roles = domain.roles
    order = [role
             for role in (roles.stands_on, roles.inside, roles.held, roles.aboard, roles.located,
                          roles.docked)
             if role]

    def tells(fact: Relation) -> bool:
        below = world.objects.get(fact.object)
        return fact.predicate in order and not (fact.predicate == roles.stands_on and below is not None
                                                and not below.movable and not _rides(fact.object))

    def _rides(name: str) -> bool:
        return any(fact.subject == name and fact.predicate == roles.aboard for fact in world.relations)

    return tuple(sorted(filter(tells, world.relations), key=lambda fact: (order.index(fact.predicate), fact)))
