"""Which commands must not run at once, and the order of steps: one makes or removes a fact that the other needs, makes
or removes.

Two commands that share no such fact can run in either order and together (Bernstein's conditions), in every
state; so nothing has to be known of the state, and conditions of any form are read as the atoms that stand
in them. What a command's own preconditions deny is known all the same: a pick of what is not aboard takes
nothing off a vehicle, and a drive that moves all that is aboard does not move that object.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Dict, FrozenSet, List, Mapping, Optional, Sequence, Set, Tuple

from hicrisp_core.domain.conditions import BUILT_IN, Atom, Clause
from hicrisp_core.domain.effects import names_of
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Relation, Step, WorldState


@dataclass(frozen=True)
class Part:
    """An atom that a command asks for, makes or removes.

    Attributes:
        given: atoms that hold wherever it does so (those of a conditional effect).
    """

    atom: Atom
    removes: bool = False
    given: Tuple[Atom, ...] = ()


@dataclass(frozen=True)
class Touch:
    """What a command's conditions ask for, what its preconditions deny, and what its effects make and remove,
    with its names put in.
    """

    needs: FrozenSet[Part]
    denies: FrozenSet[Atom]
    makes: FrozenSet[Part]
    removes: FrozenSet[Part]

    @property
    def changes(self) -> FrozenSet[Part]:
        """What it makes and removes."""
        return self.makes | self.removes

    def writes(self, fact: Relation) -> bool:
        """Check whether the command makes or removes a fact.

        Args:
            fact: one fact of a state.

        Returns:
            Whether one of the command's effects may change it.
        """
        return any(part.atom.matches(fact) is not None for part in self.changes)


def touch_of(domain: Domain, command: Command) -> Touch:
    """Collect the facts that a command needs, tests, makes and removes.

    Args:
        domain: types, predicates and actions of the application.
        command: the action with its arguments and constraints.

    Returns:
        Atoms with the command's names; nothing for an action that the domain does not know.
    """
    action = domain.actions.get(command.action)
    if action is None:
        return Touch(frozenset(), frozenset(), frozenset(), frozenset())
    names = names_of(command)
    preconditions = [precondition.condition.bind(names) for precondition in action.preconditions]
    guards = [effect.when.bind(names) for effect in action.effects if effect.when is not None]
    changes = []
    for effect in action.effects:
        when: Tuple[Clause, ...] = effect.when.bind(names).clauses if effect.when is not None else ()
        given = when[0].atoms if len(when) == 1 and not when[0].negated else ()
        changes.append(Part(effect.atom.bind(names), effect.removes, given))
    clauses = [clause for condition in (*preconditions, *guards) for clause in condition.clauses]
    alone = [condition.clauses[0] for condition in preconditions if len(condition.clauses) == 1]
    return Touch(frozenset(Part(atom) for clause in clauses for atom in clause.atoms if atom.predicate not in BUILT_IN),
                 frozenset(clause.atoms[0] for clause in alone if clause.negated and len(clause.atoms) == 1),
                 frozenset(change for change in changes if not change.removes),
                 frozenset(change for change in changes if change.removes))


def interfere(domain: Domain, first: Command, second: Command) -> bool:
    """Check whether the order of two commands matters, so that they must not run at once.

    Args:
        domain: types, predicates and actions of the application.
        first: a command.
        second: another command.

    Returns:
        True for two commands of one robot, or if one changes what the other needs or changes.
    """
    if first.robot and first.robot == second.robot:
        return True
    a, b = touch_of(domain, first), touch_of(domain, second)
    types = {name: domain.actions[command.action].parameters[key].type for command in (first, second)
             if command.action in domain.actions for key, name in names_of(command).items()
             if key in domain.actions[command.action].parameters}
    pairs = ((a.changes, b.needs), (a.needs, b.changes), (a.makes, b.removes), (a.removes, b.makes))
    meeting = ((mine, its, _common(domain, types, mine.atom, its.atom))
               for some, others in pairs for mine in some for its in others)
    return any(fact is not None and _may_be(mine, fact, a, b) and _may_be(its, fact, b, a)
               for mine, its, fact in meeting)


def _may_be(part: Part, fact: Atom, own: Touch, other: Touch) -> bool:
    """Whether a part of a command may concern a fact, by what both commands deny.

    What the other denies does not hold before the command either: nothing that the two do changes it, or they
    meet in that.
    """
    if part.removes and _covered(fact, own.denies):
        return False
    names: Dict[str, str] = {variable: name for variable, name in zip(part.atom.arguments, fact.arguments)
                             if variable.startswith("?") and not _open(name)}
    return not any(_covered(atom.bind(names), own.denies | other.denies) for atom in part.given)


def _covered(atom: Atom, denied: FrozenSet[Atom]) -> bool:
    """Whether all that an atom may mean is denied."""
    return any(each.predicate == atom.predicate and len(set(each.arguments)) == len(each.arguments)
               and all(pattern == name or pattern == "_" or pattern.startswith("?") and " " not in pattern
                       for pattern, name in zip_longest(each.arguments, atom.arguments, fillvalue=""))
               for each in denied)


def _common(domain: Domain, types: Mapping[str, str], a: Atom, b: Atom) -> Optional[Atom]:
    """The facts that may be meant by both atoms, as one atom; ``None`` where there are none."""
    if a.predicate != b.predicate and "*" not in (a.predicate, b.predicate):
        return None
    name = b.predicate if a.predicate == "*" else a.predicate
    predicate = domain.predicates.get(name)
    wanted = predicate.arguments if predicate is not None else ()
    arguments = []
    for mine, its, type_ in zip_longest(a.arguments, b.arguments, wanted, fillvalue=""):
        # One that is not there is empty: a name of its own.
        names = [each for each in (mine, its) if not _open(each)]
        owns = (types.get(each, "") for each in names)  # Where a type is not known, anything may be meant.
        if len(set(names)) > 1 or any(own and type_ in domain.types and not domain.is_a(own, type_)
                                      and not domain.is_a(type_, own) for own in owns):
            return None
        arguments.append(names[0] if names else "_")
    return Atom(name, tuple(arguments))


def _open(argument: str) -> bool:
    """Whether an argument may be anything: a variable, a wildcard, a sum whose value is not known yet."""
    return argument == "_" or "?" in argument or " " in argument


def ordered(steps: Sequence[Step], domain: Domain, world: WorldState) -> Tuple[Step, ...]:
    """The steps with their robots and with what they wait for (``after``, indices of earlier steps).

    A step waits for the earlier ones of its own robot, and for those whose effects it needs or undoes or
    whose conditions it would destroy. What a plan itself says that a step waits for is kept besides. A step
    that names no command (words alone, a name that is not there) may be anything: it waits for all before it,
    all later ones for it.

    Args:
        steps: the plan in its order.
        domain: types, predicates and actions of the application.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        The steps with ``robot`` and ``after``, indices of earlier steps.
    """
    commands: List[Optional[Command]] = []
    for step in steps:
        try:
            commands.append(domain.ground(step, world, step.robot))
        except DomainError:
            commands.append(None)
    waits: List[Set[int]] = []
    """All that each step waits for, also through others."""
    found: List[Step] = []
    for index, step in enumerate(steps):
        given = [earlier for earlier in step.after or () if 0 <= earlier < index]
        command = commands[index]
        needed = {at for at, earlier in enumerate(commands[:index])
                  if earlier is None or command is None or interfere(domain, earlier, command)}
        direct: List[int] = []
        covered: Set[int] = set()
        for earlier in sorted(needed.union(given), reverse=True):
            if earlier not in covered:  # What an earlier wait implies need not be said again.
                direct.append(earlier)
                covered |= {earlier} | waits[earlier]
        waits.append(covered)
        found.append(replace(step, robot=step.robot or (command.robot if command else ""), after=tuple(sorted(direct))))
    return tuple(found)
