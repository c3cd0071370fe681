"""Facts in words: sentences that say what shall be so, in the words of the domain's predicates.

"The red block is on the blue block, and the blue block is on the table": every domain's predicates have texts, so every
domain's goals can be said like this. Nothing is looked up here; see :mod:`hicrisp_core.language.goals`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator, List, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language import lexicon
from hicrisp_core.language.clauses import each_where
from hicrisp_core.language.intents import NotUnderstood, Noun
from hicrisp_core.language.phrases import PhraseReader
from hicrisp_core.language.tokens import END, MAX_CHARACTERS, tokenise

_BE = re.compile(r"\b(?:(?:has|have|needs?|ought) to be|(?:should|shall|must) be|to be|are)\b")
_BE_NOT = re.compile(r"\b(?:should|shall|must|may)(?: not|n't) be\b|\b(?:is|are)n't\b|\bare not\b")
_ADVERB = re.compile(r"\bis (?:also|now|directly|exactly|just)\b")
_THINGS = "|".join(word for words in lexicon.NOUNS.values() for word in words)
_LEAD = re.compile(
    rf"(?:please |now )*(?:(?:make sure|ensure|see to it|take care)(?: that)?|i (?:want|would like)(?: that)?|"
    rf"(?:the|your) (?:goal|task) is(?: that)?:?|(?:in|at) the end,?|"
    rf"(?:re)?(?:arrange|order|move) (?:all |the |all the )*(?:{_THINGS})(?:,)? (?:so|such) that) ")
_SENTENCE_END = re.compile(r"[.;!]+(?:\s+|$)|\n+")
_JOINT = re.compile(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+")
_PLACE = re.compile(r"{([01])}")
_TOLD = re.compile(r"\b(?:that|which) is\b")


@dataclass(frozen=True)
class SaidFact:
    """A fact as it was said: a predicate, or its denial, with noun phrases.

    Args:
        subjects: what it is said of; each of them, where there are several.
        objects: what the subjects are put in relation to; empty for a fact about one thing.
        quote: the words that it was read from.
    """

    predicate: str
    subjects: Tuple[Noun, ...]
    objects: Tuple[Noun, ...] = ()
    denied: bool = False
    quote: str = ""


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
        """Read a text sentence by sentence, clause by clause; the parts that are no facts are told, not guessed."""
        if len(text) > MAX_CHARACTERS:
            return Reading(unread=f"{text[:80]}...")
        facts: List[SaidFact] = []
        unread: List[str] = []
        for sentence in _SENTENCE_END.split(_plain(text)):
            clauses = [clause for clause in _JOINT.split(_LEAD.sub("", sentence.strip(), count=1)) if clause.strip()]
            while clauses:
                found, used = self._first(clauses)
                if found is None:
                    unread.append(clauses[0])
                else:
                    facts.append(found)
                clauses = clauses[used:]
        return Reading(tuple(facts), unread[0] if unread else "")

    def _first(self, clauses: List[str]) -> Tuple[Optional[SaidFact], int]:
        """The fact that the clauses begin with, and how many they are: "the red one and the blue one are ..."."""
        for used in range(1, len(clauses) + 1):
            said = " and ".join(clauses[:used])
            for saying in self._sayings:
                for subject, object_ in saying.splits(said):
                    fact = _fact(saying, subject, object_, said)
                    if fact is not None:
                        return fact, used
        return None, 1


@dataclass(frozen=True)
class _Saying:
    """One way to say a predicate: the words before, between and after its things."""

    predicate: str
    denied: bool
    before: str
    between: str
    after: str
    object_first: bool = False

    def splits(self, clause: str) -> Iterator[Tuple[str, str]]:
        """Subject and object, as the first and as the last place between them tells them apart."""
        if not (clause.startswith(self.before) and clause.endswith(self.after)):
            return
        things = clause[len(self.before):len(clause) - len(self.after)]
        if not self.between:
            if things:
                yield things, ""
            return
        for at in sorted({things.find(self.between), things.rfind(self.between)}):
            first, second = things[:max(0, at)], things[at + len(self.between):]
            if first and second:
                yield (second, first) if self.object_first else (first, second)


def _sayings(domain: Domain) -> Tuple[_Saying, ...]:
    """The predicates' texts and denials, and for known relations the other words that mean the same.

    The one with the most words of its own comes first: "in front of" before "in".
    """
    found: List[_Saying] = []
    for predicate in domain.predicates.values():
        own = [(predicate.text, False), (predicate.not_text, True)]
        if len(predicate.arguments) == 2:
            for phrase in lexicon.RELATIONS.get(predicate.name, ()):
                own += [(f"{{0}} is {phrase} {{1}}", False), (f"{{0}} is not {phrase} {{1}}", True)]
        for text, denied in own:
            parts = _PLACE.split(_plain(text))  # Words and places in turn.
            if sorted(parts[1::2]) == [str(index) for index in range(len(predicate.arguments))]:
                found.append(_Saying(predicate.name, denied, parts[0], parts[2] if len(parts) == 5 else "", parts[-1],
                                     parts[1] == "1"))
    return tuple(sorted(found, key=lambda saying: -len(saying.before + saying.between + saying.after)))


def _plain(text: str) -> str:
    """Lower case, single spaces, and one form of "to be"; line ends stay."""
    words = re.sub(r"[^\S\n]+", " ", text.lower().replace("\u2019", "'")).strip()
    return _ADVERB.sub("is", _BE.sub("is", _BE_NOT.sub("is not", words)))


def _fact(saying: _Saying, subject: str, object_: str, quote: str) -> Optional[SaidFact]:
    try:
        return SaidFact(saying.predicate, _nouns(subject), _nouns(object_) if object_ else (), saying.denied, quote)
    except NotUnderstood:
        return None


def _nouns(phrase: str) -> Tuple[Noun, ...]:
    """The noun phrases of a part of a clause, which holds nothing else.

    Raises:
        NotUnderstood: when it does.
    """
    if re.search(r"\bis\b", _TOLD.sub("", phrase)) or re.search(r"\b(?:that|which)$", phrase):
        raise NotUnderstood(f"'{phrase}' is more than a thing")
    reader = PhraseReader(tokenise(phrase))
    nouns = reader.nouns()
    while reader.peek().kind == "relation":  # "the block on the table"
        relation = reader.peek().value
        reader.skip()
        nouns = each_where(nouns, relation, reader.noun())
    if reader.peek() is not END:
        raise NotUnderstood(f"'{reader.peek().text}' is not understood in '{phrase}'")
    return nouns
