"""Goals as the plain commands that would be told for them: "put the fork on the plate, pick up the spoon"."""

from __future__ import annotations

from hicrisp_core.domain.goal_words import ENDS_UP, goal_text_of, goal_words
from hicrisp_core.domain.saying import named
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Goal, Holds, Not, Statement


def commands(goal: Goal, domain: Domain) -> str:
    """The commands for what holds at the end, in its order; the goal in words where a part of it is not put
    anywhere. What shall not be on or in a thing, and nothing else, is taken from there.
    """
    alone = goal.end[0] if len(goal.end) == 1 else None
    if isinstance(alone, Not) and isinstance(alone.part, Holds):
        fact = alone.part.fact
        away = {domain.roles.stands_on: "off", domain.roles.inside: "out of"}.get(fact.predicate)
        if away:
            return f"take {named(fact.subject)} {away} {named(fact.object)}"
    found = [_command(statement, domain) for statement in goal.end]
    return ", ".join(found) if all(found) else goal_words(goal, domain)


def _command(statement: Statement, domain: Domain) -> str:
    if isinstance(statement, Holds):
        return _of_fact(statement.fact, domain)
    told = _command(statement.part, domain) if isinstance(statement, Not) else ""
    return f"do not {told}" if told else ""


def _of_fact(fact: Relation, domain: Domain) -> str:
    if fact.predicate == domain.roles.held:
        return f"pick up {named(fact.object)}"
    predicate = domain.predicates[fact.predicate]
    words = goal_text_of(predicate)
    if len(predicate.arguments) != 2 or not words.startswith(ENDS_UP):
        return ""
    return f"put {named(fact.subject)} {words[len(ENDS_UP):].format('', named(fact.object))}"
