"""From the names of an earlier scene to those of today's: a name that is not there today never gets
through.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.memory.entries import NamedObject, is_number
from hicrisp_core.model import Count, Goal, Holds, Not, Relation, Statement, Step, WorldState

_IDENTIFIER = re.compile(r"[^\W_]+(?:_[^\W_]+)+")


class RoleNames:
    """Who stands for whom.

    Args:
        mapping: today's name by the earlier one.
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._mapping = dict(mapping)

    def step(self, step: Step) -> Step:
        """Rewrite a step with the current names.

        Args:
            step: the remembered step.

        Returns:
            The step.
        """
        arguments = {key: self._mapping.get(str(value), value) for key, value in step.arguments.items()}
        return replace(step, text="", arguments=arguments, robot=self._mapping.get(step.robot, ""))

    def goal(self, goal: Goal) -> Goal:
        """Rewrite a goal with the current names.

        Args:
            goal: the remembered goal.

        Returns:
            The goal.
        """
        return goal.changed(self._statement, lambda robot: self._mapping.get(robot, ""))

    def _statement(self, statement: Statement) -> Statement:
        if isinstance(statement, Holds):
            fact = statement.fact
            return Holds(Relation(self._mapping.get(fact.subject, fact.subject), fact.predicate,
                                  self._mapping.get(fact.object, fact.object)))
        if isinstance(statement, Not):
            return Not(self._statement(statement.part))
        return Count(tuple(map(self._statement, statement.parts)), statement.least, statement.most)

    def said(self, text: str, objects: Mapping[str, NamedObject], world: WorldState) -> Optional[str]:
        """Rewrite a request with the current names.

        Names are replaced wherever their words occur. Other properties in the text, such as a colour, must be
        true of the new object.

        Args:
            text: the remembered request.
            objects: its objects.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The text; ``None`` if it may describe objects that are different now.
        """
        changed = {name: new for name, new in self._mapping.items() if name != new}
        spoken = {_words(name): _words(new) for name, new in changed.items()}
        found = _replaced(text, spoken)
        for name, item in objects.items():
            now = world.objects.get(self._mapping.get(name, ""))
            if now is not None and any(_mentions(text, value) and now.attributes.get(key) != value
                                       for key, value in item.attributes.items()):
                return None
        known = {name.lower() for name in world.types()}
        return found if all(each.lower() in known for each in _IDENTIFIER.findall(found)) else None


def todays_names(
    objects: Mapping[str, NamedObject], domain: Domain, world: WorldState, settled: Optional[Mapping[str, str]] = None,
    preferred: Sequence[str] = (),
) -> Optional[RoleNames]:
    """Map remembered objects to current ones: the same name if the type matches, else the most similar object
    of the type.

    Every remembered name is mapped to a different current one.

    Args:
        objects: the remembered objects.
        domain: types, predicates and actions of the application.
        world: observed objects, robots and facts; poses in the world frame.
        settled: pairs that are fixed already.
        preferred: current names to prefer, in this order.

    Returns:
        The mapping; ``None`` if it cannot be completed.
    """
    types, mapping = world.types(), dict(settled or {})
    for name, item in objects.items():
        if name not in mapping and types.get(name) == item.type and name not in mapping.values():
            mapping[name] = name
    for name, item in objects.items():
        if name in mapping:
            continue
        free = [other for other in domain.objects_of(world, item.type)
                if types[other] == item.type and other not in mapping.values()]
        if not free:
            return None
        seen = {other: world.objects[other].attributes if other in world.objects else {} for other in free}
        alike = {other: sum(seen[other].get(key) == value for key, value in item.attributes.items())
                 for other in free}
        places = {other: preferred.index(other) if other in preferred else len(preferred) for other in free}
        mapping[name] = min((-alike[other], places[other], other) for other in free)[-1]
    return RoleNames(mapping)


def without_names(text: str, types: Mapping[str, str]) -> str:
    """Replace the names of objects in a request by their types, so that requests about different scenes can be
    compared.

    Args:
        text: the request.
        types: type of each object by name.

    Returns:
        The text.
    """
    return _replaced(text, {_words(name): type_ for name, type_ in types.items()})


def things_of(names: Iterator[str], world: WorldState) -> Optional[Dict[str, NamedObject]]:
    """Describe the objects that names refer to; numbers are skipped.

    Args:
        names: names of objects, or numbers.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Objects by name; ``None`` if one does not exist.
    """
    found: Dict[str, NamedObject] = {}
    types = world.types()
    for name in names:
        if is_number(name) and name not in types:
            continue
        if name not in types:
            return None
        seen = world.objects.get(name)
        found[name] = NamedObject(types[name], dict(seen.attributes) if seen is not None else {})
    return found


def names_in(steps: Tuple[Step, ...]) -> List[str]:
    """Return the arguments of steps without repetitions.

    Args:
        steps: steps of a plan, in order.

    Returns:
        The names.
    """
    return list(dict.fromkeys(str(value) for step in steps for value in step.arguments.values()))


def mentioned(text: str, world: WorldState) -> List[str]:
    """Return the objects and robots whose names occur in a request.

    Args:
        text: the request.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        The names in the order of the text.
    """
    said = _words(text)
    return sorted((name for name in world.types() if _mentions(text, _words(name))),
                  key=lambda name: said.find(_words(name)))


def _replaced(text: str, spoken: Mapping[str, str]) -> str:
    """Return a text with other words for some, the longest first; all at once, so that none is replaced twice."""
    longest_first = sorted(filter(None, spoken), key=len, reverse=True)
    pattern = "|".join(re.escape(old).replace(r"\ ", r"[\s_-]+") for old in longest_first)
    return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda match: spoken[_words(match.group())], text,
                  flags=re.IGNORECASE) if pattern else text


def _words(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.strip().lower()))


def _mentions(text: str, words: str) -> bool:
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", _words(text)) is not None
