"""The transition function: what a command makes of the facts (HiCRISP, section III-A.1, the relation T)."""

from __future__ import annotations

from typing import FrozenSet, List, Mapping, Optional, Set, Tuple

from hicrisp_core.domain.conditions import COMPARED, Condition, Facts, IsA, number_text, solutions
from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.model import Command, Relation, WorldState


def type_test(domain: Domain, state: WorldState) -> IsA:
    """The question whether an object of the world is of a type."""
    types = state.types()
    return lambda name, type_: domain.is_a(types.get(name, ""), type_)


def names_of(command: Command) -> Mapping[str, str]:
    """Return a command's arguments as they stand in facts.

    Args:
        command: the action with its arguments and constraints.

    Returns:
        Names and formatted numbers by parameter.
    """
    return {key: value if isinstance(value, str) else number_text(value) for key, value in command.arguments.items()}


def apply_action(
    action: Action, binding: Mapping[str, str], relations: FrozenSet[Relation], is_a: IsA
) -> FrozenSet[Relation]:
    """Apply an action's effects to facts; removals come first, and every condition is judged in the state before.

    Args:
        action: the action.
        binding: arguments by parameter.
        relations: the facts before.
        is_a: tests the type of an object.

    Returns:
        The facts afterwards.
    """
    facts = Facts(relations)
    removed: Set[Relation] = set()
    made: List[Relation] = []
    for effect in action.effects:
        for match in _matches(effect.when, binding, facts, is_a):
            atom = effect.atom.bind({**binding, **match})
            if effect.removes:
                removed.update(fact for fact in facts.candidates(atom.predicate) if atom.matches(fact) is not None)
            else:
                made.append(atom.fact())
    return (relations - removed) | frozenset(made)


def apply_effects(domain: Domain, command: Command, state: WorldState) -> WorldState:
    """Predict the facts after a command; poses stay as they are.

    Args:
        domain: the actions with their effects.
        command: the command.
        state: the state before.

    Returns:
        The state after.

    Raises:
        DomainError: if the action is unknown.
    """
    action = domain.action(command.action)
    return state.with_relations(apply_action(action, names_of(command), state.relations, type_test(domain, state)))


def expected_facts(domain: Domain, command: Command) -> Tuple[Tuple[Relation, ...], Tuple[Relation, ...]]:
    """Return the effects of a command that a detector can check: those without wildcards that are unconditional, or
    whose condition the command's own numbers meet.

    Args:
        domain: the actions with their effects.
        command: the command.

    Returns:
        The facts that it makes, and the facts that it removes.

    Raises:
        DomainError: if the action is unknown.
    """
    action = domain.action(command.action)
    made: List[Relation] = []
    removed: List[Relation] = []
    names = names_of(command)
    for effect in action.effects:
        # Conditional effects count if their condition compares the command's numbers alone, and holds.
        met = effect.when is None or all(
            atom.predicate in COMPARED and atom.ground for clause in effect.when.bind(names).clauses
            for atom in clause.atoms) and _matches(effect.when, names, Facts(frozenset()), lambda *_: False)
        if met and effect.atom.ground:  # As it is bound: no name of the command is a variable.
            (removed if effect.removes else made).append(effect.atom.bind(names).fact())
    return tuple(made), tuple(fact for fact in removed if fact not in made)


def _matches(
    when: Optional[Condition], binding: Mapping[str, str], facts: Facts, is_a: IsA
) -> Tuple[Mapping[str, str], ...]:
    if when is None:
        return ({},)
    found: List[Mapping[str, str]] = []
    for clause in when.bind(binding).clauses:
        if not clause.negated:
            found.extend(solutions(clause.atoms, facts, is_a))
        elif next(solutions(clause.atoms, facts, is_a), None) is None:
            found.append({})
    return tuple(found)
