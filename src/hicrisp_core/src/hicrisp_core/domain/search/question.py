"""What a search is asked for: conditions that all hold at once."""

from __future__ import annotations

from typing import Tuple

from hicrisp_core.domain.condition_text import parse_condition
from hicrisp_core.domain.conditions import Condition
from hicrisp_core.domain.effects import names_of
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Command

Conditions = Tuple[Condition, ...]
"""Conditions that all hold at once: a goal as the search takes it."""


def goal_of(*conditions: str) -> Conditions:
    """A goal from conditions in writing, with the world's names in them."""
    return tuple(parse_condition(text) for text in conditions)


def preconditions_of(domain: Domain, command: Command) -> Conditions:
    """The preconditions of a command as a goal."""
    names = names_of(command)
    return tuple(p.condition.bind(names) for p in domain.action(command.action).preconditions)
