"""Requests that give a name to a thing which no file describes: "call the unknown thing coffee cup"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

_THING = r"(?:(?:the |that |this )?unknown (?:thing|object|item|one)|(?:the )?(?P<number>unknown[ _]\d+))"
_NAME = r"(?:(?:a|an|the|my|our) )?(?P<name>[^,.;?!]+)"
_FORMS = tuple(re.compile(form) for form in (
    rf"(?:please )?(?:call|name) {_THING} (?:as )?{_NAME}[.!]?",
    rf"{_THING} is (?:now )?(?:called|named) {_NAME}[.!]?",
    rf"{_THING} is (?:a|an) (?P<name>[^,.;?!]+)[.!]?"))


@dataclass(frozen=True)
class NamingRequest:
    """What is to be called how.

    Args:
        thing: its present name; empty for the only unknown one.
    """

    thing: str
    name: str


def naming_in(text: str) -> Optional[NamingRequest]:
    """The name that a request gives; ``None`` where it asks for something else."""
    words = " ".join(text.lower().split())
    for form in _FORMS:
        found = form.fullmatch(words)
        if found is not None:
            return NamingRequest((found["number"] or "").replace(" ", "_"), found["name"].strip(" '\""))
    return None
