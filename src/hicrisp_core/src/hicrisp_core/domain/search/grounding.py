"""The operators that make or remove a fact, grounded when they are first asked for and kept between questions."""

from __future__ import annotations

import itertools
import re
from typing import Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.conditions import Atom, Condition, Facts, number_text
from hicrisp_core.domain.schema import Action, Domain, Effect, Parameter
from hicrisp_core.domain.search.clock import Clock
from hicrisp_core.domain.search.facts import FactTable, Pattern
from hicrisp_core.domain.search.operators import Operator, Way
from hicrisp_core.domain.search.state_tests import AnyOf, Ground, Join, StateTest, clause_test
from hicrisp_core.domain.search.unify import Unified, unify
from hicrisp_core.model import Command, Relation, Value

_TERM = re.compile(r"\s+[+-]\s+")


class Told(NamedTuple):
    """An action whose open parameters are all read off the state by its own preconditions.

    What a thing is to be taken from, for example, is no choice: it is where the thing is now.
    """

    action: Action
    known: Mapping[str, str]
    open: Mapping[str, str]
    """The variable that stands for each open parameter."""
    facts: Join
    effect: Effect
    variables: Mapping[str, str]


class Achievers(NamedTuple):
    """The ways to one fact: those that do not depend on the state, and those that the state tells."""

    fixed: Tuple[Way, ...]
    told: Tuple[Told, ...]


class _Candidate(NamedTuple):
    action: Action
    effect: Effect
    found: Unified
    free: int


class _Shared(NamedTuple):
    """A precondition, the parameters in it, and a number that equal ones of other actions share."""

    condition: Condition
    used: Tuple[str, ...]
    number: int


class Grounding:
    """The operators of a domain over some things; everything in it is made when it is first asked for.

    Args:
        types: the type of every thing and robot by its name.
        robot: who acts where an action has no parameter for it.
        fixed: the facts of the predicates that no action touches.
    """

    def __init__(
        self, domain: Domain, types: Mapping[str, str], robot: str, fixed: FrozenSet[Relation]
    ) -> None:
        self._domain = domain
        self._types = types
        self._robot = robot
        self._things: Dict[str, Tuple[str, ...]] = {}
        self.table = FactTable()
        self.ground = Ground(self.table, self._is_a, Facts(fixed), fixed_predicates(domain), self._candidates)
        self._tests: Dict[Tuple[int, Tuple[str, ...]], Union[bool, StateTest]] = {}
        self._preconditions = _shared_conditions(domain)
        self._operators: Dict[Tuple[str, Tuple[Value, ...]], Optional[Operator]] = {}
        self._achievers: Dict[Tuple[int, bool, bool], Achievers] = {}
        self._patterns: List[Pattern] = []
        """Kept alive: their identities are keys."""

    def goal_test(self, condition: Condition) -> Union[bool, StateTest]:
        """A goal's condition as a test; ``True`` or ``False`` where no state matters."""
        return self._any_clause(condition)

    def told(self, told: Told, state: int) -> Iterator[Way]:
        """The ways that a state tells."""
        for match in told.facts.matches(state):
            names = {**told.known, **{name: match[variable] for name, variable in told.open.items()}}
            yield from self._ways(told.action, names, told.effect, told.variables, None)

    def achievers(self, key: Union[int, Pattern], undoable: bool, all_: bool, clock: Clock) -> Achievers:
        """The ways to make a fact (or any of a form), or to remove one.

        Args:
            undoable: whether only actions that can be undone count.
            all_: every way. Without it no action is bound to things that neither the fact nor the state asks for,
                where there is another one: to free a hand a thing is put down, not put on every other thing.
        """
        where = (key if isinstance(key, int) else -1 - id(key), undoable, all_)
        found = self._achievers.get(where)
        if found is None:
            if not isinstance(key, int):
                self._patterns.append(key)
            found = self._achievers[where] = self._find(key, undoable, all_, clock)
        return found

    def _find(self, key: Union[int, Pattern], undoable: bool, all_: bool, clock: Clock) -> Achievers:
        removes = isinstance(key, int) and bool(key & 1)
        if isinstance(key, int):
            fact = self.table.facts[key // 2]
            predicate, wanted = fact.predicate, tuple(each for each in (fact.subject, fact.object) if each)
        else:
            predicate, wanted = key.predicate, key.arguments
        candidates = list(self._unified(predicate, wanted, removes, undoable, all_))
        least: Optional[int] = None
        fixed: Dict[Way, None] = {}
        told: List[Told] = []
        for action, effect, found, free in sorted(candidates, key=lambda candidate: candidate.free):
            if all_ or least in (None, free):
                ways = self._ways(action, found.parameters, effect, found.variables, clock)
                fixed.update(dict.fromkeys(ways))
                least = free if fixed else None
            else:
                told.extend(self._told(action, found, effect))
        return Achievers(tuple(fixed), tuple(told))

    def _unified(
        self, predicate: str, wanted: Tuple[str, ...], removes: bool, undoable: bool, all_: bool
    ) -> Iterator[_Candidate]:
        for action in self._domain.actions.values():
            if undoable and not action.reversible:
                continue
            found: List[_Candidate] = []
            for effect in action.effects:
                unified = unify(effect, predicate, wanted, action) if effect.removes == removes else None
                if unified is not None and self._fits(action, unified.parameters):
                    found.append(_Candidate(action, effect, unified, sum(
                        name not in unified.parameters and not p.optional for name, p in action.parameters.items())))
            if not all_ and found:
                closest = min((c.free, c.effect.when is not None) for c in found)
                found = [c for c in found if (c.free, c.effect.when is not None) == closest]
            yield from found

    def _told(self, action: Action, found: Unified, effect: Effect) -> Iterator[Told]:
        known = found.parameters
        free = {name: f"?{name}" for name, parameter in action.parameters.items()
                if name not in known and not parameter.optional}
        clauses = [precondition.condition.clauses[0] for precondition in action.preconditions
                   if len(precondition.condition.clauses) == 1]
        atoms = [atom.bind({**known, **free}) for clause in clauses if not clause.negated
                 for atom in clause.atoms if not set(free).isdisjoint(_terms(atom))]
        if set(free.values()) <= {argument for atom in atoms for argument in atom.arguments}:
            yield Told(action, known, free, Join(atoms, False, self.ground), effect, found.variables)

    def _ways(
        self, action: Action, known: Mapping[str, str], effect: Effect, variables: Mapping[str, str],
        clock: Optional[Clock],
    ) -> Iterator[Way]:
        for names, arguments in self._bindings(action, known, clock):
            operator = self._operator(action, names, arguments)
            if operator is None:
                continue
            if effect.when is None:
                yield Way(operator)
                continue
            test = self._any_clause(effect.when.bind(names).bind(variables))
            if isinstance(test, StateTest):
                yield Way(operator, test)
            elif test:
                yield Way(operator)

    def _bindings(
        self, action: Action, known: Mapping[str, str], clock: Optional[Clock]
    ) -> Iterator[Tuple[Dict[str, str], Dict[str, Value]]]:
        needed = [parameter for parameter in action.parameters.values() if not parameter.optional]
        choices = [self._choices(parameter, known.get(parameter.name)) for parameter in needed]
        keys = [parameter.name for parameter in needed]
        for values in itertools.product(*choices):
            if clock is not None:
                clock.tick()
            if len(set(map(str, values))) == len(values):
                arguments = dict(zip(keys, values))
                yield {name: value if isinstance(value, str) else number_text(value)
                       for name, value in arguments.items()}, arguments

    def _choices(self, parameter: Parameter, known: Optional[str]) -> Sequence[Value]:
        if parameter.type != "number":
            return self._of_type(parameter.type) if known is None else (known,)
        if known is None:
            return (parameter.default or 0.0,)
        try:
            value = float(known)
        except ValueError:
            return ()
        return (value,) if parameter.minimum <= value <= parameter.maximum else ()

    def _operator(
        self, action: Action, names: Mapping[str, str], arguments: Mapping[str, Value]
    ) -> Optional[Operator]:
        """The operator; ``None`` where it can never run."""
        where = (action.name, tuple(arguments.values()))
        if where not in self._operators:
            tests: List[StateTest] = []
            possible = True
            for shared in self._preconditions[action.name]:
                test = self._test(shared, names)
                if isinstance(test, StateTest):
                    tests.append(test)
                elif not test:
                    possible = False
                    break
            robot = str(arguments.get(action.robot_parameter, self._robot))
            self._operators[where] = Operator(
                action, Command(action.name, dict(arguments), robot, time_limit=action.time_limit), dict(names),
                tuple(dict.fromkeys(tests)), self.ground) if possible else None
        return self._operators[where]

    def _test(self, shared: _Shared, names: Mapping[str, str]) -> Union[bool, StateTest]:
        where = (shared.number, tuple(names.get(name, "") for name in shared.used))
        found = self._tests.get(where)
        if found is None:
            found = self._tests[where] = self._any_clause(shared.condition.bind(names))
        return found

    def _any_clause(self, condition: Condition) -> Union[bool, StateTest]:
        tests: List[StateTest] = []
        for clause in condition.clauses:
            test = clause_test(clause.atoms, clause.negated, self.ground)
            if test is True:
                return True
            if isinstance(test, StateTest):
                tests.append(test)
        if not tests:
            return False
        return tests[0] if len(tests) == 1 else AnyOf(tests)

    def _fits(self, action: Action, binding: Mapping[str, str]) -> bool:
        return all(action.parameters[name].type == "number" or self._is_a(value, action.parameters[name].type)
                   for name, value in binding.items())

    def _is_a(self, name: str, type_: str) -> bool:
        return self._domain.is_a(self._types.get(name, ""), type_)

    def _of_type(self, type_: str) -> Tuple[str, ...]:
        if type_ not in self._things:
            self._things[type_] = tuple(sorted(name for name in self._types if self._is_a(name, type_)))
        return self._things[type_]

    def _candidates(self, predicate: str, index: int) -> Tuple[str, ...]:
        declared = self._domain.predicates.get(predicate)
        if declared is None or index >= len(declared.arguments) or declared.arguments[index] not in self._domain.types:
            return tuple(sorted(self._types))
        return self._of_type(declared.arguments[index])


def fixed_predicates(domain: Domain) -> FrozenSet[str]:
    """The predicates of which no action makes or removes a fact."""
    touched = {effect.atom.predicate for action in domain.actions.values() for effect in action.effects}
    return frozenset() if "*" in touched else frozenset(domain.predicates) - touched


def _shared_conditions(domain: Domain) -> Dict[str, Tuple[_Shared, ...]]:
    numbers: Dict[Tuple[Condition, Tuple[str, ...]], int] = {}
    found: Dict[str, Tuple[_Shared, ...]] = {}
    for action in domain.actions.values():
        own = [(entry.condition, _used(entry.condition, action)) for entry in action.preconditions]
        found[action.name] = tuple(_Shared(*each, numbers.setdefault(each, len(numbers))) for each in own)
    return found


def _used(condition: Condition, action: Action) -> Tuple[str, ...]:
    """The parameters that stand in a condition."""
    used = {term for clause in condition.clauses for atom in clause.atoms for term in _terms(atom)}
    return tuple(name for name in action.parameters if name in used)


def _terms(atom: Atom) -> List[str]:
    arguments = atom.arguments[:1] if atom.predicate == "type" else atom.arguments
    return [term for argument in arguments for term in _TERM.split(argument)]
