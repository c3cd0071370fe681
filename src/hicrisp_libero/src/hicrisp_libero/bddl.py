"""The benchmark's BDDL files: what stands where at first, what is asked in words, and what its judge checks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Collection, Dict, List, Mapping, NamedTuple, NoReturn, Tuple

from hicrisp_core.errors import ConfigError

PREDICATES: Mapping[str, int] = {"On": 2, "In": 2, "Open": 1, "Close": 1, "Turnon": 1, "Turnoff": 1}
"""The benchmark's predicates, with the number of their arguments."""
_TOKEN = re.compile(r"[()]|[^\s()]+")
_COMMENT = re.compile(r";[^\n]*")
_SECTIONS = (":domain", ":requirements", ":language", ":regions", ":fixtures", ":objects", ":obj_of_interest", ":init",
             ":goal", ":scene_properties", "problem")
_NEEDED = (":language", ":fixtures", ":objects", ":init", ":goal")
Interval = Tuple[float, float]


class Fact(NamedTuple):
    """A predicate of the benchmark with its arguments: objects, fixtures, or regions by their whole names."""

    predicate: str
    arguments: Tuple[str, ...]


@dataclass(frozen=True)
class Region:
    """A place on a table, or a part of a fixture or an object.

    Args:
        name: without its target.
        target: what it is a part of.
        ranges: rectangles on the target's surface, metres: least x, least y, greatest x, greatest y; none for a part.
        yaw: least and greatest turn about the vertical of what is put there, radians.
    """

    name: str
    target: str
    ranges: Tuple[Tuple[float, float, float, float], ...] = ()
    yaw: Interval = (0.0, 0.0)

    @property
    def centre(self) -> Tuple[float, float]:
        """The middle of its first rectangle in the target's frame, metres; of a part the target's origin."""
        x, y, far_x, far_y = self.ranges[0] if self.ranges else (0.0,) * 4
        return (x + far_x) / 2.0, (y + far_y) / 2.0


@dataclass(frozen=True)
class Problem:
    """One task of the benchmark.

    Args:
        instruction: what is asked, in words.
        fixtures: categories by name; the table or floor is one of them.
        objects: categories by name.
        regions: by whole name, which begins with the target's.
        init: what holds at first.
        goal: what holds at the end, all of it.
    """

    name: str
    instruction: str
    fixtures: Mapping[str, str]
    objects: Mapping[str, str]
    regions: Mapping[str, Region]
    init: Tuple[Fact, ...]
    goal: Tuple[Fact, ...]

    @property
    def categories(self) -> Mapping[str, str]:
        """The categories of all objects and fixtures, by name."""
        return {**self.fixtures, **self.objects}


class _Word(str):
    line: int = 0


class _Group(List[Any]):
    line: int = 0


def read_bddl(file: Path) -> Problem:
    """Read a BDDL file.

    Args:
        file: path of the file.

    Returns:
        The task.

    Raises:
        ConfigError: with the file, the line and what was expected there.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the BDDL file {file}: {error}") from error
    return _File(str(file)).problem(_COMMENT.sub("", text))


class _File:
    """Reads the text of one file; its errors name it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def problem(self, text: str) -> Problem:
        whole = self._parsed(text)
        if not whole or whole[0] != "define":
            self._fail(whole.line, "'(define (problem ...) ...)' was expected")
        sections: Dict[str, _Group] = {}
        for group in whole[1:]:
            key = group[0] if isinstance(group, _Group) and group else group
            if not isinstance(group, _Group) or key not in _SECTIONS:
                self._fail(group.line, f"a section was expected, one of {', '.join(_SECTIONS)}; got '{key}'")
            sections[key] = group
        for key in _NEEDED:
            if key not in sections:
                self._fail(whole.line, f"the section ({key} ...) is missing")
        regions = self._regions(sections.get(":regions", _Group()))
        fixtures, objects = (self._typed(sections[key]) for key in (":fixtures", ":objects"))
        known = {*fixtures, *objects, *regions}
        goal = sections[":goal"]
        parts = goal[1:2]
        if parts and isinstance(parts[0], _Group) and parts[0][:1] in (["And"], ["and"]):
            parts = parts[0][1:]
        found = Problem(
            str((sections.get("problem") or ["", ""])[-1]), " ".join(map(str, sections[":language"][1:])), fixtures,
            objects, regions, self._facts(sections[":init"][1:], known), self._facts(parts, known))
        if not found.goal or not found.instruction:
            line = goal.line if found.instruction else sections[":language"].line
            self._fail(line, "the goal needs at least one fact, and the language at least one word")
        return found

    def _fail(self, line: int, why: str) -> NoReturn:
        raise ConfigError(f"{self._name}, line {line}: {why}")

    def _parsed(self, text: str) -> _Group:
        """Return the words and groups of the first pair of brackets."""
        open_: List[_Group] = [_Group()]
        line, at = 1, 0
        for match in _TOKEN.finditer(text):
            line, at = line + text.count("\n", at, match.start()), match.start()
            if match[0] == "(":
                group = _Group()
                group.line = line
                open_[-1].append(group)
                open_.append(group)
            elif match[0] == ")":
                if len(open_) == 1:
                    self._fail(line, "this ')' closes no '('")
                open_.pop()
            else:
                word = _Word(match[0])
                word.line = line
                open_[-1].append(word)
        if len(open_) > 1:
            self._fail(open_[-1].line, "this '(' is not closed: ')' was expected before the end of the file")
        if not open_[0] or not isinstance(open_[0][0], _Group):
            self._fail(line, "'(define ...)' was expected")
        found: _Group = open_[0][0]
        return found

    def _typed(self, group: _Group) -> Dict[str, str]:
        """Return the categories of ``name name - category ...``."""
        found: Dict[str, str] = {}
        names: List[str] = []
        words = iter(group[1:])
        for word in words:
            if not isinstance(word, _Word):
                self._fail(word.line, f"a name was expected in {group[0]}")
            if word != "-":
                names.append(word)
                continue
            category = next(words, None)
            if category is None or not names:
                self._fail(word.line, "'names - category' was expected")
            found.update(dict.fromkeys(names, str(category)))
            names = []
        if names:
            self._fail(group.line, f"'- category' was expected after '{names[-1]}'")
        return found

    def _regions(self, group: _Group) -> Dict[str, Region]:
        found: Dict[str, Region] = {}
        for each in group[1:]:
            if not isinstance(each, _Group) or not all(isinstance(part, _Group) and part for part in each[1:]):
                self._fail(each.line, "'(region (:target ...) ...)' was expected")
            told = {str(part[0]): part for part in each[1:]}
            target = told.get(":target", _Group())
            if len(target) != 2:
                self._fail(each.line, f"the region '{each[0]}' needs '(:target NAME)'")
            ranges = self._numbers(told.get(":ranges"), 4)
            yaw = self._numbers(told.get(":yaw_rotation"), 2)
            region = Region(str(each[0]), str(target[1]), tuple((row[0], row[1], row[2], row[3]) for row in ranges),
                            (yaw[-1][0], yaw[-1][1]) if yaw else (0.0, 0.0))
            found[f"{region.target}_{region.name}"] = region
        return found

    def _numbers(self, group: Any, count: int) -> List[List[float]]:
        """Return the rows of ``(key ((1.0 2.0) ...))``, each of so many numbers."""
        if group is None:
            return []
        rows: List[List[float]] = []
        for row in group[1] if len(group) == 2 and isinstance(group[1], _Group) else [group]:
            try:
                numbers = [float(each) for each in row]
            except (TypeError, ValueError):
                numbers = []
            if len(numbers) != count:
                self._fail(group.line, f"{group[0]} needs lists of {count} numbers")
            rows.append(numbers)
        return rows

    def _facts(self, groups: List[Any], known: Collection[str]) -> Tuple[Fact, ...]:
        return tuple(self._fact(each, known) for each in groups)

    def _fact(self, group: Any, known: Collection[str]) -> Fact:
        word = str(group[0]) if isinstance(group, _Group) and group else str(group)
        predicate = next((each for each in PREDICATES if each.lower() == word.lower()), "")
        if not predicate:
            self._fail(group.line, f"a fact was expected, with one of {', '.join(PREDICATES)}; got '{word}'")
        arguments = tuple(map(str, group[1:]))
        if len(arguments) != PREDICATES[predicate]:
            self._fail(group.line, f"{predicate} takes {PREDICATES[predicate]} arguments; got {len(arguments)}")
        stranger = next((each for each in arguments if each not in known), "")
        if stranger:
            self._fail(group.line, f"'{stranger}' is not declared; there are: {', '.join(sorted(known))}")
        return Fact(predicate, arguments)
