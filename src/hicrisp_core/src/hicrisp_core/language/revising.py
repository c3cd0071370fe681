"""A task's goal as a remark changes it: exact, without a model, whoever made the goal."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from hicrisp_core.domain.goal_words import goal_words
from hicrisp_core.domain.saying import named, sentence, spoken
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.typed import check_goal, mended
from hicrisp_core.language.intents import NotUnderstood, Noun
from hicrisp_core.language.names import Names
from hicrisp_core.language.remarks import Also, Elsewhere, KeepAway, Remark, Replace, Restate
from hicrisp_core.model import REMARK_SOURCE, Relation, WorldState
from hicrisp_core.model.goal import Count, Goal, Holds, Not, Statement, facts_in
from hicrisp_core.model.misfit import Misfit

_LONGEST_NAME = 3
"""Words of a phrase that is taken for the name of a thing, though no thing is called so."""


class Unfit(NotUnderstood):
    """A remark that was read and cannot be done; it says why."""


class Reviser:
    """Changes one goal in one world.

    Args:
        about: the things that are handled now: what is pointed at.
        read: the goal of a sentence of its own; ``None`` where nobody can read it.
    """

    def __init__(
        self, domain: Domain, world: WorldState, goal: Goal, about: Sequence[str],
        read: Callable[[str], Optional[Goal]]
    ) -> None:
        self._domain = domain
        self._world = world
        self._goal = goal
        self._read = read
        self._about = tuple(about)
        self._names = Names(domain, world)
        items = dict.fromkeys(self._item(fact) for fact in _facts(goal))
        self._items = tuple(name for name in (*(each for each in about if each in items), *items)
                            if name in world.objects)
        self._items = tuple(dict.fromkeys(self._items))

    def revised(self, remark: Remark) -> Dict[str, Goal]:
        """The goals that the remark may mean, by the words that tell them apart; one where it is clear.

        Raises:
            NotUnderstood: when it does not fit this goal.
            Unfit: when it does, and what it asks for is not there or cannot be.
        """
        if isinstance(remark, Replace):
            found = self._replaced(remark)
        elif isinstance(remark, Elsewhere):
            found = self._elsewhere(remark)
        elif isinstance(remark, KeepAway):
            found = {"": self._keeping_away(remark)}
        elif isinstance(remark, Also):
            found = self._extended(remark)
        else:
            found = {"": self._restated(remark)}
        fits: Dict[str, Goal] = {}
        misfit: Optional[Misfit] = None
        for words, goal in found.items():
            misfit = check_goal(goal, self._domain, self._world)
            if misfit is None:
                fits[words] = replace(goal, said=goal_words(goal, self._domain), source=REMARK_SOURCE)
        if not fits:
            raise Unfit(sentence(str(misfit)) if misfit is not None else "Nothing here fits that.")
        return fits

    def _replaced(self, remark: Replace) -> Dict[str, Goal]:
        olds = self._meant(remark)
        told = remark.pointed or remark.old is not None
        old, news = self._exchange(remark.new, olds, told)
        return {spoken(new): self._with(old, new) for new in news}

    def _meant(self, remark: Replace) -> Tuple[str, ...]:
        """The things of the goal that another one may stand in for, the likeliest first."""
        named_things = tuple(name for name in self._goal.names if name in self._world.objects)
        if remark.old is not None:
            matching = self._names.matching(remark.old)
            told = tuple(name for name in (*self._items, *named_things) if name in matching)
            if not told:
                raise NotUnderstood(f"the task is not about '{remark.old}'")
            return tuple(dict.fromkeys(told))
        return self._items[:1] if remark.pointed else tuple(dict.fromkeys((*self._items, *named_things)))

    def _exchange(self, noun: Noun, olds: Sequence[str], told: bool) -> Tuple[str, Tuple[str, ...]]:
        """Which thing is exchanged for which: one of its own type where there is one, else one that fits.

        Args:
            told: whether it was said what it is exchanged for.
        """
        matching = self._known(noun, told)
        others = [name for name in matching if name not in self._goal.names]
        for old in olds:
            alike = tuple(name for name in others if self._type(name) == self._type(old))
            if alike:
                return old, alike
        for old in olds:
            fitting = tuple(name for name in others if check_goal(
                _exchanged(self._goal, old, name), self._domain, self._world) is None)
            if fitting:
                return old, fitting
        if others or not olds:
            raise NotUnderstood(f"'{noun}' can stand for nothing in this task")
        raise Unfit(f"The task is about {named(matching[0])} already.")

    def _known(self, noun: Noun, certain: bool = True) -> List[str]:
        """The things that a phrase names and that are seen.

        Args:
            certain: whether nothing but a thing can stand at its place.
        """
        matching = [name for name in self._names.matching(noun) if name in self._world.objects]
        seen = [name for name in matching if not self._world.objects[name].unseen]
        if seen:
            return seen
        if matching:
            raise Unfit(f"The {spoken(matching[0])} {self._world.objects[matching[0]].sight}.")
        if len(noun.words) > _LONGEST_NAME or not (certain or self._names.names_a_kind(noun)):
            raise NotUnderstood(f"'{noun}' is no thing here")
        raise Unfit(f"There is no '{noun}' here; there are: {', '.join(sorted(self._world.objects))}.")

    def _with(self, old: str, new: str) -> Goal:
        """The goal with another thing. The old one is not to end up there: not where it was brought already,
        and where it is being handled not on the way of putting it down either.
        """
        goal = _exchanged(self._goal, old, new)
        undone = tuple(Not(each) for each in self._goal.end if isinstance(each, Holds)
                       and self._item(each.fact) == old and each.fact.predicate != self._domain.roles.held
                       and (old in self._about or holds(each, self._world.relations, self._domain)))
        return replace(goal, end=(*goal.end, *undone))

    def _elsewhere(self, remark: Elsewhere) -> Dict[str, Goal]:
        if remark.relation not in self._domain.predicates:
            raise NotUnderstood(f"'{remark.relation}' is no relation here")
        placed = [each for each in self._goal.end if isinstance(each, Holds) and each.fact.object
                  and each.fact.predicate != self._domain.roles.held]
        item = next((name for name in self._items if any(each.fact.subject == name for each in placed)), "")
        own = [each for each in placed if each.fact.subject == item]
        if not own:
            raise NotUnderstood("the task puts nothing anywhere")
        at = (own[0].fact.predicate, own[0].fact.object)
        group = {each.fact.subject for each in placed if (each.fact.predicate, each.fact.object) == at}
        references = [name for name in self._known(remark.reference) if name not in group]
        if remark.reference.fresh:
            references = [name for name in references if name not in self._goal.names]
        if not references:
            raise NotUnderstood("nothing can be put beside itself")
        left = tuple(each for each in self._goal.end
                     if not (isinstance(each, Holds) and each in placed and each.fact.subject in group))
        found = {}
        for reference in references:
            there = tuple(mended(Holds(Relation(name, remark.relation, reference)), self._domain, self._world)
                          for name in dict.fromkeys(each.fact.subject for each in placed)
                          if name in group)
            found[spoken(reference)] = replace(self._goal, end=(*left, *there))
        return found

    def _keeping_away(self, remark: KeepAway) -> Goal:
        near = next((predicate.name for predicate in self._domain.predicates.values()
                     if predicate.avoid_text and len(predicate.arguments) == 2), "")
        if not near:
            raise NotUnderstood("no relation here says that things are near each other")
        away = dict.fromkeys(name for noun in remark.things for name in self._known(noun))
        kept = tuple(Not(Holds(Relation(item, near, name)))
                     for name in away for item in self._items if item != name)
        if not kept:
            raise NotUnderstood("the task moves nothing")
        return replace(self._goal, keep=tuple(dict.fromkeys((*self._goal.keep, *kept))))

    def _extended(self, remark: Also) -> Dict[str, Goal]:
        if remark.item is not None:
            old, news = self._exchange(remark.item, self._items, False)
            same = [each for each in self._goal.end if old in _names_in(each)]
            return {spoken(new): replace(self._goal, end=_merged(
                self._goal.end, (_in_statement(each, old, new) for each in same))) for new in news}
        more = self._sentence(remark.text)
        return {"": replace(
            self._goal, first=(*self._goal.first, *more.first), end=_merged(self._goal.end, more.end),
            keep=_merged(self._goal.keep, more.keep), robot=self._goal.robot or more.robot)}

    def _restated(self, remark: Restate) -> Goal:
        """The sentence's goal in place of what the task says of the same things, or of the same place."""
        told = self._sentence(remark.text)
        items = {self._item(fact) for fact in _facts(told)}
        places = {(fact.predicate, fact.object) for fact in _facts(told)}
        about = tuple(each for each in self._goal.end if any(
            self._item(fact) in items for fact in facts_in(each)))
        about = about or tuple(each for each in self._goal.end if any(
            (fact.predicate, fact.object) in places for fact in facts_in(each)))
        if not about and len(self._goal.end) > 1:
            raise NotUnderstood("it is not clear which part of the task that replaces")
        left = tuple(each for each in self._goal.end if about and each not in about)
        return replace(self._goal, first=told.first, end=_merged(left, told.end),
                       keep=_merged(self._goal.keep, told.keep), robot=told.robot or self._goal.robot)

    def _sentence(self, text: str) -> Goal:
        goal = self._read(text)
        if goal is None:
            raise NotUnderstood(f"'{text}' cannot be read")
        return goal

    def _item(self, fact: Relation) -> str:
        """What a fact is about: the thing in the hand, or the one that is somewhere."""
        return fact.object if fact.predicate == self._domain.roles.held else fact.subject

    def _type(self, name: str) -> str:
        return self._world.objects[name].type if name in self._world.objects else ""


def _facts(goal: Goal) -> Tuple[Relation, ...]:
    return tuple(fact for statement in (*goal.end, *goal.first) for fact in facts_in(statement))


def _names_in(statement: Statement) -> Tuple[str, ...]:
    return tuple(name for fact in facts_in(statement) for name in (fact.subject, fact.object))


def _exchanged(goal: Goal, old: str, new: str) -> Goal:
    def each(statements: Iterable[Statement]) -> Tuple[Statement, ...]:
        return tuple(_in_statement(statement, old, new) for statement in statements)

    return replace(goal, end=each(goal.end), keep=each(goal.keep), first=each(goal.first))


def _in_statement(statement: Statement, old: str, new: str) -> Statement:
    if isinstance(statement, Not):
        return Not(_in_statement(statement.part, old, new))
    if isinstance(statement, Count):
        return replace(statement, parts=tuple(_in_statement(part, old, new) for part in statement.parts))
    fact = statement.fact
    return Holds(Relation(new if fact.subject == old else fact.subject, fact.predicate,
                          new if fact.object == old else fact.object))


def _merged(known: Iterable[Statement], more: Iterable[Statement]) -> Tuple[Statement, ...]:
    return tuple(dict.fromkeys((*known, *more)))
