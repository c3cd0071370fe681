"""Random questions: what a failed command needs, and goals that can be reached, in states that commands led
to."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Dict, Iterator, List, Optional, Tuple

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.conditions import Atom, Clause, Condition, parse_condition
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Conditions, Searcher, preconditions_of
from hicrisp_core.goals.planning import GOAL_LIMITS
from hicrisp_core.model import Command, Relation, Value, WorldState
from hicrisp_core.policy.search_limits import SearchLimits

from hicrisp_bench.search.worlds import Setting, random_towers

_WALK = SearchLimits(depth=12, states=400, seconds=5.0)
_TRIES = 60


@dataclass(frozen=True)
class Question:
    """A state, what is to hold, and how far to look.

    Args:
        kind: ``repair``, what a command needs; ``goal``, facts that a random course of commands made, or a
            tower.
    """

    kind: str
    state: WorldState
    goal: Conditions
    limits: SearchLimits


def questions(setting: Setting, count: int, seed: int) -> Iterator[Question]:
    """Questions about a kind of world; half of them are repairs. A repair may have no answer, a goal always
    has one."""
    for index in range(count):
        dice = Random(f"{setting.name} {seed} {index}")
        state = setting.state(dice)
        if index % 2:
            yield _goal(setting, state, dice)
        else:
            yield _repair(setting, state, dice)


def _repair(setting: Setting, state: WorldState, dice: Random) -> Question:
    for command in _course(setting.domain, state, dice.randint(0, 4), dice):
        state = apply_effects(setting.domain, command, state)
    failed = next(each for each in (_command(setting.domain, state, dice) for _ in range(10_000))
                  if each is not None and check(setting.domain, each, state) is not None)
    return Question("repair", state, preconditions_of(setting.domain, failed), SearchLimits())


def _goal(setting: Setting, state: WorldState, dice: Random) -> Question:
    if setting.domain.name == "blocks":
        names = sorted(name for name, thing in state.objects.items() if thing.type == "block")
        facts = sorted(random_towers(dice, names))
        return Question("goal", state, tuple(map(_condition, facts)), GOAL_LIMITS)
    end = state
    for command in _course(setting.domain, state, dice.randint(1, 4), dice):
        end = apply_effects(setting.domain, command, end)
    made = sorted(end.relations - state.relations)
    chosen = dice.sample(made, min(len(made), dice.randint(1, 4)))
    return Question("goal", state, tuple(map(_condition, sorted(chosen))) or (parse_condition("same(a, a)"),),
                    GOAL_LIMITS)


def _course(domain: Domain, state: WorldState, count: int, dice: Random) -> Tuple[Command, ...]:
    """Random commands with what each of them needs before it."""
    searcher = Searcher(domain)
    found: List[Command] = []
    for _ in range(_TRIES):
        command = _command(domain, state, dice)
        if count <= 0 or command is None:
            continue
        before = searcher.find(state, preconditions_of(domain, command), _WALK, undoable=True)
        if before.found:
            for each in (*before.commands, command):
                state = apply_effects(domain, each, state)
                found.append(each)
            count -= 1
    return tuple(found)


def _command(domain: Domain, state: WorldState, dice: Random) -> Optional[Command]:
    """A random command that can be undone and changes something."""
    action = dice.choice([each for each in domain.actions.values() if each.reversible and each.effects])
    arguments: Dict[str, Value] = {}
    for parameter in action.parameters.values():
        if parameter.optional:
            continue
        if parameter.type == "number":
            arguments[parameter.name] = parameter.default or 0.0
            continue
        things = domain.objects_of(state, parameter.type)
        if not things:
            return None
        arguments[parameter.name] = dice.choice(things)
    if len(set(map(str, arguments.values()))) < len(arguments):
        return None
    robot = str(arguments.get(action.robot_parameter, next(iter(state.robots), "")))
    return Command(action.name, arguments, robot, time_limit=action.time_limit)


def _condition(fact: Relation) -> Condition:
    arguments = tuple(each for each in (fact.subject, fact.object) if each)
    return Condition((Clause((Atom(fact.predicate, arguments),)),))
