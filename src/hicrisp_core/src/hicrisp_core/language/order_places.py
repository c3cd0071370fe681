"""Reads the words of an order that are no relations: ways through it, places in it, turns, and what parts one
thing from the next.
"""

from __future__ import annotations

from typing import List, Optional, Sequence

from hicrisp_core.language import lexicon
from hicrisp_core.language.mentions import Mention
from hicrisp_core.language.names import words_of
from hicrisp_core.language.order_parts import Part, Told
from hicrisp_core.language.order_turns import Turn, ordered_at, ordinal, parting_at, turn_at
from hicrisp_core.language.order_words import (
    AROUND,
    ARTICLES,
    AXES,
    BREAKS,
    DENYING,
    FIRST,
    INTO,
    LEVEL,
    NEUTRAL,
    SEVERAL_SHAPES,
    UPRIGHT,
    Axis,
)
from hicrisp_core.model import WorldState

_COUNTS = {word: number for word, number in lexicon.NUMBERS.items() if number > 1}
_STARTING, _ENDING = ("first",), ("last", "finally", "lastly")
_BEGINNING = ("start", "starts", "starting", "begin", "begins", "beginning")
_SUFFIXES = ("most", "hand")
DESCRIBED = ("thing", "object", "item", "things", "objects", "items")
_ADVERBIAL = ("at", "on", "in", "into", "onto", "under", "up", "below", "above")
"""What follows a "right" that means "exactly", and a "back" that means "again"."""
_WHOLES = frozenset(("of", "them", ",", ".", *DESCRIBED))
_OF_BEFORE = ("it", "they", "them")
_LONGEST_WAY = 8


class PlaceReader:
    """Reads one request, all but its things and the relations between them.

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

    def _way(self, at: int) -> int:
        said = " ".join(self._words[at:at + _LONGEST_WAY])
        if self._part.things and self._words[at] in ("starts", "begins"):
            return 0  # "The mug starts on the left" is its place.
        for axis in AXES:
            for pattern, onward in ((axis.onward, 1), (axis.back, -1)):
                way = pattern.match(said)
                length = len(way.group().split()) if way else 0
                if length and self._words[at + length:at + length + 1] != ["of"]:
                    self._told.ways.append(onward)
                    self._belongs(axis)
                    return length
        return 0

    def _turn(self, at: int) -> int:
        """"Goes last", "finishes it off", "finish with": of the thing before, or of the next one."""
        turn = turn_at(self._words[at:])
        if turn is None or set(self._words[at:at + turn.length]) & self._known:
            return 0
        if turn.place == FIRST and not turn.axes and len(self._told.things) < 2:
            self._part.begins = True
            return turn.length
        if not turn.ahead and (not self._part.things or at + turn.length in self._found):
            return 0  # "On top this box" is no "tops this".
        if turn.ahead and not (self._leads_on(at + turn.length) and self._end_part()):
            return 0
        if self._part.turn is not None:
            return 0
        self._part.turn = turn
        if turn.axes:
            self._belongs(*turn.axes)
        return turn.length

    def _place(self, at: int) -> int:
        word, after = self._words[at], self._words[at + 1:at + 5]
        axes = [axis for axis in AXES if word in axis.places]
        if not axes or word in self._known or after[:1] and after[0] in DESCRIBED:
            return 0
        if word in ("right", "back") and after[:1] and after[0] in _ADVERBIAL:
            return 1
        if word in ("left", "right") and self._before(at) == "its" and not self._told.shaped:
            return 0  # Of something that was not named here.
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
        self._part.sides.append(tuple(axes))
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
        length = self._number(at) or self._shape(at) or self._told_order(at)
        if length:
            return length
        if word in _STARTING:
            return self._first(at)
        if word in _BEGINNING and self._words[at + 1:at + 2] == ["with"] and self._leads_on(at + 2) \
                and not self._told.things and self._end_part():
            self._part.begins = True
            return 2
        if word in ("but", "yet") and not (self._told.steps or self._told.links or self._part.places):
            return 0  # "All but the mug".
        length = parting_at(self._words[at:])
        if length:
            return length if self._end_part() else 0
        if word in BREAKS or word in _ENDING:
            after = self._words[at + 1:at + 2]
            plain = not set(after) & (BREAKS | set(_ENDING))
            return int(self._end_part(word if plain and word in ("and", ",") else ""))
        self._part.bare = self._part.bare and word == "only"
        if word == "both":
            return int(len((*self._part.joined, *self._part.things)) == 2)
        if word == "all" and set(self._words[at + 1:at + 2]) & _WHOLES:
            return 0  # "All of them": more than those that are named.
        if word == "out" and self._told.things:
            return 0  # "The mug out of the bowl"; "a tower out of these" is none of it.
        self._part.which = self._part.which or word == "which"
        return max(self._lengths(at, lexicon.FILLERS), default=int(word in NEUTRAL))

    def _number(self, at: int) -> int:
        """"Four" things, "two towers", towers "of two", "the second one"."""
        word, told = self._words[at], self._told
        if word in _COUNTS:
            self._part.bare = False
            if self._words[at + 1:at + 2] and self._words[at + 1] in SEVERAL_SHAPES:
                told.towers = _COUNTS[word]
            elif told.towers and not told.things and self._before(at) == "of":
                told.each = _COUNTS[word]
            else:
                told.counts.append(_COUNTS[word])
            return 1
        number = ordinal(word)
        if not number or len(told.things) + (not self._part.things) != number:
            return 0
        if self._part.things:
            return int(self._breaks(at + 1))
        return int(self._leads_on(at + 1) and self._end_part())

    def _shape(self, at: int) -> int:
        word = self._words[at]
        self._told.shaped = self._told.shaped or word in UPRIGHT.shapes or word in LEVEL.shapes
        shapes = [axis for axis in AXES if word in axis.shapes or self._told.towers and word in axis.several]
        if shapes:
            self._belongs(*shapes)
        around = self._lengths(at, AROUND) if self._before(at) in ARTICLES else []
        return around[0] if around else int(bool(shapes or self._told.towers and word in SEVERAL_SHAPES))

    def _told_order(self, at: int) -> int:
        """"In this order"."""
        length = ordered_at(self._words[at:])
        self._told.ordered = self._told.ordered or bool(length)
        return length

    def _first(self, at: int) -> int:
        """"First the mug, then the can"; behind two things, "the mug first" tells a turn."""
        if len(self._told.things) < 2:
            self._part.begins = True
            return 1
        if not self._part.things or not self._breaks(at + 1) or self._part.turn is not None:
            return 0
        self._part.turn = Turn(1, FIRST)
        return 1

    def _tells_more(self, at: int) -> bool:
        """Whether a word that is neutral elsewhere tells something of a thing here, or is a thing itself."""
        word = self._words[at]
        if word in _OF_BEFORE:
            return bool(self._told.things) or self._told.fronted
        if word == "by" and self._part.places and not self._part.things:
            return False  # "Flanked on the left by the mug".
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
        if joint and len(part.things) == 1 and not part.places and part.turn is None \
                and part.things[0] not in told:
            self._part = Part(joined=(*part.joined, *part.things), by_and=joint == "and")
        if not part.things and not part.places and part.turn is None:
            self._part.begins = part.begins and joint == ","  # "First, the mug".
        if part.denied and (part.places or part.turn or not part.linked):
            return False
        if part.related and len(part.things) > 1 and part.things[-1] not in told:
            return False  # A thing behind a relation, of which nothing is told before the next part.
        if part.begins and len(part.things) == 1 and not part.related and not part.places:
            self._told.begun.update(part.things)
        return self._took_turn(part) and self._took_places(part)

    def _took_turn(self, part: Part) -> bool:
        turn = part.turn
        if turn is None:
            return True
        if len(part.things) != 1 or part.by_and and not turn.single and not turn.ahead:
            return False
        taken = self._told.places if turn.axes else self._told.turns
        return taken.setdefault(part.things[0], turn.place) == turn.place

    def _took_places(self, part: Part) -> bool:
        if not part.places:
            return True
        if part.by_and or len(part.places) != len(part.things) or any(
                one == other for one, other in zip(part.said, part.said[1:])):
            return False
        self._told.sides.update(
            (name, (axes, place)) for name, axes, place in zip(part.things, part.sides, part.places))
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

    def _leads_on(self, at: int) -> bool:
        """Whether one thing is named here."""
        mention = self._thing_at(at)
        return mention is not None and len(mention.fitting) == 1

    def _before(self, at: int) -> str:
        return self._words[at - 1] if at else ""

    def _breaks(self, at: int) -> bool:
        return at >= len(self._words) or self._words[at] in BREAKS

    def _belongs(self, *axes: Axis) -> None:
        self._told.axes.append(axes)
