"""What a model is told of a world when it is asked for a goal: things, robots, where things are, the
request.
"""

from __future__ import annotations

import json
from typing import Dict, Sequence

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.vocabulary import goal_predicates, telling_facts
from hicrisp_core.language.extremes import extremes_text
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Holds
from hicrisp_core.prompting.quarantine import plain, quarantined

_NAME_LIMIT = 60
_EXTREMES_LIMIT = 800
NOTHING = "-"
"""Where there is nothing to say."""


def request_values(task_text: str, domain: Domain, world: WorldState) -> Dict[str, str]:
    """The values of the request's placeholders: ``things``, ``robots``, ``now``, ``task``; ``looks`` and
    ``places``, which say the same as ``things`` and ``now`` with the description before the name; and
    ``extremes``, what stands out among the things.
    """
    facts = telling_facts(domain, world)
    return {"things": things_text(world), "robots": robots_text(world),
            "now": "; ".join(plain(str(Holds(fact)), 2 * _NAME_LIMIT) for fact in facts) or NOTHING,
            "looks": looks_text(world), "places": places_text(facts, domain),
            "extremes": plain(extremes_text(world), _EXTREMES_LIMIT) or NOTHING,
            "task": quarantined(task_text)}


def things_text(world: WorldState) -> str:
    """Every thing with its type and attributes, those that stay where they are last: ``red_box (box,
    red)``.
    """
    things = sorted(world.objects.values(), key=lambda thing: (not thing.movable, thing.name))
    return ", ".join(
        f"{plain(thing.name, _NAME_LIMIT)} ("
        + ", ".join(plain(str(each), _NAME_LIMIT)
                    for each in (thing.type, *(value for _, value in sorted(thing.attributes.items())))) + ")"
        for thing in things) or NOTHING


def looks_text(world: WorldState) -> str:
    """Every thing by what it looks like, then its name: ``red box: red_box``.

    A small model that reads "the red box" looks for these words earlier and goes on as it went on there.
    """
    things = sorted(world.objects.values(), key=lambda thing: (not thing.movable, thing.name))
    return ", ".join(
        plain(" ".join((*(str(value) for _, value in sorted(thing.attributes.items())), thing.type)),
              2 * _NAME_LIMIT) + f": {plain(thing.name, _NAME_LIMIT)}" for thing in things) or NOTHING


def places_text(facts: Sequence[Relation], domain: Domain) -> str:
    """Where things are, the place before the thing: ``in bowl: spoon; holding panda: mug``."""
    held = domain.roles.held
    said = (f"{fact.predicate} " + (f"{fact.subject}: {fact.object}" if fact.predicate == held
                                    else f"{fact.object}: {fact.subject}") for fact in facts)
    return "; ".join(plain(each, 3 * _NAME_LIMIT) for each in said) or NOTHING


def robots_text(world: WorldState) -> str:
    """Every robot with its kind."""
    return ", ".join(f"{plain(name, _NAME_LIMIT)} ({robot.kind})"
                     for name, robot in sorted(world.robots.items())) or NOTHING


def predicate_names(domain: Domain) -> str:
    """The predicates of goals by name."""
    return ", ".join(predicate.name for predicate in goal_predicates(domain))


def predicates_text(domain: Domain) -> str:
    """The predicates of goals with their types and what they mean, one a line."""
    lines = []
    for each in goal_predicates(domain):
        variables = ("X", "Y")[:len(each.arguments)]
        types = ", ".join(f"{name}: {type_}" for name, type_ in zip(variables, each.arguments))
        but = "".join(f"; never for a {type_}: use {other}" for type_, other in each.instead.items())
        both = f"; the same as {each.name}(Y,X)" if each.symmetric else ""
        meaning = each.text.format(*variables, "")
        lines.append(f"- {each.name}({','.join(variables)}): {meaning} ({types}{but}{both})")
    return "\n".join(lines)


def compact(answer: object) -> str:
    """An answer as the one line of JSON that a model should write."""
    return json.dumps(answer, separators=(",", ":"), ensure_ascii=False)
