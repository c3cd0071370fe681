"""Sides whose thing is said later: "the fork left and the knife right of the plate"."""

from __future__ import annotations

from typing import Dict, Optional, Sequence, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.tokens import Token

_SIDES: Dict[str, str] = {"left": "left_of", "right": "right_of"}
_BEFORE = ("to", "on", "the")
"""What may stand before a side: "to the left"."""


def shared_places(tokens: Sequence[Token]) -> Tuple[Token, ...]:
    """A clause with the thing said at each side."""
    told = tuple(tokens)
    at = _bare(told, len(told) - 1)
    while at is not None:
        after = next(place for place in range(at, len(told)) if _is_side(told[place]))
        end = next((place for place in range(after, len(told)) if told[place].kind == "and"), len(told))
        begin = _beginning(told, at)
        side = Token("relation", _SIDES[told[at].text], f"{told[at].text} of", told[at].start, told[at].end)
        told = (*told[:begin], side, *told[after + 1:end], *told[at + 1:])
        at = _bare(told, begin - 1)  # Never again in what was put in: that would not end.
    return told


def _bare(tokens: Sequence[Token], last: int) -> Optional[int]:
    """The last side up to a token that stands behind a thing, and before an "and" with a whole place behind
    that.
    """
    whole = any(map(_is_side, tokens[last + 1:]))
    for at in range(last, 0, -1):
        whole = whole or _is_side(tokens[at])
        if whole and tokens[at].text in _SIDES and tokens[at + 1].kind == "and":
            before = tokens[_beginning(tokens, at) - 1]
            if before.kind == "word" and before.text not in lexicon.DETERMINERS:
                return at
    return None


def _is_side(token: Token) -> bool:
    return token.kind == "relation" and token.value in _SIDES.values()


def _beginning(tokens: Sequence[Token], at: int) -> int:
    """Where the words for a side begin."""
    while at > 1 and tokens[at - 1].text in _BEFORE:
        at -= 1
    return at
