"""The sentences that a domain's own words make: each fact as its predicate says it, each deed as its action does."""

from __future__ import annotations

from typing import Iterator, Tuple

from hicrisp_core.domain.schema import Domain

_SLOTS = ("{x}", "{y}")
_ACTOR = "_"


def own_sentences(domain: Domain) -> Iterator[Tuple[str, str, bool]]:
    """Yield what can be said, with slots for one or two objects, what it means, and whether it is a fact.

    An action's ``text`` asks for what it makes: "watch X" that X was watched. One that makes nothing of its objects
    alone, or whose text has a number, is no sentence.
    """
    for name, predicate in domain.predicates.items():
        slots = _SLOTS[:len(predicate.arguments)]
        for text, means in ((predicate.text, ""), (predicate.not_text, "not ")):
            if text:
                yield f"{{sure}} {text.format(*slots)}", f"{means}{name}({', '.join(slots)})", True
    for action in domain.actions.values():
        named = [name for name in action.parameters if f"{{{name}}}" in action.text]
        places = {**dict(zip(named, _SLOTS)), action.robot_parameter: _ACTOR} if 0 < len(named) <= len(_SLOTS) else {}
        if any(action.parameters[name].type == "number" for name in places if name in action.parameters):
            continue
        made = [each.atom for each in action.effects if not each.removes and set(each.atom.arguments) <= {*places}]
        if made:
            facts = (f"{each.predicate}({', '.join(map(places.__getitem__, each.arguments))})" for each in made)
            yield action.text.format_map(places), " & ".join(facts), False
