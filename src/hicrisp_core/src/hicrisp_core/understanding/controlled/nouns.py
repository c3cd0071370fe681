"""Noun phrases: ``all red boxes on the tray except the big one``."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import Any, Dict, FrozenSet, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import ROBOT_TYPES, Domain
from hicrisp_core.model import WorldState
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.understanding.controlled.patterns import MARKS, Words, led
from hicrisp_core.understanding.controlled.tables import Place, Tables
from hicrisp_core.understanding.written import Amount, Context, Fact, Line, Phrase, Where, parse_line
from hicrisp_core.understanding.written.context import Several, Unlinked
from hicrisp_core.understanding.written.names import words_of
from hicrisp_core.understanding.written.objects import GIVEN, Objects
from hicrisp_core.understanding.written.sayings import ACTOR, BETWEEN, IT, MADE, ORDERS, STATES, SWAP, each_in

AT, STATE = "at", "state"
"""The slots for a place and a state."""
_BUILT_IN = frozenset((*ORDERS, SWAP, MADE))
"""What the written goal language says in every domain."""
_PAIR = re.compile(r"(\w+)\(\{x\}, \{y\}\)")
THEM = "them"
"""Words of a phrase for the several objects that were spoken of last."""
_MOST_WORDS, _MOST_READINGS = 6, 8
ONE, _OBJECT = "one", "object"
_AND = "and"
_PLURALS = (("ies", "y"), ("ves", "f"), ("ves", "fe"), ("es", ""), ("s", ""))
_STATE = re.compile(r"(not )?(\w+)\(\{x\}\)")
Phrases = Tuple[Phrase, ...]


class Meanings:
    """Chooses between candidates by the predicates of a domain and the objects of a world.

    Attributes:
        choices: what may stand in the slots for a place and a state, by name.
    """

    def __init__(self, tables: Tables, domain: Domain, world: WorldState) -> None:
        self.domain = domain
        self.choices: Mapping[str, Mapping[str, Place]] = {AT: tables.places, STATE: tables.states}
        self._types = world.types()
        self._linked = Objects(domain, world, Context())
        self._found: Dict[Phrase, Tuple[str, ...]] = {}
        held = domain.predicates.get(domain.roles.held)
        self._actors = {*ROBOT_TYPES, "robot", *(held.arguments[:1] if held is not None else ())}

    def objects(self, phrase: Phrase) -> Tuple[str, ...]:
        """Return the objects that a phrase may stand for; none if it is not about this world."""
        if phrase not in self._found:
            try:
                self._found[phrase] = self._linked.all(phrase)
            except Several:  # The user is asked what it is near to.
                self._found[phrase] = self._linked.names.fitting(phrase.words)
            except Unlinked:
                self._found[phrase] = ()
        found = self._found[phrase]
        exact = self._linked.names.exactly(phrase.words, found) if phrase.amount is Amount.ONE else ()
        return exact or found

    def chosen(self, candidates: Iterable[str], values: Mapping[str, Any]) -> Optional[Line]:
        """Return the line of the first candidate that the domain has and whose types fit the objects in the slots."""
        said = {name: " + ".join(map(str, value)) if isinstance(value, tuple) else str(value)
                for name, value in values.items()}
        for candidate in candidates:
            slot = next((each for each in self.choices if f"{{{each}}}" in candidate), "")
            for meant in self.choices[slot][values[slot]].means if slot else ("",):
                text = candidate.replace(f"{{{slot}}}", meant).format_map(said).replace("not not ", "")
                line = parse_line(text)
                if not isinstance(line, Misfit) and all(map(self._fits, each_in(Fact, line))):
                    return line
        return None

    def relation(self, place: str, object_: Phrase) -> str:
        """Return the predicate by which a place tells what is there; empty if the domain has none."""
        pairs = (_PAIR.fullmatch(each) for each in self.choices[AT][place].means)
        return next((pair[1] for pair in pairs if pair is not None and self._fits(Fact(pair[1], ((), (object_,))))), "")

    def has(self, predicate: str) -> bool:
        """Check whether the domain has a predicate; an empty one is no demand."""
        return not predicate or predicate in self.domain.predicates

    def _fits(self, fact: Fact) -> bool:
        if fact.predicate in _BUILT_IN:
            return True
        known = self.domain.predicates.get(fact.predicate)
        return known is not None and len(known.arguments) == len(fact.arguments) and all(
            map(self._is, fact.arguments, known.arguments))

    def _is(self, phrases: Sequence[Phrase], type_: str) -> bool:
        for phrase in phrases:
            if phrase.words == ACTOR:
                if type_ not in self._actors:
                    return False
                continue
            names = () if phrase.words in GIVEN else self.objects(phrase)
            if names and not any(self.domain.is_a(self._types.get(name, "object"), type_) for name in names):
                return False
        return True


class NounPhrases:
    """Reads noun phrases about the objects of a world.

    Args:
        unknown: words are let through that stand for nothing here.

    Attributes:
        function_words: the words of the tables that stand for no object here.
    """

    def __init__(self, tables: Tables, meanings: Meanings, world: WorldState, unknown: bool = False) -> None:
        self._tables = tables
        self._nouns = tables.nouns
        self._meanings = meanings
        self._unknown = unknown
        self._called = {word for name in (*world.types(), *meanings.domain.types) for word in words_of(name)}
        self.function_words = _words(tables) - self._called - {_OBJECT, ONE, *tables.nouns[_OBJECT]}
        self._read: Dict[Words, Phrases] = {}
        self._ranks = {phrase: rank for rank, phrases in tables.ranks.items() for phrase in phrases}
        self._determiners: Dict[str, Amount] = {
            phrase: amount for amount in Amount if amount is not Amount.COUNT for phrase in tables.nouns[amount.value]}

    def one(self, said: Words) -> Phrases:
        """Return every way in which words are one noun phrase; none if there are too many."""
        if said not in self._read:
            self._read[said] = ()
            found = tuple(dict.fromkeys(islice(filter(self._stands, self._phrases(said)), _MOST_READINGS)))
            self._read[said] = found if len(found) < _MOST_READINGS else ()
        return self._read[said]

    def several(self, said: Words) -> Tuple[Phrases, ...]:
        """Return every way in which words are a noun phrase, or several joined by commas and one "and"."""
        pair, both = led(said, self._nouns["pair"])
        if pair and _AND in both:
            return tuple(each for each in self.several(both) if len(each) == 2)
        found: List[Phrases] = [(each,) for each in self.one(said)]
        for at in range(1, len(said) - 1):
            if said[at] == _AND:
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
        denied = bool(that) and rest[:1] == ("not",)
        rest = rest[1:] if denied else rest
        found: List[Where] = []
        for name, phrases in self._tables.among.items():
            phrase, others = led(rest, phrases)
            if phrase and others:
                lists = self.several(others) if name == BETWEEN else [(each,) for each in self.one(others)]
                found += [Where(name, each) for each in lists if len(each) == (2 if name == BETWEEN else 1)]
        for name, place in self._tables.places.items():
            for phrase in place.say:
                lead, others = led(rest, (phrase,))
                for other in self.one(others) if lead and others else ():
                    predicate = self._meanings.relation(name, other)
                    found += [Where(predicate, (other,), not denied)] if predicate else []
        if that:
            found += [each for state in self._tables.states.values() if " ".join(rest) in state.say
                      for each in self._state(state.means, denied)]
        return tuple(dict.fromkeys(found))

    def _stands(self, phrase: Phrase) -> bool:
        return self._unknown or phrase.words in (IT, THEM) or bool(self._meanings.objects(phrase))

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
            yield from (replace(head, where=(*head.where, where)) for where in self.where(said[at:])
                        for head in self.one(said[:at]) if not head.without and head.words not in (IT, THEM))
        if not MARKS & set(said):
            simple = self._simple(said)
            if simple is not None:
                yield simple

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
        other, rest = led(rest, self._nouns["other"])
        ordinal = self._tables.ordinals.get(rest[0], 1) if rest else 1
        rank, after = led(rest[1:] if ordinal > 1 else rest, self._ranks)
        ordinal, rest = (ordinal, after) if rank else (1, rest)
        state, rest = led(rest, STATES) if len(rest) > 1 else ("", rest)
        words, plural = self._singular(tuple(word for each in rest for word in each.replace("_", " ").split()))
        if not 0 < len(words) <= _MOST_WORDS or self._unknown and self.function_words & set(words):
            return None
        if plural and amount is Amount.ONE:
            amount = Amount.ALL
        elif plural and amount not in (Amount.ALL, Amount.COUNT) and not determiner.endswith("the"):
            return None
        return Phrase(" ".join(words), amount, least, most, bool(other), self._ranks.get(rank, ""), ordinal, state)

    def _counted(self, said: Words) -> Tuple[Amount, int, Optional[int], Words]:
        how, rest = led(said, (*self._nouns["exactly"], *self._nouns["at_most"], *self._nouns["at_least"]))
        if not rest or not (rest[0].isdigit() or rest[0] in self._tables.numbers):
            return Amount.ONE, 0, None, said
        number = int(rest[0]) if rest[0].isdigit() else self._tables.numbers.index(rest[0]) + 1
        rest = led(rest[1:], ("of the",))[1]
        if not how and number == 1:
            return Amount.ANY, 0, None, rest
        least = 0 if how in self._nouns["at_most"] else number
        return Amount.COUNT, least, number if how and how not in self._nouns["at_least"] else None, rest

    def _singular(self, words: Words) -> Tuple[Words, bool]:
        """Return the words in the singular, with numbers as digits, and whether they were in the plural."""
        digits = tuple(str(self._tables.numbers.index(word) + 1) if at and word in self._tables.numbers[1:] else word
                       for at, word in enumerate(words))
        last = digits[-1] if digits else ""
        forms = {last[:-len(many)] + one for many, one in _PLURALS if last.endswith(many)}
        objects = set(self._nouns["object"])
        found = next((form for form in sorted(forms) if form in {*self._called, *objects, ONE}), "")
        if last not in self._called and found:
            return (*digits[:-1], _OBJECT if found in objects else found), True
        return (*digits[:-1], _OBJECT) if last in objects - self._called else digits, False

    def _state(self, means: Tuple[str, ...], denied: bool) -> Iterator[Where]:
        for each in means:
            state = _STATE.fullmatch(each)
            if state is not None and self._meanings.has(state[2]):
                yield Where(state[2], (), denied == bool(state[1]))
                return


def _words(tables: Tables) -> FrozenSet[str]:
    """Return the words that noun phrases and the parts of a task begin, end and are joined with."""
    forms = (*tables.ranks.values(), *tables.among.values(), *tables.nouns.values(), *tables.joins.values())
    places = (each.say for table in (tables.places, tables.states) for each in table.values())
    phrases = (tables.numbers, tuple(tables.ordinals), STATES, (_AND, "not", *MARKS), *forms, *places)
    return frozenset(word for each in phrases for phrase in each for word in phrase.split())
