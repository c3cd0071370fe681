"""Sentences with places, "put {a} in {b}", matched against words: how domains say facts, actions,
requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, Iterator, Mapping, Optional, Sequence, Tuple

from hicrisp_core.language.tokens import Word, plain, rewritten, words_in

_PLACE = re.compile(r"\{(\w*)\}")
Match = Dict[str, Tuple[Word, ...]]
"""The words that stand at each place."""


@dataclass(frozen=True)
class Template:
    """The words between the places, and the places' names in their order.

    Args:
        literals: one more than there are places; each lists the phrases that may stand there.
    """

    literals: Tuple[Tuple[str, ...], ...]
    places: Tuple[str, ...]

    @classmethod
    def of(
        cls, sentence: str, same: Optional[Mapping[str, Sequence[str]]] = None,
        forms: Optional[Mapping[str, str]] = None,
    ) -> "Template":
        """From a sentence with its places in braces.

        Args:
            same: other phrases that may stand for a literal, by the literal.
            forms: phrases that are written in another form before.
        """
        parts = _PLACE.split(sentence)  # Words and names in turn.
        said = [plain(rewritten(words_in(part), forms or {})) for part in parts[::2]]
        return cls(tuple((part, *(same or {}).get(part, ())) for part in said), tuple(parts[1::2]))

    @property
    def length(self) -> int:
        """How many characters of its own it has: the longest says most."""
        return sum(len(phrases[0]) for phrases in self.literals)

    def matches(self, words: Sequence[Word], longest: int = 400) -> Iterator[Match]:
        """Every way in which all words fit; the earlier places take as few words as they can.

        Args:
            longest: words that a place takes at most.
        """
        whole = "".join(word.text for word in words)
        if not all(any(phrase.replace(" ", "") in whole for phrase in phrases) for phrases in self.literals):
            return
        for at in _passed(words, 0, self.literals[0]):
            yield from self._from(words, at, 0, longest)

    def _from(self, words: Sequence[Word], at: int, place: int, longest: int) -> Iterator[Match]:
        if place == len(self.places):
            if at == len(words):
                yield {}
            return
        last = place + 1 == len(self.places) and self.literals[-1] == ("",)
        ends = (len(words),) if last else range(at + 1, min(at + longest, len(words)) + 1)
        for end in ends:
            if not at < end <= at + longest:
                continue
            for after in _passed(words, end, self.literals[place + 1]):
                for rest in self._from(words, after, place + 1, longest):
                    yield {self.places[place]: tuple(words[at:end]), **rest}


def _passed(words: Sequence[Word], at: int, phrases: Sequence[str]) -> Iterator[int]:
    """Where the words go on behind one of some phrases, the longest first; "pickup" is "pick up" too."""
    for phrase in sorted(phrases, key=len, reverse=True):
        whole = phrase.replace(" ", "")
        for count in range(len(phrase.split()), 0, -1):
            if "".join(word.text for word in words[at:at + count]) == whole:
                yield at + count
                break
        if not phrase:
            yield at
