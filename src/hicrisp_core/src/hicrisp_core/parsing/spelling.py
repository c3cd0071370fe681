"""Which known name a misspelt one can only mean: compared word by word, and by none where two serve as
well.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Collection, Dict, List, Mapping, Optional, Sequence, Tuple

_LONG = 8
"""Letters of a word from which on two slips in it are taken for slips; in a shorter one it is one."""
_REPLACED = 5
"""Letters of a word from which on another letter may be a slip: fork and cork, rum and gum are other
words.
"""

_ALIKE = 0.8
"""Likeness (Ratcliff and Obershelp) from which a name with an unknown word in it is taken for another one."""
_CODE = re.compile(r"\d+|(?<![^\W\d_])[^\W\d_](?![^\W\d_])")
"""Numbers and single letters of a name: with another one it is another name."""


def slips(written: str, known: str) -> Optional[int]:
    """How many letters of a word are left out, added, changed or swapped; ``None`` where it is another word.

    A word with a digit in it is never misspelt: another number is another thing.
    """
    if written == known:
        return 0
    shorter = min(len(written), len(known))
    most = 2 if shorter >= _LONG else 1
    if shorter < 2 or abs(len(written) - len(known)) > most or any(map(str.isdigit, written + known)):
        return None
    if len(written) == len(known) < _REPLACED and sorted(written) != sorted(known):
        return None
    found = _distance(written, known)
    return found if found <= most else None


def meant(written: str, names: Collection[str], words: Collection[str] = ()) -> Tuple[str, ...]:
    """The names with the fewest slips between them and a written one: one is what is meant, several leave it
    open.

    Args:
        words: the words that mean something here; none of them is a misspelt other one.
    """
    found: Dict[str, int] = {}
    for name in names:
        count = _slips_between(written, name, words)
        if count is not None:
            found[name] = count
    least = min(found.values(), default=0)
    return tuple(sorted(name for name, count in found.items() if count == least))


def described(written: Sequence[str], things: Mapping[str, Collection[str]]) -> Tuple[str, ...]:
    """The things that have every written word, or one that it may be a slip of.

    Args:
        things: the words of each thing.
    """
    known = {word for words in things.values() for word in words}
    return tuple(sorted(name for name, words in things.items() if all(
        word in words if word in known else any(slips(word, other) for other in words) for word in written)))


def likely(written: str, things: Mapping[str, Collection[str]]) -> Optional[str]:
    """The only thing that has all the words of a name that mean something here, where the two are much
    alike.
    """
    known = {word for words in things.values() for word in words}
    telling = known.intersection(written.split("_"))
    found = [name for name, words in things.items() if telling and telling <= set(words)]
    if len(found) != 1 or _CODE.findall(written) != _CODE.findall(found[0]):
        return None
    return found[0] if SequenceMatcher(None, written, found[0]).ratio() >= _ALIKE else None


def _slips_between(written: str, name: str, words: Collection[str]) -> Optional[int]:
    mine, its = written.split("_"), name.split("_")
    if len(mine) != len(its):  # An underscore more or less is a slip by itself; no other is taken beside it.
        return 1 if written.replace("_", "") == name.replace("_", "") else None
    total = 0
    for word, other in zip(mine, its):
        count = slips(word, other)
        if count is None or count and word in words:
            return None
        total += count
    return total


def _distance(written: str, known: str) -> int:
    """Edits from one word to another; two neighbours that are swapped are one (optimal string alignment)."""
    before: List[int] = []
    last = list(range(len(known) + 1))
    for row, letter in enumerate(written, 1):
        now = [row]
        for column, other in enumerate(known, 1):
            cost = min(last[column] + 1, now[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == known[column - 2] and other == written[row - 2]:
                cost = min(cost, before[column - 2] + 1)
            now.append(cost)
        before, last = last, now
    return last[-1]
