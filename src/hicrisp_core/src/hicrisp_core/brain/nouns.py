"""From noun phrases to the world's names: exact where one thing is meant, refused with the candidates where not."""

from __future__ import annotations

from typing import FrozenSet, List, Sequence, Tuple

from hicrisp_core.brain import lexicon
from hicrisp_core.brain.reader import NotUnderstood, Noun
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import WorldObject, WorldState

_NOUNS = lexicon.phrases(lexicon.NOUNS)
_PLURAL = frozenset(word for words in lexicon.NOUNS.values() for word in words if word.endswith("s"))


class Names:
    """Resolves noun phrases in one world.

    Args:
        avoid: names that an indefinite phrase ("a box", "two boxes") shall not choose.
    """

    def __init__(self, domain: Domain, world: WorldState, avoid: FrozenSet[str] = frozenset()) -> None:
        self._domain = domain
        self._world = world
        self._avoid = avoid
        self._last: Tuple[str, ...] = ()
        self._chosen: List[str] = []

    def items(self, nouns: Sequence[Noun], reference: str = "") -> Tuple[str, ...]:
        """The things that some phrases name together, in their order, without doubles and without the reference.

        Raises:
            NotUnderstood: with the candidates or with everything that there is.
        """
        found: List[str] = []
        for noun in nouns:
            found.extend(name for name in self._resolve(noun, reference) if name not in found)
        self._last = tuple(found)
        return self._last

    def one(self, noun: Noun) -> str:
        """The one thing that a phrase names.

        Raises:
            NotUnderstood: as for :meth:`items`, and when it names several.
        """
        names = self._resolve(noun, "")
        if len(names) != 1:
            raise NotUnderstood(f"'{noun}' names several things: {', '.join(names)}")
        return names[0]

    def _resolve(self, noun: Noun, reference: str) -> Tuple[str, ...]:
        if noun.count in ("it", "them"):
            if not self._last:
                raise NotUnderstood(f"'{noun.count}' refers to nothing that was named before")
            return self._last if noun.count == "them" else self._last[:1]
        excluded = {name for other in noun.besides for name in self._resolve(other, "")}
        matching = self._matching(noun)
        if matching == [reference]:
            raise NotUnderstood(f"'{reference}' cannot be placed by itself")
        names = [name for name in matching if name not in excluded and name != reference]
        if not names:
            raise NotUnderstood(f"there is no '{noun}' here; there are: {', '.join(sorted(self._world.objects))}")
        if noun.count == "all" or (noun.count == "the" and (_plural(noun) or "everything" in noun.words)):
            return tuple(names)
        if noun.count == "number" or noun.count == "any":
            wanted = noun.number if noun.count == "number" else 1
            free = [name for name in names if name not in self._avoid and name not in self._chosen]
            if len(free) < wanted:
                raise NotUnderstood(f"{wanted} of '{noun}' were asked for, but there are only: "
                                    f"{', '.join(free) or 'none that can be reached'}")
            chosen = tuple(sorted(free, key=self._covered)[:wanted])
            self._chosen.extend(chosen)
            return chosen
        if len(names) > 1:
            raise NotUnderstood(f"'{noun}' may be any of: {', '.join(names)}; say which, or 'a {noun}'")
        return tuple(names)

    def _matching(self, noun: Noun) -> List[str]:
        joined = "_".join(noun.words)
        if joined in self._world.objects:
            return [joined]
        kind = _NOUNS.get(noun.words[-1], "")
        adjectives, head = (noun.words[:-1], kind) if kind else (noun.words, "")
        found = []
        for name, thing in sorted(self._world.objects.items()):
            own = {*name.split("_"), thing.type, *(str(value).lower() for value in thing.attributes.values())}
            if head == "thing":
                fits = self._domain.is_a(thing.type, "graspable") or (not adjectives and thing.movable
                                                                     and "graspable" not in self._domain.types)
            else:
                fits = not head or self._domain.is_a(thing.type, head) or head in own
            if fits and all(word in own or word.rstrip("s") in own for word in adjectives):
                found.append(name)
        return found

    def _covered(self, name: str) -> int:
        """Things with nothing on them first."""
        return sum(1 for fact in self._world.relations if fact.predicate == "on" and fact.object == name)


def colour_of(thing: WorldObject) -> str:
    """The colour that a thing is said to have; empty when none is known."""
    return str(thing.attributes.get("colour", thing.attributes.get("color", ""))).lower()


def _plural(noun: Noun) -> bool:
    return noun.words[-1] in _PLURAL
