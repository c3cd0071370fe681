"""Reads what a request tells of an order, word after word: things, places, steps between things, ways.

Nothing is passed over: a word that is not known ends the reading.
"""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.mentions import Mention
from hicrisp_core.language.names import words_of
from hicrisp_core.language.order_parts import Part, Step, Told
from hicrisp_core.language.order_words import (
    APART,
    ARTICLES,
    AXES,
    BREAKS,
    DENYING,
    INTO,
    ITS_SIDES,
    NEUTRAL,
    PRONOUNS,
    TELLING,
    UPRIGHT,
    Axis,
)
from hicrisp_core.model import Relation, WorldState

_COUNTS = {word: number for word, number in lexicon.NUMBERS.items() if number > 1}
_STARTING, _ENDING = ("first",), ("last", "finally", "lastly")
_SUFFIXES = ("most", "hand")
_DESCRIBED = ("thing", "object", "item", "things", "objects", "items")
_ADVERBIAL = ("at", "on", "in", "into", "onto", "under", "up", "below", "above")
"""What follows a "right" that means "exactly", and a "back" that means "again"."""
_OF_BEFORE = ("it", "they", "them")
_INDEFINITE = ("one", "any", "some")
_LINKS = ("in", "next_to")
_LONGEST_WAY = 6


class OrderReader:
    """Reads one request.

    Args:
        words: of the request.
        found: the things that they name.
    """

    def __init__(self, words: Sequence[str], found: Sequence[Mention], world: WorldState) -> None:
        self._words = list(words)
        self._found = {each.start: each for each in found}
        self._world = world
        self._known = words_of(world)
        self._told = Told()
        self._part = Part()
        self._waiting: Optional[Step] = None
        """A step that was told before the thing that it leads to: "on it the mug"."""
        self._from: Tuple[Step, ...] = ()
        """Steps whose thing to begin with comes next: "the mug on"."""
        self._link: Tuple[Relation, ...] = ()
        """Relations whose object comes next: "the mug in"."""
        self._last: Tuple[str, ...] = ()
        """What the last relation was told of."""
        self._ahead: Optional[Relation] = None
        """A relation whose object comes next, and then its subject: "in the bowl I want the mug"."""

    def read(self) -> Optional[Told]:
        """All that the words tell; ``None`` where one of them is not known or leads nowhere."""
        at = 0
        while at < len(self._words):
            length = self._next(at)
            if not length:
                return None
            at += length
        whole = self._end_part() and not (self._waiting or self._from or self._link or self._ahead)
        return self._told if whole else None

    def _next(self, at: int) -> int:
        """How many words were read here; 0 where they are not known."""
        mention = self._found.get(at)
        if mention is not None:
            return self._thing(mention)
        return self._way(at) or self._step(at) or self._place(at) or self._small(at)

    def _thing(self, mention: Mention) -> int:
        length = mention.end - mention.start
        if len(mention.fitting) > 1 and mention.words.endswith("s") and not mention.definite:
            self._part.bare = False
            return length  # "Three boxes": which ones is told elsewhere, or the count does not fit.
        *before, last = mention.words.split()
        if len(mention.fitting) != 1 or last in TELLING or len({last, *before}) <= len(before) or any(
                part in self._world.objects for part in before):  # Two things with nothing between them.
            return 0
        if last.endswith("s") and last not in self._known or self._before(mention.start) in _INDEFINITE:
            return 0
        told, name = self._told, mention.fitting[0]
        if self._link:
            found = told.denied if self._part.denied else told.links
            found += [link._replace(object=name) for link in self._link]
            self._link = ()
            return length
        if self._ahead and not self._ahead.object:
            self._ahead = self._ahead._replace(object=name)
            return length
        if not self._world.objects[name].movable:
            return 0
        if self._ahead:
            told.links.append(self._ahead._replace(subject=name))
            self._ahead = None
        if any(step.other == name for step in self._from):
            return 0
        if self._from:
            told.steps += [step._replace(ones=(name,)) for step in self._from]
            self._from = ()
        elif self._waiting is not None:
            told.steps.append(self._waiting._replace(other=name))
            self._waiting = None
        if name in told.things:
            told.listed = False
            told.things.remove(name)
        told.things.append(name)
        self._part.said.append("thing")
        self._part.things.append(name)
        return length

    def _way(self, at: int) -> int:
        said = " ".join(self._words[at:at + _LONGEST_WAY])
        for axis in AXES:
            for pattern, onward in ((axis.onward, 1), (axis.back, -1)):
                way = pattern.match(said)
                length = len(way.group().split()) if way else 0
                if length and self._words[at + length:at + length + 1] != ["of"]:
                    self._told.ways.append(onward)
                    self._belongs(axis)
                    return length
        return 0

    def _step(self, at: int) -> int:
        for axis in AXES:
            for by, phrases in ((1, axis.after), (-1, axis.before)):
                for length in self._lengths(at, phrases):
                    read = self._leading(at + length, Step(axis, by))
                    if read is not None:
                        return length + read
            for by, alone in ((1, axis.beyond), (-1, axis.short)):
                if self._words[at] in alone and self._breaks(at + 1):
                    return self._apart(Step(axis, by, near=False))
        axis_and_way = ITS_SIDES.get(" ".join(self._words[at:at + 3]))
        return 3 if axis_and_way and self._to_it(Step(*axis_and_way)) else self._relation(at)

    def _relation(self, at: int) -> int:
        """A relation that makes no order; "the one in red" may be a red one."""
        for length in () if self._part.denied else self._lengths(at, APART):
            self._part.denied = True
            self._part.denied = self._linking(at + length, "next_to")
            return length if self._part.denied else 0
        named = any(each.end == at for each in self._found.values())
        if not named and self._before(at) in ("one", *_DESCRIBED):
            return 0
        for predicate in _LINKS:
            for length in self._lengths(at, lexicon.RELATIONS[predicate]):
                if self._linking(at + length, predicate):
                    return length
        return 0

    def _leading(self, at: int, step: Step) -> Optional[int]:
        """How many words behind those of a step are part of it; ``None`` where they make it none."""
        if at < len(self._words) and self._words[at] in PRONOUNS and at + 1 not in self._found:
            return 1 if self._to_it(step) else None
        mention, subjects = self._thing_at(at), self._subjects()
        if mention is None or len(mention.fitting) != 1:
            return None
        predicate = step.axis.beyond_one if step.by > 0 else step.axis.short_of_one
        if not subjects:
            return 0 if self._begins(predicate) else None
        if not self._world.objects[mention.fitting[0]].movable or self._part.denied:
            table = predicate == UPRIGHT.beyond_one or self._part.denied
            return 0 if predicate and table and self._linking(at, predicate) else None
        self._part.related = True
        self._from = tuple(step._replace(other=subject, plain=True) for subject in subjects)
        self._belongs(step.axis)
        return 0

    def _linking(self, at: int, predicate: str) -> bool:
        """Whether a relation that makes no order leads on to a thing."""
        subjects = self._subjects()
        if self._thing_at(at) is None:
            return False
        if not subjects:
            return self._begins(predicate)
        self._part.linked = self._part.related = True
        self._link = tuple(Relation(subject, predicate, "") for subject in subjects)
        return True

    def _begins(self, predicate: str) -> bool:
        """Whether a relation stands before both of its things."""
        part = self._part
        if not predicate or part.things or part.joined or part.denied or self._told.things or self._ahead:
            return False
        self._part.linked = True
        self._ahead = Relation("", predicate, "")
        return True

    def _subjects(self) -> Tuple[str, ...]:
        """What a relation is told of: the last thing, with those that are joined to it."""
        if self._part.linked:  # "The mug in the bowl goes on the box": the first one describes the mug.
            return ()
        if self._part.things:
            self._last = (*self._part.joined, self._part.things[-1])
            return self._last
        if self._part.denied and self._part.bare:  # "Beside the mug, but not beside the tin."
            return self._last
        return tuple(self._told.things[-1:]) if self._part.which else ()

    def _to_it(self, step: Step) -> bool:
        """"The mug on it", "on it the mug": "it" is the thing before, or the first one."""
        things = self._told.things[:-1] if self._part.things else self._told.things
        shared = self._part.things and self._part.joined
        aside = any(link.predicate != UPRIGHT.beyond_one for link in self._told.links)
        if not things or shared or aside:  # "It" may be the bowl.
            return False
        self._belongs(step.axis)
        meant = step._replace(ones=tuple(dict.fromkeys((things[-1], things[0]))))
        if self._part.things:
            self._told.steps.append(meant._replace(other=self._part.things[-1]))
        else:
            self._waiting = meant
        return True

    def _apart(self, step: Step) -> int:
        """"The mug below": from the thing before; the first thing's place shows by the others'."""
        if not self._part.things:
            return 0
        self._belongs(step.axis)
        for one in self._told.things[-2:-1]:
            self._told.steps.append(step._replace(ones=(one,), other=self._part.things[-1]))
        return 1

    def _place(self, at: int) -> int:
        word, after = self._words[at], self._words[at + 1:at + 5]
        axes = [axis for axis in AXES if word in axis.places]
        if not axes or word in self._known or after[:1] and after[0] in _DESCRIBED:
            return 0
        if word in ("right", "back") and after[:1] and after[0] in _ADVERBIAL:
            return 1
        length = 2 if after[:1] and after[0] in _SUFFIXES else 1  # "Left-most", "on the left-hand side".
        after = after[length - 1:]
        if after[:1] == ["of"]:
            whole = next((number for number, each in enumerate(after[1:], 1)
                          if each == "all" or any(each in axis.shapes for axis in AXES)), 0)
            if not whole or not set(after[1:whole]) <= ARTICLES:
                return 0
            length += whole + (after[whole] == "all")
        self._belongs(*axes)
        self._part.said.append("place")
        self._part.places.append(axes[0].places[word])
        return length

    def _small(self, at: int) -> int:
        word = self._words[at]
        if word in self._known or self._tells_more(at):
            return 0
        if word in DENYING:
            if self._part.denied or self._part.linked or len(self._part.things) > 1:
                return 0
            self._part.denied = True
            return 1
        shapes = [axis for axis in AXES if word in axis.shapes]
        if shapes:
            self._belongs(*shapes)
            return 1
        if word in _STARTING:
            return int(len(self._told.things) < 2)
        if word in ("but", "yet") and not (self._told.steps or self._told.links or self._part.places):
            return 0  # "All but the mug".
        if word in BREAKS or word in _ENDING:
            after = self._words[at + 1:at + 2]
            plain = not set(after) & (BREAKS | set(_ENDING))
            return int(self._end_part(word if plain and word in ("and", ",") else ""))
        self._part.bare = self._part.bare and word == "only"
        if word == "both":
            return int(len((*self._part.joined, *self._part.things)) == 2)
        if word in _COUNTS:
            self._told.counts.append(_COUNTS[word])
            return 1
        self._part.which = self._part.which or word == "which"
        return max(self._lengths(at, lexicon.FILLERS), default=int(word in NEUTRAL))

    def _tells_more(self, at: int) -> bool:
        """Whether a word that is neutral elsewhere tells something of a thing here, or is a thing itself."""
        word = self._words[at]
        if word in _OF_BEFORE:
            return bool(self._told.things or self._ahead)
        leads = word in INTO and self._thing_at(at + 1) is not None
        return leads or word == "can" and bool(self._part.things)

    def _end_part(self, joint: str = "") -> bool:
        """Put the places of a part to its things; false where they do not tell whose they are.

        Args:
            joint: "and" or a comma that alone joins the next part to this one.
        """
        part = self._part
        told = self._told.stepped | {
            link.subject for link in (*self._told.links, *self._told.denied)}
        self._part = Part()
        if joint and len(part.things) == 1 and not part.places and part.things[0] not in told:
            self._part = Part(joined=(*part.joined, *part.things), by_and=joint == "and")
        if part.denied and (part.places or not part.linked):
            return False
        if part.related and len(part.things) > 1 and part.things[-1] not in told:
            return False  # A thing behind a relation, of which nothing is told before the next part.
        if not part.places:
            return True
        if part.by_and or len(part.places) != len(part.things) or any(
                one == other for one, other in zip(part.said, part.said[1:])):
            return False
        return all(self._told.places.setdefault(name, place) == place
                   for name, place in zip(part.things, part.places))

    def _lengths(self, at: int, phrases: Sequence[str]) -> List[int]:
        """How many words those of some phrases have that stand here, in the order of the phrases."""
        return [length for phrase, length in ((each, len(each.split())) for each in phrases)
                if " ".join(self._words[at:at + length]) == phrase]

    def _thing_at(self, at: int) -> Optional[Mention]:
        """What is named here, behind articles."""
        while at < len(self._words) and self._words[at] in ARTICLES and at not in self._found:
            at += 1
        return self._found.get(at)

    def _before(self, at: int) -> str:
        return self._words[at - 1] if at else ""

    def _breaks(self, at: int) -> bool:
        return at >= len(self._words) or self._words[at] in BREAKS

    def _belongs(self, *axes: Axis) -> None:
        self._told.axes.append(axes)
