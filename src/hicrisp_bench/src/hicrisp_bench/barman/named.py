"""What a plan in writing says is to go into the drink, whether or not its steps can be carried out."""

from __future__ import annotations

from typing import FrozenSet, Set

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import WorldState
from hicrisp_core.parsing.grounding import ground_each
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan


def named_ingredients(domain: Domain, world: WorldState, text: str) -> FrozenSet[str]:
    """The ingredients of the steps that fill a vessel: what they name, or what is in a bottle or bowl that
    they name at first.
    """
    raw = parse_plan(text, domain)
    if isinstance(raw, ParseFailure):
        return frozenset()
    found: Set[str] = set()
    for step in ground_each(raw, domain, world).steps:
        action = domain.actions.get(step.action)
        fills = action is not None and any(effect.atom.predicate == "contains" and not effect.removes
                                           for effect in action.effects)
        source = str(next(iter(step.arguments.values()), "")) if fills else ""
        if domain.is_a(world.types().get(source, ""), "ingredient"):
            found.add(source)
        found.update(fact.object for fact in world.relations
                     if fact.subject == source and fact.predicate in ("contains", "supplies"))
    return frozenset(found)
