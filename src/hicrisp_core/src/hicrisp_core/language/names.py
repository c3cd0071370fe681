"""From noun phrases to the world's names: exact where one thing is meant, else refused with the
candidates.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import Dict, FrozenSet, List, Sequence, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import Ambiguous, NotUnderstood, Noun
from hicrisp_core.model import WorldObject, WorldState

_NOUNS: Dict[str, str] = lexicon.phrases(lexicon.NOUNS)


class Names:
    """Resolves noun phrases in one world, and remembers what was named.

    Args:
        avoid: names that an indefinite phrase ("a box", "two boxes") shall not choose.
        moved: things that were moved for this task already: an indefinite phrase chooses what they stand on
            again.
        answers: things that the user named when a phrase was asked back that fits several.
    """

    def __init__(
        self, domain: Domain, world: WorldState, avoid: FrozenSet[str] = frozenset(),
        moved: FrozenSet[str] = frozenset(), answers: FrozenSet[str] = frozenset(),
    ) -> None:
        self._domain = domain
        self._world = world
        self._avoid = avoid
        self._moved = moved
        self._answers = answers
        self._at = (domain.roles.stands_on, domain.roles.inside)
        self._last: Tuple[str, ...] = ()
        self._chosen: List[str] = []
        self._used: Set[str] = set()
        self.notes: List[str] = []
        """What a pronoun was taken for, where it may be taken otherwise."""

    def follow(self, world: WorldState) -> None:
        """Look at another state of the world: "the box on the table" is the one that is there by then."""
        self._world = world

    def items(self, nouns: Sequence[Noun], reference: str = "") -> Tuple[str, ...]:
        """The things that some phrases name together, in their order, without doubles and without the
        reference.

        Raises:
            NotUnderstood: with the candidates or with everything that there is.
        """
        found: List[str] = []
        for noun in self._without_sums(nouns, reference):
            found.extend(name for name in self._resolve(noun, reference) if name not in found)
        self._last = tuple(found)
        return self._last

    def _without_sums(self, nouns: Sequence[Noun], reference: str) -> List[Noun]:
        """Without the number where the very things follow: "two boxes, the red and the blue one"."""
        kept: List[Noun] = []
        for noun in nouns:
            named = {name for other in nouns if other.count == "the"
                     for name in self._resolve(other, reference)} if noun.count == "number" else set()
            same = named & set(self.matching(noun)) if named else set()
            if noun.number < 2 or len(same) != noun.number:
                kept.append(noun)
        return kept

    def free(self, names: Sequence[str]) -> Tuple[str, ...]:
        """Those of some things that need not be avoided."""
        return tuple(name for name in names if name not in self._avoid)

    def one(self, noun: Noun) -> str:
        """The one thing that a phrase names.

        Raises:
            NotUnderstood: as for :meth:`items`, and when it names several.
        """
        names = self._resolve(noun, "")
        if noun.count == "it":
            self.notes.append(f"'it' was read as {names[0]}")
        if len(names) != 1:
            raise NotUnderstood(f"'{noun}' names several things: {', '.join(names)}")
        return names[0]

    def matching(self, noun: Noun) -> List[str]:
        """Everything that a phrase fits, however many it asks for."""
        if noun.count in ("it", "them"):
            return list(self._pronoun(noun))
        joined = "_".join(noun.words)
        kind = self._kind(noun.words[-1])
        if joined in self._world.objects and not (kind and noun.count == "all"):  # Not for "every box".
            found = [joined]
        else:
            adjectives = noun.words[:-1] if kind else noun.words
            every = sorted(self._world.objects.items())
            found = [name for name, thing in every if self._fits(name, thing, kind, adjectives)]
            if kind == "thing" and adjectives and not found:  # "The blue one" may be a bowl, too.
                found = [name for name, thing in every if self._fits(name, thing, "", adjectives)]
        if noun.where:
            relation, place = noun.where
            places = self.matching(place)
            relations = self._at if relation == "at" else (relation,)
            found = [name for name in found if any(fact.object in places and fact.predicate in relations
                                                   for fact in self._world.about(name))]
        return found

    def names_a_kind(self, noun: Noun) -> bool:
        """Whether a phrase ends with a word for some type of things, whether or not one is here."""
        return bool(noun.words) and bool(self._kind(noun.words[-1]))

    def _resolve(self, noun: Noun, reference: str) -> Tuple[str, ...]:
        names = self._pronoun(noun) if noun.count in ("it", "them") else self._phrase(noun, reference)
        self._used.update(names)
        return names

    def _pronoun(self, noun: Noun) -> Tuple[str, ...]:
        held = tuple(sorted(self._domain.roles.holders(self._world.relations)))
        meant = self._last or held
        if not meant:
            raise NotUnderstood(f"'{noun.count}' refers to nothing that was named before")
        if noun.count == "it" and len(meant) > 1:
            raise NotUnderstood(f"'it' may be any of: {', '.join(meant)}; say which, or 'them'")
        return meant

    def _phrase(self, noun: Noun, reference: str) -> Tuple[str, ...]:
        excluded = {name for other in noun.besides for name in self._phrase(other, "")}
        excluded |= self._used if noun.fresh else set()
        matching = self.matching(noun)
        if matching == [reference]:
            raise NotUnderstood(f"'{reference}' cannot be placed by itself")
        names = [name for name in matching if name not in excluded and name != reference]
        if not names:
            anywhere = self.matching(replace(noun,
                                             where=None))  # What is lost stands in no relation to anything.
            self._in_view([name for name in anywhere if self._world.objects[name].unseen], noun)
            raise NotUnderstood(f"there is no '{noun}' here{self._did_you_mean(noun)}; there are: "
                                f"{', '.join(sorted(self._world.objects))}")
        if noun.count == "number" and noun.definite and len(names) > noun.number:
            raise NotUnderstood(f"'the {noun.number} {noun}' may be any of: {', '.join(names)}; say which, "
                                f"or '{noun.number} {noun}'")
        names = self._in_view(names, noun)
        if noun.count in ("number", "any"):
            return self._choose(noun, names)
        if noun.count == "all" or _plural(noun) or "everything" in noun.words:
            return tuple(names)
        if len(names) > 1:
            meant = [name for name in names if name in self._answers]
            if len(meant) != 1:
                why = f"'{noun}' may be any of: {', '.join(names)}; say which, or 'a {noun}'"
                raise Ambiguous(why, names)
            return tuple(meant)
        return tuple(names)

    def _in_view(self, names: Sequence[str], noun: Noun) -> List[str]:
        """Those that are seen now; a phrase that leaves the choice, or means all, goes on without the
        others.
        """
        lost = [name for name in names if self._world.objects[name].unseen]
        seen = [name for name in names if name not in lost]
        told = "; ".join(f"the {name.replace('_', ' ')} {self._world.objects[name].sight}" for name in lost)
        if lost and (not seen or noun.count not in ("number", "any", "all") and not _plural(noun)):
            raise NotUnderstood(f"{told}: {self._world.trouble}" if self._world.trouble else told)
        if lost:
            self.notes.append(f"left out: {told}")
        return seen

    def _choose(self, noun: Noun, names: Sequence[str]) -> Tuple[str, ...]:
        """The first free ones, as many as are asked for."""
        wanted = noun.number if noun.count == "number" else 1
        free = [name for name in names if name not in self._avoid and name not in self._chosen]
        if len(free) < wanted:
            raise NotUnderstood(f"{wanted} of '{noun}' were asked for, but there are only: "
                                f"{', '.join(free) or 'none that can be reached'}")
        chosen = tuple(sorted(free, key=self._covered)[:wanted])
        self._chosen.extend(chosen)
        return chosen

    def _kind(self, word: str) -> str:
        """The type that a noun means: as the lexicon knows it, else by the domain's own name for it."""
        known = _NOUNS.get(word, "")
        if known == "thing" or known in self._domain.types:
            return known
        return next((own for own in (word, word[:-1]) if own in self._domain.types), known)

    def _fits(self, name: str, thing: WorldObject, kind: str, adjectives: Sequence[str]) -> bool:
        own = own_words(name, thing)
        if kind == "thing":
            fits = self._domain.is_a(thing.type, "graspable") or (
                thing.movable and "graspable" not in self._domain.types)
        else:
            fits = not kind or self._domain.is_a(thing.type, kind) or kind in own
        return fits and all(word in own or word.rstrip("s") in own for word in adjectives)

    def _did_you_mean(self, noun: Noun) -> str:
        """A hint where a word is close to one by which something here is called."""
        known = {word for name, thing in self._world.objects.items()
                 for word in own_words(name, thing)} | set(_NOUNS)
        for word in noun.words:
            close = [] if word in known else get_close_matches(word, known, n=1, cutoff=0.66)
            if close:
                return f" (did you mean '{close[0]}'?)"
        return ""

    def _covered(self, name: str) -> int:
        """Things with nothing on them first; what this task has put there does not count."""
        return len(self._domain.roles.upon(self._world, name) - self._moved)


def colour_of(thing: WorldObject) -> str:
    """The colour that a thing is said to have; empty when none is known."""
    return str(thing.attributes.get("colour", thing.attributes.get("color", ""))).lower()


def words_of(world: WorldState) -> FrozenSet[str]:
    """Every word by which something in the world is called."""
    return frozenset(word for name, thing in world.objects.items() for word in own_words(name, thing))


def words_by_name(world: WorldState) -> Dict[str, FrozenSet[str]]:
    """The words by which each thing in the world may be called, and each robot's own."""
    return {**{robot: frozenset(robot.split("_")) for robot in world.robots},
            **{name: frozenset(own_words(name, thing)) for name, thing in world.objects.items()}}


def own_words(name: str, thing: WorldObject) -> Set[str]:
    """The words that a thing is called by: of its name, its type, its attributes."""
    return {*name.split("_"), thing.type, *(str(value).lower() for value in thing.attributes.values())}


def _plural(noun: Noun) -> bool:
    return noun.words[-1] in lexicon.PLURALS
