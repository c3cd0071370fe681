"""Memories as JSON lines: one entry a line, for people to read, and for other machines to take in."""

from __future__ import annotations

import json
from sqlite3 import Connection
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.memory import tables
from hicrisp_core.memory.entries import Entry, Example, Mended, Numbered, Offset, Unfit, entry_of, record_of
from hicrisp_core.model.goal import GoalError, facts_in
from hicrisp_core.model.goal_text import parse_goal
from hicrisp_core.trace.plain import to_json

LONGEST_LINE = 100_000
"""Characters of one line."""
_MOST_TIMES = 1000

DomainOf = Callable[[str], Optional[Domain]]
"""The domain of a name; ``None`` for one that is not there."""


class LeftOut(NamedTuple):
    """A line that was not taken in: its number from 1, and why."""

    line: int
    why: str


def lines_of(entries: Iterable[Numbered]) -> Iterator[str]:
    """Yield entries as lines of JSON, without line ends.

    Args:
        entries: examples, corrections and offsets.

    Yields:
        One line for each.
    """
    for each in entries:
        yield to_json({**record_of(each.entry), **({"times": each.times} if each.times > 1 else {})})


def read_lines(lines: Iterable[str], domain_of: DomainOf) -> Tuple[Tuple[Tuple[Entry, int], ...], Tuple[LeftOut, ...]]:
    """Read entries from lines of JSON; empty lines are skipped.

    Imported text is not trusted: it can only become an example or a proposal, which the checker and the task's
    own goal overrule.

    Args:
        lines: text lines, one object in each.
        domain_of: returns the domain of a name, or ``None``.

    Returns:
        The entries with how often each happened, and the lines that were left out.
    """
    found: List[Tuple[Entry, int]] = []
    left_out: List[LeftOut] = []
    domains: Dict[str, Optional[Domain]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            left_out.append(LeftOut(number, f"it has more than {LONGEST_LINE} characters"))
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            left_out.append(LeftOut(number, f"it is no JSON: {error}"))
            continue
        entry = entry_of(value)
        if not isinstance(entry, (Unfit, Offset)):
            if entry.domain not in domains:
                domains[entry.domain] = domain_of(entry.domain)
            entry = _fitting(entry, domains[entry.domain])
        if isinstance(entry, Unfit):
            left_out.append(LeftOut(number, entry.reason))
        else:
            times = value.get("times", 1)
            counted = isinstance(times, int) and not isinstance(times, bool) and times > 0
            found.append((entry, min(times, _MOST_TIMES) if counted else 1))
    return tuple(found), tuple(left_out)


def take_in(connection: Connection, entries: Iterable[Tuple[Entry, int]]) -> None:
    """Write entries; of two estimates of the same offset the later one is kept.

    Args:
        connection: the open database.
        entries: the entries with how often each happened.
    """
    known = {(each.entry.body, each.entry.key): each.last for each in tables.offsets(connection)
             if isinstance(each.entry, Offset)}
    for entry, times in entries:
        if isinstance(entry, Offset):
            if entry.when < known.get((entry.body, entry.key), 0.0):
                continue
            known[entry.body, entry.key] = entry.when
        tables.put(connection, entry, times)


def _fitting(entry: Union[Example, Mended], domain: Optional[Domain]) -> Union[Example, Mended, Unfit]:
    """Return the entry, or why its domain has no such steps or conditions."""
    if domain is None:
        return Unfit(f"there is no domain '{entry.domain}' here")
    steps = entry.steps if isinstance(entry, Example) else (entry.failure.command, *entry.steps)
    for step in steps:
        action = domain.actions.get(step.action)
        if action is None:
            return Unfit(f"the domain {domain.name} has no action '{step.action}'")
        unknown = sorted(set(step.arguments) - set(action.parameters))
        if unknown:
            return Unfit(f"the action {action.name} has no parameter '{unknown[0]}'")
    if isinstance(entry, Example):
        goal = parse_goal(entry.goal)
        unknown = [] if isinstance(goal, GoalError) else [
            fact.predicate for statement in goal.statements for fact in facts_in(statement)
            if fact.predicate not in domain.predicates]
        if unknown:
            return Unfit(f"the domain {domain.name} has no predicate '{unknown[0]}'")
    return entry
