"""Reads a line of the written goal language; ``str`` of what is read writes it again."""

from __future__ import annotations

import re
from typing import Iterator, List, Optional, Tuple, Union

from hicrisp_core.model.misfit import Misfit, MisfitKind
from hicrisp_core.understanding.written.sayings import (
    ACTOR,
    ASKED,
    QUERIES,
    REFUSED,
    STATES,
    SUPERLATIVES,
    Amount,
    Asked,
    Condition,
    Fact,
    Line,
    Phrase,
    Queried,
    Refused,
    SaidGoal,
    SaidStage,
    Where,
)

LONGEST = 600
"""Characters of a line."""
_OPEN, _CLOSED = "({", ")}"
_FACT = re.compile(r"(?P<reverse>reverse )?(?P<predicate>[a-z]\w*)\((?P<arguments>.*)\)$", re.IGNORECASE)
_ORDINAL = re.compile(r"(\d)(?:st|nd|rd|th) (.*)")
_COUNT = re.compile(r"(?P<how>exactly |at most )?(?P<number>\d{1,2}) (?P<rest>\D.*)")
_WORDS = re.compile(r"[^\W_](?:[\w .'-]*\w)?")
_AMOUNTS = {each.value: each for each in Amount if each not in (Amount.ONE, Amount.COUNT)}


class _Unreadable(Exception):
    """A part of a line that is not in the language; its text says what would be."""


def parse_line(text: str) -> Union[Line, Misfit]:
    """Read one line; phrases are taken as they are written."""
    said = " ".join(text.split())
    if len(said) > LONGEST:
        return Misfit(MisfitKind.LIMIT, f"a line has at most {LONGEST} characters, this one has {len(said)}", said[:80])
    try:
        return _line(said)
    except _Unreadable as error:
        return Misfit(MisfitKind.FORM, f"{error}: '{said[:200]}'", said[:200])


def parse_phrase(text: str) -> Union[Phrase, Misfit]:
    """Read one phrase, ``all red box {on tray} except box 2``."""
    try:
        return _phrase(" ".join(text.split()))
    except _Unreadable as error:
        return Misfit(MisfitKind.FORM, f"{error}: '{text[:80]}'", text[:80])


def _line(said: str) -> Line:
    if not said:
        raise _Unreadable("a line is expected")
    word, _, rest = said.partition(" ")
    if word == "ask":
        if rest not in ASKED:
            raise _Unreadable(f"'ask' goes on with one of {', '.join(ASKED)}")
        return Asked(rest)
    if word == "refuse":
        if rest not in REFUSED:
            raise _Unreadable(f"'refuse' goes on with one of {', '.join(REFUSED)}")
        return Refused(REFUSED[rest])
    if word == "answer":
        return _query(rest)
    whole, *invariants = ["", *_split(said[len("| "):], " | ")] if said.startswith("| ") else _split(said, " | ")
    stages, *otherwise = _split(whole, " else ")
    if len(otherwise) > 1:
        raise _Unreadable("' else ' may stand once")
    return SaidGoal(tuple(_stages(stages)) if stages else (), tuple(_stages(otherwise[0])) if otherwise else (),
                    tuple(map(_invariant, invariants)))


def _query(said: str) -> Queried:
    query, _, rest = said.partition(" ")
    if query not in QUERIES:
        raise _Unreadable(f"'answer' goes on with one of {', '.join(QUERIES)}")
    if query == "is":
        return Queried(query, tuple(_conditions(rest)))
    if query in ("where", "which", "count", "state"):
        return Queried(query, phrase=tuple(map(_phrase, _several(rest))))
    if rest:
        raise _Unreadable(f"nothing follows 'answer {query}'")
    return Queried(query)


def _stages(said: str) -> Iterator[SaidStage]:
    for text in _split(said, " > "):
        optional, robot, when = False, "", ""
        if text.startswith("maybe "):
            optional, text = True, text[len("maybe "):]
        if text.startswith("@"):
            robot, _, text = text[1:].partition(": ")
        if text.startswith("if "):
            when, _, text = text[len("if "):].partition(": ")
        yield SaidStage(tuple(_conditions(text)), robot.strip(), tuple(_conditions(when)) if when else (), optional)


def _invariant(said: str) -> Condition:
    word, _, rest = said.partition(" ")
    if word not in ("never", "always"):
        raise _Unreadable("' | ' is followed by 'never' or 'always'")
    condition = _condition(rest)
    return Condition(condition.facts, condition.holds == (word == "always"))


def _conditions(said: str) -> Iterator[Condition]:
    return map(_condition, _split(said, " & "))


def _condition(said: str) -> Condition:
    holds = not said.startswith("not ")
    return Condition(tuple(map(_fact, _split(said if holds else said[len("not "):], " or "))), holds)


def _fact(said: str) -> Fact:
    match = _FACT.match(said.strip())
    if match is None:
        raise _Unreadable(f"a condition like in(red box, bowl) is expected at '{said[:40]}'")
    arguments = tuple(tuple(map(_phrase, _several(each))) for each in _split(match.group("arguments"), ","))
    if not 1 <= len(arguments) <= 2:
        raise _Unreadable(f"'{match.group('predicate')}' has one or two arguments, not {len(arguments)}")
    return Fact(match.group("predicate"), arguments, bool(match.group("reverse")))


def _several(said: str) -> List[str]:
    """The phrases of a list; all that follows ``except`` belongs to its phrase."""
    parts = _split(said, " + ")
    at = next((at for at, part in enumerate(parts) if len(_split(part, " except ")) > 1), len(parts))
    return [*parts[:at], " + ".join(parts[at:])] if at < len(parts) else parts


def _phrase(said: str) -> Phrase:
    said, without = said.strip(), ""
    said, *excepted = _split(said, " except ")
    if excepted:
        without = excepted[0]
    said, where = _braces(said)
    if said == ACTOR:
        return Phrase(ACTOR)
    amount, least, most, said = _counted(said)
    other, said = _led(said, ("other",))
    number, match = 1, _ORDINAL.match(said)
    if match is not None and match.group(2).startswith(SUPERLATIVES):
        number, said = int(match.group(1)), match.group(2)
    rank, said = _led(said, SUPERLATIVES)
    state, said = _led(said, STATES)
    if not _WORDS.fullmatch(said):
        raise _Unreadable(f"words for an object are expected at '{said[:40]}'")
    return Phrase(said.lower(), amount, least, most, bool(other), rank, number, state, tuple(where),
                  tuple(map(_phrase, _split(without, " + "))) if without else ())


def _counted(said: str) -> Tuple[Amount, int, Optional[int], str]:
    word, said = _led(said, tuple(_AMOUNTS))
    if word:
        return _AMOUNTS[word], 0, None, said
    match = _COUNT.match(said)
    if match is None or _ORDINAL.match(said):
        return Amount.ONE, 0, None, said
    number, how = int(match.group("number")), match.group("how")
    least, most = (0 if how == "at most " else number), (number if how else None)
    return Amount.COUNT, least, most, match.group("rest")


def _led(said: str, words: Tuple[str, ...]) -> Tuple[str, str]:
    """Return the word that a phrase begins with, if it is one of these and others follow, and the rest."""
    first, _, rest = said.partition(" ")
    return (first, rest) if first in words and rest else ("", said)


def _braces(said: str) -> Tuple[str, List[Where]]:
    found: List[Where] = []
    while said.endswith("}"):
        depth, at = 0, len(said)
        while at:
            at -= 1
            depth += (said[at] == "}") - (said[at] == "{")
            if depth == 0:
                break
        inside, said = said[at + 1:-1].strip(), said[:at].rstrip()
        holds = not inside.startswith("not ")
        predicate, _, rest = (inside if holds else inside[len("not "):]).partition(" ")
        found.insert(0, Where(predicate, tuple(map(_phrase, _split(rest, " + "))) if rest else (), holds))
    return said, found


def _split(said: str, at: str) -> List[str]:
    """Split a text where no bracket or brace is open."""
    parts, depth, begin, index = [], 0, 0, 0
    while index < len(said):
        mark = said[index]
        depth += (mark in _OPEN) - (mark in _CLOSED)
        if depth == 0 and said.startswith(at, index):
            parts.append(said[begin:index].strip())
            index += len(at)
            begin = index
            continue
        index += 1
    if depth:
        raise _Unreadable("a bracket or brace is not closed")
    return [*parts, said[begin:].strip()]
