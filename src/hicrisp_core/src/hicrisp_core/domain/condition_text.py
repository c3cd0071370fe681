"""Conditions in writing: how they are read from domain files."""

from __future__ import annotations

import re

from hicrisp_core.domain.conditions import Atom, Clause, Condition
from hicrisp_core.errors import ConfigError

_ATOM = re.compile(r"\s*(\*|[A-Za-z][\w-]*)\s*\(([^()]*)\)\s*$")
_TERM = r"(?:_|\??[A-Za-z][\w.-]*|-?\d+(?:\.\d+)?)"
_ARGUMENT = re.compile(rf"{_TERM}(?:\s+[+-]\s+{_TERM})*$")


def parse_atom(text: str) -> Atom:
    """Read ``predicate(argument, ...)``.

    Raises:
        ConfigError: with what was found and what would be right.
    """
    match = _ATOM.match(text)
    if not match:
        raise ConfigError(f"'{text.strip()}' is not of the form predicate(argument, argument)")
    arguments = tuple(part.strip() for part in match.group(2).split(",") if part.strip())
    for argument in arguments:
        if not _ARGUMENT.match(argument):
            raise ConfigError(f"'{argument}' in '{text.strip()}' is neither a name, nor a number, nor "
                              "?variable, nor _, nor a sum of such")
    if not 1 <= len(arguments) <= 2:
        raise ConfigError(f"'{text.strip()}' needs one or two arguments")
    return Atom(match.group(1), arguments)


def parse_clause(text: str) -> Clause:
    """Read ``[not] atom and atom ...``."""
    stripped = text.strip()
    negated = stripped.startswith("not ")
    body = stripped[4:] if negated else stripped
    return Clause(tuple(parse_atom(part) for part in re.split(r"\band\b", body)), negated)


def parse_condition(text: str) -> Condition:
    """Read ``clause or clause ...``."""
    return Condition(tuple(parse_clause(part) for part in re.split(r"\bor\b", text)))
