"""Reads what a request tells of an order, word after word: things, places, steps between things, ways.

Nothing is passed over: a word that is not known ends the reading.
"""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.mentions import Mention
from hicrisp_core.language.order_parts import Step, Told
from hicrisp_core.language.order_places import DESCRIBED, PlaceReader
from hicrisp_core.language.order_words import APART, AXES, FRONTED, ITS_SIDES, PRONOUNS, TELLING, UPRIGHT
from hicrisp_core.model import Relation, WorldState

_INDEFINITE = ("one", "any", "some")
_ALL = frozenset(("all", "every", "each"))
_LINKS = ("in", "next_to")


class OrderReader(PlaceReader):
    """Reads one request.

    Args:
        words: of the request.
        found: the things that they name.
    """

    def __init__(self, words: Sequence[str], found: Sequence[Mention], world: WorldState) -> None:
        super().__init__(words, found, world)
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
        self._under = False
        """Whether the thing whose relation was told ahead of both is below: "under the mug goes the can"."""
        self._bare_colour = False
        """Whether the last thing was named by one word, so that "the red and green boxes" has two."""

    def read(self) -> Optional[Told]:
        """All that the words tell; ``None`` where one of them is not known or leads nowhere."""
        at = 0
        while at < len(self._words):
            length = self._next(at)
            if not length:
                return None
            at += length
        whole = self._end_part() and not (self._waiting or self._from or self._link or self._ahead)
        alone = len(self._told.links) == 1 and not self._told.steps  # Else it may tell which thing is meant.
        return self._told if whole and (alone or not self._under) else None

    def _next(self, at: int) -> int:
        """How many words were read here; 0 where they are not known."""
        mention = self._found.get(at)
        if mention is not None:
            return self._thing(mention)
        return self._way(at) or self._turn(at) or self._step(at) or self._place(at) or self._small(at)

    def _thing(self, mention: Mention) -> int:
        length = mention.end - mention.start
        if len(mention.fitting) > 1 and mention.words.endswith("s") and not mention.definite:
            return self._group(mention)
        if len(mention.fitting) > 1 and self._is_last_named(mention):
            return length
        *before, last = mention.words.split()
        if len(mention.fitting) != 1 or last in TELLING or len({last, *before}) <= len(before) or any(
                part in self._world.objects for part in before):  # Two things with nothing between them.
            return 0
        listed = self._bare_colour and len(before) == 1 and self._before(mention.start) in ("and", ",")
        if last.endswith("s") and last not in self._known and not listed \
                or self._before(mention.start) in _INDEFINITE:
            return 0
        self._bare_colour = not before
        told, name = self._told, mention.fitting[0]
        if self._link:
            found = told.denied if self._part.denied else told.links
            found += [link._replace(object=name) for link in self._link]
            self._link = ()
            return length
        ahead = self._ahead
        if ahead and not ahead.object:
            self._ahead = Relation("", ahead.predicate, name)
            after = set(self._words[mention.end:mention.end + 5])
            under = self._world.objects[name].movable and after & FRONTED and not after & {":", "right"}
            return length if not self._under or under else 0
        if not self._world.objects[name].movable:
            return 0
        if ahead:
            link = ahead._replace(subject=name)
            told.links.append(Relation(link.object, link.predicate, name) if self._under else link)
            self._ahead = None
        if any(step.other == name for step in self._from):
            return 0
        if self._from:
            told.steps += [step._replace(ones=(name,)) for step in self._from]
            self._from = ()
        elif self._waiting is not None:
            told.steps.append(self._waiting._replace(other=name))
            self._waiting = None
        told.add(name)
        self._part.said.append("thing")
        self._part.things.append(name)
        return length

    def _is_last_named(self, mention: Mention) -> bool:
        """"Blue is the bottom box": a kind of thing behind its place says nothing new."""
        part = self._part
        return part.said[-1:] == ["place"] and len(part.things) == 1 and len(mention.words.split()) == 1 \
            and part.things[0] in mention.fitting

    def _group(self, mention: Mention) -> int:
        """"Three boxes": which ones is told elsewhere, or the count does not fit; "the two red blocks on the
        can" are they themselves.
        """
        length = mention.end - mention.start
        before = self._words[max(0, mention.start - 3):mention.start]
        numbers = [word for word in before if word in lexicon.NUMBERS]
        told, part = self._told, self._part
        leads = any(self._leads_on(mention.end + each)
                    for each in self._lengths(mention.end, UPRIGHT.after))
        if leads and numbers == before[-1:] and told.counts[-1:] == [len(mention.fitting)] \
                and lexicon.NUMBERS[numbers[0]] == len(mention.fitting) \
                and not told.things and all(self._world.objects[name].movable for name in mention.fitting):
            told.counts.pop()
            told.listed, told.grouped = False, True
            for name in mention.fitting:
                told.add(name)
            part.joined, part.things = mention.fitting[:-1], [mention.fitting[-1]]
            return length
        if set(before) & _ALL and not numbers:
            told.wholes.append(set(mention.fitting))
        part.bare = False
        return length

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
        if not named and self._before(at) in ("one", *DESCRIBED):
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
        if self._words[at:at + 1] == ["which"] and not self._part.things:
            return 1 if self._to_it(step, last=True) else None
        mention, subjects = self._thing_at(at), self._subjects()
        if mention is None or len(mention.fitting) != 1:
            return None
        predicate = step.axis.beyond_one if step.by > 0 else step.axis.short_of_one
        if not subjects:
            self._under = self._under or not predicate
            return 0 if self._begins(predicate or UPRIGHT.beyond_one) else None
        if not self._world.objects[mention.fitting[0]].movable or self._part.denied:
            table = predicate == UPRIGHT.beyond_one or self._part.denied
            return 0 if predicate and table and self._linking(at, predicate) else None
        self._part.related = True
        self._from = tuple(step._replace(other=subject, plain=True, shared=len(subjects) > 1)
                           for subject in subjects)
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
        if not predicate or part.things or part.joined or part.denied or self._told.things or self._ahead \
                or self._told.shaped:  # "A tower behind the mug: ..." is not only its first thing.
            return False
        self._part.linked = True
        self._ahead = Relation("", predicate, "")
        self._told.fronted = True
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

    def _to_it(self, step: Step, last: bool = False) -> bool:
        """"The mug on it", "on it the mug": "it" is the thing before, or the first one; behind "the tin and
        the can left of the box" it is the box.

        Args:
            last: whether only the thing before may be meant.
        """
        told, part = self._told, self._part
        things = told.things[:-1] if part.things else told.things
        shared = part.things and part.joined
        aside = any(link.predicate != UPRIGHT.beyond_one for link in told.links)
        if not things or shared or aside:  # "It" may be the bowl.
            return False
        self._belongs(step.axis)
        if told.steps and told.steps[-1].shared and told.steps[-1].axis is step.axis is not UPRIGHT:
            meant = step._replace(ones=told.steps[-1].ones, plain=True)
        else:
            ones = (things[-1],) if last else (things[-1], things[0])
            meant = step._replace(ones=tuple(dict.fromkeys(ones)))
        if part.things:
            told.steps.append(meant._replace(other=part.things[-1]))
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

