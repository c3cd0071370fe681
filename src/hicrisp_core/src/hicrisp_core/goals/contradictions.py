"""Goals that can never hold: found before anything is planned, by what the domain says of its predicates."""

from __future__ import annotations

from typing import Dict, Iterable, List, Optional, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.normal import normal_all
from hicrisp_core.goals.truth import ways_to_say
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Goal, Holds, Not, Statement
from hicrisp_core.model.misfit import Misfit, MisfitKind


def contradiction(goal: Goal, domain: Domain) -> Optional[Misfit]:
    """Return why the conditions of a stage (with the invariants) cannot hold at once; ``None`` if they may.

    Only what must hold for certain is checked; what is left to choose is the search's to find out.
    """
    if not goal.stages:
        return at_once(goal.invariants, domain)
    found = (at_once((*stage.conditions, *goal.invariants), domain)
             for stage in (*goal.stages, *goal.otherwise))
    return next((each for each in found if each is not None), None)


def contrary(one: Statement, other: Statement, domain: Domain) -> bool:
    """Check whether two conditions cannot hold at once."""
    return at_once((one, other), domain) is not None


def at_once(conditions: Iterable[Statement], domain: Domain) -> Optional[Misfit]:
    """Return why conditions cannot hold at once; ``None`` if they may."""
    literals = normal_all(conditions, domain)
    wanted = [each.fact for each in literals if isinstance(each, Holds)]
    denied = {each.part.fact for each in literals if isinstance(each, Not) and isinstance(each.part, Holds)}
    found = _opposed(wanted, denied) or _in_hand(wanted, domain) or _two_places(wanted, domain) or _ring(
        wanted, domain)
    if found is None:
        return None
    return Misfit(MisfitKind.CONTRADICTION, found[0], " and ".join(str(Holds(fact)) for fact in found[1]))


_Found = Optional[Tuple[str, Tuple[Relation, ...]]]


def _opposed(wanted: Iterable[Relation], denied: Set[Relation]) -> _Found:
    both = [fact for fact in wanted if fact in denied]
    return (f"'{Holds(both[0])}' is to hold and not to hold", (both[0],)) if both else None


def _in_hand(wanted: Iterable[Relation], domain: Domain) -> _Found:
    """One hand holds one thing, and what it holds is nowhere else."""
    hands: Dict[str, Relation] = {}
    held: Dict[str, Relation] = {}
    for fact in wanted:
        if fact.predicate != domain.roles.held:
            continue
        other = hands.setdefault(fact.subject, fact)
        if other != fact:
            return f"{fact.subject} holds one thing at a time, not {other.object} and {fact.object}", (other,
                                                                                                       fact)
        if held.setdefault(fact.object, fact) != fact:
            return f"{fact.object} can be in one hand only", (held[fact.object], fact)
    for fact in wanted:
        in_hand = held.get(fact.subject) or held.get(fact.object)
        if in_hand is not None and fact.predicate != domain.roles.held and fact.object:
            return f"{in_hand.object} cannot be in the hand and '{Holds(fact)}' hold as well", (in_hand, fact)
    return None


def _two_places(wanted: Iterable[Relation], domain: Domain) -> _Found:
    """A thing is on one thing or in one thing."""
    places: Dict[str, Relation] = {}
    for fact in wanted:
        if fact.predicate not in (domain.roles.stands_on, domain.roles.inside):
            continue
        other = places.setdefault(fact.subject, fact)
        if other != fact:
            why = f"{fact.subject} can be in one place only, not '{Holds(other)}' and '{Holds(fact)}'"
            return why, (other, fact)
    return None


def _ring(wanted: Iterable[Relation], domain: Domain) -> _Found:
    """Neither what carries nor what lies in a direction can come back to itself."""
    orders: Dict[str, List[Relation]] = {}
    for fact in wanted:
        if fact.predicate in (domain.roles.stands_on, domain.roles.inside):
            orders.setdefault("", []).append(fact)
        for said in ways_to_say(fact, domain):
            predicate = domain.predicates.get(said.predicate)
            if predicate is not None and predicate.inverse and said.predicate < predicate.inverse:
                orders.setdefault(said.predicate, []).append(said)
    for facts in orders.values():
        ring = _back_to_itself(facts)
        if ring:
            together = " and ".join(f"'{Holds(fact)}'" for fact in ring)
            return f"{together} cannot hold at once: they lead from {ring[0].subject} back to itself", ring
    return None


def _back_to_itself(facts: Iterable[Relation]) -> Tuple[Relation, ...]:
    """Facts that lead from a thing over others back to it; none where no facts do."""
    onward: Dict[str, List[Relation]] = {}
    for fact in facts:
        onward.setdefault(fact.subject, []).append(fact)
    closed: Set[str] = set()
    for start in sorted(onward):
        way: List[Relation] = []
        ring = _walk(start, onward, way, closed)
        if ring:
            return ring
    return ()


def _walk(
    name: str, onward: Dict[str, List[Relation]], way: List[Relation], closed: Set[str]
) -> Tuple[Relation, ...]:
    visited = [fact.subject for fact in way]
    if name in visited:
        return tuple(way[visited.index(name):])
    if name in closed:
        return ()
    for fact in onward.get(name, ()):
        ring = _walk(fact.object, onward, [*way, fact], closed)
        if ring:
            return ring
    closed.add(name)
    return ()
