"""Noun phrases, ``all red boxes on the tray except the big one``, as those of the written goal language."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import Dict, Iterator, List, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import GoalError, WorldState
from hicrisp_core.parsing.names import NUMBERS, forms_of, number_of, words_of
from hicrisp_core.scene.colours import COLOURS
from hicrisp_core.understanding.controlled.tables import MARKS, Tables, Words, ended, led
from hicrisp_core.understanding.written import Amount, Context, Line, Phrase, Where, parse_line
from hicrisp_core.understanding.written.context import Several, Unlinked
from hicrisp_core.understanding.written.objects import Objects
from hicrisp_core.understanding.written.sayings import BETWEEN, IT, STATES, SaidCondition, each_in

THEM = "them"
"""Words of a phrase for the several objects that were spoken of last."""
_MOST_WORDS, _MOST_READINGS = 6, 8
ONE, _OBJECT = "one", "object"
_AND, _OF = "and", "of"
Phrases = Tuple[Phrase, ...]


class NounPhrases:
    """Reads noun phrases about the objects of a world.

    Args:
        unknown: words are let through that stand for nothing here.

    Attributes:
        linked: the objects that the phrases stand for.
        function_words: the words that noun phrases and the parts of a task begin, end and are joined with, and that
            stand for no object here.
    """

    def __init__(self, tables: Tables, domain: Domain, world: WorldState, unknown: bool = False) -> None:
        self._tables = tables
        self._nouns = tables.nouns
        self._unknown = unknown
        self.linked = Objects(domain, world, Context())
        self._known: Dict[Phrase, Tuple[str, ...]] = {}
        self._called = {word for name in (*world.types(), *domain.types) for word in words_of(name)}
        forms = (tables.ranks, tables.among, tables.nouns, tables.joins, tables.places, tables.states)
        phrases = ((*NUMBERS, *STATES, _AND, "not", *MARKS), *(each for form in forms for each in form.values()))
        own = {_OBJECT, ONE, *tables.nouns[_OBJECT]}
        self.function_words = {word for each in phrases for phrase in each for word in phrase.split()} \
            - self._called - own
        self._read: Dict[Words, Phrases] = {}
        self._ranks = {phrase: rank for rank, phrases in tables.ranks.items() for phrase in phrases}
        self._outstanding = {word: rank for rank, words in tables.outstanding.items() for word in words}
        self._determiners: Dict[str, Amount] = {
            phrase: amount for amount in Amount if amount is not Amount.COUNT for phrase in tables.nouns[amount.value]}

    def objects(self, phrase: Phrase) -> Tuple[str, ...]:
        """Return the objects that a phrase may stand for; none if it is not about this world."""
        if phrase not in self._known:
            try:
                self._known[phrase] = self.linked.all(phrase)
            except Several:  # The user is asked what it is near to.
                self._known[phrase] = self.linked.names.fitting(phrase.words)
            except Unlinked:
                self._known[phrase] = ()
        found = self._known[phrase]
        exact = self.linked.names.exactly(phrase.words, found) if phrase.amount is Amount.ONE else ()
        return exact or found

    def line(self, text: str) -> Optional[Line]:
        """Return a line of the written goal language in the domain's own predicates; ``None`` for any other text."""
        line = parse_line(text)
        return None if isinstance(line, GoalError) else self.linked.predicates.own_words(line)

    def one(self, said: Words) -> Phrases:
        """Return every way in which words are one noun phrase; none if there are too many."""
        if said not in self._read:
            self._read[said] = ()
            stand = (each for each in self._phrases(said)
                     if self._unknown or each.words in (IT, THEM) or self.objects(each))
            found = tuple(dict.fromkeys(islice(stand, _MOST_READINGS)))
            self._read[said] = found if len(found) < _MOST_READINGS else ()
        return self._read[said]

    def several(self, said: Words) -> Tuple[Phrases, ...]:
        """Return every way in which words are a noun phrase, or several joined by commas and one "and"."""
        pair, both = led(said, self._nouns["pair"])
        if pair and _AND in both:
            return tuple(each for each in self.several(both) if len(each) == 2)
        found: List[Phrases] = [(each,) for each in self.one(said)]
        for at in range(1, len(said) - 1):
            if said[at] == _AND and not (_joins_colours(said, at) and found):
                before = said[:at - 1] if said[at - 1] in MARKS else said[:at]
                found += [(*first, last) for last in self.one(said[at + 1:]) for first in self._listed(before)]
        return tuple(dict.fromkeys(found))

    def kinds(self, said: Words) -> Phrases:
        """Return every way in which words tell a kind, however many of it are meant."""
        return tuple(replace(each, amount=Amount.ONE, least=0, most=None) for each in self.one(said)
                     if each.words not in (IT, THEM))

    def where(self, said: Words) -> Tuple[Where, ...]:
        """Return every way in which words tell objects from others: "that is not on the tray"."""
        that, rest = led(said, self._nouns["that"])
        denied = rest[:1] == ("not",)
        rest = rest[1:] if denied else rest
        found: List[Where] = []
        for name, phrases in self._tables.among.items():
            phrase, others = led(rest, phrases)
            if phrase and others:
                lists = self.several(others) if name == BETWEEN else [(each,) for each in self.one(others)]
                found += [Where(name, each, not denied) for each in lists if len(each) == (2 if name == BETWEEN else 1)]
        for place, phrases in self._tables.places.items():
            for phrase in phrases:
                lead, others = led(rest, (phrase,))
                found += [Where(place, (each,), not denied) for each in (self.one(others) if lead and others else ())]
        for state, phrases in self._tables.states.items():
            line = self.line(state.format(x=_OBJECT)) if that and " ".join(rest) in phrases else None
            found += [Where(each.facts[0].predicate, (), each.holds != denied) for each in each_in(SaidCondition, line)
                      if len(each.facts[0].arguments) == 1]
        return tuple(dict.fromkeys(found))

    def _listed(self, said: Words) -> Iterator[Phrases]:
        yield from ((each,) for each in self.one(said))
        for at in range(1, len(said) - 1):
            if said[at] == ",":
                yield from ((first, *rest) for first in self.one(said[:at]) for rest in self._listed(said[at + 1:]))

    def _phrases(self, said: Words) -> Iterator[Phrase]:
        whole = " ".join(said)
        if whole in self._nouns["pronouns"] or whole in self._nouns["plurals"]:
            yield Phrase(IT if whole in self._nouns["pronouns"] else THEM)
            return
        for at in range(1, len(said)):
            without, rest = led(said[at:], self._nouns["except"])
            if without and rest:
                yield from (replace(head, without=each) for head in self.one(said[:at])
                            if head.amount is Amount.ALL for each in self.several(rest))
            if said[at] == _OF:  # "The top drawer of the cabinet" is a cabinet's top drawer.
                yield from (replace(head, words=f"{whole.words} {head.words}") for head in self._plain(said[:at])
                            if self.linked.names.tells_kind(head.words) for whole in self._plain(said[at + 1:]))
            yield from (replace(head, words=form.format(head.words)) for form in self._described(said[at:])
                        for head in self.one(said[:at]) if not (head.where or head.without))
            aside = next((rank for phrase, rank in self._ranks.items()
                          if " " in phrase and said[at:] == tuple(phrase.split())), "")
            yield from (replace(head, rank=aside) for head in self._plain(said[:at]) if aside)
            yield from (replace(head, where=(*head.where, where)) for where in self.where(said[at:])
                        for head in self.one(said[:at]) if not head.without and head.words not in (IT, THEM))
        if not MARKS & set(said):
            simple = self._simple(said)
            if simple is not None:
                yield simple

    def _described(self, said: Words) -> Iterator[str]:
        """Yield the words for a thing "to turn the screws with" or "that is fragile", ``{} for turn screws`` and
        ``fragile {}``, if that is known of any object.
        """
        lead, rest = led(said, (*self._tables.uses["lead"], *self._nouns["that"]))
        for words in {rest, ended(rest, self._tables.uses["trail"])[1]} if lead else ():
            telling = " ".join(word for word in words if word not in self._determiners)
            form = f"{telling} {{}}" if lead in self._nouns["that"] else f"{{}} for {telling}"
            if telling and not MARKS & set(words) and self.linked.names.fitting(form.format(_OBJECT)):
                yield form

    def _plain(self, said: Words) -> Tuple[Phrase, ...]:
        """Return the phrase of words that name an object or several by nothing else; none for any other words."""
        found = None if not said or MARKS & set(said) else self._simple(said)
        return () if found is None or found.rank or found.state or found.words in (IT, THEM) else (found,)

    def _simple(self, said: Words) -> Optional[Phrase]:
        """Return the phrase of a determiner, what is said of the object, and its name or kind."""
        if " ".join(said) in (*self._nouns["everything"], *self._nouns["anything"]):
            return Phrase(_OBJECT, Amount.ALL if " ".join(said) in self._nouns["everything"] else Amount.ANY)
        determiner, rest = led(said, self._determiners)
        if not rest:  # A letter may be a name: a, the block.
            determiner, rest = "", said
        amount = self._determiners.get(determiner, Amount.ONE)
        least, most = 0, None
        if not determiner:
            amount, least, most, rest = self._counted(said)
        elif amount in (Amount.ONE, Amount.ALL) and self._singular(rest[1:])[1] and number_of(rest[0]):
            those = self._simple((*determiner.split(), *rest[1:]))  # "All three boxes", "the two cups".
            return those if those is not None and len(self.objects(those)) == number_of(rest[0]) else None
        other, rest = led(rest, self._nouns["other"])
        ordinal = number_of(rest[0], ordinal=True) if rest else 0
        rank, after = led(rest[1:] if ordinal else rest, self._ranks)
        if rank and not ordinal and self.linked.names.fitting(" ".join(rest)):
            rank = ""  # It is part of a name: "the left arm", "the back compartment".
        ordinal, rest = (ordinal or 1, after) if rank else (1, rest)
        outstanding = ""
        if determiner and not rank and amount is Amount.ONE and not self.linked.names.fitting(" ".join(rest)):
            outstanding, rest = led(rest, self._outstanding)
        state, rest = led(rest, STATES) if len(rest) > 1 else ("", rest)
        words, plural = self._singular(tuple(
            word for at, each in enumerate(rest) if not _joins_colours(rest, at)
            for word in re.sub(r"_|'s$", " ", each).split()))
        if not 0 < len(words) <= _MOST_WORDS or self._unknown and self.function_words & set(words):
            return None
        if determiner and words[-1] == ONE and self.linked.names.exactly(" ".join(words), self.linked.names.movable):
            words = (*words[:-1], _OBJECT)  # "The unknown one" is any of them, and not the first.
        rank = self._ranks.get(rank, "")
        if outstanding and plural:
            return None
        if outstanding:  # If none stands out, the user is asked which is meant.
            among, first = self.linked.names.fitting(" ".join(words)), self._outstanding[outstanding]
            rank = first if self.linked.places.stands_out(first, among) else ""
        if plural and amount is Amount.ONE:
            amount = Amount.ALL
        elif plural and amount not in (Amount.ALL, Amount.COUNT) and not determiner.endswith("the"):
            return None
        return Phrase(" ".join(words), amount, least, most, bool(other), rank, ordinal, state)

    def _counted(self, said: Words) -> Tuple[Amount, int, Optional[int], Words]:
        how, rest = led(said, (*self._nouns["exactly"], *self._nouns["at_most"], *self._nouns["at_least"]))
        number = number_of(rest[0]) if rest else 0
        if not number:
            return Amount.ONE, 0, None, said
        rest = led(rest[1:], ("of the",))[1]
        if not how and number == 1:
            return Amount.ANY, 0, None, rest
        least = 0 if how in self._nouns["at_most"] else number
        return Amount.COUNT, least, number if how and how not in self._nouns["at_least"] else None, rest

    def _singular(self, words: Words) -> Tuple[Words, bool]:
        """Return the words in the singular, and whether they were in the plural."""
        if not words:
            return (), False
        *before, last = words
        objects = self._nouns[_OBJECT]
        if last in self._called or last == ONE:
            return words, False
        shorter = (form for form in sorted(forms_of((last,))) if len(form) < len(last))
        one = next((form for form in shorter if form in {*self._called, *objects, ONE}), last)
        return (*before, _OBJECT if one in objects else one), one != last


def _joins_colours(words: Words, at: int) -> bool:
    """Check whether a word only joins two colours of one object: "the yellow and white mug"."""
    return words[at] == _AND and 0 < at < len(words) - 1 and words[at - 1] in COLOURS and words[at + 1] in COLOURS
