"""The words that tell an order: ways through it, places in it, and steps from one thing to the next."""

from __future__ import annotations

import re
from typing import Dict, Mapping, NamedTuple, Pattern, Sequence, Tuple

from hicrisp_core.language import lexicon

FIRST, MIDDLE, LAST = 0, 1, -1
"""Places in a tower (from the bottom up), in a row (from left to right) or in a queue (from the front on)."""
_MIDDLES = ("middle", "mid", "centre", "center", "between")


class Axis(NamedTuple):
    """One kind of order.

    Args:
        beyond_one: what a thing is of the one before it.
        short_of_one: what a thing is of the one after it; empty where the domains have no word for that.
        onward: words for the way from its first place to its last.
        back: words for the other way.
        places: words for its places.
        after: words before a thing that lead to the place next to it towards the last.
        before: the same towards the first.
        beyond: words alone for a place towards the last from the thing named before.
        short: the same towards the first.
        shapes: what has such an order.
    """

    beyond_one: str
    short_of_one: str
    onward: Pattern[str]
    back: Pattern[str]
    places: Mapping[str, int]
    after: Tuple[str, ...]
    before: Tuple[str, ...]
    beyond: Tuple[str, ...]
    short: Tuple[str, ...]
    shapes: Tuple[str, ...]


def _ways(*patterns: str) -> Pattern[str]:
    return re.compile(rf"\b({'|'.join(patterns)})\b")


def _places(first: Sequence[str], last: Sequence[str]) -> Mapping[str, int]:
    found: Dict[str, int] = {word: MIDDLE for word in _MIDDLES}
    found.update((word, FIRST) for word in first)
    found.update((word, LAST) for word in last)
    return found


UPRIGHT = Axis(
    "on", "",
    _ways("(from )?(the )?(bottom|btm) (up|(to|2) (the )?top)",
          "from (the )?(bottom|btm|ground|base|table)( up(wards?)?)?",
          "from below", "upwards?", "lowest first"),
    _ways("(from )?(the )?top (down|(to|2) (the )?(bottom|btm))", "from (the )?(top|tip)( down(wards?)?)?",
          "from above", "downwards?", "highest first"),
    _places(("bottom", "btm", "base", "lowest", "foundation", "foot", "undermost", "bottommost",
             "ground", "floor"),
            ("top", "topmost", "highest", "tip", "uppermost", "peak", "summit", "roof")),
    ("on the top of", "onto the top of", "on top of", "ontop of", "ontop", "onto", "upon", "atop", "above",
     "over", "on", "supported by", "carried by", "held up by"),
    ("underneath", "under", "below", "beneath", "topped by", "topped with", "crowned by", "crowned with",
     "carries", "carry", "supports", "support", "bears", "bear", "holds up"),
    ("above", "higher"), ("below", "under", "underneath", "beneath", "lower"),
    ("tower", "stack", "pile", "column"))
LEVEL = Axis(
    "right_of", "left_of",
    _ways("(from )?(the )?left to (the )?right", "l2r", "from (the )?left"),
    _ways("(from )?(the )?right to (the )?left", "r2l", "from (the )?right"),
    _places(("left", "leftmost"), ("right", "rightmost")),
    lexicon.RELATIONS["right_of"], lexicon.RELATIONS["left_of"], (), (),
    ("row", "line"))
DEEP = Axis(
    "behind", "in_front_of",
    _ways("(from )?(the )?front to (the )?(back|rear)", "f2b", "from (the )?front"),
    _ways("(from )?(the )?(back|rear) to (the )?front", "b2f", "from (the )?(back|rear)"),
    _places(("front", "foremost", "frontmost"), ("back", "rear", "rearmost", "hindmost")),
    lexicon.RELATIONS["behind"], lexicon.RELATIONS["in_front_of"], ("behind",), (),
    ("row", "line", "queue"))
AXES = (UPRIGHT, LEVEL, DEEP)
BREAKS = frozenset((",", ".", ";", "!", "?", "\n", "and", "then", "with", "next", "finally", "lastly",
                    "followed", "but", "while", "yet"))
"""What parts one thing with its place from the next."""
PRONOUNS = frozenset(("it", "that", "this", "them", "those", "these"))
ARTICLES = frozenset(("the", "a", "an", "my", "your", "our", "its", "that", "this"))
INTO = frozenset(("in", "on", "at", "to", "by", "into"))
"""Words that lead to a thing, where they tell no step."""
TELLING = frozenset(word for axis in AXES
                    for word in (*axis.places, *axis.shapes, *axis.beyond, *axis.short))
"""Words of an order that may be a thing's name, too."""
NEUTRAL = frozenset((
    *ARTICLES, *PRONOUNS, ":", "(", ")",
    "of", "in", "on", "at", "as", "to", "for", "from", "by", "up", "one", "ones", "thing", "things",
    "i", "we", "you", "us", "me", "they", "each", "other", "another", "some", "so", "where", "which", "there",
    "is", "are", "be", "being", "do", "should", "shall", "must", "can", "could", "would", "will",
    "may", "might", "let", "want", "wants", "need", "needs", "like", "fancy", "prefer", "have", "has",
    "get", "gets", "give", "see", "move", "moves",
    "build", "make", "put", "set", "place", "stack", "pile", "arrange", "form", "create", "lay", "rebuild",
    "placed", "stacked", "piled", "arranged", "made", "lined",
    "keep", "keeps", "stay", "stays", "remain", "remains", "sure", "leave", "does", "ever",
    "belong", "belongs",
    "goes", "go", "going", "comes", "come", "coming", "sits", "sit", "sitting", "stands", "stand", "standing",
    "rests", "rest", "resting", "start", "starts", "starting", "begin", "begins", "beginning",
    "end", "ends", "ending", "finish", "finishes", "finishing", "towards",
    "read", "reading", "very", "right", "far", "way", "all", "together", "straight", "nice", "little",
    "small", "new", "again", "only", "side", "spot", "position", "level", "layer", "part", "edge",
    "after",
    "order", "sequence", "depth", "horizontal", "vertical", "colour", "colours", "color", "colors",
    "okay", "ok", "well", "listen", "dear", "alright", "um", "thx", "pls", "hi", "hey", "robot", "just"))
"""Words that add nothing to an order that others tell."""
SHORTHAND: Mapping[str, str] = {
    "&": "and", "+": "and", "n": "and", "w": "with", "teh": "the", "nxt": "next", "pls": "please",
    "plz": "please", "lft": "left", "rt": "right", "u": "you"}
"""What people write in haste."""
WORDS = frozenset(word for phrase in (*NEUTRAL, *BREAKS, *(
    phrase for axis in AXES for phrase in (*axis.places, *axis.shapes, *axis.after, *axis.before)),
    *lexicon.RELATIONS["in"], *lexicon.RELATIONS["next_to"]) for word in phrase.split())
"""All words of requests that tell an order, but those of ways through it."""
DENYING = ("not", "never")
APART = ("away from", "clear of", "far from", "at a distance from", "well away from", "far away from")
"""Words between two things that shall not stand next to each other."""
ITS_SIDES: Mapping[str, Tuple[Axis, int]] = {
    f"{word} its {side}": step for words, side, step in (
        (("on", "to", "at"), "left", (LEVEL, -1)), (("on", "to", "at"), "right", (LEVEL, 1)),
        (("at", "to"), "back", (DEEP, 1)), (("on",), "back", (UPRIGHT, 1)),
        (("on", "at"), "top", (UPRIGHT, 1)))
    for word in words}
"""Steps from the thing that was spoken of."""
