"""Which commands must not run at once: one makes or removes a fact that the other needs, makes or removes.

Two commands that share no such fact can run in either order and together (Bernstein's conditions), in every
state; so nothing has to be known of the state, and conditions of any form are read as the atoms that stand in
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import FrozenSet, Iterator, Mapping

from hicrisp_core.domain.conditions import BUILT_IN, Atom, Condition
from hicrisp_core.domain.effects import names_of
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Command, Relation


@dataclass(frozen=True)
class Touch:
    """The atoms that a command's conditions ask for and that its effects make and remove, with its names
    put in.
    """

    needs: FrozenSet[Atom]
    makes: FrozenSet[Atom]
    removes: FrozenSet[Atom]

    @property
    def changes(self) -> FrozenSet[Atom]:
        """What it makes and removes."""
        return self.makes | self.removes

    def writes(self, fact: Relation) -> bool:
        """Whether a fact is one that the command makes or removes."""
        return any(atom.matches(fact) is not None for atom in self.changes)


def touch_of(domain: Domain, command: Command) -> Touch:
    """What a command touches; nothing for an action that the domain does not know."""
    action = domain.actions.get(command.action)
    if action is None:
        return Touch(frozenset(), frozenset(), frozenset())
    names = names_of(command)
    conditions = [precondition.condition for precondition in action.preconditions]
    conditions += [effect.when for effect in action.effects if effect.when is not None]
    return Touch(frozenset(atom for condition in conditions for atom in _atoms(condition.bind(names))),
                 frozenset(effect.atom.bind(names) for effect in action.effects if not effect.removes),
                 frozenset(effect.atom.bind(names) for effect in action.effects if effect.removes))


def interfere(domain: Domain, first: Command, second: Command) -> bool:
    """Whether the order of two commands matters, so that they must not run at once."""
    if first.robot and first.robot == second.robot:
        return True
    a, b = touch_of(domain, first), touch_of(domain, second)
    types = {**_types(domain, first), **_types(domain, second)}
    pairs = ((a.changes, b.needs), (a.needs, b.changes), (a.makes, b.removes), (a.removes, b.makes))
    return any(_may_be_one(domain, types, mine, its)
               for some, others in pairs for mine in some for its in others)


def _types(domain: Domain, command: Command) -> Mapping[str, str]:
    """The declared type of every name in a command."""
    action = domain.actions.get(command.action)
    return {} if action is None else {
        name: action.parameters[key].type for key, name in names_of(command).items()
        if key in action.parameters}


def _atoms(condition: Condition) -> Iterator[Atom]:
    for clause in condition.clauses:
        yield from (atom for atom in clause.atoms if atom.predicate not in BUILT_IN)


def _may_be_one(domain: Domain, types: Mapping[str, str], a: Atom, b: Atom) -> bool:
    """Whether any fact may be meant by both atoms."""
    if a.predicate != b.predicate and "*" not in (a.predicate, b.predicate):
        return False
    predicate = domain.predicates.get(b.predicate if a.predicate == "*" else a.predicate)
    wanted = predicate.arguments if predicate is not None else ()
    for mine, its, type_ in zip_longest(a.arguments, b.arguments, wanted, fillvalue=""):
        names = [name
                 # One that is not there is empty: a name of its own.
                 for name in (mine, its) if not _open(name)]
        if len(set(names)) > 1 or not all(_fits(domain, types.get(name, ""), type_) for name in names):
            return False
    return True


def _fits(domain: Domain, type_: str, wanted: str) -> bool:
    """Whether a thing that is declared as one type may be of another; anything may, where either is not
    known.
    """
    return not type_ or wanted not in domain.types or domain.is_a(type_, wanted) or domain.is_a(wanted, type_)


def _open(argument: str) -> bool:
    """Whether an argument may be anything: a variable, a wildcard, a sum whose value is not known yet."""
    return argument == "_" or "?" in argument or " " in argument
