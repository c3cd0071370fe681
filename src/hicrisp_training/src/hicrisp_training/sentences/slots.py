"""Slots of sentences and of conditions: how they are written and what is put into them."""

from __future__ import annotations

import re
from typing import Callable, List, Mapping, Sequence

from hicrisp_core.errors import ConfigError

SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
"""A slot of a sentence: its name and, after a dot, its form."""
_WORD = re.compile(r"\w+")


def split_arguments(text: str) -> List[str]:
    """The parts of a list between commas that stand in no inner brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def expanded(condition: str, names: Mapping[str, str], groups: Mapping[str, Sequence[str]]) -> List[str]:
    """The conditions over names that one condition over slots stands for.

    Args:
        names: what stands for each slot; other words stay as they are.
        groups: the members of each group, for ``each A``.
    """
    head, inner = _call(condition)
    if head == "tower":
        parts = split_arguments(inner)
        return [f"on({_name(upper, names)},{_name(lower, names)})" for lower, upper in zip(parts, parts[1:])]
    if head == "row":
        relation, *parts = split_arguments(inner)
        return [
            f"{relation}({_name(one, names)},{_name(other, names)})" for one, other in zip(parts, parts[1:])
        ]
    if head == "count":
        kind, number, *parts = split_arguments(inner)
        return [f"{kind}({number},{','.join(_all(parts, names, groups))})"]
    if head in ("any", "all"):
        found = _all(split_arguments(inner), names, groups)
        return [found[0] if len(found) == 1 else f"{head}({','.join(found)})"]
    if head in ("at_least", "at_most", "exactly"):
        number, *parts = split_arguments(inner)
        return [f"{head}({number},{','.join(_all(parts, names, groups))})"]
    if head == "not":
        return [f"not({each})" for each in expanded(inner, names, groups)]
    return _facts(head, split_arguments(inner) if inner else [], names, groups)


def _all(parts: Sequence[str], names: Mapping[str, str], groups: Mapping[str, Sequence[str]]) -> List[str]:
    return [each for part in parts for each in expanded(part, names, groups)]


def _facts(
    head: str, parts: List[str], names: Mapping[str, str], groups: Mapping[str, Sequence[str]]
) -> List[str]:
    choices: List[List[str]] = [[]]
    for part in parts:
        each = part[len("each ") :].strip() if part.startswith("each ") else ""
        values = list(groups[each]) if each else [_name(part, names)]
        choices = [[*chosen, value] for chosen in choices for value in values]
    return [f"{head}({','.join(chosen)})" for chosen in choices]


def _call(condition: str) -> List[str]:
    head, bracket, rest = condition.strip().partition("(")
    if bracket and not rest.endswith(")"):
        raise ConfigError(f"the condition '{condition}' does not end with a bracket")
    return [head.strip(), rest[:-1] if bracket else ""]


def _name(part: str, names: Mapping[str, str]) -> str:
    return names.get(part, part)


def filled(say: str, put: Callable[[str, str], str]) -> str:
    """A sentence with something put into each slot: ``put(name, form)``."""
    return SLOT.sub(lambda match: put(match.group(1), match.group(2) or ""), say)


def words_of(name: str) -> List[str]:
    """The words of a name that is written with underscores."""
    return _WORD.findall(name.replace("_", " "))
