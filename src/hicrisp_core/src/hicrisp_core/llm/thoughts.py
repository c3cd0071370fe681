"""What a model answers without what it thinks, by the marks that models put around either."""

from __future__ import annotations

import json
import re
from typing import Dict, Iterable, List, Tuple

_ANSWERS = frozenset((
    "action", "actions", "answer", "call", "calls", "code", "final", "function", "json", "output", "plan", "response",
    "result", "solution", "steps", "tool"))
"""Words in the names of marks that stand around an answer; any other closing mark ends a thought."""
_THINKING = "think|thought|reason|reflect|analy|scratch|inner|deliberat|ponder|musing|monolog"
"""Stems of names that need no closing mark to begin a thought."""
_STEM = re.compile(_THINKING, re.IGNORECASE)
_MARK = re.compile(r"[<\[◁][|｜]?(?P<closes>/?)(?P<name>[A-Za-z][\w:-]*)(?:\s[^<>\[\]]{0,80})?[|｜]?[>\]▷]")
_SPELT = (
    (re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
                r"(.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)", re.DOTALL), r"<\1>\2</\1>"),
    (re.compile(r"<\|channel>\s*(\w+)(.*?)(?:<channel\|>|\Z)", re.DOTALL), r"<\1>\2</\1>"),
    (re.compile(rf"<\|(?:begin|start)(?:_of)?_(\w*(?:{_THINKING})\w*)\|>", re.IGNORECASE), r"<\1>"),
    (re.compile(rf"<\|end(?:_of)?_(\w*(?:{_THINKING})\w*)\|>", re.IGNORECASE), r"</\1>"),
    (re.compile(r"<\|(\w+)_prefix\|>"), r"<\1>"), (re.compile(r"<\|(\w+)_suffix\|>"), r"</\1>"),
)
"""Channels, and beginnings and ends in words, as the marks that they are."""


def without_thoughts(text: str) -> str:
    """Return the final answer in a model's text.

    What stands between two marks of a name is a thought unless the name says that it is an answer; a closing
    mark alone ends a thought that began with the text, since some templates hold the opening one. Where nothing
    else is left, only names that speak of thinking hold a thought. A text that is JSON as a whole has no marks.

    Args:
        text: the model's whole text.

    Returns:
        The answer without thoughts.
    """
    if is_json(text):
        return text
    for spelling, written in _SPELT:
        text = spelling.sub(written, text)
    thoughts: List[Tuple[int, int, bool]] = []
    opened: Dict[str, int] = {}
    for mark in _MARK.finditer(text):
        name = mark.group("name").lower()
        if not _STEM.search(name) and not _ANSWERS.isdisjoint(re.split(r"[_:-]", name)):
            continue
        if not mark.group("closes"):
            opened.setdefault(name, mark.start())
            continue
        begins = opened.pop(name, 0)
        thoughts.append((begins, mark.end(), bool(_STEM.search(name))))
        opened = {other: at for other, at in opened.items() if at < begins}
    thoughts += [(at, len(text), True) for name, at in opened.items() if _STEM.search(name)]
    return _cut(text, thoughts) or _cut(text, [each for each in thoughts if each[2]])


def _cut(text: str, thoughts: Iterable[Tuple[int, int, bool]]) -> str:
    said, at = "", 0
    for begins, ends, _ in sorted(thoughts):
        said, at = f"{said} {text[at:begins]}", max(at, ends)
    return (said + text[at:]).strip() if at else text


def is_json(text: str) -> bool:
    """Check whether a text is an object or a list of JSON as a whole.

    Args:
        text: any text.

    Returns:
        Whether it parses as a whole.
    """
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False
