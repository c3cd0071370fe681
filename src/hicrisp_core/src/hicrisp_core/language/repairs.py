"""Goals in the place of one that the words of a request speak against."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.typed import check_goal, mended
from hicrisp_core.language.doubts import Doubt, doubt
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Goal, Holds, Not, Statement


def repaired(
    text: str, goal: Goal, against: Doubt, domain: Domain, world: WorldState
) -> Tuple[Goal, ...]:
    """The goals that have what is missing in the place of another thing, what the words tell in the place of
    what they do not, or the order turned round; only such as no word speaks against.
    """
    found = []
    for end in _ends(goal.end, against, domain, world):
        end = tuple(dict.fromkeys(mended(each, domain, world) for each in end))
        other = replace(goal, end=end, said="")
        if end != goal.end and check_goal(other, domain, world) is None \
                and not doubt(text, other, domain, world).any:
            found.append(other)
    return tuple(dict.fromkeys(found))


def _ends(
    end: Sequence[Statement], against: Doubt, domain: Domain, world: WorldState
) -> Iterator[Tuple[Statement, ...]]:
    facts = [each.fact for each in end if isinstance(each, Holds)]
    if against.misordered:
        yield tuple(Holds(Relation(fact.object, fact.predicate, fact.subject)) for fact in facts)
    for at, statement in enumerate(end):
        before, after = tuple(end[:at]), tuple(end[at + 1:])
        if isinstance(statement, Not) and isinstance(statement.part, Holds):
            fact = statement.part.fact
            yield (*before, Not(Holds(Relation(fact.object, fact.predicate, fact.subject))), *after)
        if not isinstance(statement, Holds):
            continue
        fact = statement.fact
        for told in against.unsaid:
            if {told.subject, told.object} & {fact.subject, fact.object}:
                yield (*before, Holds(told), *after)
        for name in against.missing:
            yield (*end, Holds(fact._replace(subject=name)))
            if len(end) == 1 and fact.object:
                yield (Holds(fact._replace(subject=name)),)
                yield (Holds(fact._replace(object=name)),)
