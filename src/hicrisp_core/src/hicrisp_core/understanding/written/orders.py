"""Orders of places, exchanges of places and recipes, as statements over objects."""

from __future__ import annotations

from functools import partial
from itertools import combinations, islice
from typing import Dict, Iterator, List, Mapping, Sequence, Set, Tuple

from hicrisp_core.domain.saying import spoken
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Statement, all_of, any_of
from hicrisp_core.model.goal_text import MOST_PARTS
from hicrisp_core.parsing.names import words_of
from hicrisp_core.understanding.written.context import impossible, listed, unknown
from hicrisp_core.understanding.written.places import FRONT, LEFT
from hicrisp_core.understanding.written.predicates import CONTAINS, Use
from hicrisp_core.understanding.written.sayings import MADE, ORDERS, SWAP, Amount, Fact, Phrase
from hicrisp_core.understanding.written.statements import Statements, so_many

_TOWER, _ROW, _COLUMN = "tower", "row", "column"
_BACKWARDS = ("tower_down", "row_left", "column_back")


class Orders(Statements):
    """Makes statements also of what is not a predicate of the domain: towers, rows, columns, swaps and recipes.

    Attributes:
        promised: the vessels in which recipes are made.
        alone: whether only one recipe is made.
    """

    promised: Set[str]
    alone = False

    def said(self, fact: Fact, use: Use) -> Statement:
        """Return the statement of a fact, of a predicate of the domain or of one of these."""
        if fact.predicate in ORDERS:
            return self._order(fact, use)
        if fact.predicate == SWAP and SWAP not in self._domain.predicates:
            return self._swapped([phrase for each in fact.arguments for phrase in each], use)
        if fact.predicate == MADE and MADE not in self._domain.predicates:
            return self._made(fact, use)
        return self.of(fact.predicate, fact.arguments, use)

    def _order(self, fact: Fact, use: Use) -> Statement:
        """Return the facts between neighbours; the first one of an order needs none."""
        kind = fact.predicate.split("_")[0]
        predicate = {_ROW: LEFT, _COLUMN: FRONT}.get(kind) or self._domain.roles.stands_on or "on"
        self._objects.predicates.check(predicate, 2)
        phrases = [phrase for each in fact.arguments for phrase in each]
        layouts: List[List[Tuple[str, ...]]] = [[]]
        for phrase in reversed(phrases) if (fact.predicate in _BACKWARDS) != fact.reverse else phrases:
            lowest = kind == _TOWER and layouts == [[]] and phrase.amount is Amount.ONE
            names = self.names(predicate, int(lowest), phrase, use)
            if phrase.amount in (Amount.ALL, Amount.COUNT):
                some = partial(self._in_order, phrase, names, kind, fact.reverse)
                layouts = [[*places, *zip(each)] for places in layouts for each in some(places)][:MOST_PARTS]
            else:
                layouts = [[*places, names] for places in layouts]
        if len(layouts[0]) < 2:
            raise impossible(f"a {kind} takes two objects at least, not {len(layouts[0])}")
        ways = (way for places in layouts for way in _ways(places))
        along, said = -1 if kind == _TOWER else 1, self.fact
        parts = [all_of(*(said(use, predicate, *pair[::along]) for pair in zip(way, way[1:])))
                 for way in islice(ways, MOST_PARTS)]
        if not parts:
            raise impossible(f"each place of a {kind} needs an object of its own")
        return self.small(parts)

    def _in_order(self, phrase: Phrase, names: Sequence[str], kind: str, reverse: bool,
                  places: Sequence[Sequence[str]]) -> Iterator[Tuple[str, ...]]:
        """Return all of a phrase's objects, or each choice of as many as it counts, in the order that they have now."""
        taken = {name for each in places for name in each if len(each) == 1}
        along = FRONT if kind == _COLUMN else LEFT
        order = sorted((name for name in names if name not in taken),
                       key=lambda name: (-self._objects.places.along(along, name), name))
        if kind == _TOWER:  # The highest pile first.
            on = {fact.subject: fact.object for fact in self._world.relations
                  if fact.predicate == self._domain.roles.stands_on and {fact.subject, fact.object} <= set(order)}
            piles = sorted(([name, *_upon(name, on)] for name in order if name not in on), key=len, reverse=True)
            order = [name for pile in piles for name in pile]
        order = order[::-1 if reverse else 1]
        if len(order) < phrase.least:
            raise unknown(f"{phrase.least} of '{phrase.words}'", names)
        return islice(combinations(order, so_many(phrase) if phrase.amount is Amount.COUNT else len(order)), MOST_PARTS)

    def _swapped(self, phrases: Sequence[Phrase], use: Use) -> Statement:
        """Return that each of two has the other's place; on one surface, the other's side."""
        fits = (lambda name: bool(self._places(name)),)
        names = list(dict.fromkeys(name for phrase in phrases for name in (
            (self._objects.one(phrase, fits),) if phrase.amount is Amount.ONE
            else self._objects.all(phrase, fits))))
        if len(names) != 2:
            raise impossible(f"two objects change places, not {listed(names, 'and')}")
        exchanged = dict(zip(names, reversed(names)))
        facts = [fact for name in names for fact in self._places(name)]
        turned = {Relation(exchanged.get(fact.subject, fact.subject), fact.predicate,
                           exchanged.get(fact.object, fact.object)) for fact in facts}
        if turned == set(facts):
            turned = self._other_side(*names)
        if not turned:
            raise impossible(f"the places of {listed(names, 'and')} are not known")
        return all_of(*(self.fact(use, fact.predicate, *filter(None, (fact.subject, fact.object)))
                        for fact in sorted(turned)))

    def _places(self, name: str) -> Tuple[Relation, ...]:
        roles = self._domain.roles
        passing = (roles.aboard,) if roles.stands_on else ()  # It follows from what the object stands on.
        return tuple(fact for fact in self._objects.predicates.places(name, sorted(self._world.relations))
                     if fact.predicate not in passing)

    def _other_side(self, one: str, other: str) -> Set[Relation]:
        """Return the sides to exchange: those from an object that both are beside, or from each other."""
        beside: Dict[str, Dict[str, str]] = {one: {}, other: {}}
        sides = {name for name in self._domain.predicates if self._objects.places.direction(name) != (0.0, 0.0)}
        for fact in sorted(self._world.relations):
            if fact.predicate in sides and fact.subject in beside:
                beside[fact.subject][fact.object] = fact.predicate
        shared = [name for name, side in beside[one].items() if beside[other].get(name, side) != side]
        if shared:
            return {fact for name in shared for fact in (Relation(other, beside[one][name], name),
                                                         Relation(one, beside[other][name], name))}
        between = (name for name in sides if self._objects.places.towards(name, one, other))
        side = beside[one].get(other) or min(between, default="")
        return {Relation(other, side, one)} if side else set()

    def _made(self, fact: Fact, use: Use) -> Statement:
        """Return that a vessel contains all that a recipe takes: the one that is named, or of those with nothing else
        in them any, or of several drinks those that lack least, none twice; without a vessel it is served, too.
        """
        recipes, names = self._objects.context.recipes, self._objects.names
        parts: List[Statement] = []
        for phrase in fact.arguments[0]:
            said = sorted(words_of(phrase.words))
            recipe = next((name for name in sorted(recipes) if sorted(words_of(name)) == said), None)
            if recipe is None:
                raise unknown(f"recipe '{phrase.words}'", recipes)
            known = recipes[recipe]
            taken: List[str] = []
            for each in known.mandatory:
                found = names.exactly(each, names.fitting(each))
                if not found:
                    raise unknown(f"{spoken(each)} for {spoken(recipe)}", taken)
                taken.append(found[0])
            place = "" if fact.arguments[1:] else "".join(names.fitting(known.served)[:1])
            for vessel in (*fact.arguments[1:], (Phrase(known.vessel, Amount.ANY),))[0]:
                if vessel.amount not in (Amount.ANY, Amount.COUNT):
                    parts.append(self.each(CONTAINS, 0, vessel, use, partial(self._filled, taken, place, use)))
                    continue
                fit = [name for name in self.names(CONTAINS, 0, vessel, use) if name not in self.promised
                       and {each.object for each in self._world.relations if (each.subject, each.predicate)
                            == (name, CONTAINS)} <= known.allowed]
                many = max(1, so_many(vessel), so_many(phrase))
                if len(fit) < many:
                    raise unknown(f"{vessel.words} with nothing else in it", fit)
                ways = [self._filled(taken, place, use, name) for name in fit]
                if self.alone and many == 1:
                    parts.append(any_of(*ways))
                    continue
                best = sorted(zip(map(self.lacking, ways), fit, map(str, ways), ways))[:many]
                self.promised.update(name for _, name, *_ in best)
                parts += [way for *_, way in best]
        return all_of(*parts)

    def _filled(self, taken: Sequence[str], place: str, use: Use, vessel: str) -> Statement:
        brought = [self.fact(use, "on", vessel, place)] if place else []
        return all_of(*(self.fact(use, CONTAINS, vessel, each) for each in taken), *brought)


def _ways(places: Sequence[Sequence[str]], taken: Tuple[str, ...] = ()) -> Iterator[Tuple[str, ...]]:
    """Yield the ways to fill places with objects of their own."""
    if not places:
        yield taken
    elif len({name for each in places for name in each}.difference(taken)) >= len(places):
        for name in places[0]:
            if name not in taken:
                yield from _ways(places[1:], (*taken, name))


def _upon(name: str, on: Mapping[str, str]) -> List[str]:
    """Return the pile upon an object, from the bottom up."""
    return [each for upper, lower in sorted(on.items()) if lower == name for each in (upper, *_upon(upper, on))]
