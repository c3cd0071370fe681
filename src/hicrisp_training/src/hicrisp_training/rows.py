"""Sentences with their written goals: how they are read, checked and split."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.model import GoalError, Speaker, Turn
from hicrisp_core.parsing.names import words_of
from hicrisp_core.understanding.written import Fact, Line, Phrase, SaidGoal, Where, parse_line
from hicrisp_core.understanding.written.sayings import BETWEEN, FARTHEST, MADE, NEAREST, ORDERS, SWAP

DATA = Path(__file__).resolve().parents[2] / "data"
DOMAINS = ("tabletop", "blocks", "lab", "agv", "kitchen", "virtualhome")
_TOLD = 3
"""Rows that say a word which is known."""
Role = Tuple[str, int]  # A predicate and the index of an argument: words of one role can replace each other.


@dataclass(frozen=True)
class Row:
    """One sentence, or one conversation, with the line that it means."""

    domain: str
    says: Tuple[str, ...]
    means: str

    @cached_property
    def line(self) -> Line:
        """The line that the row means."""
        line = parse_line(self.means)
        if isinstance(line, GoalError):
            raise ValueError(str(line))
        return line

    @property
    def turns(self) -> Tuple[Turn, ...]:
        """The turns of the conversation."""
        return tuple(Turn(Speaker.ROBOT, each[len("robot: "):]) if each.startswith("robot: ")
                     else Turn(Speaker.USER, each) for each in self.says)

    @cached_property
    def number(self) -> int:
        """A number that depends on the row's words alone."""
        return int(hashlib.sha256("\n".join((self.domain, *self.says)).encode()).hexdigest()[:12], 16)

    @property
    def held_out(self) -> bool:
        """Whether the row is never learnt but kept for measuring."""
        return self.number % 20 == 0

    @property
    def kind(self) -> str:
        """What is hard about the row, for tables of results."""
        line, facts = self.line, [fact for _, fact in parts(self.line, Fact)]
        if not isinstance(line, SaidGoal):
            return self.means.split(" ")[0]
        kinds = {"conversation": len(self.says) > 1,
                 "condition": line.otherwise or line.invariants or any(each.when for each in line.stages),
                 "order": any(each.predicate in (*ORDERS, SWAP) for each in facts), "stages": len(line.stages) > 1,
                 "described": any(str(each) != each.words for _, each in parts(line, Phrase)),
                 "several": len(facts) > 1}
        return next((kind for kind, fits in kinds.items() if fits), "plain")


def parts(said: Any, kind: type, role: Role = ("", 0)) -> Iterator[Tuple[Role, Any]]:
    """Find every part of a line that is of a class.

    Args:
        said: a line or a part of one.
        kind: the class.
        role: predicate and index of the argument that ``said`` stands in.

    Yields:
        Role and part.
    """
    if is_dataclass(said):
        if isinstance(said, kind):
            yield role, said
        if isinstance(said, Fact):
            for index, each in enumerate(said.arguments):
                yield from parts(each, kind, (said.predicate, index))
            return
        role = (said.predicate, 1) if isinstance(said, Where) else role
        said = tuple(getattr(said, part.name) for part in fields(said))
    for each in said if isinstance(said, tuple) else ():
        yield from parts(each, kind, role)


@lru_cache(maxsize=None)
def domain_of(name: str) -> Domain:
    """Load a domain.

    Args:
        name: a file of ``config/domains``.

    Returns:
        The domain; the same object each time.
    """
    return load_domain(config_file("domains", name))


def _row(text: str) -> Row:
    """Return a line of a file as a row, the goal in its usual form; raise ValueError with what is wrong."""
    said = json.loads(text)
    if set(said) != {"domain", "voice", "says", "means"} or said["domain"] not in DOMAINS:
        raise ValueError("a row has domain, voice, says and means, and a domain that there is")
    row = Row(said["domain"], tuple(said["says"]), said["means"])
    known, facts = domain_of(row.domain).predicates, [fact for _, fact in parts(row.line, Fact)]
    unknown = {each.predicate for each in facts} - {*known, *ORDERS, SWAP, MADE} \
        | {each.predicate for _, each in parts(row.line, Where)} - {*known, NEAREST, FARTHEST, BETWEEN}
    if unknown:
        raise ValueError(f"{row.domain} has no predicate '{min(unknown)}'")
    if any(each.predicate in known and len(known[each.predicate].arguments) != len(each.arguments) for each in facts):
        raise ValueError(f"a predicate has another number of arguments in {row.domain}: {row.means}")
    if Speaker.ROBOT in (row.turns[0].speaker, row.turns[-1].speaker):
        raise ValueError("the user's turns come first and last")
    return Row(row.domain, row.says, str(row.line))


def read_rows() -> Tuple[List[Row], List[str]]:
    """Read the sentences, each once.

    Returns:
        Rows that can be learnt, and what is wrong with the others.
    """
    rows: Dict[Any, Row] = {}
    wrong: List[str] = []
    for file in sorted((DATA / "sentences").glob("*.jsonl")):
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                row = _row(text)
                rows.setdefault((row.domain, row.says), row)
            except (ValueError, LookupError, TypeError) as error:
                wrong.append(f"{file.name}:{number}: {error}")
    return list(rows.values()), wrong


def vocabulary(rows: Iterable[Row]) -> str:
    """List the words that several rows use.

    Args:
        rows: the sentences.

    Returns:
        The file of words by which interpreters recognise English.
    """
    said = Counter(word for row in rows for word in {each for turn in row.turns if turn.speaker is Speaker.USER
                                                     for each in words_of(turn.text) if not each.isdigit()})
    known = sorted(word for word, count in said.items() if count >= _TOLD)
    return textwrap.fill(" ".join(known), 140, break_long_words=False, break_on_hyphens=False) + "\n"
