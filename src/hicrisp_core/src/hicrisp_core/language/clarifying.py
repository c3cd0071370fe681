"""What the user answered when a request was asked back: added to the request, and read from it again."""

from __future__ import annotations

import re
from typing import FrozenSet, Tuple

from hicrisp_core.model import WorldState

_ANSWERS = re.compile(r"((?:\s*\([^()]*\))+)\s*$")
_ANSWER = re.compile(r"\(([^()]*)\)")
_BRACKETS = str.maketrans("()", "  ")


def clarified(text: str, answer: str) -> str:
    """A request with what the user answered when it was asked back."""
    return f"{text} ({' '.join(answer.translate(_BRACKETS).split())})"


def unclarified(text: str) -> Tuple[str, Tuple[str, ...]]:
    """A request as it was said first, and the answers behind it."""
    found = _ANSWERS.search(text)
    if found is None or not text[:found.start()].strip():
        return text, ()
    return text[:found.start()].strip(), tuple(each.strip() for each in _ANSWER.findall(found.group(1)))


def named_in(answers: Tuple[str, ...], world: WorldState) -> FrozenSet[str]:
    """The things that answers name, by their whole names."""
    words = ("_".join(answer.lower().split()) for answer in answers)
    bare = (name[len("the_"):] if name.startswith("the_") else name for name in words)
    return frozenset(name for name in bare if name in world.objects)
