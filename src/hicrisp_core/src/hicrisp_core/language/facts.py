"""Facts in words: sentences that say what shall be so, in the words of the domain's predicates.

"The red block is on the blue block, and the blue block is on the table": every domain's predicates have
texts, so every domain's goals can be said like this. Nothing is looked up here; see
:mod:`hicrisp_core.language.goals`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.handling import each_where
from hicrisp_core.language.intents import NotUnderstood, Noun
from hicrisp_core.language.noun_phrases import PhraseReader
from hicrisp_core.language.templates import Template
from hicrisp_core.language.tokens import (
    END,
    MAX_CHARACTERS,
    Word,
    behind,
    plain,
    rewritten,
    tokenise,
    words_in,
)

_SENTENCE_ENDS = (".", ";", "!", "\n")
_JOINTS = (",", "and")
_LEADS = (*lexicon.LEADS, *lexicon.POLITE)
_THAT = ("that", "which")


@dataclass(frozen=True)
class SaidFact:
    """A fact as it was said: a predicate, or its denial, with noun phrases.

    Args:
        subjects: what it is said of; each of them, where there are several.
        objects: what the subjects are put in relation to; empty for a fact about one thing.
        quote: the words that it was read from.
        also: other predicates that are said in the same words; the types of the things tell which is meant.
    """

    predicate: str
    subjects: Tuple[Noun, ...]
    objects: Tuple[Noun, ...] = ()
    denied: bool = False
    quote: str = ""
    also: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What a text says in facts, and the first part of it that is none."""

    facts: Tuple[SaidFact, ...] = ()
    unread: str = ""

    @property
    def whole(self) -> bool:
        """Whether the text lists facts and says nothing else."""
        return bool(self.facts) and not self.unread


class FactReader:
    """Reads texts in the words of one domain's predicates."""

    def __init__(self, domain: Domain) -> None:
        self._sayings = _sayings(domain)
        self.known: Tuple[str, ...] = tuple(p.text.format("...", "...") for p in domain.predicates.values())
        """How each kind of fact can be said."""

    def read(self, text: str) -> Reading:
        """Read a text sentence by sentence, clause by clause; it says which part is no fact."""
        if len(text) > MAX_CHARACTERS:
            return Reading(unread=f"{text[:80]}...")
        facts: List[SaidFact] = []
        unread: List[str] = []
        for sentence in _parted(rewritten(words_in(text), lexicon.BEING), _SENTENCE_ENDS):
            clauses = list(_parted(_without_lead(sentence), _JOINTS))
            while clauses:
                found, used = self._first(clauses)
                if found is None:
                    unread.append(plain(clauses[0]))
                else:
                    facts.append(found)
                clauses = clauses[used:]
        return Reading(tuple(facts), unread[0] if unread else "")

    def _first(self, clauses: Sequence[Sequence[Word]]) -> Tuple[Optional[SaidFact], int]:
        """The fact that the clauses begin with, and how many they are: "the red and the blue one are ..."."""
        said: List[Word] = []
        for used, clause in enumerate(clauses, 1):
            said = [*said, Word("and"), *clause] if said else list(clause)
            for saying in self._sayings:
                for places in saying.form.matches(said):
                    try:
                        return saying.fact(places, plain(said)), used
                    except NotUnderstood:
                        continue
        return None, 1


@dataclass(frozen=True)
class _Saying:
    """One way to say some predicates, or their denial."""

    predicates: Tuple[str, ...]
    denied: bool
    form: Template

    def fact(self, places: Dict[str, Tuple[Word, ...]], quote: str) -> SaidFact:
        """The fact about the things at the places.

        Raises:
            NotUnderstood: when something else stands at one of them.
        """
        things = [_nouns(words) for _, words in sorted(places.items())]
        objects = things[1] if len(things) > 1 else ()
        return SaidFact(self.predicates[0], things[0], objects, self.denied, quote, self.predicates[1:])


def _sayings(domain: Domain) -> Tuple[_Saying, ...]:
    """The predicates' texts and denials, and for known relations the other words that mean the same.

    The one with the most words of its own comes first: "in front of" before "in".
    """
    found: Dict[Tuple[Template, bool], List[str]] = {}
    for predicate in domain.predicates.values():
        own = [(predicate.text, False), (predicate.not_text, True)]
        if len(predicate.arguments) == 2:
            for phrase in lexicon.RELATIONS.get(predicate.name, ()):
                own += [(f"{{0}} is {phrase} {{1}}", False), (f"{{0}} is not {phrase} {{1}}", True)]
        for text, denied in own:
            form = Template.of(text, forms=lexicon.BEING)
            if sorted(form.places) == [str(index) for index in range(len(predicate.arguments))]:
                found.setdefault((form, denied), []).append(predicate.name)
    sayings = [_Saying(tuple(names), denied, form) for (form, denied), names in found.items()]
    return tuple(sorted(sayings, key=lambda saying: -saying.form.length))


def _parted(words: Sequence[Word], marks: Sequence[str]) -> Iterator[List[Word]]:
    """What stands between some marks, without what is empty."""
    part: List[Word] = []
    for word in (*words, Word(marks[0])):
        if word.text not in marks:
            part.append(word)
        elif part:
            yield part
            part = []


def _without_lead(sentence: Sequence[Word]) -> Sequence[Word]:
    """A sentence without "make sure that", "rearrange the blocks so that" and the like."""
    said = behind(sentence, _LEADS)
    if said and said[0].text in lexicon.REARRANGE:
        for at in range(1, min(len(said), 8)):
            if plain(said[at:at + 2]) in lexicon.SO_THAT:
                return said[at + 2:]
    return said


def _nouns(words: Sequence[Word]) -> Tuple[Noun, ...]:
    """The noun phrases of a part of a clause, which holds nothing else.

    Raises:
        NotUnderstood: when it does.
    """
    told = [word.text for word in words]
    verbs = [before for before, word in zip(["", *told], told) if word == "is"]
    if told[-1] in _THAT or not set(verbs) <= set(_THAT):
        raise NotUnderstood(f"'{plain(words)}' is more than a thing")
    reader = PhraseReader(tokenise(words))
    nouns = reader.nouns()
    while reader.peek().kind == "relation":  # "the block on the table"
        relation = reader.peek().value
        reader.skip()
        nouns = each_where(nouns, relation, reader.noun())
    if reader.peek() is not END:
        raise NotUnderstood(f"'{reader.peek().text}' is not understood in '{plain(words)}'")
    return nouns
