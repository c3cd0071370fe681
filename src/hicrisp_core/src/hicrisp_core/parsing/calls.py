"""Function calls in a line of text, as ``pick('box')`` or ``place(item="box", on=table)``; nothing is
evaluated.
"""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Tuple

from hicrisp_core.parsing.raw import RawStep

_NAME = re.compile(r"([A-Za-z_]\w*)\(")
_SPACED = re.compile(r"\s*([A-Za-z_]\w*)\s+(\([^()]*\))\s*")
_KEYWORD = re.compile(r"\s*(\w+)\s*=(?!=)(.*)", re.DOTALL)


def read_calls(line: str) -> List[RawStep]:
    """The calls of a line, in order; calls inside the arguments of another stay text."""
    spaced = _SPACED.fullmatch(line)
    if spaced:
        line = spaced.group(1) + spaced.group(2)
    found: List[RawStep] = []
    at = 0
    while True:
        name = _NAME.search(line, at)
        if name is None:
            return found
        arguments, end = _arguments(line, name.end())
        found.append(_step(name.group(1), arguments, line[name.start():end]))
        at = end


def _arguments(line: str, at: int) -> Tuple[List[str], int]:
    """The arguments from behind the opening bracket, and where the call ends; an unclosed call ends with
    the line.
    """
    parts: List[str] = [""]
    depth = 0
    quote: Optional[str] = None
    while at < len(line):
        char = line[at]
        at += 1
        if quote:
            quote = None if char == quote else quote
        elif char in "\"'" and (not parts[-1].strip() or parts[-1].rstrip()[-1] in "=([{,"):
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif char == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += char
    return [part for part in parts if part.strip()], at


def _step(name: str, arguments: List[str], quote: str) -> RawStep:
    positional: List[str] = []
    named: Dict[str, str] = {}
    for argument in arguments:
        keyword = _KEYWORD.fullmatch(argument)
        if keyword:
            named[keyword.group(1)] = unquoted(keyword.group(2))
        else:
            positional.append(unquoted(argument))
    return RawStep(name, tuple(positional), named, quote)


def unquoted(value: object) -> str:
    """A value as text, without the quotes around it."""
    return str(value).strip().strip("'\"").strip()
