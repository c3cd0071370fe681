"""What a planner needs to know of each action, in one line: its arguments, what it needs, what it makes."""

from __future__ import annotations

import re
from typing import AbstractSet, Dict, List, Optional

from hicrisp_core.domain.conditions import BUILT_IN, Atom, Clause, Condition
from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.model import WorldState

_ANYTHING = "anything"
_PLACES = re.compile(r"\{\w+\}")
_BRACES = re.compile(r"[{}]")


def actions_text(domain: Domain, world: Optional[WorldState] = None) -> str:
    """Every action with its parameters, its meaning, what must hold before it and what it changes.

    Args:
        world: whose robots act; the only one that can do an action is named in what it needs and makes, and
            is no parameter of it.
    """
    denied = frozenset(atom.predicate for action in domain.actions.values()
                       for precondition in action.preconditions
                       for clause in precondition.condition.clauses if clause.negated
                       for atom in clause.atoms)
    return "\n".join(_action(domain, action, world, denied) for action in domain.actions.values())


def implied_robot(domain: Domain, action: Action, world: Optional[WorldState]) -> str:
    """The robot that does an action where no other one here can; empty where a plan must name it."""
    if world is None or not action.robot_parameter:
        return ""
    able = domain.objects_of(world, action.parameters[action.robot_parameter].type)
    return able[0] if len(able) == 1 else ""


def _action(domain: Domain, action: Action, world: Optional[WorldState], denied: AbstractSet[str]) -> str:
    robot = implied_robot(domain, action, world)
    named = {action.robot_parameter: robot} if robot else {}
    parameters = ", ".join(f"{each.name}: {each.type}" for each in action.parameters.values() if each.name not in named)
    text = action.text.replace(f"{{{action.robot_parameter}}}", robot) if robot else action.text
    if "_".join(_PLACES.sub("", text).split()) == action.name:
        text = ""  # The name says it.
    needs = [_needed(each.condition, named) for each in action.preconditions]
    ends = _changes(domain, action, named, denied)
    parts = {"Needs": [each for each in needs if each and each not in ends],
             "Uses up": [each for each in ends if each in needs],
             "Ends": [each for each in ends if each not in needs],
             "Makes": _changes(domain, action, named, None)}
    said = [f"{word} {', '.join(each)}" for word, each in parts.items() if each]
    meaning = _BRACES.sub("", text)
    return f"- {action.name}({parameters}): {'. '.join(filter(None, (meaning, *said)))}."


def _needed(condition: Condition, named: Dict[str, str]) -> str:
    """A precondition; nothing for one that only tells things apart."""
    if all(atom.predicate in BUILT_IN and atom.predicate != "type"
           for clause in condition.clauses for atom in clause.atoms):
        return ""
    return " or ".join(_clause(clause.bind(named)) for clause in condition.clauses)


def _clause(clause: Clause) -> str:
    denial = "not " if clause.negated else ""
    kept = [atom for atom in clause.atoms if atom.predicate not in BUILT_IN] or list(clause.atoms)
    return " and ".join(denial + _atom(atom) for atom in kept)


def _atom(atom: Atom) -> str:
    if atom.predicate == "type":
        return f"{atom.arguments[0]}: {atom.arguments[1]}"
    arguments = (_ANYTHING if each == "_" or each.startswith("?") else each for each in atom.arguments)
    return f"{atom.predicate}({','.join(arguments)})"


def _changes(domain: Domain, action: Action, named: Dict[str, str], denied: Optional[AbstractSet[str]]) -> List[str]:
    """What an action always makes; or what it ends, of the predicates that must not hold for some action."""
    found: List[str] = []
    for effect in action.effects:
        atom = effect.atom.bind(named)
        wanted = not effect.removes if denied is None else effect.removes and atom.predicate in denied
        if effect.when is not None or not atom.ground or not wanted:
            continue
        predicate = domain.predicates.get(atom.predicate)
        turned = _atom(Atom(atom.predicate, atom.arguments[::-1]))
        if not (predicate is not None and predicate.symmetric and turned in found):
            found.append(_atom(atom))
    return found
