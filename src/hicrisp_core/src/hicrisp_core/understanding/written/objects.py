"""Which objects of a world a phrase stands for."""

from __future__ import annotations

from typing import Callable, Mapping, Sequence, Tuple

from hicrisp_core.domain import Domain, spoken
from hicrisp_core.goals.truth import holds
from hicrisp_core.model import Choice, GoalError, Holds, Question, Relation, WorldState
from hicrisp_core.parsing.names import Names
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.understanding.written import sayings
from hicrisp_core.understanding.written.context import Context, Several, Unlinked, called, impossible, unknown
from hicrisp_core.understanding.written.places import Places
from hicrisp_core.understanding.written.predicates import CONTAINS, PLACES, Predicates, Use

MOST_CHOICES = 6
Fits = Callable[[str], bool]
"""Whether an object may stand where a phrase stands."""
Chosen = Mapping[sayings.Phrase, str]
"""The objects that are tried for phrases that fit several."""
GIVEN = (sayings.ACTOR, sayings.HERE, sayings.START, sayings.IT)
"""Words that no name accounts for."""


class Objects:
    """The objects, robots and hands of a world, by the phrases that stand for them.

    Attributes:
        chosen: decides phrases for one object that fit several.
        robot: the robot or hand that was named for what is said; empty for any.
    """

    def __init__(self, domain: Domain, world: WorldState, context: Context) -> None:
        self.names = Names(domain, world)
        self.places = Places(domain, world)
        self.predicates = Predicates(domain, world)
        self.chosen: Chosen = {}
        self.robot = ""
        self._named: Tuple[str, ...] = ()
        self._everything = tuple(sorted(world.types()))
        self.domain = domain
        self.world = world
        self.context = context

    def hear(self, line: sayings.Line) -> None:
        """Take notice of the objects that a line names without doubt: they are not the ``other`` ones."""
        plain = [each for each in sayings.each_in(sayings.Phrase, line)
                 if each.amount is sayings.Amount.ONE and each.words not in GIVEN
                 and not (each.other or each.rank or each.state or each.where)]
        found = (self.names.exactly(each.words, fitting) or fitting
                 for each in plain for fitting in (self.names.fitting(each.words),))
        self._named = tuple(dict.fromkeys(each[0] for each in found if len(each) == 1))

    def one(self, phrase: sayings.Phrase, fits: Sequence[Fits] = ()) -> str:
        """Return the object that a phrase stands for.

        Raises:
            Several: if more than one fits.
            Unlinked: if none does.
        """
        found = self.all(phrase, fits)
        if len(found) > 1 and phrase.words not in GIVEN:
            found = self.names.exactly(phrase.words, found) or found
        if len(found) > 1:
            raise Several(phrase, found)
        return found[0]

    def all(self, phrase: sayings.Phrase, fits: Sequence[Fits] = ()) -> Tuple[str, ...]:
        """Return all objects that a phrase fits, at least one.

        Args:
            fits: tests of which the first that any object passes leaves out those that do not pass it.
        """
        if phrase in self.chosen:
            return (self.chosen[phrase],)
        found = self._given(phrase, fits) if phrase.words in GIVEN else self.names.fitting(phrase.words)
        if phrase.words not in GIVEN and fits and not any(map(fits[0], found)):
            seen = self.names.fitting(phrase.words, observed=True)  # Of what is in a bottle, or of the bottle.
            found = seen if any(map(fits[0], seen)) else found
        if not found:
            what = "known place of a robot" if phrase.words in (sayings.HERE, sayings.START) else called(phrase)
            raise unknown(what, _passing(self._everything, fits, self.names.movable))
        if phrase.amount is sayings.Amount.ONE and (phrase.other or phrase.rank or phrase.state):
            named = self.names.exactly(str(phrase), self.names.fitting(str(phrase)))
            if len(named) == 1:  # The words of the language may be part of a name.
                return named
        found = known = _passing(found, fits)
        if phrase.without:
            within = (set(found).__contains__,)
            left_out = {name for each in phrase.without for name in self.all(each, within)}
            found = tuple(name for name in found if name not in left_out)
        if phrase.other:
            found = self._others(found)
        if phrase.state:
            found = tuple(name for name in found if self._holds_something(name) == (phrase.state == "full"))
        for where in phrase.where:
            found = self._told_by(where, found)
        if phrase.rank and found:
            counted = phrase.amount is sayings.Amount.COUNT
            last = phrase.least or phrase.most or 0 if counted else phrase.ordinal
            found = self.places.ranked(phrase.rank, found, 1 if counted else last, last)
        if not found:
            raise unknown(called(phrase), known)
        return found

    def actor(self, said: str) -> str:
        """Return the robot or hand that is named for a stage; empty if several fit, or none is named."""
        if not said:
            return ""
        phrase = sayings.parse_phrase(said)
        if isinstance(phrase, GoalError):
            raise impossible(str(phrase))
        found = self.actors(self.names.fitting(phrase.words).__contains__)
        if not found:
            raise unknown(f"robot '{phrase.words}'", self.world.robots)
        return found[0] if len(found) == 1 else ""

    def actors(self, fits: Fits) -> Tuple[str, ...]:
        """Return who may act: the one that was named if it fits, or all that fit."""
        if self.robot and fits(self.robot):
            return (self.robot,)
        hand = self.predicates.type_of(self.domain.roles.held, 0)
        return tuple(name for name in self._everything if fits(name) and (
            name in self.world.robots or hand and self.domain.is_a(self.world.objects[name].type, hand)))

    def _given(self, phrase: sayings.Phrase, fits: Sequence[Fits]) -> Tuple[str, ...]:
        if phrase.words == sayings.ACTOR:
            return self.actors(fits[0] if fits else self.world.robots.__contains__)
        if phrase.words == sayings.IT:
            before = [name for name in reversed(self.context.spoken) if name in self._everything]
            found = next((name for name in before if not fits or fits[0](name)), "")
            if not found:
                raise Unlinked(question("What do you mean by 'it'?", _passing(self.names.movable, fits)))
            return (found,)
        robots = self.world.robots
        bases = self.actors(lambda name: name in robots and self.domain.is_a(robots[name].kind, BASE))
        known = dict.fromkeys(fact.object for fact in sorted(self.world.relations) if fact.subject in bases
                              and self.predicates.placed(fact) == fact.subject)
        station = self.predicates.type_of(self.domain.roles.docked, 1)  # Back from nowhere in particular.
        return tuple(known) or tuple(name for name, item in sorted(self.world.objects.items())
                                     if phrase.words == sayings.START and station
                                     and self.domain.is_a(item.type, station))

    def _others(self, names: Tuple[str, ...]) -> Tuple[str, ...]:
        """Leave out what was spoken of before; if that is all of it, what was spoken of last."""
        named = {*self._named, *self.chosen.values()}
        last = next((name for name in reversed(self.context.spoken) if name in names), "")
        return next((found for without in ({*named, *self.context.spoken}, {*named, last})
                     for found in (tuple(name for name in names if name not in without),) if found), ())

    def _holds_something(self, name: str) -> bool:
        """Check whether anything is in an object, on it, at it or in it as a hand."""
        held = self.domain.roles.held
        return any(name == (fact.subject if fact.predicate in (CONTAINS, held) else fact.object)
                   for fact in self.world.relations if self.predicates.placed(fact))

    def _told_by(self, where: sayings.Where, names: Tuple[str, ...]) -> Tuple[str, ...]:
        """Return those for which what stands in braces holds."""
        if where.predicate in (sayings.NEAREST, sayings.FARTHEST, sayings.BETWEEN):
            to = [name for each in where.arguments for name in (
                (self.one(each),) if each.amount is sayings.Amount.ONE and each.words != sayings.ACTOR
                else self.all(each))]
            found = self.places.between(names, to) if where.predicate == sayings.BETWEEN else \
                self.places.nearest(names, to, where.predicate == sayings.FARTHEST)
        else:
            found = self._related(where, names)
        return tuple(name for name in names if (name in found) == where.holds)

    def _related(self, where: sayings.Where, names: Tuple[str, ...]) -> Tuple[str, ...]:
        """Return those for which a predicate holds in the world: the one that is said, or another one of
        places; if none is near enough for a direction, those that lie in it.
        """
        others = [self.all(each, (lambda name: self.predicates.fits(where.predicate, 0, Use.ASKED, name),)
                           if each.words == sayings.ACTOR else ()) for each in where.arguments]

        def so(name: str, test: Callable[[str, str, str], bool], predicate: str) -> bool:
            return all((all if phrase.amount is sayings.Amount.ALL else any)(
                test(predicate, name, other) for other in each) for phrase, each in zip(where.arguments, others))

        for predicates in ((where.predicate,), PLACES if where.predicate in PLACES else ()):
            known = [each for each in predicates if each in self.domain.predicates]
            said = {name for fact in self.world.relations if fact.predicate in known
                    for name in (fact.subject, fact.object)}
            found = tuple(name for name in names if (
                any(so(name, self._fact_holds, each) for each in known) if others else name in said))
            if found:
                return found
        if others:
            predicate = self.domain.predicates.get(where.predicate)
            near = [name for each in others for name in each]
            if predicate is not None and predicate.symmetric and len(names) > 1 and len(near) == len(others):
                return self.places.nearest(names, near)  # None is as near as the fact asks; the nearest is meant.
            return tuple(name for name in names if so(name, self.places.towards, where.predicate))
        return tuple(name for name in names if self.names.is_called(name, where.predicate))

    def _fact_holds(self, predicate: str, name: str, other: str) -> bool:
        turned = not self.predicates.fits(predicate, 0, Use.ASKED, name) or predicate == CONTAINS
        facts = [Relation(other, predicate, name) if turned else Relation(name, predicate, other)]
        if predicate == CONTAINS:
            facts.append(Relation(name, predicate, other))
        return any(holds(Holds(fact), self.world.relations, self.domain) for fact in facts)


def question(text: str, names: Sequence[str]) -> Question:
    """Return a question about objects; its choices are left out if there are too many."""
    choices = tuple(Choice(spoken(name)) for name in names)
    return Question(text, choices if len(choices) <= MOST_CHOICES else ())


def _passing(names: Tuple[str, ...], fits: Sequence[Fits], otherwise: Tuple[str, ...] = ()) -> Tuple[str, ...]:
    """Return the names that pass the first test that any of them passes; if none does, others or all."""
    return next((found for each in fits for found in (tuple(filter(each, names)),) if found), otherwise or names)
