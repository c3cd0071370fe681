"""From intents that need the world to be understood to those that the plan builder places one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, List, Mapping, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import Intent, NotUnderstood, Noun
from hicrisp_core.language.names import Names
from hicrisp_core.model import WorldState


def expand(intent: Intent, names: Names, domain: Domain, world: WorldState) -> Tuple[Intent, ...]:
    """The intents that an intent means in a world; most mean themselves.

    Raises:
        NotUnderstood: when there is no way to say it in this world.
    """
    return _Expander(names, domain, world).of(intent)


class _Expander:
    def __init__(self, names: Names, domain: Domain, world: WorldState) -> None:
        self._names = names
        self._domain = domain
        self._world = world
        self._on = domain.roles.stands_on
        self._supports = (domain.roles.stands_on, domain.roles.inside)

    def of(self, intent: Intent) -> Tuple[Intent, ...]:
        meant: Mapping[str, Callable[[Intent], Sequence[Intent]]] = {
            "put": self._put, "stack": self._stack, "gather": self._gather, "swap": self._swap,
            "unstack": self._unstack, "clear": self._clear, "take_away": self._take_away,
        }
        known = meant.get(intent.verb)
        return tuple(known(intent)) if known else (intent,)

    def _put(self, intent: Intent) -> Sequence[Intent]:
        """To a container means into it, to a table onto it; to anything else may mean beside it or on it."""
        if intent.reference is None or intent.relation != "to":
            return (intent,)
        reference = self._names.one(intent.reference)
        if self._takes_in(reference):
            return (replace(intent, relation="in", reference=_named(reference)),)
        if self._is(reference, self._domain.roles.surface):
            return (replace(intent, relation="on", reference=_named(reference)),)
        raise NotUnderstood(f"'to {reference}' may mean next to it or on it; say which")

    def _stack(self, intent: Intent) -> Sequence[Intent]:
        """One thing goes on another; several become a tower on the other, or on the table."""
        reference = self._names.one(intent.reference) if intent.reference else ""
        items = self._names.items(intent.items, reference)
        put = replace(intent, verb="put", items=tuple(map(_named, items)), reference=_named(reference))
        if len(items) == 1 or self._takes_in(reference):
            return (put,)
        base = () if self._is(reference, self._domain.roles.surface) else (reference,)
        built = tuple(map(_named, (*base, *items)))
        return (replace(put, verb="build", items=built, shape="tower", relation="", reference=None),)

    def _gather(self, intent: Intent) -> Sequence[Intent]:
        items = self._names.items(intent.items)
        if len(items) < 2:
            raise NotUnderstood(f"it takes two things to stand next to each other; there is only {items[0]}")
        return [self._placing(intent, item, "next_to", beside) for beside, item in zip(items, items[1:])]

    def _swap(self, intent: Intent) -> Sequence[Intent]:
        """Each goes where the other is; the plan builder puts down first what stands in the way."""
        items = self._names.items(intent.items)
        if len(items) != 2:
            raise NotUnderstood(f"two things can be swapped, not {len(items)}: {', '.join(items)}")
        places = [self._support(item) for item in items]
        if places[0] == places[1]:
            raise NotUnderstood(f"{items[0]} and {items[1]} are both {' '.join(places[0])}, and places there "
                                "have no names; say where each should go")
        if any(place in items for _, place in places):
            raise NotUnderstood(f"{items[0]} and {items[1]} stand on each other: say which should be on "
                                "which")
        return [self._placing(intent, items[1], *places[0]), self._placing(intent, items[0], *places[1])]

    def _support(self, item: str) -> Tuple[str, str]:
        found = [(fact.predicate, fact.object) for fact in self._world.about(item)
                 if fact.predicate in self._supports]
        if not found:
            raise NotUnderstood(f"I do not know where {item} is")
        return found[0]

    def _unstack(self, intent: Intent) -> Sequence[Intent]:
        items = self._names.items(intent.items)
        raised = [item for item in items if any(
            fact.predicate == self._on and not self._is(fact.object, self._domain.roles.surface)
            for fact in self._world.about(item))]
        return self._put_down(intent, self._from_the_top(raised))

    def _clear(self, intent: Intent) -> Sequence[Intent]:
        """Tables are cleared into a container; what is in one or on a thing is put on the table."""
        if intent.reference is None:
            return (intent,)
        place = self._names.one(intent.reference)
        if self._is(place, self._domain.roles.surface):
            return (intent,)
        if intent.relation not in lexicon.VERBS["empty"]:
            raise NotUnderstood(
                f"only a table can be tidied, and {place} is a {self._world.types().get(place)}")
        inside = [fact.subject for fact in sorted(self._world.relations)
                  if fact.object == place and fact.predicate in self._supports]
        left_out = {name for noun in intent.items for other in noun.besides
                    for name in self._names.items((other,))}
        return self._put_down(intent, [item for item in self._from_the_top(inside) if item not in left_out])

    def _take_away(self, intent: Intent) -> Sequence[Intent]:
        """Off a table is up; out of a container or off a thing is down on the table."""
        lifted = intent.reference is not None and self._is(
            self._names.one(intent.reference), self._domain.roles.surface)
        return (replace(intent, verb="pick" if lifted else "put_down", reference=None),)

    def _from_the_top(self, items: Sequence[str]) -> List[str]:
        """Upper things before those that carry them."""
        below = {fact.subject: fact.object for fact in self._world.relations if fact.predicate == self._on}

        def height(item: str) -> int:
            levels = 0
            while item in below and levels <= len(below):
                item, levels = below[item], levels + 1
            return levels

        return sorted(items, key=height, reverse=True)

    def _put_down(self, intent: Intent, items: Sequence[str]) -> List[Intent]:
        return [Intent("put_down", (_named(item),), group=intent.group, robot=intent.robot) for item in items]

    def _placing(self, intent: Intent, item: str, relation: str, reference: str) -> Intent:
        return Intent("put", (_named(item),), relation, _named(reference), group=intent.group,
                      robot=intent.robot)

    def _takes_in(self, name: str) -> bool:
        return self._domain.takes_in(self._world.types().get(name, ""))

    def _is(self, name: str, type_: str) -> bool:
        return type_ in self._domain.types and self._domain.is_a(self._world.types().get(name, ""), type_)


def _named(name: str) -> Noun:
    return Noun("the", (name,))
