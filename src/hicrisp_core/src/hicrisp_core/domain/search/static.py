"""What a domain says before any question: the facts that never change or are never lost, and the actions
that are never needed."""

from __future__ import annotations

import re
from typing import Dict, FrozenSet, List, NamedTuple, Tuple

from hicrisp_core.domain.conditions import Atom, Condition
from hicrisp_core.domain.schema import Action, Domain, Parameter

_TERM = re.compile(r"\s+[+-]\s+")


def fixed_predicates(domain: Domain) -> FrozenSet[str]:
    """Return the predicates whose facts no action changes.

    Args:
        domain: types, predicates and actions of the application.

    Returns:
        Names of predicates.
    """
    touched = {effect.atom.predicate for action in domain.actions.values() for effect in action.effects}
    return frozenset() if "*" in touched else frozenset(domain.predicates) - touched


def lasting_predicates(domain: Domain) -> FrozenSet[str]:
    """Return the predicates whose facts no action removes.

    Args:
        domain: types, predicates and actions of the application.

    Returns:
        Names of predicates.
    """
    removed = {effect.atom.predicate for action in domain.actions.values() for effect in action.effects
               if effect.removes}
    return frozenset() if "*" in removed else frozenset(domain.predicates) - removed


def spare_actions(domain: Domain, undoable: bool) -> FrozenSet[str]:
    """The names of the actions in whose place another one can always be used.

    Wiping, for example, cleans as washing does, and needs a cloth besides. Of several actions that are alike,
    the first in the domain stays. No shortest sequence gets longer without the spare ones.

    Args:
        undoable: whether only actions that can be undone may be used.

    Returns:
        Names of actions that a search may skip.
    """
    alike: Dict[Tuple[object, ...], List[Action]] = {}
    for action in domain.actions.values():
        if action.reversible or not undoable:
            alike.setdefault((*action.parameters, frozenset(action.effects)), []).append(action)
    spare = set()
    for actions in alike.values():
        for index, action in enumerate(actions):
            if any(before != index and _serves(domain, other, action) and (
                    before < index or not _serves(domain, action, other)) for before, other in enumerate(actions)):
                spare.add(action.name)
    return frozenset(spare)


def _serves(domain: Domain, other: Action, action: Action) -> bool:
    """Whether another action with the same effects can run wherever an action can."""
    needed = {each.condition for each in action.preconditions}
    return all(each.condition in needed for each in other.preconditions) and all(
        _form(own) == _form(action.parameters[name])  # It takes every value of the other one.
        and (own.type == action.parameters[name].type or domain.is_a(action.parameters[name].type, own.type))
        for name, own in other.parameters.items())


def _form(parameter: Parameter) -> Tuple[object, ...]:
    return parameter.default, parameter.minimum, parameter.maximum, parameter.any, parameter.optional


class SharedCondition(NamedTuple):
    """A precondition, the parameters in it, and a number that equal ones of other actions share."""

    condition: Condition
    used: Tuple[str, ...]
    number: int


def shared_conditions(domain: Domain) -> Dict[str, Tuple[SharedCondition, ...]]:
    """Return the preconditions of each action, by the action's name.

    Args:
        domain: the actions.

    Returns:
        The conditions; equal ones of several actions have one number.
    """
    numbers: Dict[Tuple[Condition, Tuple[str, ...]], int] = {}
    found: Dict[str, Tuple[SharedCondition, ...]] = {}
    for action in domain.actions.values():
        shared = []
        for condition in (entry.condition for entry in action.preconditions):
            said = {term for clause in condition.clauses for atom in clause.atoms for term in terms(atom)}
            used = tuple(name for name in action.parameters if name in said)
            shared.append(SharedCondition(condition, used, numbers.setdefault((condition, used), len(numbers))))
        found[action.name] = tuple(shared)
    return found


def terms(atom: Atom) -> List[str]:
    """Return the names and numbers that an atom's arguments consist of; a type is none.

    Args:
        atom: the atom, whose arguments may be sums.

    Returns:
        The terms in their order.
    """
    arguments = atom.arguments[:1] if atom.predicate == "type" else atom.arguments
    return [term for argument in arguments for term in _TERM.split(argument)]
