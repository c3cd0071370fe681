"""Clauses for mobile bases: which areas, in which order, where to dock, how long to wait."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, List, Mapping, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import Errand, NotUnderstood
from hicrisp_core.language.noun_phrases import PhraseReader
from hicrisp_core.language.splitter import Clause
from hicrisp_core.language.tokens import END, Token
from hicrisp_core.language.vocabulary import Vocabulary

EXAMPLES = ("visit area 3, then area 2, then area 1", "go to area 2", "visit all areas",
            "visit areas 1 and 3 in this order", "carry the load to area 2",
            "go to area 1, wait 10 seconds and dock")
TO_AREAS = ("visit", "go_to", "carry_to")
"""The skills whose places are areas in an order."""
_TURNS = ("before", "after")
_CARRY = ("carry", "put", "take")
"""The meanings of verbs that bring a load somewhere."""


class DriveReader(PhraseReader):
    """Reads clause after clause; one without a verb has that of the one before."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(())
        self._known = vocabulary
        self._skill = ""
        self._in_order = False
        self._verbs: Mapping[str, Callable[[], List[Errand]]] = {
            "wait": self._wait, "dock": self._dock, "visit": self._visits, "go_to": self._visits,
            "return": self._visits,
        }

    def read(self, clause: Clause) -> List[Errand]:
        """What a clause asks of a base.

        Raises:
            NotUnderstood: with the part that could not be read and the areas that there are.
        """
        self.begin(clause.tokens)
        self._in_order = clause.in_order
        verb = clause.verb
        if verb is END and self._skill:
            return self._visits()
        if verb.value in _CARRY and verb.text in lexicon.CARRIES and not self._known.carrying:
            return self._carry()
        if verb.value not in self._verbs:
            raise NotUnderstood(f"'{clause.text}' is not an action I know", clause.text)
        self.skip()
        if verb.value != "wait" and verb.value != "dock":
            self._skill = "visit" if verb.value == "visit" else "go_to"
        return self._verbs[verb.value]()

    def _wait(self) -> List[Errand]:
        while self.skip("for", "there", "here"):
            pass
        number = self.peek().text
        self.skip()
        unit = self.peek().text
        if unit not in lexicon.SECONDS:
            raise NotUnderstood("say how long to wait, for example 'wait 10 seconds'")
        self.skip()
        self.skip("there", "here")
        self._end()
        count = 1.0 if number in lexicon.ANY else _number(number)
        return [Errand("wait", seconds=count * lexicon.SECONDS[unit])]

    def _dock(self) -> List[Errand]:
        while self.peek().kind == "relation" or self.peek().text == "at":
            self.skip()
        said = self._until_end()
        return [Errand("dock", (self._station(said),))]

    def _carry(self) -> List[Errand]:
        """"Carry the load to area 2", where nobody knows what the load is."""
        self.skip()
        while self.peek().text in (*lexicon.ARTICLES, *lexicon.CARGO, "it"):
            self.skip()
        if self.peek().value != "to":
            raise NotUnderstood(f"'{self.rest()}' cannot be carried here; say 'carry the load to ...'")
        self._skill = "carry_to"
        return self._visits()

    def _visits(self) -> List[Errand]:
        """Areas that stand together: visited in any order, unless it is said otherwise."""
        if self.peek() is END:
            raise NotUnderstood(f"say where to go; there are: {self._areas()}")
        found: List[Errand] = []
        names: List[str] = []
        while self.peek() is not END:
            if self.peek().text == "next to":  # "first to area 1, next to area 3"
                self._add(found, names)
                names = []
                self.skip()
            first = self._item()
            if self.peek().text in _TURNS:
                turn = self.peek().text
                self.skip()
                while self.peek().text in ("visiting", "going", "to", "you") or self.peek().kind == "verb":
                    self.skip()
                then = self._items()
                first, then = ([*names, *first], then) if turn == "before" else (then, [*names, *first])
                self._add(found, first)
                names = []
                self._add(found, then)
            elif len(first) == 1 and first[0] in self._known.stations:
                self._add(found, names)
                names = []
                found.append(Errand("dock", tuple(first)))
            else:
                names += [name for name in first if name not in names or self._in_order]
            self.skip_kind("and")
        self._add(found, names)
        if not found:
            raise NotUnderstood(f"no area is left to go to; there are: {self._areas()}")
        return found

    def _add(self, found: List[Errand], names: Sequence[str]) -> None:
        if names:
            found += [Errand(self._skill, (name,)) for name in names] if self._in_order else \
                [Errand(self._skill, tuple(names))]

    def _items(self) -> List[str]:
        """All parts of the list that are left."""
        found: List[str] = []
        while self.peek() is not END:
            found += [name for name in self._item() if name not in found]
            self.skip_kind("and")
        return found

    def _item(self) -> List[str]:
        """One part of a list: an area, a station, or all areas but some."""
        while self.peek().value == "to" or self.peek().text == "at":
            self.skip()
        said: List[Token] = []
        while self.peek().kind not in ("and", "except", "end") and self.peek().text not in _TURNS:
            said.append(self.peek())
            self.skip()
        while len(said) > 1 and said[-1].text in ("each", "them"):
            said.pop()
        if not _all(said):
            return [self._place(said)]
        left_out: List[str] = []
        if self.peek().kind == "except":
            self.skip()
            left_out = self._items()
        return [name for name in self._known.areas if name not in left_out]

    def _place(self, said: Sequence[Token]) -> str:
        found = self._known.area(said) or (self._known.station(said) if self._skill == "go_to" else "")
        if not found:
            told = " ".join(token.text for token in said if token.text not in lexicon.ARTICLES)
            raise NotUnderstood(f"there is no area '{told}'; there are: {self._areas()}", told)
        return found

    def _station(self, said: Sequence[Token]) -> str:
        known = self._known.stations
        found = self._known.station(said) if said else known[0] if len(known) == 1 else ""
        if not found:
            told = " ".join(token.text for token in said if token.text not in lexicon.ARTICLES) or "dock"
            there = ", ".join(known) or "none"
            raise NotUnderstood(f"there is no station '{told}'; there are: {there}", told)
        return found

    def _areas(self) -> str:
        return ", ".join(self._known.areas) or "none"

    def _until_end(self) -> List[Token]:
        said = []
        while self.peek() is not END:
            said.append(self.peek())
            self.skip()
        return said

    def _end(self) -> None:
        if self.peek() is not END:
            raise NotUnderstood(f"'{self.rest()}' is not understood")


def joined(before: Errand, after: Errand) -> Tuple[Errand, ...]:
    """Two drives of one part of a request: areas that stand together are visited in any order."""
    if before.skill not in TO_AREAS or after.skill not in TO_AREAS or before.robot != after.robot:
        return before, after
    more = tuple(name for name in after.places if name not in before.places)
    return (replace(after, places=(*before.places, *more)),)


def _all(said: Sequence[Token]) -> bool:
    """"All areas", "every area", "both of the places", "each"."""
    texts = [token.text for token in said if token.text not in (*lexicon.ARTICLES, "of", "them")]
    return bool(texts) and texts[0] in (*lexicon.ALL, "both", "everything", "everywhere") and (
        len(texts) == 1 or (len(texts) == 2 and texts[1] in lexicon.AREA_WORDS))


def _number(text: str) -> float:
    if text in lexicon.NUMBERS:
        return float(lexicon.NUMBERS[text])
    try:
        return float(text)
    except ValueError:
        raise NotUnderstood(f"'{text}' is not a number of seconds or minutes", text) from None
