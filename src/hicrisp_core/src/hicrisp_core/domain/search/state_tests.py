"""Conditions as tests of a state that is one integer, which also say what a state lacks.

What is lacking is a conjunction of keys. A key is ``2 n`` for "fact n is to be made", ``2 n + 1`` for "fact n
is to be removed", a ``Pattern`` for "any fact of this form is to be made", or a frozenset of conjunctions of
which one will do.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from typing import Callable, Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.conditions import BUILT_IN, Atom, Binding, Facts, IsA, solutions
from hicrisp_core.domain.schema import Action
from hicrisp_core.domain.search.facts import FactTable, Pattern
from hicrisp_core.model import Command

Key = Union[int, Pattern, "Tuple[Tuple[Key, ...], ...]"]
Keys = Tuple[Key, ...]


class _Conditional(NamedTuple):
    """An effect under a condition: one match of a clause that is asserted, or none of one that is denied."""

    clauses: Tuple[Tuple[Join, bool], ...]
    atom: Atom
    removes: bool

    def matches(self, state: int) -> Iterator[Binding]:
        for join, negated in self.clauses:
            if not negated:
                yield from join.matches(state)
            elif next(join.matches(state), None) is None:
                yield {}


class Operator:
    """A command as the search sees it. What it does is worked out when it is first applied: few ever are."""

    __slots__ = ("_action", "_added", "_conditional", "_ground", "_names", "_read", "_removed", "command", "tests")

    def __init__(
        self, action: Action, command: Command, names: Mapping[str, str], tests: Sequence[StateTest],
        ground: GroundArguments,
    ) -> None:
        self.command = command
        self.tests = tuple(tests)
        self._action = action
        self._names = names
        self._ground = ground
        self._read = False
        self._removed: List[Pattern] = []
        self._added = 0
        self._conditional: List[_Conditional] = []

    def apply(self, state: int) -> int:
        """Apply the operator's effects; removals come first, and every condition is judged in the state before.

        Args:
            state: bits of the facts that hold.

        Returns:
            Bits of the facts afterwards.
        """
        if not self._read:
            self._read = True
            for told in self._action.effects:
                atom = told.atom.bind(self._names)
                if told.when is not None:
                    clauses = told.when.bind(self._names).clauses
                    self._conditional.append(_Conditional(
                        tuple((Join(clause.atoms, False, self._ground), clause.negated) for clause in clauses),
                        atom, told.removes))
                elif told.removes:
                    self._removed.append(self._ground.table.pattern(atom))
                else:
                    self._added |= 1 << self._ground.table.number(atom.fact())
        removed, added = 0, self._added
        for pattern in self._removed:
            removed |= pattern.bits
        for effect in self._conditional:
            for match in effect.matches(state):
                atom = effect.atom.bind(match)
                if effect.removes:
                    removed |= self._ground.table.mask(atom)
                else:
                    added |= 1 << self._ground.table.number(atom.fact())
        return state & ~removed | added


class OperatorWay(NamedTuple):
    """An operator that makes or removes a fact, and under which further test its effect comes about."""

    operator: Operator
    when: Optional[StateTest] = None


class StateTest(ABC):
    """A condition with all its names put in."""

    @abstractmethod
    def holds(self, state: int) -> bool:
        """Check whether the condition holds in a state.

        Args:
            state: bits of the facts that hold.

        Returns:
            Whether it holds.
        """

    @abstractmethod
    def lacks(self, state: int) -> Optional[Keys]:
        """Return what a state lacks for the condition.

        Args:
            state: bits of a state in which the condition does not hold.

        Returns:
            Keys of missing and surplus facts; ``None`` if no operator can ever change that.
        """


class AllOf(StateTest):
    """These facts are there."""

    def __init__(self, numbers: Sequence[int], table: FactTable) -> None:
        self.numbers = frozenset(numbers)
        self._table = table
        self._bits = sum(1 << number for number in self.numbers)

    def holds(self, state: int) -> bool:
        return state & self._bits == self._bits

    def lacks(self, state: int) -> Optional[Keys]:
        return tuple(2 * number for number in self._table.numbers_in(self._bits & ~state))


class SomeOf(StateTest):
    """Any fact of a form is there."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def holds(self, state: int) -> bool:
        return bool(state & self._pattern.bits)

    def lacks(self, state: int) -> Optional[Keys]:
        return (self._pattern,)


class NoneOf(StateTest):
    """No fact of a form is there."""

    def __init__(self, pattern: Pattern, table: FactTable) -> None:
        self._table = table
        self.pattern = pattern

    def holds(self, state: int) -> bool:
        return not state & self.pattern.bits

    def lacks(self, state: int) -> Optional[Keys]:
        return tuple(2 * number + 1 for number in self._table.numbers_in(state & self.pattern.bits))


class AnyOf(StateTest):
    """One of several tests holds."""

    def __init__(self, tests: Sequence[StateTest]) -> None:
        self._tests = tuple(tests)

    def holds(self, state: int) -> bool:
        return any(test.holds(state) for test in self._tests)

    def lacks(self, state: int) -> Optional[Keys]:
        ways = [way for way in (test.lacks(state) for test in self._tests) if way is not None]
        return one_of(ways)


def one_of(ways: Sequence[Keys]) -> Optional[Keys]:
    """Combine alternatives into one key.

    Args:
        ways: conjunctions of keys.

    Returns:
        The only way, or one key that stands for the shortest of them; ``None`` without any.
    """
    if len(ways) < 2:
        return ways[0] if ways else None
    return (tuple(sorted(ways, key=len)),)


class GroundArguments:
    """What does not change while a search runs: the facts that no action touches, the types, and who is of
    one.

    Args:
        fixed: the facts of the predicates that no action makes or removes.
        fixed_predicates: those predicates.
        candidates: objects that may stand as an argument (index) of a predicate, by the domain's declaration.
    """

    def __init__(
        self, table: FactTable, is_a: IsA, fixed: Facts, fixed_predicates: FrozenSet[str],
        candidates: Callable[[str, int], Tuple[str, ...]],
    ) -> None:
        self.table = table
        self.is_a = is_a
        self.fixed = fixed
        self.fixed_predicates = fixed_predicates
        self.candidates = candidates

    def known(self, atom: Atom) -> Optional[bool]:
        """Check whether an atom has the same value in every state.

        Args:
            atom: an atom, ground or not.

        Returns:
            Its value; ``None`` if it depends on the state.
        """
        if atom.predicate in BUILT_IN:
            first = atom.arguments if atom.predicate != "type" else atom.arguments[:1]
            if any("?" in argument or argument == "_" for argument in first):
                return None
            return next(solutions((atom,), self.fixed, self.is_a), None) is not None
        if atom.predicate in self.fixed_predicates and (atom.ground or not any("?" in a for a in atom.arguments)):
            return next(solutions((atom,), self.fixed, self.is_a), None) is not None
        return None

    def computed(self, atom: Atom) -> bool:
        """Check whether an atom is evaluated without the facts of a state.

        Args:
            atom: an atom, ground or not.

        Returns:
            True for built-in predicates and for those that no action changes.
        """
        return atom.predicate in BUILT_IN or atom.predicate in self.fixed_predicates


class Join(StateTest):
    """A conjunction of several atoms that share variables, or its denial."""

    def __init__(self, atoms: Sequence[Atom], negated: bool, ground: GroundArguments) -> None:
        self._atoms = tuple(atoms)
        self._negated = negated
        self._ground = ground
        table = ground.table
        own = [atom for atom in self._atoms if not ground.computed(atom)]
        self._bits = sum({1 << table.number(atom.fact()) for atom in own if atom.ground})
        self._patterns = tuple({id(each): each for each in (
            table.pattern(atom) for atom in own if not atom.ground)}.values())

    def holds(self, state: int) -> bool:
        return (next(self.matches(state), None) is None) == self._negated

    def matches(self, state: int) -> Iterator[Binding]:
        """Find every value of the variables under which all atoms hold.

        Args:
            state: bits of the facts that hold.

        Returns:
            Values by variable.
        """
        return _matches(self._atoms, state, {}, self._ground)

    def concerned(self, state: int) -> int:
        """Return the part of a state that the matches depend on.

        Args:
            state: bits of the facts that hold.

        Returns:
            The bits of the facts that an atom can match.
        """
        bits = self._bits
        for pattern in self._patterns:
            bits |= pattern.bits
        return state & bits

    def lacks(self, state: int) -> Optional[Keys]:
        if not self._negated:
            return one_of(list(dict.fromkeys(self._ways(self._atoms, state))))
        needed: Dict[Key, None] = {}
        for match in self.matches(state):
            there = (state & self._ground.table.mask(atom.bind(match))
                     for atom in self._atoms if not self._ground.computed(atom))
            removals = one_of(list(dict.fromkeys(
                tuple(2 * number + 1 for number in self._ground.table.numbers_in(each)) for each in there)))
            if removals is None:
                return None
            needed.update(dict.fromkeys(removals))
        return tuple(needed)

    def _ways(self, atoms: Tuple[Atom, ...], state: int) -> Iterator[Keys]:
        """The conjunctions of facts that would make a match."""
        table, ground = self._ground.table, self._ground
        if not atoms:
            yield ()
            return
        first, rest = atoms[0], atoms[1:]
        if ground.computed(first):
            open_ = any("?" in argument for argument in first.arguments)
            if first.predicate in BUILT_IN and open_:
                yield from self._ways(rest, state)  # What is not known yet is taken to come out well.
                return
            for match in solutions((first,), ground.fixed, ground.is_a):
                yield from self._ways(tuple(atom.bind(match) for atom in rest), state)
            return
        if first.ground:
            number = table.number(first.fact())
            missing: Keys = () if state >> number & 1 else (2 * number,)
            for way in self._ways(rest, state):
                yield (*missing, *way)
            return
        for number in table.numbers_in(state & table.pattern(first).bits):
            match = first.matches(table.facts[number]) or {}
            yield from self._ways(tuple(atom.bind(match) for atom in rest), state)
        variables = [argument for argument in first.arguments if argument.startswith("?")]
        shared = [name for name in variables if any(name in atom.arguments for atom in rest)]
        domains = [ground.candidates(first.predicate, first.arguments.index(name)) for name in shared]
        for values in itertools.product(*domains):
            match = dict(zip(shared, values))
            bound = first.bind(match)
            key: Key = 2 * table.number(bound.fact()) if bound.ground else table.pattern(bound)
            if not (isinstance(key, int) and state >> key // 2 & 1):
                for way in self._ways(tuple(atom.bind(match) for atom in rest), state):
                    yield (key, *way)


def _matches(atoms: Tuple[Atom, ...], state: int, known: Binding, ground: GroundArguments) -> Iterator[Binding]:
    if not atoms:
        yield known
        return
    first, rest = atoms[0].bind(known) if known else atoms[0], atoms[1:]
    if ground.computed(first):
        for match in solutions((first,), ground.fixed, ground.is_a):
            yield from _matches(rest, state, {**known, **match}, ground)
    elif first.ground:
        if state >> ground.table.number(first.fact()) & 1:
            yield from _matches(rest, state, known, ground)
    else:
        for number in ground.table.numbers_in(state & ground.table.pattern(first).bits):
            found = first.matches(ground.table.facts[number]) or {}
            yield from _matches(rest, state, {**known, **found}, ground)


def clause_test(atoms: Sequence[Atom], negated: bool, ground: GroundArguments) -> Union[bool, StateTest]:
    """Compile a clause to a test of states.

    Args:
        atoms: the clause's atoms with their names.
        negated: whether the conjunction must not hold.
        ground: evaluates atoms that no state changes.

    Returns:
        A test; ``True`` or ``False`` if the result is the same in every state.
    """
    left: List[Atom] = []
    for atom in atoms:
        known = ground.known(atom)
        if known is False:
            return negated
        if known is None:
            left.append(atom)
    if not left:
        return not negated
    if len(left) == 1 and not ground.computed(left[0]):
        if not left[0].ground or negated:
            pattern = ground.table.pattern(left[0])
            return NoneOf(pattern, ground.table) if negated else SomeOf(pattern)
        return AllOf([ground.table.number(left[0].fact())], ground.table)
    if not negated and all(atom.ground and not ground.computed(atom) for atom in left):
        return AllOf([ground.table.number(atom.fact()) for atom in left], ground.table)
    # Fixed facts first: they bind the variables with the fewest matches. What is computed needs them bound.
    left.sort(key=lambda atom: (atom.predicate not in ground.fixed_predicates, atom.predicate in BUILT_IN))
    return Join(left, negated, ground)
