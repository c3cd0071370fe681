"""Search over the domain's own operators for the shortest command sequence that makes a goal true.

Best first over states; only commands that bring an open condition nearer are tried, found by regression: the
achievers of an open condition and, where one cannot run yet, the achievers of what it lacks.
"""

from __future__ import annotations

import heapq
import itertools
from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional, Set, Tuple

from hicrisp_core.domain.condition_text import parse_condition
from hicrisp_core.domain.conditions import Atom, Clause, Condition, Facts, solutions
from hicrisp_core.domain.effects import apply_action, names_of, type_test
from hicrisp_core.domain.schema import Action, Domain, Effect
from hicrisp_core.model import Command, Relation, Value, WorldState
from hicrisp_core.policy.search_limits import SearchLimits

Goal = Tuple[Condition, ...]


def goal_of(*conditions: str) -> Goal:
    """A goal from conditions in writing, with the world's names in them."""
    return tuple(parse_condition(text) for text in conditions)


def preconditions_of(domain: Domain, command: Command) -> Goal:
    """The preconditions of a command as a goal."""
    names = names_of(command)
    return tuple(p.condition.bind(names) for p in domain.action(command.action).preconditions)


def find_commands(
    domain: Domain, state: WorldState, goal: Goal, limits: Optional[SearchLimits] = None, undoable: bool = False
) -> Optional[Tuple[Command, ...]]:
    """The shortest sequence that was found to make all conditions of the goal true, in this order of trial.

    Args:
        undoable: whether only actions that can be undone are used, as nobody asked for others.

    Returns:
        The commands (none when the goal holds already), or ``None`` when there is no way within the limits.
    """
    return _Search(domain, state, limits or SearchLimits(), undoable).run(goal)


class _Search:
    def __init__(self, domain: Domain, state: WorldState, limits: SearchLimits, undoable: bool) -> None:
        self._domain = domain
        self._actions = [action for action in domain.actions.values() if action.reversible or not undoable]
        self._robot = next(iter(state.robots)) if len(state.robots) == 1 else ""
        self._start = state
        self._limits = limits
        self._is_a = type_test(domain, state)
        self._things: Dict[str, Tuple[str, ...]] = {}

    def run(self, goal: Goal) -> Optional[Tuple[Command, ...]]:
        order = itertools.count()
        start = self._start.relations
        if any(self._hopeless(condition, Facts(start)) for condition in goal):
            return None
        queue: List[Tuple[int, int, FrozenSet[Relation], Tuple[Command, ...]]] = []
        heapq.heappush(queue, (len(self._open(goal, Facts(start))), next(order), start, ()))
        seen: Set[FrozenSet[Relation]] = {start}
        while queue and len(seen) <= self._limits.states:
            _, _, relations, path = heapq.heappop(queue)
            facts = Facts(relations)
            unmet = self._open(goal, facts)
            if not unmet:
                return path
            if len(path) >= self._limits.depth:
                continue
            for command in self._useful(unmet, facts):
                after = apply_action(self._domain.actions[command.action], names_of(command), relations, self._is_a)
                if after not in seen:
                    seen.add(after)
                    cost = len(path) + 1 + len(self._open(goal, Facts(after)))
                    heapq.heappush(queue, (cost, next(order), after, (*path, command)))
        return None

    def _hopeless(self, condition: Condition, facts: Facts) -> bool:
        """Whether every clause asks for a fact that is not there and that no action makes: a knife, where none is."""
        made = {effect.atom.predicate for action in self._actions for effect in action.effects if not effect.removes}
        return all(not clause.negated and any(
            atom.predicate not in made and next(solutions((atom,), facts, self._is_a), None) is None
            for atom in clause.atoms if atom.predicate not in ("type", "same")) for clause in condition.clauses)

    def _open(self, goal: Goal, facts: Facts) -> List[Condition]:
        return [condition for condition in goal if not condition.holds(facts, self._is_a)]

    def _useful(self, unmet: List[Condition], facts: Facts) -> List[Command]:
        """The commands that can run now and bring one of the open conditions nearer."""
        found: Dict[str, Command] = {}
        visited: Set[str] = set()
        level = unmet
        for _ in range(self._limits.regression):
            below: List[Condition] = []
            for condition in level:
                if str(condition) in visited:
                    continue
                visited.add(str(condition))
                for command in self._achievers(condition, facts):
                    lacking = self._open(preconditions_of(self._domain, command), facts)
                    if lacking:
                        below.extend(lacking)
                    else:
                        found.setdefault(str(command), command)
            level = below
        return list(found.values())

    def _achievers(self, condition: Condition, facts: Facts) -> Iterator[Command]:
        for clause in condition.clauses:
            for effect_sign, atom in self._wanted(clause, facts):
                least: Optional[int] = None
                for free, command_action, binding in sorted(
                        self._unified(atom, effect_sign), key=lambda found: found[0]):
                    least = free if least is None else least
                    if free == least:
                        yield from self._grounded(command_action, binding, facts)
                        continue  # Further on, commit to nothing that neither the condition nor the state asks for.
                    for told in self._told(command_action, binding, facts):
                        yield from self._grounded(command_action, told, facts)

    def _wanted(self, clause: Clause, facts: Facts) -> Iterator[Tuple[bool, Atom]]:
        """What to make or to remove so that a clause comes to hold: (removes, atom)."""
        if clause.negated:
            for match in solutions(clause.atoms, facts, self._is_a):
                for atom in clause.atoms:
                    bound = atom.bind(match)
                    if bound.predicate in ("type", "same"):
                        continue
                    for fact in facts.candidates(bound.predicate):
                        if bound.matches(fact) is not None:
                            arguments = tuple(a for a in (fact.subject, fact.object) if a)
                            yield True, Atom(fact.predicate, arguments)
            return
        dynamic = [atom for atom in clause.atoms if atom.predicate not in ("type", "same")]
        for static in self._static(clause):
            for atom in dynamic:
                yield False, atom.bind(static)

    def _static(self, clause: Clause) -> Iterator[Mapping[str, str]]:
        """Bindings of a clause's typed variables; a clause without any is taken as it is."""
        typed = [atom for atom in clause.atoms if atom.predicate == "type" and atom.arguments[0].startswith("?")]
        for names in itertools.product(*(self._of_type(atom.arguments[1]) for atom in typed)):
            yield {atom.arguments[0]: name for atom, name in zip(typed, names)}

    def _unified(self, wanted: Atom, removes: bool) -> Iterator[Tuple[int, Action, Dict[str, str]]]:
        """Actions with an effect that is the wanted one, and how many parameters that leaves free."""
        for action in self._actions:
            best: Optional[Dict[str, str]] = None
            for effect in action.effects:
                binding = _unify(effect, wanted, action) if effect.removes == removes else None
                if binding is not None and self._fits(action, binding) and (best is None or len(binding) > len(best)):
                    best = binding
            if best is not None:
                yield sum(name not in best for name, p in action.parameters.items() if not p.optional), action, best

    def _told(self, action: Action, binding: Mapping[str, str], facts: Facts) -> Iterator[Dict[str, str]]:
        """Bindings whose free parameters are all read off the state by the action's own preconditions.

        What a thing is to be taken from, for example, is no choice: it is where the thing is now.
        """
        free = {name: f"?{name}" for name in action.parameters if name not in binding}
        needed = [precondition.condition.clauses[0] for precondition in action.preconditions
                  if len(precondition.condition.clauses) == 1]
        atoms = tuple(atom.bind({**binding, **free}) for clause in needed if not clause.negated
                      for atom in clause.atoms if not set(free).isdisjoint(atom.arguments))
        if set(free.values()) <= {argument for atom in atoms for argument in atom.arguments}:
            for match in solutions(atoms, facts, self._is_a):
                yield {**binding, **{name: match[variable] for name, variable in free.items()}}

    def _fits(self, action: Action, binding: Mapping[str, str]) -> bool:
        return all(action.parameters[name].type == "number" or self._is_a(value, action.parameters[name].type)
                   for name, value in binding.items())

    def _grounded(self, action: Action, binding: Mapping[str, str], facts: Facts) -> Iterator[Command]:
        choices: List[Tuple[Value, ...]] = []
        needed = [parameter for parameter in action.parameters.values() if not parameter.optional]
        for parameter in needed:
            if parameter.type == "number":
                choices.append((parameter.default or 0.0,))
            elif parameter.name in binding:
                if not self._is_a(binding[parameter.name], parameter.type):
                    return
                choices.append((binding[parameter.name],))
            else:
                choices.append(self._of_type(parameter.type))
        for values in itertools.product(*choices):
            arguments = dict(zip((parameter.name for parameter in needed), values))
            if len(set(map(str, values))) == len(values):
                yield Command(action.name, arguments, str(arguments.get(action.robot_parameter, self._robot)),
                              time_limit=action.time_limit)

    def _of_type(self, type_: str) -> Tuple[str, ...]:
        if type_ not in self._things:
            self._things[type_] = self._domain.objects_of(self._start, type_)
        return self._things[type_]


def _unify(effect: Effect, wanted: Atom, action: Action) -> Optional[Dict[str, str]]:
    """The parameters under which an effect is the wanted atom; a wildcard fits anything."""
    atom = effect.atom
    if atom.predicate not in ("*", wanted.predicate) or len(atom.arguments) != len(wanted.arguments) \
            and atom.predicate != "*":
        return None
    binding: Dict[str, str] = {}
    for mine, its in itertools.zip_longest(atom.arguments, wanted.arguments, fillvalue="_"):
        if mine in action.parameters:
            if its != "_" and not its.startswith("?") and binding.setdefault(mine, its) != its:
                return None
        elif mine != "_" and not mine.startswith("?") and its != mine and its != "_" and not its.startswith("?"):
            return None
    return binding
