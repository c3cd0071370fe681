"""Other nouns, colours and numbers for a sentence and its line, so that copying is learnt and not a vocabulary."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from typing import Dict, Mapping, Sequence, Set

from hicrisp_core.model.goal import GoalError
from hicrisp_core.understanding.written import Phrase, parse_line
from hicrisp_core.understanding.written.sayings import SUPERLATIVES

from hicrisp_training.rows import DATA, Role, Row, parts

WORDS = json.loads((DATA / "words.json").read_text(encoding="utf-8"))
COLOURS = WORDS["colours"]
GENERAL = set(WORDS["general"])  # Words that stand for whatever is there, or for what each scene has.
KEPT = {*GENERAL, *SUPERLATIVES, *COLOURS, *WORDS["kept"]}


def plural(noun: str) -> str:
    """Return the regular plural of a noun.

    Args:
        noun: in the singular.

    Returns:
        The plural.
    """
    if re.search(r"(s|x|z|ch|sh)$", noun):
        return noun + "es"
    return noun[:-1] + "ies" if re.search(r"[^aeiou]y$", noun) else noun + "s"


def head_of(words: str) -> str:
    """Return the noun of a phrase: ``area`` of ``area 2``.

    Args:
        words: the phrase.

    Returns:
        The noun; empty for a name without one, such as ``b``.
    """
    each = words.split()
    if len(each) > 1 and (each[-1].isdigit() or len(each[-1]) == 1):
        each.pop()
    return each[-1] if each and each[-1].isalpha() and len(each[-1]) > 1 else ""


class Renamer:
    """Renames what rows speak of by what other rows of the same domain say in the same place."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._nouns: Dict[str, Dict[Role, Set[str]]] = defaultdict(lambda: defaultdict(set))
        for row in rows:
            for role, phrase in parts(row.line, Phrase):
                head = head_of(phrase.words)
                if head and head not in KEPT and plural(head)[:-1] == head:
                    bare = " ".join(each for each in phrase.words.split() if each not in COLOURS and not each.isdigit())
                    self._nouns[row.domain][role].add(bare if bare.replace(" ", "").isalpha() else head)

    def renamed(self, row: Row, rng: random.Random, often: float = 0.35) -> Row:
        """Exchange words of a row by others.

        Args:
            row: a sentence with its line.
            rng: source of randomness.
            often: probability of each kind of change.

        Returns:
            The changed row; the same row if no word can be replaced safely.
        """
        changed = row
        if rng.random() < often:
            for head in sorted({head_of(phrase.words) for _, phrase in parts(row.line, Phrase)} - KEPT - {""}):
                if rng.random() < 0.8:
                    changed = self._noun(changed, head, rng)
        coloured = rng.random() < often and row.domain in WORDS["coloured domains"]
        return _colours(changed, rng) if coloured else changed

    def _noun(self, row: Row, head: str, rng: random.Random) -> Row:
        words = set(re.findall(r"[\w'-]+", " ".join(row.says).lower()))
        alike = {each for each in words if each.startswith(head[:max(4, len(head) - 2)])}
        if not alike or alike - {head, plural(head)}:
            return row
        roles = {role for role, phrase in parts(row.line, Phrase) if head_of(phrase.words) == head}
        taken = {*words, *re.findall(r"\w+", row.means)}
        common = set.intersection(*(set(self._nouns[row.domain].get(role, ())) for role in roles))
        fitting = [each for each in sorted(common)
                   if not any(word in taken or plural(word) in taken for word in each.split())]
        if rng.random() < 0.2 or not fitting:  # An invented word.
            parts_of = ("onsets", "vowels") * rng.choice((1, 1, 2))
            fresh = "".join(rng.choice(WORDS[part]) for part in (*parts_of, "codas"))
        else:
            fresh = rng.choice(fitting)
        return _exchanged(row, {head: fresh, plural(head): plural(fresh)}, {head: fresh})


def _colours(row: Row, rng: random.Random) -> Row:
    said = set(re.findall(r"[\w'-]+", " ".join(row.says).lower()))
    here = [each for each in COLOURS if re.search(rf"\b{each}\b", row.means)]
    free = [each for each in COLOURS if each not in said and each not in here and each != "orange"]
    there = {each: rng.choice(free) for each in here if each in said
             and not any(word.startswith(each) and word != each for word in said)
             and not (each == "orange" and any(phrase.words.endswith(each) for _, phrase in parts(row.line, Phrase)))}
    return _exchanged(row, there, there) if there and len(set(there.values())) == len(there) else row


def _exchanged(row: Row, said: Mapping[str, str], meant: Mapping[str, str]) -> Row:
    """Replace whole words in the turns, with the articles before them, and in the line."""
    def article(match: "re.Match[str]") -> str:
        fitting = "an" if match.group(2)[0].lower() in "aeio" else "a"
        return (fitting.capitalize() if match.group(1)[0].isupper() else fitting) + " " + match.group(2)

    line, fresh = parse_line(replaced(row.means, meant)), "|".join(map(re.escape, said.values()))
    says = tuple(re.sub(rf"\b(an?) ({fresh})\b", article, replaced(each, said), flags=re.I) for each in row.says)
    return row if isinstance(line, GoalError) else Row(row.domain, says, str(line))


def replaced(text: str, words: Mapping[str, str]) -> str:
    """Replace whole words that no bracket follows, all at once; capitals are kept.

    Args:
        text: a sentence or a line.
        words: new words by old ones in lower case.

    Returns:
        The changed text.
    """
    def fresh(match: "re.Match[str]") -> str:
        old, new = match.group(), words[match.group().lower()]
        return new.upper() if old.isupper() and len(old) > 1 else new[0].upper() + new[1:] if old[0].isupper() else new

    any_of = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(rf"\b(?:{any_of})\b(?!\()", fresh, text, flags=re.I)
