"""Phrases that tell when a thing's turn comes: "goes last", "finishes it off", "in that order"."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.language.order_words import FIRST, LAST, UPRIGHT, Axis

_IT = "(?:it|this|that|them|things|everything)"
_TOWER = f"(?:{'|'.join(UPRIGHT.shapes)})"
_WHOLE = rf"(?:{_IT}(?: all)?|the (?:whole )?(?:{_TOWER}|row|line|queue))"
_OTHERS = "(?:everything(?: else)?|(?:it|them) all|(?:all )?the (?:others|rest|lot))"
_COMES = "(?:goes|go|going|comes|come|coming|is|be|being|put|placed|added|stacked)"
_ENDS = rf"(?:finish(?:es|ing)?|complet(?:es?|ing)) {_WHOLE}(?: off| up)?"
_CROWNS = (r"(?:top(?:s|ping)?|cap(?:s|ping)?|crown(?:s|ing)?)"
           rf" (?:{_IT}(?: all)?|the (?:whole )?{_TOWER})(?: off)?")
_LONGEST = 8


class Turn(NamedTuple):
    """When a thing's turn comes.

    Args:
        length: how many words tell it.
        place: in the order; with no axis the first or last one of what is done.
        axes: the orders that have such a place; empty where all do.
        ahead: whether the thing comes behind the words.
        single: whether they speak of one thing alone.
    """

    length: int
    place: int
    axes: Tuple[Axis, ...] = ()
    ahead: bool = False
    single: bool = False


_TURNS = tuple((re.compile(rf"{pattern}(?!\S)"), place, axes, ahead) for pattern, place, axes, ahead in (
    (rf"{_CROWNS} (?:by|with)", LAST, (UPRIGHT,), True),
    (r"(?:topped|capped) off (?:by|with)|capped (?:by|with)", LAST, (UPRIGHT,), True),
    (rf"{_ENDS} (?:by|with)", LAST, (), True),
    (r"(?:finish(?:es|ing)?|end(?:s|ing)?)(?: it)?(?: off| up)? (?:by|with)", LAST, (), True),
    (_CROWNS, LAST, (UPRIGHT,), False),
    (rf"(?:on top of|above|over) {_OTHERS}", LAST, (UPRIGHT,), False),
    (rf"(?:underneath|under|beneath|below) {_OTHERS}", FIRST, (UPRIGHT,), False),
    (_ENDS, LAST, (), False),
    (rf"{_COMES}(?: on| in)?(?: the)?(?: very)? last(?: of all)?", LAST, (), False),
    (rf"{_COMES}(?: on| in)?(?: the)?(?: very)? first", FIRST, (), False),
))
_ORDERED = re.compile(
    r"in (?:exactly )?(?:this|that|the(?: following| given)?) (?:exact )?(?:order|sequence)(?: given)?(?!\S)")
_PARTING = ("followed by", "flanked by", "flanked", "framed by", "bordered by")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def turn_at(words: Sequence[str]) -> Optional[Turn]:
    """The turn that the first words tell."""
    said = " ".join(words[:_LONGEST])
    for pattern, place, axes, ahead in _TURNS:
        found = pattern.match(said)
        if found:
            told = found.group().split()
            return Turn(len(told), place, axes, ahead, told[0].endswith("s"))
    return None


def ordered_at(words: Sequence[str]) -> int:
    """How many of the first words say that things were told, or are told next, in their order."""
    found = _ORDERED.match(" ".join(words[:_LONGEST]))
    return len(found.group().split()) if found else 0


def parting_at(words: Sequence[str]) -> int:
    """How many of the first words part one thing from the next as one phrase."""
    said = f"{' '.join(words[:2])} "
    return next((len(phrase.split()) for phrase in _PARTING if said.startswith(f"{phrase} ")), 0)


def ordinal(word: str) -> int:
    """2 for "second" and so on; 0 for other words and for "first", which begins without an order, too."""
    return _ORDINALS.index(word) + 1 if word in _ORDINALS[1:] else 0
