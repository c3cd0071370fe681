"""A fact over phrases as a statement over objects: how many are meant, and who goes with whom."""

from __future__ import annotations

import math
from itertools import permutations
from operator import ne
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.domain.conditions import number_text
from hicrisp_core.domain.saying import spoken
from hicrisp_core.goals.truth import conjuncts, holds
from hicrisp_core.model.goal import Count, Holds, Not, Statement, all_of, any_of, facts_in
from hicrisp_core.model.goal_text import LONGEST, MOST_PARTS
from hicrisp_core.understanding.written.context import Unlinked, called, impossible, listed, too_much, unknown
from hicrisp_core.understanding.written.objects import Objects
from hicrisp_core.understanding.written.predicates import Use
from hicrisp_core.understanding.written.sayings import ACTOR, Amount, Phrase

_NUMBER = "number"
_MOST_TRIED = 20_000
"""Facts that are looked at for one line."""
Phrases = Tuple[Phrase, ...]


class _Some(NamedTuple):
    """So many of some objects; all of them if ``least`` is ``None``."""

    names: Tuple[str, ...]
    least: Optional[int] = None
    most: Optional[int] = None
    order: int = 0
    """Those with a lower one are outside: for each bowl any block."""
    fresh: bool = False
    """One is meant of which it does not hold yet, if there is one: wash a plate."""

    def of(self, parts: Sequence[Statement]) -> Statement:
        if self.least is None:
            return all_of(*parts)
        if len(parts) == 1 and self.least == 1 and self.most is None:
            return parts[0]
        return Count(tuple(parts), self.least, self.most)


class Statements:
    """Makes statements of facts over phrases.

    Args:
        objects: the objects that phrases stand for.
    """

    def __init__(self, objects: Objects) -> None:
        self._domain = objects.domain
        self._world = objects.world
        self._objects = objects
        self._predicates = objects.predicates
        self._left = _MOST_TRIED

    def of(self, predicate: str, arguments: Tuple[Phrases, ...], use: Use) -> Statement:
        """Return the statement of a fact of the domain.

        Raises:
            Several: if a phrase for one object fits several.
            Unlinked: if a phrase fits none, or no predicate says this of them.
        """
        self._predicates.check(predicate, len(arguments))
        if len(arguments) == 1:
            return all_of(*(self.each(predicate, 0, each, use, lambda name: self.fact(use, predicate, name))
                            for each in arguments[0]))
        for at, (phrases, others) in enumerate(zip(arguments, arguments[::-1])):
            if len(phrases) == 1 and phrases[0].amount is Amount.SAME:
                return self.small([
                    all_of(*(self.each(predicate, 1 - at, other, use, self._with(predicate, at, name, use), name)
                             for other in others)) for name in self.names(predicate, at, phrases[0], use)])
            if len(phrases) == 1 and phrases[0].amount is Amount.DIFFERENT:
                return self._different(predicate, at, phrases[0], others, use)
        subjects, objects = arguments
        if self._counted(subjects) and self._counted(objects) and subjects[0].least == objects[0].least:
            return self._different(predicate, 1, objects[0], subjects, use)
        return all_of(*(self._pair(predicate, one, other, use) for one in subjects for other in objects))

    def each(self, predicate: str, at: int, phrase: Phrase, use: Use, part: Callable[[str], Statement],
             but: str = "") -> Statement:
        """Return that a part holds for so many of a phrase's objects as it says.

        Args:
            at: the place of a predicate at which the phrase stands.
            but: the object that is not meant.
        """
        some = self._some(predicate, at, phrase, use)
        return some.of(self._each(some, part, but))

    def fact(self, use: Use, predicate: str, *names: str) -> Statement:
        """Return one fact of named objects, as the predicate that their types fit."""
        self._left -= 1
        if self._left < 0:
            raise too_much()
        if len(names) > 1 and names[0] == names[1]:
            raise impossible(f"{listed(names[:1], 'and')} cannot be {spoken(predicate)} itself")
        return Holds(self._predicates.meant(predicate, names, use))

    def names(self, predicate: str, at: int, phrase: Phrase, use: Use) -> Tuple[str, ...]:
        """Return the objects that a phrase may stand for as one argument of a predicate."""
        fits = tuple(self._fits(predicate, at, use, exchanged) for exchanged in (False, True))
        if phrase.amount is Amount.ONE:
            return (self._objects.one(phrase, fits),)
        return self._objects.all(phrase, fits)

    def small(self, parts: Sequence[Statement]) -> Statement:
        """Return that any of the parts holds; only the one that lacks least, if that would be too long."""
        whole = any_of(*parts)
        return whole if fits_limits(whole) else min(parts, key=self.lacking)

    def lacking(self, statement: Statement) -> int:
        """Return how many facts of a statement do not hold yet."""
        return sum(not holds(Holds(fact), self._world.relations, self._domain) for fact in facts_in(statement))

    def _fits(self, predicate: str, at: int, use: Use, exchanged: bool) -> Callable[[str], bool]:
        return lambda name: self._predicates.fits(predicate, at, use, name, exchanged)

    def _some(self, predicate: str, at: int, phrase: Phrase, use: Use) -> _Some:
        if self._predicates.type_of(predicate, at) == _NUMBER:
            return _Some((_amount(phrase),))
        if phrase.words == ACTOR:
            actors = next(filter(None, (self._objects.actors(self._fits(predicate, at, use, each))
                                        for each in (False, True))), ())
            if not actors:
                raise impossible(f"nobody here can be {spoken(predicate)}")
            return _Some(actors, 1, order=3) if len(actors) > 1 else _Some(actors)
        names = self.names(predicate, at, phrase, use)
        if phrase.amount is Amount.COUNT and not phrase.rank:
            if len(names) < phrase.least:
                raise unknown(f"{phrase.least} of '{called(phrase)}'", names)
            return _Some(names, phrase.least, phrase.most if so_many(phrase) else 0, 1)
        if phrase.amount not in (Amount.ONE, Amount.ALL, Amount.COUNT):
            return _Some(names, 1, order=2, fresh=use is Use.MADE)
        return _Some(names)

    def _pair(self, predicate: str, subject: Phrase, object_: Phrase, use: Use) -> Statement:
        phrases = (subject, object_)
        some = [self._some(predicate, at, each, use) for at, each in enumerate(phrases)]
        outer = 0 if some[0].order <= some[1].order else 1
        inner = 1 - outer
        matching = phrases[inner].amount is Amount.MATCHING

        def within(name: str) -> Statement:
            near = some[inner]
            if matching:
                alike = self._objects.names.alike(name, near.names)
                if not alike:
                    raise unknown(f"{phrases[inner].words} that matches {listed((name,), 'and')}", near.names)
                near = _Some(alike) if len(alike) == 1 else near._replace(names=alike)
            return near.of(self._each(near, self._with(predicate, outer, name, use), name))

        # All boxes next to one of them are all others.
        alone = some[inner].names[0] if some[inner].least is None and len(some[inner].names) == 1 else ""
        return some[outer].of(self._each(some[outer], within, alone))

    def _each(self, some: _Some, part: Callable[[str], Statement], but: str = "") -> List[Statement]:
        """Return a part for each object but one; if there is a choice, for those of which it can be said."""
        names = [name for name in some.names if name != but] or list(some.names)
        found: List[Statement] = []
        refused = unknown(f"{some.least} of them" if some.least else "such object", names)
        for name in names:
            try:
                found.append(part(name))
            except Unlinked as error:
                if some.least is None:
                    raise
                refused = error
        if len(found) < max(1, some.least or 0):
            raise refused
        return some.fresh and list(filter(self.lacking, found)) or found

    def _with(self, predicate: str, at: int, name: str, use: Use) -> Callable[[str], Statement]:
        """Return what makes the fact of an object as one argument and another one as the other."""
        return lambda other: self.fact(use, predicate, *((name, other) if at == 0 else (other, name)))

    def _different(self, predicate: str, at: int, phrase: Phrase, others: Phrases, use: Use) -> Statement:
        """Return that each of the others has an object of its own: any way to share them, or the best one."""
        own = self.names(predicate, at, phrase, use)
        each: List[str] = []
        for other in others:
            names = [name for name in self.names(predicate, 1 - at, other, use) if name not in each]
            each += names[:so_many(other)] if other.amount is Amount.COUNT else \
                names[:1] if other.amount is Amount.ANY else names
        if not each:
            raise impossible(f"no object is left that could be {spoken(predicate)} one of its own")
        if len(own) < len(each):
            raise unknown(f"{phrase.words} for each of {listed(each, 'and')}", own)

        def fact(name: str, other: str) -> Statement:
            return self._with(predicate, 1 - at, name, use)(other)

        if math.perm(len(own), len(each)) * len(each) <= MOST_PARTS:
            ways = [order for order in permutations(own, len(each)) if all(map(ne, each, order))]
            return self.small([all_of(*map(fact, each, order)) for order in ways])
        # Too many ways to say: those that hold already, the rest by name.
        lacks = {(name, mine): self.lacking(fact(name, mine)) for name in each for mine in own if name != mine}
        shared: Dict[str, str] = {}
        for name, mine in sorted(lacks, key=lambda pair: (lacks[pair], pair)):
            if name not in shared and mine not in shared.values():
                shared[name] = mine
        return all_of(*(fact(name, shared[name]) for name in each if name in shared))

    @staticmethod
    def _counted(phrases: Phrases) -> bool:
        first = phrases[0]
        return len(phrases) == 1 and first.amount is Amount.COUNT and not first.rank and first.most is None


def so_many(phrase: Phrase) -> int:
    """Return how many objects a phrase that counts them asks for, or allows."""
    return phrase.least or phrase.most or 0


def checked(parts: Tuple[Statement, ...]) -> Tuple[Statement, ...]:
    """Return statements that all hold.

    Raises:
        Unlinked: if they are too many or too long to be planned for.
    """
    if len(parts) > MOST_PARTS or not all(map(fits_limits, parts)):
        raise too_much()
    return parts


def fits_limits(statement: Statement) -> bool:
    """Check whether a statement is short enough to be written and read again."""
    return sum(1 for _ in facts_in(statement)) <= MOST_PARTS and len(str(statement)) <= LONGEST


def denied(statement: Statement) -> Statement:
    """Return that a statement does not hold; of several that were to hold each one does not."""
    parts: List[Statement] = []
    for each in conjuncts((statement,)):
        parts += each.parts if isinstance(each, Count) and each.most is None and each.least == 1 else [each]
    return all_of(*(each.part if isinstance(each, Not) else Not(each) for each in parts))


def _amount(phrase: Phrase) -> str:
    """Return a number that is said as a phrase, ``200`` or ``20 ml``."""
    first = str(phrase).split()[0]
    try:
        return number_text(float(first))
    except ValueError:
        raise impossible(f"a number is needed, not '{called(phrase)}'") from None

