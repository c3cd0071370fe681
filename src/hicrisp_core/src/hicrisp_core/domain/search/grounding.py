"""The operators that make or remove a fact, grounded when they are first asked for and kept between
questions."""

from __future__ import annotations

import itertools
import math
from enum import Enum
from typing import Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.conditions import Condition, Facts, number_text
from hicrisp_core.domain.schema import Action, Domain, Effect, Parameter
from hicrisp_core.domain.search.clock import Clock, TooWide
from hicrisp_core.domain.search.facts import FactTable, Pattern
from hicrisp_core.domain.search.state_tests import (
    AnyOf,
    GroundArguments,
    Join,
    Operator,
    OperatorWay,
    StateTest,
    clause_test,
)
from hicrisp_core.domain.search.static import (
    fixed_predicates,
    lasting_predicates,
    shared_conditions,
    spare_actions,
    terms,
)
from hicrisp_core.model import Command, Relation, Value
from hicrisp_core.ports.kinds import ROBOT_TYPES

MOST_WAYS = 2500
"""Ways in one relaxed task, and bindings tried for one fact, above which the task is not looked at."""
_MOST_TOLD = 64


class Unified(NamedTuple):
    """Values of parameters, and of the variables of the effect's own condition."""

    parameters: Dict[str, str]
    variables: Dict[str, str]


def unify(effect: Effect, predicate: str, wanted: Tuple[str, ...], action: Action) -> Optional[Unified]:
    """Match an effect with a wanted fact; a wildcard fits anything.

    Args:
        effect: an effect of the action.
        predicate: predicate of the wanted fact.
        wanted: the fact's arguments, ``_`` where any will do.
        action: the action, whose parameters are filled.

    Returns:
        Values of parameters and of the effect's variables; ``None`` if the effect never makes the fact.
    """
    atom = effect.atom
    if atom.predicate not in ("*", predicate) or len(atom.arguments) != len(wanted) and atom.predicate != "*":
        return None
    found = Unified({}, {})
    for mine, its in itertools.zip_longest(atom.arguments, wanted, fillvalue="_"):
        if mine == "_" or its == "_" or " " in mine:  # What a sum comes to is not known beforehand.
            continue
        if mine in action.parameters or mine.startswith("?"):
            values = found.parameters if mine in action.parameters else found.variables
            if values.setdefault(mine, its) != its:
                return None
        elif mine != its:
            return None
    return found


class Breadth(Enum):
    """How many ways to a fact are looked at."""

    TOLD = "told"
    """Those that bind no object that neither the fact nor the state asks for, where there is one: to free a
    hand an object is put down, not put on every other object."""
    NAMED = "named"
    """Those that bind objects which the goal names."""
    ALL = "all"
    """Every one."""


class Told(NamedTuple):
    """An action whose open parameters are all read off the state by its preconditions or by its effect's
    condition.

    What an object is to be taken from, for example, is no choice: it is where the object is now.
    """

    action: Action
    known: Mapping[str, str]
    open: Mapping[str, str]
    """The variable that stands for each open parameter."""
    facts: Join
    effect: Effect
    variables: Mapping[str, str]
    known_ways: Dict[int, Tuple[OperatorWay, ...]]
    """What was told before, by the part of the state that it depends on."""


class Achievers(NamedTuple):
    """The ways to one fact: those that do not depend on the state, and those that the state tells."""

    fixed: Tuple[OperatorWay, ...]
    told: Tuple[Told, ...]


class _Candidate(NamedTuple):
    action: Action
    effect: Effect
    found: Unified
    free: int
    told: bool = False
    """Whether it only counts where the state itself says what its open parameters are."""


class Grounding:
    """The operators of a domain over some objects; everything in it is made when it is first asked for.

    Args:
        types: the type of every object and robot by its name.
        robot: who acts where an action has no parameter for it.
        fixed: the facts of the predicates that no action touches.
    """

    def __init__(self, domain: Domain, types: Mapping[str, str], robot: str, fixed: FrozenSet[Relation]) -> None:
        self._domain = domain
        self._types = types
        self._robot = robot
        self._objects: Dict[str, Tuple[str, ...]] = {}
        self._stands: Dict[Tuple[str, int], Tuple[str, ...]] = {}
        self.lasting = lasting_predicates(domain)
        self.table = FactTable()
        self.ground = GroundArguments(self.table, self._is_a, Facts(fixed), fixed_predicates(domain), self._candidates)
        self._tests: Dict[Tuple[int, Tuple[str, ...]], Union[bool, StateTest]] = {}
        self._preconditions = shared_conditions(domain)
        self._spare: Dict[bool, FrozenSet[str]] = {}
        self._operators: Dict[Tuple[str, Tuple[Value, ...]], Optional[Operator]] = {}
        self._achievers: Dict[Tuple[int, bool, Breadth], Optional[Achievers]] = {}
        self._patterns: List[Pattern] = []
        """Kept alive: their identities are keys."""

    def goal_test(self, condition: Condition) -> Union[bool, StateTest]:
        """Compile a condition, for example a goal's, to a test of states.

        Args:
            condition: a condition without free parameters.

        Returns:
            A test; ``True`` or ``False`` if the result is the same in every state.
        """
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

    def told(self, told: Told, state: int) -> Tuple[OperatorWay, ...]:
        """Ground an operator's ways from the facts of a state.

        Args:
            told: a way whose arguments depend on the state.
            state: bits of the facts that hold.

        Returns:
            The grounded ways; remembered for states with the same relevant facts.
        """
        concerned = told.facts.concerned(state)
        found = told.known_ways.get(concerned)
        if found is None:
            if len(told.known_ways) > _MOST_TOLD:
                told.known_ways.clear()
            bindings = ({**told.known, **{name: match[variable] for name, variable in told.open.items()}}
                        for match in told.facts.matches(state))
            found = told.known_ways[concerned] = tuple(
                way for names in bindings for way in self._ways(told.action, names, told.effect, told.variables, None))
        return found

    def achievers(
        self, key: Union[int, Pattern], undoable: bool, breadth: Breadth, named: FrozenSet[str], clock: Clock
    ) -> Achievers:
        """The ways to make a fact (or any of a form), or to remove one.

        Args:
            undoable: whether only actions that can be undone count.
            named: the objects that the goal names. Where they matter, the ways are not kept: in that breadth,
                and where something is to be removed and the state does not say by what.

        Raises:
            TooWide: when there are too many to look at.
        """
        if breadth is Breadth.NAMED or breadth is Breadth.TOLD and isinstance(key, int) and key & 1:
            return self._find(key, undoable, breadth, named, clock)
        where = (key if isinstance(key, int) else -1 - id(key), undoable, breadth)
        if where not in self._achievers:
            if not isinstance(key, int):
                self._patterns.append(key)
            try:
                self._achievers[where] = self._find(key, undoable, breadth, frozenset(), clock)
            except TooWide:
                self._achievers[where] = None
        found = self._achievers[where]
        if found is None:
            raise TooWide
        return found

    def _find(
        self, key: Union[int, Pattern], undoable: bool, breadth: Breadth, named: FrozenSet[str], clock: Clock
    ) -> Achievers:
        removes = isinstance(key, int) and bool(key & 1)
        if isinstance(key, int):
            fact = self.table.facts[key // 2]
            predicate, wanted = fact.predicate, tuple(each for each in (fact.subject, fact.object) if each)
        else:
            predicate, wanted = key.predicate, key.arguments
        told_too = breadth is Breadth.TOLD
        candidates = list(self._unified(predicate, wanted, removes, undoable, told_too))
        among = named if breadth is Breadth.NAMED else None
        least: Optional[int] = None
        fixed: Dict[OperatorWay, None] = {}
        told: List[Told] = []
        in_order = sorted(candidates, key=lambda candidate: candidate.free)
        for action, effect, found, free, only_told in in_order:
            own = told_too and free and not only_told
            by_effect = list(self._told(action, found, effect, by_effect=True)) if own else []
            if by_effect:
                told.extend(by_effect)
            elif not told_too or least in (None, free) and not only_told:
                ways = dict.fromkeys(self._some_ways(
                    action, found, effect, clock, among, named if told_too and removes and free else None))
                fixed.update(ways)
                least = free if fixed else None
                if len(fixed) > MOST_WAYS:
                    raise TooWide
            else:
                told.extend(self._told(action, found, effect, by_effect=False))
        return Achievers(tuple(fixed), tuple(told))

    def _some_ways(
        self, action: Action, found: Unified, effect: Effect, clock: Clock, among: Optional[FrozenSet[str]],
        rather: Optional[FrozenSet[str]],
    ) -> Iterator[OperatorWay]:
        """The ways that bind objects among some; where one binds objects among others, only the latter ones."""
        if rather is not None:
            first = tuple(self._ways(action, found.parameters, effect, found.variables, clock, rather))
            if first:
                yield from first
                return
        yield from self._ways(action, found.parameters, effect, found.variables, clock, among)

    def _unified(
        self, predicate: str, wanted: Tuple[str, ...], removes: bool, undoable: bool, told_too: bool
    ) -> Iterator[_Candidate]:
        if undoable not in self._spare:
            self._spare[undoable] = spare_actions(self._domain, undoable)
        for action in self._domain.actions.values():
            if undoable and not action.reversible or action.name in self._spare[undoable]:
                continue
            found: List[_Candidate] = []
            for effect in action.effects:
                unified = unify(effect, predicate, wanted, action) if effect.removes == removes else None
                if unified is not None and all(
                        action.parameters[name].type == "number" or self._is_a(value, action.parameters[name].type)
                        for name, value in unified.parameters.items()):
                    found.append(_Candidate(action, effect, unified, sum(
                        name not in unified.parameters and not p.optional
                        for name, p in action.parameters.items())))
            closest = min(((c.free, c.effect.when is not None) for c in found), default=None)
            for candidate in found:
                told = told_too and (candidate.free, candidate.effect.when is not None) != closest
                if not told or candidate.effect.when is not None:
                    yield candidate._replace(told=told)

    def _told(self, action: Action, found: Unified, effect: Effect, by_effect: bool) -> Iterator[Told]:
        """How the state says what an action's open parameters are.

        Args:
            by_effect: whether the effect's own condition has to say it alone: wine is poured from what has
                wine in it.
        """
        if by_effect and effect.when is None:
            return
        known = found.parameters
        free = {name: f"?{name}" for name, parameter in action.parameters.items()
                if name not in known and not parameter.optional and parameter.type != "number"}
        conditions = [] if by_effect else [precondition.condition for precondition in action.preconditions]
        names = {**known, **free}
        if effect.when is not None:
            conditions.append(effect.when)
            names.update(found.variables)
        clauses = [condition.clauses[0] for condition in conditions if len(condition.clauses) == 1]
        atoms = [atom.bind(names) for clause in clauses if not clause.negated
                 for atom in clause.atoms if not set(free).isdisjoint(terms(atom))]
        if set(free.values()) <= {argument for atom in atoms for argument in atom.arguments}:
            yield Told(action, known, free, Join(atoms, False, self.ground), effect, found.variables, {})

    def _ways(
        self, action: Action, known: Mapping[str, str], effect: Effect, variables: Mapping[str, str],
        clock: Optional[Clock], among: Optional[FrozenSet[str]] = None,
    ) -> Iterator[OperatorWay]:
        for names, arguments in self._bindings(action, known, clock, among):
            operator = self._operator(action, names, arguments)
            if operator is None:
                continue
            if effect.when is None:
                yield OperatorWay(operator)
                continue
            test = self.goal_test(effect.when.bind(names).bind(variables))
            if isinstance(test, StateTest):
                yield OperatorWay(operator, test)
            elif test:
                yield OperatorWay(operator)

    def _bindings(
        self, action: Action, known: Mapping[str, str], clock: Optional[Clock], among: Optional[FrozenSet[str]]
    ) -> Iterator[Tuple[Dict[str, str], Dict[str, Value]]]:
        needed = [parameter for parameter in action.parameters.values() if not parameter.optional]
        choices = [self._choices(parameter, known.get(parameter.name), among) for parameter in needed]
        keys = [parameter.name for parameter in needed]
        if math.prod(map(len, choices)) > MOST_WAYS:
            raise TooWide
        for values in itertools.product(*choices):
            if clock is not None:
                clock.tick()
            if len(set(map(str, values))) == len(values):
                arguments = dict(zip(keys, values))
                yield {name: value if isinstance(value, str) else number_text(value)
                       for name, value in arguments.items()}, arguments

    def _choices(self, parameter: Parameter, known: Optional[str], among: Optional[FrozenSet[str]]) -> Sequence[Value]:
        if parameter.type != "number":
            if known is not None:
                return (known,)
            every = self._of_type(parameter.type)
            if among is None or parameter.type in ROBOT_TYPES or parameter.any:
                return every
            return tuple(name for name in every if name in among)
        if known is None:
            return (parameter.default or 0.0,)
        try:
            value = float(known)
        except ValueError:
            return ()
        return (value,) if parameter.minimum <= value <= parameter.maximum else ()

    def _operator(self, action: Action, names: Mapping[str, str], arguments: Mapping[str, Value]) -> Optional[Operator]:
        """The operator; ``None`` where it can never run."""
        where = (action.name, tuple(arguments.values()))
        if where not in self._operators:
            tests: List[StateTest] = []
            possible = True
            for shared in self._preconditions[action.name]:
                key = (shared.number, tuple(names.get(name, "") for name in shared.used))
                if key not in self._tests:
                    self._tests[key] = self.goal_test(shared.condition.bind(names))
                test = self._tests[key]
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

    def _is_a(self, name: str, type_: str) -> bool:
        return self._domain.is_a(self._types.get(name, ""), type_)

    def _of_type(self, type_: str) -> Tuple[str, ...]:
        if type_ not in self._objects:
            self._objects[type_] = tuple(sorted(name for name in self._types if self._is_a(name, type_)))
        return self._objects[type_]

    def _candidates(self, predicate: str, index: int) -> Tuple[str, ...]:
        """The objects that may stand there: by the declaration, or because an action makes such a fact."""
        if (predicate, index) not in self._stands:
            declared = self._domain.predicates.get(predicate)
            types = set(() if declared is None else declared.arguments[index:index + 1])
            for action in self._domain.actions.values():
                made = (effect.atom.arguments[index:index + 1] for effect in action.effects
                        if effect.atom.predicate == predicate and not effect.removes)
                types.update(action.parameters[name].type for names in made for name in names
                             if name in action.parameters)
            known = bool(types) and types <= set(self._domain.types)
            self._stands[predicate, index] = tuple(sorted(
                {name for type_ in types for name in self._of_type(type_)} if known else self._types))
        return self._stands[predicate, index]
