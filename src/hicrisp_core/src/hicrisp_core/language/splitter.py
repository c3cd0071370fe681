"""The one splitter: a request as clauses, each with who shall do it and what it stands after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Dict, List, Sequence, Tuple

from hicrisp_core.language.intents import NotUnderstood
from hicrisp_core.language.robots import Robots
from hicrisp_core.language.tokens import END, Token

_STOPS = (";", ".")
_JOINTS = ("and", "then", "meanwhile")


@dataclass(frozen=True)
class Clause:
    """One part of a request: a verb with what belongs to it, or what goes on with the verb before.

    Args:
        group: how many "then" stand before it.
        in_order: "in this order" is said of the group.
        at_once: "meanwhile" is said of it.
        robot: the one that it names; empty for any.
        subject: the robot that a clause before named, where it names none itself.
    """

    tokens: Tuple[Token, ...]
    group: int = 0
    in_order: bool = False
    at_once: bool = False
    robot: str = ""
    subject: str = ""

    @property
    def verb(self) -> Token:
        """The verb; the end where it has none of its own."""
        return self.tokens[0] if self.tokens and self.tokens[0].kind == "verb" else END

    @property
    def text(self) -> str:
        """Its words, without who shall do it."""
        return " ".join(token.text for token in self.tokens)


def clauses(tokens: Sequence[Token], robots: Robots) -> List[Clause]:
    """The clauses of a request in order: parted at each "then", and at each "and" or comma before a verb.

    Raises:
        NotUnderstood: when a robot is named that is not there, or may be any of several.
    """
    found: List[Clause] = []
    ordered: Dict[int, bool] = {}
    group, subject = 0, ""
    for joints, part in _parts(_listed(tokens, robots), robots):
        group += "then" in joints
        lead = robots.lead(part)
        rest = part[lead.length:] if lead else part
        ordered[group] = ordered.get(group, False) or any(token.kind == "order" for token in rest)
        at_once = "meanwhile" in joints or any(token.kind == "meanwhile" for token in rest)
        rest = _trimmed([token for token in rest if token.kind not in ("order", "meanwhile")])
        with_ = robots.trailing(rest)
        rest = rest[:len(rest) - with_.length] if with_ else rest
        if not rest:
            continue
        said = lead or with_
        robot = robots.one(said.names) if said else ""
        subject = robot or subject
        found.append(Clause(tuple(rest), group, False, at_once, robot, subject))
    return [replace(clause, in_order=ordered[clause.group]) for clause in found]


def _listed(tokens: Sequence[Token], robots: Robots) -> List[Token]:
    """A full stop or semicolon before what has no verb joins two wishes, of which none comes first: "the mug
    behind the can; the can behind the tin".
    """
    return [replace(token, kind="and") if token.text in _STOPS and after.kind == "word"
            and not _starts(tokens[at + 1:], robots) else token
            for at, (token, after) in enumerate(zip(tokens, (*tokens[1:], END)))]


def _parts(tokens: Sequence[Token], robots: Robots) -> List[Tuple[Sequence[str], Sequence[Token]]]:
    """What stands between two joints, with the kinds of the words that join it to what was before."""
    found: List[Tuple[Sequence[str], Sequence[Token]]] = []
    joints: Sequence[str] = ()
    start = at = 0
    while at < len(tokens):
        end = at
        while end < len(tokens) and tokens[end].kind in _JOINTS:
            end += 1
        run = [token.kind for token in tokens[at:end]]
        if run and ("then" in run or _starts(tokens[end:], robots)) \
                and not robots.addressed(tokens[start:at]) and (found or not _is_fronted(tokens[start:at])):
            found.append((joints, tokens[start:at]))
            joints, start = run, end
        at = max(end, at + 1)
    found.append((joints, tokens[start:]))
    return found


def _starts(tokens: Sequence[Token], robots: Robots) -> bool:
    """Whether a clause of its own begins here."""
    if not tokens or tokens[0].kind == "verb":
        return bool(tokens)
    try:
        return robots.lead(tokens) is not None
    except NotUnderstood:
        return True  # It is refused where it is read.


def _is_fronted(tokens: Sequence[Token]) -> bool:
    """"On the green box, ...": where comes before the verb."""
    return bool(tokens) and tokens[0].kind == "relation" and all(token.kind != "verb" for token in tokens)


def _trimmed(tokens: Sequence[Token]) -> List[Token]:
    """Tokens without commas and "and" at either end."""
    kept = list(tokens)
    while kept and kept[0].kind == "and":
        kept.pop(0)
    while kept and kept[-1].kind == "and":
        kept.pop()
    return kept
