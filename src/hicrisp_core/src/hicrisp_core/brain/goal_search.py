"""Plans by search to a goal that is known (LLM+P)."""

from __future__ import annotations

from dataclasses import replace
from typing import FrozenSet, Iterator, Sequence, Tuple

from hicrisp_core.brain.out_of_reach import no_path_to, out_of_reach, placed_by
from hicrisp_core.domain.saying import joined, named, sentence
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Ending, Searcher
from hicrisp_core.domain.wording import GoalWords, goal_words
from hicrisp_core.goals.planning import Way, way_to
from hicrisp_core.goals.stages import applies, chosen, seen_part
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import OFFLINE_SOURCE, Plan, Step, WorldState
from hicrisp_core.model.goal import Count, Goal, Holds, Not, Stage, Statement, facts_in
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline


class GoalSearch:
    """Finds the steps to goals."""

    def __init__(self, domain: Domain, searcher: Searcher) -> None:
        self._domain = domain
        self._searcher = searcher

    def plan(self, request: PlanRequest, goal: Goal, deadline: Deadline) -> PlanAnswer:
        """The steps from the world as it is now; an answer where nothing is missing; why there is no way."""
        unseen = frozenset(each.name for each in request.world.unseen)
        goal = without(goal, unseen)
        lost = [name for name in _needed(goal) if name in unseen]
        seen = seen_part(goal, unseen) if lost else goal
        facts = request.world.relations
        wanted = (*(each for stage in chosen(seen, facts, self._domain).stages
                    if applies(stage, facts, self._domain) for each in stage.conditions), *seen.invariants)
        if not missing(wanted, facts, self._domain):
            if lost:
                return PlanAnswer(refusal=_lost(lost, request.world))
            so = GoalWords(self._domain).state(wanted)
            if not so:
                return PlanAnswer(answer="Nothing needs to be done: what the task waits for is not so.")
            return PlanAnswer(answer=f"Nothing needs to be done, it is so already: {so}.")
        barred = no_path_to(request.feedback)
        rest = passing_over(seen, barred, self._domain)
        if rest != seen and rest.empty:
            return PlanAnswer(refusal=f"{', '.join(sorted(barred))} cannot be reached, and nothing else is left "
                                      "to do.")
        way = way_to(self._searcher, request.world, rest, deadline)
        stuck = barred | out_of_reach(self._domain, request.feedback) \
            | placed_by(self._domain, request.feedback, request.world)
        if _named_by(way) & stuck:
            others = without(rest, stuck)
            vain = tuple(each for each in others.stages if each.optional and stuck & set(Goal((each,)).names))
            way = way_to(self._searcher, request.world, _besides(others, vain), deadline)
            way = replace(way, left_out=(*vain, *way.left_out))
        refusal = in_vain(goal, way, self._domain)
        named_ = sorted(_named_by(way) & stuck)
        if named_ and not refusal:
            refusal = f"{', '.join(named_)} cannot be reached, and the task leaves no other way."
        if refusal:
            return PlanAnswer(refusal=refusal)
        steps = tuple(Step(self._domain.describe(each), each.action, each.arguments, each.robot)
                      for each in way.commands)
        said = goal if goal.said else replace(goal, said=goal_words(goal, self._domain))
        notes = [f"{', '.join(sorted(barred))} cannot be reached; the rest goes on"] if rest != seen else []
        if lost:
            notes.append(f"{_lost(lost, request.world)} The rest goes on")
        if way.left_out:
            said = _besides(said, way.left_out)
            notes.append(f"no way leads to this, which may be left out: "
                         f"{goal_words(Goal(way.left_out), self._domain)}")
        if way.left_out and not steps:
            return PlanAnswer(answer=sentence(f"Nothing is done: {'; '.join(notes)}"))
        return PlanAnswer(Plan(steps, OFFLINE_SOURCE, "; ".join(notes), goal=said))


def without(goal: Goal, names: FrozenSet[str]) -> Goal:
    """Return a goal whose choices leave out what is about some objects, if there are enough others."""
    def left(statement: Statement) -> Statement:
        if not isinstance(statement, Count):
            return statement
        parts = tuple(map(left, statement.parts))
        others = tuple(part for part in parts
                       if not any({fact.subject, fact.object} & names for fact in facts_in(part)))
        enough = statement.least <= len(others) < len(parts) and statement.least < len(parts)
        return replace(statement, parts=others if enough else parts)

    return goal.changed(left)


def _besides(goal: Goal, stages: Tuple[Stage, ...]) -> Goal:
    """A goal without some of its stages."""
    return replace(goal, stages=tuple(each for each in goal.stages if each not in stages),
                   otherwise=tuple(each for each in goal.otherwise if each not in stages))


def passing_over(goal: Goal, places: FrozenSet[str], domain: Domain) -> Goal:
    """Return a goal without the visits to places that no path reaches; the goal itself stays missed."""
    drives = {domain.roles.visited, domain.roles.located, domain.roles.docked}

    def left(stage: Stage) -> Stage:
        return replace(stage, conditions=tuple(
            each for each in stage.conditions if not (
                isinstance(each, Holds) and each.fact.predicate in drives and each.fact.object in places)))

    return replace(goal, stages=tuple(each for each in map(left, goal.stages) if each.conditions))


def _needed(goal: Goal) -> Tuple[str, ...]:
    """The names in conditions that leave no choice."""
    def names(statement: Statement) -> Iterator[str]:
        if isinstance(statement, Count) and statement.least < len(statement.parts):
            return
        if isinstance(statement, Holds):
            yield from (statement.fact.subject, statement.fact.object)
        elif isinstance(statement, Not):
            yield from names(statement.part)
        else:
            for part in statement.parts:
                yield from names(part)

    stages = (each for stage in goal.stages if not stage.optional for each in stage.conditions)
    return tuple(dict.fromkeys(name for each in stages for name in names(each)))


def _lost(names: Sequence[str], world: WorldState) -> str:
    """Why nothing can be planned with objects that are not seen."""
    told = "; ".join(f"{named(name)} {world.objects[name].sight}" for name in names)
    return sentence(f"{told}: {world.trouble}" if world.trouble else told)


def _named_by(way: Way) -> FrozenSet[str]:
    """The objects and places that the commands of a way name."""
    return frozenset(str(value) for each in way.commands for value in each.arguments.values())


def in_vain(goal: Goal, way: Way, domain: Domain) -> str:
    """Why a search led to no way, in words; empty where it found one."""
    said = goal.said or goal_words(goal, domain)
    if way.misfit is not None:
        return sentence(str(way.misfit))
    if way.others:
        can = joined([named(each) for each in way.others], "and")
        who = joined([named(each) for each in goal.robots], "and")
        return f"{sentence(who)[:-1]} cannot do this; {can} can. Name {can}, or no robot."
    if not way.found:
        why = "The search ran out of time before it found a way" if way.ending is Ending.OUT_OF_TIME \
            else "No way was found"
        return f"{why} to this: {said}."
    return ""
