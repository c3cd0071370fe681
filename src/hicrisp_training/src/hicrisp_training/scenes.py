"""Scenes for sentences: the names that the prompt lists, and the line in the words of the scene."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from hicrisp_core.llm.chat_model import Message
from hicrisp_core.understanding.embedded import SYSTEM, names_shown, prompt_text
from hicrisp_core.understanding.written import Amount, Phrase, SaidStage
from hicrisp_core.understanding.written.sayings import MADE

from hicrisp_training.renaming import COLOURS, GENERAL, KEPT, WORDS, Renamer, head_of, replaced
from hicrisp_training.rows import DATA, Row, parts

_MOST_NAMES = 40
_SYNONYM_OFTEN, _LEFT_OUT_OFTEN = 0.12, 0.08


@dataclass(frozen=True)
class Sample:
    """A sentence with its line in the words of a scene, and the names there as the prompt lists them."""

    row: Row
    names: Tuple[str, ...]

    @property
    def messages(self) -> List[Message]:
        """The messages as they are sent at run time."""
        return [{"role": "system", "content": SYSTEM},
                {"role": "user", "content": prompt_text(self.names, self.row.turns)}]


@lru_cache(maxsize=1)
def synonyms() -> Mapping[str, Set[str]]:
    """Return the other words for a noun, whichever of a pair it is."""
    found: Dict[str, Set[str]] = defaultdict(set)
    for one, other in json.loads((DATA / "synonyms.json").read_text(encoding="utf-8")):
        found[one].add(other)
        found[other].add(one)
    return dict(found)


def shown(names: Sequence[str], row: Row) -> Tuple[str, ...]:
    """Return the names that the prompt lists, by the code that lists them at run time.

    Args:
        names: names of a scene.
        row: the sentence.

    Returns:
        Names in their order.
    """
    world: Any = SimpleNamespace(objects=[each.replace(" ", "_") for each in names], robots=())
    return tuple(names_shown(world, row.turns))


def in_scene_words(row: Row, names: Sequence[str]) -> Optional[Row]:
    """Replace each noun of a row's line that no name has by its synonym in the scene.

    Args:
        row: the sentence.
        names: names of the scene.

    Returns:
        The changed row; ``None`` if names with several synonyms make it ambiguous.
    """
    listed = " | ".join(f" {each} " for each in names)
    there: Dict[str, str] = {}
    for _, phrase in parts(row.line, Phrase):
        words = phrase.words.split()
        if len(words) > 1 and words[-1].isdigit():
            words.pop()
        for ending in (" ".join(words[begin:]) for begin in range(len(words))):
            others = [each for each in synonyms().get(ending, ()) if f" {each} " in listed]
            if f" {ending} " in listed or not others:
                continue
            if len(others) > 1:
                return None
            there[ending] = others[0]
            break
    return Row(row.domain, row.says, replaced(row.means, there)) if there else row


class Scenes:
    """Invents scenes of the words in some rows."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._renamer = Renamer(rows)
        self._words: Dict[str, List[str]] = defaultdict(list)
        for domain, words in sorted({(row.domain, words) for row in rows for words, _ in _named(row)}):
            self._words[domain] += [words] if "one" not in words.split() else []

    def samples(self, rows: Sequence[Row], rng: random.Random) -> List[Sample]:
        """Invent one scene for rows of one domain; rows that do not fit in are left out.

        Args:
            rows: the sentences.
            rng: source of randomness.

        Returns:
            Samples as they are learnt.
        """
        domain, kept = rows[0].domain, []
        names: Set[str] = set(WORDS["robots"][domain])
        for row in [self._renamer.renamed(row, rng) for row in rows]:
            wanted = names | self._needed(row, rng)
            if len(wanted) <= _MOST_NAMES:
                names = wanted
                kept.append(row)
        large = domain == "virtualhome" and len(rows) == 1
        size = rng.randint(_MOST_NAMES + 1, 120) if large else round(rng.triangular(3, _MOST_NAMES, 6))
        return self._shown(kept, names, domain, size, rng)

    def plain(self, row: Row) -> List[Sample]:
        """Invent a scene for one row, the same each time and in the row's own words, for measuring.

        Args:
            row: the sentence.

        Returns:
            At most one sample.
        """
        rng = random.Random(row.number)
        names = set(WORDS["robots"][row.domain]) | self._needed(row, rng, measured=True)
        return self._shown([row], names, row.domain, round(rng.triangular(3, 30, 8)), rng)

    def _shown(self, rows: Sequence[Row], names: Set[str], domain: str, size: int, rng: random.Random) -> List[Sample]:
        """Return the samples of a scene with more of the same kinds and other objects, until there are enough."""
        kinds, filled = sorted({head_of(each) for each in names} - KEPT - {""}), set(names)
        for _ in range(size - len(names)):
            more = kinds and rng.random() < 0.3
            filled.add(_variant(rng.choice(kinds), rng) if more else rng.choice(self._words[domain]))
        listed = [shown(sorted(filled), row) for row in rows]
        told = [in_scene_words(row, there) for row, there in zip(rows, listed)]
        return [Sample(row, there) for row, there in zip(told, listed) if row is not None]

    def _needed(self, row: Row, rng: random.Random, measured: bool = False) -> Set[str]:
        """Return names for the objects that the line's phrases stand for; some are left out, some a synonym."""
        names: Set[str] = {each.robot for _, each in parts(row.line, SaidStage) if each.robot}
        kinds = sorted({head_of(words) for words, _ in _named(row)} - GENERAL - {""})
        for words, several in _named(row):
            if not measured and rng.random() < _LEFT_OUT_OFTEN:
                continue
            if words.split()[-1] == "one":
                words = words[:-3] + rng.choice(kinds or [head_of(rng.choice(self._words[row.domain])) or "box"])
            others = sorted(synonyms().get(head_of(words), ()))
            if others and not measured and rng.random() < _SYNONYM_OFTEN:
                words = replaced(words, {head_of(words): rng.choice(others)})
            chance, count = rng.random(), rng.randint(1, 4)
            if not head_of(words) or words.split()[-1] != head_of(words) or (not several and chance > 0.2):
                names.add(words)
            elif several and chance < 0.5 or chance < 0.12:
                names |= {f"{words} {number}" for number in range(1, count + 1)}
            else:
                names |= {_variant(words if several else head_of(words), rng) for _ in range(count if several else 1)}
        return names


def _named(row: Row) -> List[Tuple[str, bool]]:
    """Return the words for objects with names of their own, not a recipe or an amount, and if several may be meant."""
    return [(phrase.words, phrase.amount is not Amount.ONE or bool(phrase.rank))
            for role, phrase in parts(row.line, Phrase) if phrase.words not in GENERAL and role != (MADE, 0)
            and (row.domain == "blocks" or not phrase.words.isdigit())]


def _variant(words: str, rng: random.Random) -> str:
    """Return another name of the same kind: with a number, or in a colour."""
    if rng.random() < 0.4:
        return f"{words} {rng.randint(1, 6)}"
    return " ".join((rng.choice(COLOURS), *(each for each in words.split() if each not in COLOURS)))


def groups_to_learn(rows: Sequence[Row], scenes: Scenes, seed: int) -> Iterator[List[Sample]]:
    """Draw scenes of rows without end, each row once in a round.

    Args:
        rows: the sentences.
        scenes: invents the scenes.
        seed: makes the order repeatable.

    Yields:
        Samples that share a scene.
    """
    order = random.Random(seed)
    while True:
        by_domain: Dict[str, List[Row]] = defaultdict(list)
        for row in order.sample(list(rows), len(rows)):
            by_domain[row.domain].append(row)
        groups = []
        for domain, found in by_domain.items():
            while found:
                # Of a household the prompt lists what the words name, so that its requests seldom share a scene.
                size = 1 if domain == "virtualhome" and order.random() < 0.6 else order.choice((2, 3, 4, 5, 6, 8))
                groups.append(found[-size:])
                del found[-size:]
        for group in order.sample(groups, len(groups)):
            yield scenes.samples(group, order)
