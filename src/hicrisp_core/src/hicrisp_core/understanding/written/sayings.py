"""The written goal language: its noun phrases, facts, stages and lines as data, and how a line is read.

``str`` of what is read writes it again. Here phrases do not stand for objects yet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any, Callable, Iterator, List, Optional, Tuple, Type, TypeVar, Union, cast

from hicrisp_core.model.goal import GoalError, GoalErrorKind
from hicrisp_core.model.meaning import Reason

SUPERLATIVES = ("largest", "smallest", "tallest", "shortest", "leftmost", "rightmost", "frontmost", "rearmost",
                "middle")
STATES = ("empty", "full", "free")
"""Whether anything is in an object or on it."""
ACTOR, HERE, START, IT = "_", "here", "start", "it"
"""The robot that acts, where it is, where it is as the task begins, and what was spoken of last."""
NEAREST, FARTHEST, BETWEEN = "nearest", "farthest", "between"
"""What may stand in braces beside the domain's predicates."""
_Said = TypeVar("_Said")
_Part = TypeVar("_Part")
ORDERS = ("tower", "tower_down", "row", "row_left", "column", "column_back")
"""Orders of places: one argument, the objects in the words' order."""
SWAP, MADE = "swap", "made"
"""Two objects change places; a recipe is made, in a vessel."""
QUERIES = ("is", "where", "which", "count", "state", "scene", "holding", "abilities", "status")
ASKED = ("object", "place", "task")
REFUSED = {"impossible": Reason.IMPOSSIBLE, "unsafe": Reason.UNSAFE, "nothing": Reason.NOTHING_TO_DO}
LONGEST = 600
"""Characters of a line."""
_OPEN, _CLOSED = ("(", "{"), (")", "}")
_FACT = re.compile(r"(?P<reverse>reverse )?(?P<predicate>[a-z]\w*)\((?P<arguments>.*)\)$", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_](?:[\w .'-]*\w)?")


class Amount(Enum):
    """How many of the objects that fit a phrase are meant."""

    ONE = "one"
    """The only one."""
    ALL = "all"
    """Each of them."""
    ANY = "any"
    """Whichever, one is enough."""
    COUNT = "count"
    """So many of them, whichever."""
    DIFFERENT = "different"
    """One of its own for each subject."""
    SAME = "same"
    """One for all subjects, whichever."""
    MATCHING = "matching"
    """The one that has the colour of the subject."""


_ENDINGS = {2: "nd", 3: "rd"}
_AMOUNTS = {each.value: each for each in Amount if each not in (Amount.ONE, Amount.COUNT)}
_LEAD = re.compile(rf"""
    (?:(?P<amount>{'|'.join(_AMOUNTS)})\ (?=.)|(?P<how>exactly\ |at\ most\ )?(?P<number>\d{{1,2}})\ (?=\D))?
    (?:(?P<other>other)\ (?=.))?
    (?:(?P<ordinal>\d)(?:st|nd|rd|th)\ (?={'|'.join(SUPERLATIVES)}))?(?:(?P<rank>{'|'.join(SUPERLATIVES)})\ (?=.))?
    (?:(?P<state>{'|'.join(STATES)})\ (?=.))?""", re.VERBOSE)
"""What stands before the words of a phrase, in its order; at least one word is left to them: ``all other``."""


@dataclass(frozen=True)
class Where:
    """What tells an object from others: a predicate, or a place among others, that holds for it."""

    predicate: str
    arguments: Tuple["Phrase", ...] = ()
    holds: bool = True

    def __str__(self) -> str:
        said = " ".join(filter(None, (self.predicate, " + ".join(map(str, self.arguments)))))
        return f"{{{said}}}" if self.holds else f"{{not {said}}}"


@dataclass(frozen=True)
class Phrase:
    """The user's words for one object or for several.

    Args:
        words: kind, name and attributes, in lower case and the singular: ``red box``.
        amount: how many are meant.
        least: the least of a count.
        most: the most of a count; ``None`` for no limit.
        other: those spoken of before are left out.
        rank: a superlative that picks one of those that fit.
        ordinal: the how-manieth of that rank, from 1.
        state: ``empty``, ``full`` or ``free``.
        where: what else tells them from others.
        without: those that are excepted.
    """

    words: str
    amount: Amount = Amount.ONE
    least: int = 0
    most: Optional[int] = None
    other: bool = False
    rank: str = ""
    ordinal: int = 1
    state: str = ""
    where: Tuple[Where, ...] = ()
    without: Tuple["Phrase", ...] = field(default=())

    def __str__(self) -> str:
        ordinal = f"{self.ordinal}{_ENDINGS.get(self.ordinal, 'th')}" if self.ordinal > 1 else ""
        said = (_amount(self), "other" if self.other else "", ordinal, self.rank, self.state, self.words,
                *map(str, self.where), f"except {' + '.join(map(str, self.without))}" if self.without else "")
        return " ".join(filter(None, said))


def _amount(phrase: Phrase) -> str:
    if phrase.amount is Amount.ONE:
        return ""
    if phrase.amount is not Amount.COUNT:
        return phrase.amount.value
    if phrase.most is None:
        return str(phrase.least)
    return f"exactly {phrase.most}" if phrase.least == phrase.most else f"at most {phrase.most}"


@dataclass(frozen=True)
class Fact:
    """A predicate of the domain, an order, an exchange or a recipe, over phrases.

    Args:
        arguments: each one phrase or several that are meant at once.
        reverse: an order is to be the other way round.
    """

    predicate: str
    arguments: Tuple[Tuple[Phrase, ...], ...]
    reverse: bool = False

    def __str__(self) -> str:
        said = ", ".join(" + ".join(map(str, each)) for each in self.arguments)
        return f"{'reverse ' if self.reverse else ''}{self.predicate}({said})"


@dataclass(frozen=True)
class SaidCondition:
    """At least one of some facts, or none of them."""

    facts: Tuple[Fact, ...]
    holds: bool = True

    def __str__(self) -> str:
        said = " or ".join(map(str, self.facts))
        return said if self.holds else f"not {said}"


@dataclass(frozen=True)
class SaidStage:
    """A stage whose objects are phrases."""

    conditions: Tuple[SaidCondition, ...]
    robot: str = ""
    when: Tuple[SaidCondition, ...] = ()
    optional: bool = False

    def __str__(self) -> str:
        parts = ("maybe " if self.optional else "", f"@{self.robot}: " if self.robot else "",
                 f"if {_joined(self.when)}: " if self.when else "", _joined(self.conditions))
        return "".join(parts)


@dataclass(frozen=True)
class SaidGoal:
    """A goal whose objects are phrases."""

    stages: Tuple[SaidStage, ...]
    otherwise: Tuple[SaidStage, ...] = ()
    invariants: Tuple[SaidCondition, ...] = ()

    def __str__(self) -> str:
        said = " > ".join(map(str, self.stages))
        if self.otherwise:
            said += f" else {' > '.join(map(str, self.otherwise))}"
        said += "".join(f" | {'always' if each.holds else 'never'} {SaidCondition(each.facts)}"
                        for each in self.invariants)
        return said.strip()


@dataclass(frozen=True)
class Queried:
    """A question about the world or the robots."""

    query: str
    conditions: Tuple[SaidCondition, ...] = ()
    phrase: Tuple[Phrase, ...] = ()

    def __str__(self) -> str:
        return " ".join(filter(None, ("answer", self.query, _joined(self.conditions),
                                      " + ".join(map(str, self.phrase)))))


@dataclass(frozen=True)
class SaidRefusal:
    """A request that is not carried out."""

    reason: Reason

    def __str__(self) -> str:
        return f"refuse {next(word for word, reason in REFUSED.items() if reason is self.reason)}"


@dataclass(frozen=True)
class SaidQuestion:
    """A request that leaves open what it speaks of: an object, a place or the whole task."""

    about: str

    def __str__(self) -> str:
        return f"ask {self.about}"


Line = Union[SaidGoal, Queried, SaidRefusal, SaidQuestion]


def _joined(conditions: Tuple[SaidCondition, ...]) -> str:
    return " & ".join(map(str, conditions))


def each_in(kind: Type[_Part], said: Any) -> Iterator[_Part]:
    """Yield every part of a kind, those within others too."""
    if isinstance(said, kind):
        yield said
    parts = said if isinstance(said, tuple) else [getattr(said, each.name) for each in fields(said)] \
        if is_dataclass(said) else ()
    for part in parts:
        yield from each_in(kind, part)


def changed(said: _Said, kind: Type[_Part], change: Callable[[_Part], _Part]) -> _Said:
    """Return what is said with every part of a kind exchanged, but none within such a part."""
    whole: Any = said
    if isinstance(whole, kind):
        whole = change(whole)
    elif isinstance(whole, tuple):
        whole = tuple(changed(each, kind, change) for each in whole)
    elif is_dataclass(whole):
        parts = {each.name: changed(getattr(whole, each.name), kind, change) for each in fields(whole)}
        whole = replace(cast(Any, whole), **parts)
    return cast(_Said, whole)


def exchanged(said: _Said, old: Phrase, new: Phrase) -> _Said:
    """Return what is said with one phrase in place of another."""
    return changed(said, Phrase, lambda phrase: new if phrase == old else phrase)


class _Unreadable(Exception):
    """A part of a line that is not in the language; its text says what would be."""


def parse_line(text: str) -> Union[Line, GoalError]:
    """Read one line; phrases are taken as they are written."""
    said = " ".join(text.split())
    if len(said) > LONGEST:
        return GoalError(GoalErrorKind.LIMIT, f"a line has at most {LONGEST} characters, not {len(said)}", said[:80])
    try:
        return _line(said)
    except _Unreadable as error:
        return GoalError(GoalErrorKind.FORM, f"{error}: '{said[:200]}'", said[:200])


def parse_phrase(text: str) -> Union[Phrase, GoalError]:
    """Read one phrase, ``all red box {on tray} except box 2``."""
    try:
        return _phrase(" ".join(text.split()))
    except _Unreadable as error:
        return GoalError(GoalErrorKind.FORM, f"{error}: '{text[:80]}'", text[:80])


def _line(said: str) -> Line:
    if not said:
        raise _Unreadable("a line is expected")
    word, _, rest = said.partition(" ")
    ends = {"ask": ASKED, "refuse": tuple(REFUSED)}.get(word, ())
    if ends and rest not in ends:
        raise _Unreadable(f"'{word}' goes on with one of {', '.join(ends)}")
    if ends:
        return SaidQuestion(rest) if word == "ask" else SaidRefusal(REFUSED[rest])
    if word == "answer":
        query, _, about = rest.partition(" ")
        if query not in QUERIES:
            raise _Unreadable(f"'answer' goes on with one of {', '.join(QUERIES)}")
        if query == "is":
            return Queried(query, tuple(_conditions(about)))
        if query in ("where", "which", "count", "state"):
            return Queried(query, phrase=tuple(map(_phrase, _several(about))))
        if about:
            raise _Unreadable(f"nothing follows 'answer {query}'")
        return Queried(query)
    whole, *invariants = ["", *_split(said[len("| "):], " | ")] if said.startswith("| ") else _split(said, " | ")
    stages, *otherwise = _split(whole, " else ")
    if len(otherwise) > 1:
        raise _Unreadable("' else ' may stand once")
    wanted = tuple(_stages(stages)) if stages else ()
    other, kept = tuple(_stages(otherwise[0])) if otherwise else (), []
    for invariant in invariants:
        word, _, rest = invariant.partition(" ")
        if word not in ("never", "always"):
            raise _Unreadable("' | ' is followed by 'never' or 'always'")
        condition = _condition(rest)
        kept.append(SaidCondition(condition.facts, condition.holds == (word == "always")))
    return SaidGoal(wanted, other, tuple(kept))


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


def _conditions(said: str) -> Iterator[SaidCondition]:
    return map(_condition, _split(said, " & "))


def _condition(said: str) -> SaidCondition:
    holds = not said.startswith("not ")
    return SaidCondition(tuple(map(_fact, _split(said if holds else said[len("not "):], " or "))), holds)


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
    said, *excepted = _split(said.strip(), " except ")
    parts = list(filter(None, _split(said.replace("{", " {"), " ")))
    where: List[Where] = []
    while parts and parts[-1].startswith("{") and parts[-1].endswith("}"):
        inside = parts.pop()[1:-1].strip()
        holds = not inside.startswith("not ")
        predicate, _, rest = (inside if holds else inside[len("not "):]).partition(" ")
        where.insert(0, Where(predicate, tuple(map(_phrase, _split(rest, " + "))) if rest else (), holds))
    said = " ".join(parts)
    if said == ACTOR:
        return Phrase(ACTOR)
    lead = cast("re.Match[str]", _LEAD.match(said))  # Which may be empty.
    words = said[lead.end():]
    if not _WORDS.fullmatch(words):
        raise _Unreadable(f"words for an object are expected at '{words[:40]}'")
    amount = Amount.COUNT if lead["number"] else _AMOUNTS.get(lead["amount"], Amount.ONE)
    number, how = int(lead["number"] or 0), lead["how"]
    return Phrase(words.lower(), amount, 0 if how == "at most " else number, number if how else None,
                  bool(lead["other"]), lead["rank"] or "", int(lead["ordinal"] or 1), lead["state"] or "",
                  tuple(where), tuple(map(_phrase, _split(excepted[0], " + "))) if excepted else ())


def _split(said: str, at: str) -> List[str]:
    """Split a text where no bracket or brace is open."""
    parts, depth = [""], 0
    for piece in re.split(rf"([(){{}}]|{re.escape(at)})", said):
        depth += (piece in _OPEN) - (piece in _CLOSED)
        if piece == at and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    if depth:
        raise _Unreadable("a bracket or brace is not closed")
    return [part.strip() for part in parts]
