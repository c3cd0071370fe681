"""From a goal to the commands that make it true: the domain's search, stage after stage (LLM+P)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import AbstractSet, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from hicrisp_core.domain import Atom, Condition, Conditions, Domain, Ending, Searcher, apply_effects
from hicrisp_core.domain.conditions import Clause
from hicrisp_core.goals.stages import applies, chosen, final_conditions, rest_of
from hicrisp_core.goals.truth import missing, normal, ways_to_say
from hicrisp_core.model import Command, Pose, Relation, WorldObject, WorldState
from hicrisp_core.model.goal import Count, Goal, GoalError, GoalErrorKind, Holds, Not, Stage, Statement, facts_in
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline

_MOST_CLAUSES = 400
"""Clauses of one goal; a count of many objects has more."""
Literal = Tuple[str, Tuple[str, ...], bool]
"""A predicate with its arguments, and whether it is denied."""
Conjunction = List[Tuple[Literal, ...]]
"""Clauses that all hold; of each one literal does."""
GOAL_LIMITS = SearchLimits(depth=120, states=20_000, seconds=1.0)
"""How far to look for a whole goal: further than for the repair of one step."""


class _TooMany(Exception):
    """A statement has too many clauses."""


def conditions_of(
    statements: Iterable[Statement], domain: Domain, either_way: bool = True
) -> Union[Tuple[Condition, ...], GoalError]:
    """Conditions that all hold just when all the statements do.

    Args:
        either_way: whether a fact may also be made as the one that says the same, so that its object is
            moved; "the fork is left of the plate" first asks for the fork.
    """
    clauses: Conjunction = []
    for statement in statements:
        try:
            clauses += _clauses(normal(statement, domain, chosen=False), domain, either_way)
        except _TooMany:
            return GoalError(GoalErrorKind.LIMIT, f"'{str(statement)[:120]}' counts more cases than are looked at; "
                                            "name the things one by one", str(statement))
    return tuple(Condition(tuple(Clause((Atom(predicate, arguments),), denied)
                                 for predicate, arguments, denied in clause))
                 for clause in dict.fromkeys(clauses))


def picks(
    statements: Tuple[Statement, ...], facts: AbstractSet[Relation], domain: Domain
) -> Iterator[Tuple[Statement, ...]]:
    """Yield the statements, with one part of each choice that has too many clauses or is among sets of conditions, the
    one that lacks least first.
    """
    def parts(statement: Statement) -> Sequence[Statement]:
        if not isinstance(statement, Count) or statement.group != ("any", 1) \
                or not (any(isinstance(each, Count) for each in statement.parts)
                        or isinstance(conditions_of((statement,), domain), GoalError)):
            return (statement,)
        return sorted(statement.parts, key=lambda part: len(missing((part,), facts, domain)))

    return itertools.product(*map(parts, statements))


def _clauses(statement: Statement, domain: Domain, either_way: bool) -> Conjunction:
    """Take a statement in normal form apart into clauses of which each has one literal that holds."""
    if isinstance(statement, Holds):
        ways = ways_to_say(statement.fact, domain)
        return [tuple(_literal(fact, False) for fact in (ways if either_way else ways[:1]))]
    if isinstance(statement, Not):  # Of a fact, in normal form.
        return [(_literal(way, True),) for fact in facts_in(statement) for way in ways_to_say(fact, domain)]
    found: Conjunction = []
    parts, size = statement.parts, len(statement.parts)
    if statement.least > 0:
        true = [_clauses(part, domain, either_way) for part in parts]
        for some in itertools.combinations(true, max(0, size - statement.least + 1)):
            found += _either(some, len(found))
    if statement.most is not None and statement.most < size:
        false = [_clauses(normal(part, domain, True, chosen=False), domain, either_way) for part in parts]
        for some in itertools.combinations(false, statement.most + 1):
            found += _either(some, len(found))
    return found


def _either(parts: Iterable[Conjunction], already: int) -> Conjunction:
    """The clauses that say that one of several conjunctions holds."""
    found: Conjunction = []
    for pick in itertools.product(*parts):
        found.append(tuple(dict.fromkeys(itertools.chain.from_iterable(pick))))
        if already + len(found) > _MOST_CLAUSES:
            raise _TooMany
    return found


def _literal(fact: Relation, denied: bool) -> Literal:
    return fact.predicate, tuple(part for part in (fact.subject, fact.object) if part), denied


@dataclass(frozen=True)
class PlannedWay:
    """What came of the search for a goal.

    Args:
        commands: in their order; none where the goal holds already.
        ending: how the search ended.
        misfit: why nothing was searched.
        others: the robots that can do it, where the one that the goal names cannot.
        left_out: the optional stages to which no way leads.
    """

    commands: Tuple[Command, ...] = ()
    ending: Ending = Ending.NO_WAY
    misfit: Optional[GoalError] = None
    others: Tuple[str, ...] = ()
    left_out: Tuple[Stage, ...] = ()

    @property
    def found(self) -> bool:
        """Whether the commands lead to the goal."""
        return self.ending is Ending.FOUND


def way_to(
    searcher: Searcher, world: WorldState, goal: Goal, deadline: Deadline,
    protect: Tuple[Statement, ...] = (), barred: FrozenSet[str] = frozenset(),
) -> PlannedWay:
    """Find commands that reach the stages in their order; none of them ends an invariant.

    An invariant that does not hold yet counts as part of the end. A stage whose ``when`` does not hold where
    it begins is passed over, an optional one also if no way leads to it. A robot that a stage names must take
    part in it; others help it only if it cannot do it alone.

    Args:
        protect: what no command may end where it holds, beside the invariants.
        barred: commands in writing that were found impossible.
    """
    goal = chosen(goal, world.relations, searcher.domain)
    way = _Road(searcher, goal, deadline, protect, barred, False).through(world)
    if way.ending is Ending.NO_WAY and way.misfit is None and not way.others:
        return _Road(searcher, goal, deadline, protect, barred, True).through(world)
    return way


@dataclass(frozen=True)
class _Road:
    """Searches stage after stage.

    Args:
        either_way: whether a fact may also be made as the one that says the same.
    """

    searcher: Searcher
    goal: Goal
    deadline: Deadline
    protect: Tuple[Statement, ...]
    barred: FrozenSet[str]
    either_way: bool

    def through(self, world: WorldState) -> PlannedWay:
        domain, invariants = self.searcher.domain, self.goal.invariants
        keep = conditions_of((*invariants, *next(picks(self.protect, world.relations, domain))), domain)
        if isinstance(keep, GoalError):
            return PlannedWay(misfit=keep)
        commands: List[Command] = []
        made: Tuple[Stage, ...] = ()
        left_out: Tuple[Stage, ...] = ()
        stages = self.goal.stages or (Stage(()),)
        for index, stage in enumerate(stages):
            last = index == len(stages) - 1
            if not applies(stage, world.relations, domain):
                if not last:
                    continue
                stage = Stage(())
            wanted = stage.conditions
            if last:
                left = rest_of(replace(self.goal, stages=(replace(stage, when=(), optional=False),)), 0, made, domain)
                wanted = (*left.stages[-1].conditions, *invariants)
            way = self._stage(world, replace(stage, conditions=wanted), keep)
            if not way.found and stage.optional:
                left_out = (*left_out, stage)
                if not last:
                    continue
                stage = Stage(final_conditions(Goal(made, invariants), domain))
                way = self._stage(world, stage, keep)
            if not way.found:
                return way
            way = self._lowest_first(world, replace(stage, conditions=wanted), keep, way)
            for command in way.commands:
                world = apply_effects(domain, command, world)
            commands += way.commands
            made = (*made, stage)
        return PlannedWay(tuple(commands), Ending.FOUND, left_out=left_out)

    def _stage(self, world: WorldState, stage: Stage, keep: Conditions) -> PlannedWay:
        way = self._picked(world, stage, keep)
        ways = (self._picked(world, replace(stage, conditions=picked), keep)
                for picked in picks(stage.conditions, world.relations, self.searcher.domain))
        if way.misfit is None:  # The way to a choice may be long; that to what lacks least is seldom.
            one = next(ways) if way.commands or way.ending is Ending.OUT_OF_TIME else way
            return one if one.found and (not way.found or len(one.commands) < len(way.commands)) else way
        if way.misfit.kind is not GoalErrorKind.LIMIT:
            return way
        return next((way for way in ways if way.ending is not Ending.NO_WAY or way.misfit or way.others), PlannedWay())

    def _lowest_first(self, world: WorldState, stage: Stage, keep: Conditions, way: PlannedWay) -> PlannedWay:
        """Return a way as long on which what goes into one container goes there lowest first, if there is one: what is
        tall stands beside what is flat, but what is flat lies askew on what fell over.
        """
        filled = self._filled(world, way.commands)
        shared = [fact.object for fact in filled]
        order = sorted(filled, key=lambda fact: (shared.index(fact.object), _height(world.objects[fact.subject])))
        if order == filled:
            return way
        commands: List[Command] = []
        stops = [tuple(map(Holds, order[:number])) for number in range(1, len(order))]
        for conditions in (*stops, stage.conditions):
            part = self._picked(world, replace(stage, conditions=conditions), keep)
            commands += part.commands
            if not part.found or len(commands) > len(way.commands):
                return way
            for command in part.commands:
                world = apply_effects(self.searcher.domain, command, world)
        return replace(way, commands=tuple(commands))

    def _filled(self, world: WorldState, commands: Sequence[Command]) -> List[Relation]:
        """Return what commands put into containers, in their order, where they put several objects into one."""
        found: List[Relation] = []
        for command in commands:
            after = apply_effects(self.searcher.domain, command, world)
            found += [fact for fact in after.relations - world.relations
                      if fact.predicate == self.searcher.domain.roles.inside]
            world = after
        into = [fact.object for fact in found]
        return [fact for fact in found if into.count(fact.object) > 1 and fact in world.relations]

    def _picked(self, world: WorldState, stage: Stage, keep: Conditions) -> PlannedWay:
        conditions = conditions_of(stage.conditions, self.searcher.domain, self.either_way)
        if isinstance(conditions, GoalError):
            return PlannedWay(misfit=conditions)
        if stage.robot in world.robots and len(world.robots) > 1:
            alone = replace(world, robots={stage.robot: world.robots[stage.robot]})
            answer = self.searcher.find(alone, conditions, GOAL_LIMITS, self.deadline, keep=keep, barred=self.barred)
            if answer.found:
                return PlannedWay(answer.commands, Ending.FOUND)
        answer = self.searcher.find(world, conditions, GOAL_LIMITS, self.deadline, keep=keep, barred=self.barred)
        if not answer.found:
            return PlannedWay(ending=answer.ending)
        acting = tuple(sorted({command.robot for command in answer.commands}))
        if answer.commands and stage.robot and stage.robot not in acting:
            return PlannedWay(others=acting)
        return PlannedWay(answer.commands, Ending.FOUND)


def _height(item: WorldObject) -> float:
    """Return how high an object is as it lies or stands, metres."""
    low, high = vertical_span(item, item.pose or Pose((0.0, 0.0, 0.0)))
    return high - low
