"""Goals in writing: read by a small parser with limits, never evaluated."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Iterable, List, Mapping, Optional, Tuple, Union

from hicrisp_core.model.goal import Count, Goal, GoalError, GoalErrorKind, Holds, Not, Stage, Statement, all_of, any_of
from hicrisp_core.model.world import Relation

LONGEST = 1200
"""Characters of one statement."""
DEEPEST = 5
"""Brackets within each other."""
MOST_PARTS = 80
"""Facts in one statement."""
_TOO_DEEP = f"at most {DEEPEST} brackets may stand within each other"
_MARK = re.compile(r"[()]")
_COUNTED = ("at_least", "exactly", "at_most")
_GROUPS = ("not", "all", "any", *_COUNTED)
_TOKEN = re.compile(r"\s*([(),]|[^\s(),][^(),]*)")
_WORD = re.compile(r"[\w.+-]+$")
_STAGE = re.compile(r"(?P<optional>maybe )?\s*(?:@(?P<robot>[\w.+-]+) )?\s*(?:if (?P<when>[^:]+):)?"
                    r"(?P<conditions>.*)$", re.DOTALL)
_NUMBER = re.compile(r"\d{1,3}$")


class _Unreadable(Exception):
    def __init__(self, kind: GoalErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def parse_statement(text: str) -> Union[Statement, GoalError]:
    """Read one statement; ``str`` of what is read writes it again.

    Names are taken as they are written, with ``_`` for a space; whether they exist is asked elsewhere.

    Args:
        text: a condition, such as ``not(on(a,b))``.

    Returns:
        The statement, or what is wrong with the text.
    """
    if len(text) > LONGEST:
        return GoalError(GoalErrorKind.LIMIT, f"a condition has at most {LONGEST} characters, this one has {len(text)}",
                      text[:80])
    try:
        return _Reader(text).whole()
    except _Unreadable as error:
        return GoalError(error.kind, f"{error}: '{text.strip()[:160]}'", text)


def statements_of(texts: Iterable[str]) -> Tuple[Statement, ...]:
    """Read statements that ``str`` wrote; unreadable ones are left out.

    Args:
        texts: conditions.

    Returns:
        The statements.
    """
    read = map(parse_statement, texts)
    return tuple(each for each in read if not isinstance(each, GoalError))


def parse_stage(text: str) -> Union[Stage, GoalError]:
    """Read one stage, ``maybe @panda if in(a,b): on(a,c) & on(b,d)``; ``str`` of what is read writes it again.

    Args:
        text: a stage.

    Returns:
        The stage, or what is wrong with the text.
    """
    match = _STAGE.match(text.strip())
    if match is None:  # The pattern fits any text; this is for the type checker.
        return GoalError(GoalErrorKind.FORM, "a stage was expected", text[:80])
    when = _conditions(match.group("when") or "")
    conditions = _conditions(match.group("conditions"))
    if isinstance(when, GoalError):
        return when
    if isinstance(conditions, GoalError):
        return conditions
    if not conditions:
        return GoalError(GoalErrorKind.FORM, "a stage needs at least one condition", text[:80])
    return Stage(conditions, match.group("robot") or "", when, bool(match.group("optional")))


def parse_goal(parts: Mapping[str, Any]) -> Union[Goal, GoalError]:
    """Read what :attr:`Goal.texts` writes, and what was written before goals had stages.

    Args:
        parts: lists of texts under ``stages``, ``otherwise`` and ``invariants``; earlier ``first``, ``end``,
            ``keep``, and a text under ``robot``.

    Returns:
        The goal, or why a text cannot be read.
    """
    robot = str(parts.get("robot") or "")
    earlier = [*([text] for text in parts.get("first") or ()), *([parts["end"]] if parts.get("end") else [])]
    texts = [*(parts.get("stages") or ()), *(" & ".join(map(str, some)) for some in earlier)]
    stages, otherwise = _stages(texts), _stages(parts.get("otherwise") or ())
    if isinstance(stages, GoalError):
        return stages
    if isinstance(otherwise, GoalError):
        return otherwise
    invariants: List[Statement] = []
    for text in (*(parts.get("invariants") or ()), *(parts.get("keep") or ())):
        found = parse_statement(str(text))
        if isinstance(found, GoalError):
            return found
        invariants.append(found)
    if robot:
        stages = tuple(replace(each, robot=each.robot or robot) for each in stages)
    return Goal(stages, tuple(invariants), otherwise)


def _stages(texts: Iterable[Any]) -> Union[Tuple[Stage, ...], GoalError]:
    found: List[Stage] = []
    for text in texts:
        stage = parse_stage(str(text))
        if isinstance(stage, GoalError):
            return stage
        found.append(stage)
    return tuple(found)


def _conditions(text: str) -> Union[Tuple[Statement, ...], GoalError]:
    found: List[Statement] = []
    for part in filter(None, (each.strip() for each in text.split("&"))):
        statement = parse_statement(part)
        if isinstance(statement, GoalError):
            return statement
        found.append(statement)
    return tuple(found)


class _Reader:
    """Reads one text by recursive descent, at most ``DEEPEST`` levels."""

    def __init__(self, text: str) -> None:
        self._tokens: List[str] = [match.group(1).strip() for match in _TOKEN.finditer(text)]
        self._at = 0
        self._facts = 0

    def whole(self) -> Statement:
        found = self._statement(0)
        if self._next() is not None:
            raise _Unreadable(GoalErrorKind.FORM, f"nothing may follow at '{self._next()}'")
        written, depth, deepest = str(found), 0, 0  # In which ``not`` of several takes a bracket more.
        for mark in _MARK.findall(written):
            depth += 1 if mark == "(" else -1
            deepest = max(deepest, depth)
        if deepest > DEEPEST + 1:
            raise _Unreadable(GoalErrorKind.LIMIT, _TOO_DEEP)
        if len(written) > LONGEST:
            raise _Unreadable(GoalErrorKind.LIMIT, f"a condition has at most {LONGEST} characters when it is "
                                                f"written in full, this one has {len(written)}")
        return found

    def _statement(self, depth: int) -> Statement:
        if depth > DEEPEST:
            raise _Unreadable(GoalErrorKind.LIMIT, _TOO_DEEP)
        name = self._take("a predicate")
        if name.lower().startswith("not ") and self._next() == "(":
            self._tokens[self._at - 1:self._at] = [name[4:].strip()]
            self._at -= 1
            return Not(self._statement(depth + 1))
        word = _normal(name)
        self._expect("(")
        group = word.lower()
        if group not in _GROUPS:
            return self._fact(word)
        number = 0
        if group in _COUNTED:
            said = self._take("a number")
            if not _NUMBER.match(said):
                raise _Unreadable(GoalErrorKind.FORM, f"a number was expected, not '{said}'")
            self._expect(",")
            number = int(said)
        parts = [self._statement(depth + 1)]
        while self._next() == ",":
            self._at += 1
            parts.append(self._statement(depth + 1))
        self._expect(")")
        return grouped(group, number, tuple(parts))

    def _fact(self, predicate: str) -> Statement:
        self._facts += 1
        if self._facts > MOST_PARTS:
            raise _Unreadable(GoalErrorKind.LIMIT, f"a condition may hold at most {MOST_PARTS} facts")
        arguments = [_normal(self._take("a name"))]
        while self._next() == ",":
            self._at += 1
            arguments.append(_normal(self._take("a name")))
        self._expect(")")
        if len(arguments) > 2:
            raise _Unreadable(GoalErrorKind.FORM,
                              f"'{predicate}' has {len(arguments)} arguments; at most two are possible")
        return Holds(Relation(arguments[0], predicate, arguments[1] if len(arguments) > 1 else ""))

    def _next(self) -> Optional[str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, what: str) -> str:
        token = self._next()
        if token is None or token in "(),":
            raise _Unreadable(GoalErrorKind.FORM,
                              f"{what} was expected " + (f"before '{token}'" if token else "at the end"))
        self._at += 1
        return token

    def _expect(self, mark: str) -> None:
        if self._next() != mark:
            found = f"not '{self._next()}'" if self._next() else "at the end"
            raise _Unreadable(GoalErrorKind.FORM, f"'{mark}' was expected, {found}" if self._next() else
                              f"'{mark}' was expected {found}")
        self._at += 1


def grouped(group: str, number: int, parts: Tuple[Statement, ...]) -> Statement:
    """Build a group of statements.

    Args:
        group: ``not``, ``all``, ``any``, ``at_least``, ``exactly`` or ``at_most``.
        number: for the groups that count.
        parts: the statements in the group.

    Returns:
        The group.
    """
    if group == "not":
        return Not(all_of(*parts))
    if group == "all":
        return all_of(*parts)
    if group == "any":
        return any_of(*parts)
    if group == "at_least":
        return Count(parts, number)
    return Count(parts, number if group == "exactly" else 0, number)


def _normal(name: str) -> str:
    """A name with ``_`` for spaces, without the quotes that models write around it."""
    word = re.sub(r"\s+", "_", name.strip().strip("'\"`").strip())
    if not _WORD.match(word):
        raise _Unreadable(GoalErrorKind.FORM, f"'{name[:60]}' is no name")
    return word
