"""The interpreter without a language model, and the shortcut that saves asking one."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Optional, Sequence

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Answer, Meaning, Refusal
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.conversation import line_of, read
from hicrisp_core.understanding.controlled.nearest import NotRead, unique
from hicrisp_core.understanding.controlled.patterns import MARKS, Pattern, Words, words_in
from hicrisp_core.understanding.controlled.reader import Reader, recipes
from hicrisp_core.understanding.controlled.tables import tables
from hicrisp_core.understanding.written import Context, meaning_of

SOURCE = "controlled English"
_UNKNOWN = re.compile(r"(?:the |that |this )?unknown(?: thing| object| item| one|[ _](?P<number>\d+))")
_ARTICLES = ("a", "an", "the", "my", "our")


class ControlledInterpreter:
    """Understands controlled English and refuses everything else, with sentences that would work."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return what the request means together with its conversation."""
        line = read(request.text, self._domain, request.world, request.conversation)
        if isinstance(line, NotRead):
            return Understood(Refusal(line.reason, line.text, line.nearest))
        meaning = meaning_of(line, self._domain, request.world, context_of(request))
        return Understood(_sourced(meaning), sure=1.0)


def shortcut(request: Request, domain: Domain) -> Optional[Meaning]:
    """Return the goal or answer of a request that is controlled English as a whole, with every noun phrase
    naming exactly one object; ``None`` for any other, as that would be a guess.
    """
    reader = Reader(domain, request.world)
    line = line_of(request.text, reader, request.conversation)
    if isinstance(line, NotRead) or not unique(line, reader):
        return None
    meaning = meaning_of(line, domain, request.world, context_of(request))
    return _sourced(meaning) if isinstance(meaning, (Goal, Answer)) else None


def context_of(request: Request) -> Context:
    """Return what the phrases of a request may refer to."""
    said = (*(turn.text for turn in request.conversation), request.text)
    goal = request.goal.names if request.goal is not None else ()
    return Context("\n".join(said), (*goal, *request.handled), recipes=recipes())


def _sourced(meaning: Meaning) -> Meaning:
    """Return a goal with the name of who made it."""
    return replace(meaning, source=SOURCE) if isinstance(meaning, Goal) else meaning


@dataclass(frozen=True)
class NamingRequest:
    """What is to be called how.

    Args:
        thing: its present name; empty for the only unknown one.
    """

    thing: str
    name: str


def naming_in(text: str) -> Optional[NamingRequest]:
    """Return the name that a request gives; ``None`` if it asks for something else."""
    said = words_in(text, tables())
    for say in tables().naming:
        for values, _ in Pattern(say, tables().words).matches(said, _slot):
            return NamingRequest(values["unknown"], values["name"])
    return None


def _slot(name: str, words: Words) -> Sequence[str]:
    if name == "unknown":
        found = _UNKNOWN.fullmatch(" ".join(words))
        return () if found is None else (f"unknown_{found['number']}" if found["number"] else "",)
    bare = words[1:] if words[0] in _ARTICLES else words
    return () if not bare or MARKS & set(bare) or bare[0] in ("as", "now") else (" ".join(bare),)
