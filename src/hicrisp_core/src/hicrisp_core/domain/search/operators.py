"""An action with its arguments: when it can run, and what it makes of a state."""

from __future__ import annotations

from typing import Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.domain.conditions import Atom, Binding
from hicrisp_core.domain.schema import Action
from hicrisp_core.domain.search.facts import Pattern
from hicrisp_core.domain.search.state_tests import Ground, Join, StateTest
from hicrisp_core.model import Command


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
        self, action: Action, command: Command, names: Mapping[str, str], tests: Sequence[StateTest], ground: Ground,
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
        """The state after it: removals first, then what is made, all seen from the state before."""
        if not self._read:
            self._read_effects()
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

    def _read_effects(self) -> None:
        self._read = True
        table = self._ground.table
        for effect in self._action.effects:
            atom = effect.atom.bind(self._names)
            if effect.when is not None:
                clauses = effect.when.bind(self._names).clauses
                self._conditional.append(_Conditional(
                    tuple((Join(clause.atoms, False, self._ground), clause.negated) for clause in clauses),
                    atom, effect.removes))
            elif effect.removes:
                self._removed.append(table.pattern(atom))
            else:
                self._added |= 1 << table.number(atom.fact())


class Way(NamedTuple):
    """An operator that makes or removes a fact, and under which further test its effect comes about."""

    operator: Operator
    when: Optional[StateTest] = None
