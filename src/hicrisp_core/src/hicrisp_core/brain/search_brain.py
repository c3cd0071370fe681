"""The brain without a model: a search over the domain plans to a goal (LLM+P), and to what a failed action needs."""

from __future__ import annotations

from dataclasses import replace
from typing import FrozenSet, Iterator, Sequence, Tuple

from hicrisp_core.domain.checker import needless
from hicrisp_core.domain.effects import expected_facts
from hicrisp_core.domain.goal_wording import GoalWords, goal_words
from hicrisp_core.domain.saying import joined, named, sentence
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Ending, Searcher, preconditions_of
from hicrisp_core.goals.planning import PlannedWay, way_to
from hicrisp_core.goals.stages import Leave, about, applies, chosen, without
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import OFFLINE_SOURCE, Command, Feedback, FeedbackKind, Plan, Step, WorldState
from hicrisp_core.model.goal import Goal, Holds, Not, Stage, Statement
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline


class SearchBrain:
    """Plans by search (LLM+P); without a goal it asks for one."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._searcher = Searcher(domain)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Return the steps to the goal from the world as it is now, that nothing is missing, or why there is no way."""
        if request.goal is None:
            return PlanAnswer(needs_goal=True)
        domain, facts = self._domain, request.world.relations
        unseen = frozenset(each.name for each in request.world.unseen)
        goal = without(request.goal, about(unseen), Leave.CHOICES)
        lost = [name for name in _needed(goal) if name in unseen]
        away = "; ".join(f"{named(name)} {request.world.objects[name].sight}" for name in lost)
        away = sentence(f"{away}: {request.world.trouble}" if request.world.trouble else away) if lost else ""
        seen = without(goal, about(unseen)) if lost else goal
        wanted = (*(each for stage in chosen(seen, facts, domain).stages if applies(stage, facts, domain)
                    for each in stage.conditions), *seen.invariants)
        if not missing(wanted, facts, domain):
            if lost:
                return PlanAnswer(refusal=away)
            so = GoalWords(domain).state(wanted)
            return PlanAnswer(answer=f"Nothing needs to be done, it is so already: {so}." if so else
                              "Nothing needs to be done: what the task waits for is not so.")
        barred = frozenset(name for entry in request.feedback if entry.kind is FeedbackKind.UNREACHABLE
                           for name in entry.subjects)
        seen = without(seen, about(barred), Leave.CHOICES)
        rest = without(seen, lambda each: isinstance(each, Holds) and each.fact.predicate in domain.roles.arrivals
                       and each.fact.object in barred)
        if rest != seen and rest.empty:
            return PlanAnswer(refusal=f"{', '.join(sorted(barred))} cannot be reached, and nothing else is left to do.")
        way = way_to(self._searcher, request.world, rest, deadline)
        stuck = barred | frozenset(name for entry in request.feedback for name in self._stuck(entry, request.world))
        if _named_by(way) & stuck:
            others = without(rest, about(stuck), Leave.CHOICES)
            vain = tuple(each for each in others.stages if each.optional and stuck & set(Goal((each,)).names))
            way = way_to(self._searcher, request.world, _besides(others, vain), deadline)
            way = replace(way, left_out=(*vain, *way.left_out))
        refusal, vain_for = in_vain(goal, way, domain), _named_by(way) & stuck
        if vain_for and not refusal:
            way = way_to(self._searcher, request.world, without(rest, about(vain_for), Leave.AND_AFTER), deadline)
            if not way.commands or _named_by(way) & stuck:
                refusal = f"{', '.join(sorted(vain_for))} cannot be reached, and the task leaves no other way."
        if refusal:
            return PlanAnswer(refusal=refusal)
        said = goal if goal.said else replace(goal, said=goal_words(goal, domain))
        passed = (barred if rest != seen else frozenset()) | vain_for
        notes = [f"{', '.join(sorted(passed))} cannot be reached; the rest goes on"] if passed else []
        if lost:
            notes.append(f"{away} The rest goes on")
        if way.left_out:
            said = _besides(said, way.left_out)
            notes.append(f"no way leads to this, which may be left out: {goal_words(Goal(way.left_out), domain)}")
            if not way.commands:
                return PlanAnswer(answer=sentence(f"Nothing is done: {'; '.join(notes)}"))
        return PlanAnswer(replace(self._plan(way.commands, "; ".join(notes)), goal=said))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Return the steps that make the preconditions of the stack's top true, or that it is not needed."""
        top = request.stack[-1]
        if top.command.action not in self._domain.actions:
            return PlanAnswer(refusal=f"'{top.command.action}' is no action of this domain")
        beside_the_point = needless(self._domain, top.command, request.world)
        if beside_the_point:
            return PlanAnswer(self._plan((), beside_the_point), drop=True)
        found = self._searcher.find(request.world, preconditions_of(self._domain, top.command), deadline=deadline)
        if not found.found:
            why = "the search ran out of time on the way" if found.out_of_time else "no way was found"
            return PlanAnswer(refusal=f"{why} to where '{self._domain.describe(top.command)}' can be tried")
        return PlanAnswer(self._plan(found.commands, "what the failed action needs"))

    def _plan(self, commands: Sequence[Command], reasoning: str) -> Plan:
        steps = tuple(Step(self._domain.describe(each), each.action, each.arguments, each.robot) for each in commands)
        return Plan(steps, OFFLINE_SOURCE, reasoning)

    def _stuck(self, entry: Feedback, world: WorldState) -> Iterator[str]:
        """Yield what a plan does without, as no motion was found: the object to pick up, or those to place it by."""
        if entry.kind is not FeedbackKind.PLANNING or entry.command is None or entry.stopped:
            return
        item, held = self._domain.item(entry.command), self._domain.roles.held
        if item and any(fact.predicate == held and fact.object == item
                        for fact in expected_facts(self._domain, entry.command)[0]):
            yield item
        else:
            names = map(str, entry.command.arguments.values())
            yield from (name for name in names if name in world.objects and name != item)


def _besides(goal: Goal, stages: Tuple[Stage, ...]) -> Goal:
    """A goal without some of its stages."""
    return replace(goal, stages=tuple(each for each in goal.stages if each not in stages),
                   otherwise=tuple(each for each in goal.otherwise if each not in stages))


def _needed(goal: Goal) -> Tuple[str, ...]:
    """The names in conditions that leave no choice."""
    def names(statement: Statement) -> Iterator[str]:
        if isinstance(statement, Holds):
            yield from (statement.fact.subject, statement.fact.object)
        elif isinstance(statement, Not):
            yield from names(statement.part)
        elif statement.least >= len(statement.parts):
            for part in statement.parts:
                yield from names(part)

    stages = (each for stage in goal.stages if not stage.optional for each in stage.conditions)
    return tuple(dict.fromkeys(name for each in stages for name in names(each)))


def _named_by(way: PlannedWay) -> FrozenSet[str]:
    """The objects and places that the commands of a way name."""
    return frozenset(str(value) for each in way.commands for value in each.arguments.values())


def in_vain(goal: Goal, way: PlannedWay, domain: Domain) -> str:
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
