"""Where a text describes things instead of naming them: "the thing you rub out pencil marks with", "what you
drink from", "the sweet spread".
"""

from __future__ import annotations

from typing import Container, List, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.language import described_words as known
from hicrisp_core.language import lexicon
from hicrisp_core.language.associations import GENERIC

_LONGEST_NOUN, _LONGEST_CLAUSE = 5, 14


class Span(NamedTuple):
    """A phrase that may describe.

    Args:
        start: the number of its first word.
        end: the number of the word behind it.
        noun: the words of its noun phrase, without article: "blue writing tool"; none in "what you cut with".
        tail: the words that tell more: "you drink from".
        after: the word behind it; none at the end of the text.
        goes_on: whether what follows may belong to it, so that its end is not known.
    """

    start: int
    end: int
    noun: Tuple[str, ...]
    tail: Tuple[str, ...]
    after: Tuple[str, ...] = ()
    goes_on: bool = False

    @property
    def sayable(self) -> bool:
        """Whether it is whole and speaks of use, look or kind alone, not of where the thing is."""
        unread = known.CONDITIONS if self.tail else known.ARTICLES
        if self.goes_on or self.after and self.after[0] in unread:
            return False
        if self.tail and (self.tail[-1] in known.PLACED
                          or self.tail[-1] in known.PARTICLES and self.tail[0] in known.THAT):
            return False
        return not any(known.UNSAYABLE.fullmatch(word) for word in (*self.noun, *self.tail))


def spans(words: Sequence[str], naming: Container[str]) -> List[Span]:
    """The descriptions of a text, none within another.

    Args:
        words: in lower case.
        naming: words by which things of the world are called.
    """
    reader = _SpanReader(words, naming)
    found: List[Span] = []
    at = 0
    while at < len(words):
        span = reader.at(at)
        if span is not None:
            found.append(span)
            at = span.end
        else:
            at += 3 if reader.is_unread_clause(at) else 1
    return found


class _SpanReader:
    """Reads descriptions among the words of a text."""

    def __init__(self, words: Sequence[str], naming: Container[str]) -> None:
        self._words = words
        self._naming = naming

    def at(self, start: int) -> Optional[Span]:
        """The description that begins at a word, as long as it goes on; ``None`` where there is none."""
        word = self._words[start]
        if word in known.WHAT or word in known.ALONE:
            end = self._tail(start + 1)
            whole = self._opens(start) and end > start + 2
            return self._span(start, start + 1, start + 1, end) if whole else None
        if word not in known.ARTICLES and word != "both":
            return None
        first = start + 1
        while word == "both" and self._word(first) in ("of", "the", "my"):
            first += 1
        noun = self._noun(first)
        return self._span(start, first, noun, self._tail(noun)) if noun > first else None

    def is_unread_clause(self, at: int) -> bool:
        """Whether a clause begins that is not read, so that no part of it is: "what made the plug fit"."""
        return self._word(at) in known.WHAT and self._word(at + 1) not in known.FINITE \
            and self._word(at + 2) in known.ARTICLES

    def _opens(self, start: int) -> bool:
        """Whether "what" begins a description here, and no question."""
        word, after = self._word(start), self._word(start + 1)
        if word != "what" or after in known.SUBJECTS or after in known.ARTICLES:
            return True
        return after.endswith("s") and after not in known.FINITE and after not in known.MODALS

    def _span(self, start: int, first: int, noun: int, end: int) -> Span:
        words, after = self._words, self._word(end)
        by_others = self._word(noun) in known.ARTICLES - known.THAT
        goes_on = after in ("its", "between") or noun == end and self._in_something(end) \
            or by_others and after in known.FINITE  # "What the wall [is covered with]."
        return Span(start, end, tuple(words[first:noun]), tuple(words[noun:end]),
                    tuple(words[end:end + 1]), goes_on)

    def _in_something(self, at: int) -> bool:
        """Whether a noun phrase may go on with what is not here: "the baked thing in paper", "the toy on a
        string".
        """
        if self._relation(at) not in ("in", "on", "around"):
            return False
        word = self._word(at + 1 + (self._word(at + 1) in ("a", "an")))
        return not (word in self._naming or word in GENERIC or word in known.MARKS or word in known.ARTICLES
                    or word in known.WHAT or word in known.STOPS or known.UNSAYABLE.fullmatch(word))

    def _word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else "."

    def _relation(self, at: int) -> str:
        """The longest phrase of a relation at a word; empty where there is none."""
        phrases = (" ".join(self._words[at:at + length]) for length in range(lexicon.LONGEST, 0, -1))
        return next((phrase for phrase in phrases if phrase in known.RELATIONS), "")

    def _noun(self, at: int) -> int:
        """The end of a noun phrase."""
        end = at
        while end < len(self._words) and end - at < _LONGEST_NOUN:
            word = self._words[end]
            if word in GENERIC:
                return end + 1
            washing_up = word == "up" and end > at and self._word(end - 1).endswith("ing")
            if not washing_up and (word in known.ENDING_NOUNS or self._relation(end)):
                break
            end += 1
        return end

    def _tail(self, at: int) -> int:
        """The end of what tells more; the same word where nothing does."""
        first, before = self._word(at), self._word(at - 1)
        reduced = first in known.ARTICLES and before in GENERIC and self._word(at + 1) not in self._naming
        if first not in known.TELLING and before not in known.WHAT and not reduced:
            return at
        end = at + (first in known.THAT)
        by_us = self._word(end) in known.SUBJECTS
        end += by_us
        by_others = self._word(end) in known.ARTICLES  # "What the postman brought."
        done = not (end > at or before in known.WHAT or reduced)  # Whether its verb has been said.
        while end < len(self._words) and end - at < _LONGEST_CLAUSE:
            word, relation = self._words[end], self._relation(end)
            if end == at and word == "to" and self._has_verb(end + 1):
                relation = ""
            if relation == "in to":  # "What you drain pasta in to the left of the bowl."
                relation = "in"
            if relation:
                behind = end + len(relation.split())
                if relation not in known.SOFT or self._leads_to_a_thing(relation, behind, first == "with"):
                    break
                end = behind
                continue
            if self._ends_clause(end, done):
                break
            if by_others:
                by_others = word in known.ARTICLES
            elif not (by_us and word in known.MODALS or word in GENERIC or word in known.SUBJECTS):
                done = done or word not in known.FINITE or self._word(end + 1) not in known.AUXILIARY
            end += 1
        loose = self._word(end - 1) in known.PARTICLES and not self._word(end - 2).endswith("ing")
        return end - (first in known.NOMINAL and loose)

    def _ends_clause(self, at: int, done: bool) -> bool:
        """Whether what tells more ends before a word.

        Args:
            done: whether its verb has been said.
        """
        word, before, after = self._word(at), self._word(at - 1), self._word(at + 1)
        if word in known.MARKS or word in known.CLAUSE_STOPS or word in ("here", "there"):
            return True
        if word in ("and", "or"):
            return self._goes_on_elsewhere(at + 1)
        if word in ("with", "for") and after in ("it", "them", "me", "us"):
            return True
        return done and (word in ("i", "its") or word in known.FINITE and before not in ("it", "to"))

    def _has_verb(self, at: int) -> bool:
        """Whether "to" has a verb behind it, with something behind that: "to glue paper with"."""
        after = self._word(at + 1)
        return self._word(at) not in known.ARTICLES and not self._relation(at) and after not in known.MARKS \
            and after not in known.STOPS and after not in known.FINITE

    def _goes_on_elsewhere(self, at: int) -> bool:
        """Whether another part of the request begins behind an "and"."""
        word, after = self._word(at), self._word(at + 1)
        if word in ("a", "an") and after not in self._naming and after not in GENERIC:
            return False  # "With a plug and a cable."
        return word in known.ARTICLES or word in known.MARKS or word in known.STOPS or word in known.WHAT \
            or word in self._naming or word in known.VERBS

    def _leads_to_a_thing(self, relation: str, at: int, own: bool) -> bool:
        """Whether a relation says where something goes: "in the bowl", not "from" of "what you drink from".

        Args:
            own: whether "on it" may be on the described thing itself.
        """
        word, after = self._word(at), self._word(at + 1)
        if word in known.WHAT or word in ("it", "them") and not own:
            return True
        if word in known.POINTING and (after in known.MARKS or after in known.FINITE or after in known.STOPS
                                       or self._relation(at + 1)):
            return True
        if word not in known.ARTICLES:
            return word in self._naming
        return relation == "to" or after in self._naming or after in GENERIC \
            or bool(known.UNSAYABLE.fullmatch(after))
