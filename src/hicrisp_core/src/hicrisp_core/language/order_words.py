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
        several: more than one of these.
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
    several: Tuple[str, ...]


def _ways(*patterns: str) -> Pattern[str]:
    return re.compile(rf"\b({'|'.join(patterns)})\b")


def _starting(*places: str) -> str:
    """A way that is told by where it begins: "starting at the very bottom", "begin on the left-hand side"."""
    return (r"((start|begin|count|work)(s|ing)?|going) (at|from|on|with|by) (the )?(very |far )?"
            rf"({'|'.join(places)})( most)?( hand)?( (end|side))?(?! (to|2|up|down|upwards?|downwards?)\b)")


def _places(first: Sequence[str], last: Sequence[str]) -> Mapping[str, int]:
    found: Dict[str, int] = {word: MIDDLE for word in _MIDDLES}
    found.update((word, FIRST) for word in first)
    found.update((word, LAST) for word in last)
    return found


UPRIGHT = Axis(
    "on", "",
    _ways("(from )?(the )?(very )?(bottom|btm|base|lowest) (up|(to|2) (the )?(very )?(top|tip|highest))",
          "from (the )?(very )?(bottom|btm|ground|base|table)( up(wards?)?)?",
          "from below", "upwards?", "lowest first", "(building|working|going) up(wards?)?",
          _starting("bottom", "btm", "base", "foundation", "ground", "lowest")),
    _ways("(from )?(the )?(very )?(top|tip|highest) (down|(to|2) (the )?(very )?(bottom|btm|base|lowest))",
          "from (the )?(very )?(top|tip)( down(wards?)?)?",
          "from above", "downwards?", "highest first", "(working|going) down(wards?)?",
          _starting("top", "tip", "highest")),
    _places(("bottom", "btm", "base", "lowest", "foundation", "foot", "undermost", "bottommost",
             "ground", "floor", "basis"),
            ("top", "topmost", "highest", "tip", "uppermost", "peak", "summit", "roof", "apex")),
    ("on the top of", "onto the top of", "on top of", "ontop of", "ontop", "onto", "upon", "atop", "above",
     "over", "on", "supported by", "carried by", "held up by"),
    ("underneath", "under", "below", "beneath", "topped by", "topped with", "crowned by", "crowned with",
     "carries", "carry", "supports", "support", "bears", "bear", "holds up"),
    ("above", "higher"), ("below", "under", "underneath", "beneath", "lower"),
    ("tower", "stack", "pile", "column"), ("towers", "stacks", "piles", "columns"))
LEVEL = Axis(
    "right_of", "left_of",
    _ways("(from )?(the )?(far )?left to (the )?(far )?right", "l2r", "from (the )?(far )?left",
          _starting("left", "leftmost")),
    _ways("(from )?(the )?(far )?right to (the )?(far )?left", "r2l", "from (the )?(far )?right",
          _starting("right", "rightmost")),
    _places(("left", "leftmost"), ("right", "rightmost")),
    lexicon.RELATIONS["right_of"], lexicon.RELATIONS["left_of"], (), (),
    ("row", "line"), ("rows", "lines"))
DEEP = Axis(
    "behind", "in_front_of",
    _ways("(from )?(the )?(very )?front to (the )?(very )?(back|rear)", "f2b", "from (the )?(very )?front",
          _starting("front")),
    _ways("(from )?(the )?(very )?(back|rear) to (the )?(very )?front", "b2f",
          "from (the )?(very )?(back|rear)", _starting("back", "rear")),
    _places(("front", "foremost", "frontmost"), ("back", "rear", "rearmost", "hindmost")),
    lexicon.RELATIONS["behind"], lexicon.RELATIONS["in_front_of"], ("behind",), (),
    ("row", "line", "queue"), ("rows", "lines", "queues"))
AXES = (UPRIGHT, LEVEL, DEEP)
SEVERAL_SHAPES = frozenset(("pairs", *(word for axis in AXES for word in axis.several)))
AROUND = ("plus sign", "plus", "cross")
"""One thing with others on its sides."""
BREAKS = frozenset((",", ".", ";", "!", "?", "\n", "and", "then", "with", "next", "finally", "lastly",
                    "followed", "but", "while", "yet"))
"""What parts one thing with its place from the next."""
PRONOUNS = frozenset(("it", "that", "this", "them", "those", "these"))
ARTICLES = frozenset(("the", "a", "an", "my", "your", "our", "its", "that", "this"))
INTO = frozenset(("in", "on", "at", "to", "by", "into"))
"""Words that lead to a thing, where they tell no step."""
FRONTED = frozenset(("goes", "go", "comes", "come", "sits", "stands", "belongs", "be", "want", "like"))
"""Verbs of "under the mug goes the can"."""
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
    "build", "make", "put", "set", "place", "stack", "pile", "arrange", "create", "lay", "rebuild",
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
    "out", "use", "using", "add", "adds", "adding", "form", "forms", "forming", "serve", "serves", "whole",
    "entire", "continue", "continues", "supposed", "ought", "directly",
    "okay", "ok", "well", "listen", "dear", "alright", "um", "thx", "pls", "hi", "hey", "robot", "just"))
"""Words that add nothing to an order that others tell."""
WORDS = frozenset(word for phrase in (*NEUTRAL, *BREAKS, *(
    phrase for axis in AXES for phrase in (*axis.places, *axis.shapes, *axis.after, *axis.before)),
    *lexicon.RELATIONS["in"], *lexicon.RELATIONS["next_to"],
    "last first second third fourth fifth sixth cap caps crown crowns crowned tops topped capped flanked",
    *AROUND, *SEVERAL_SHAPES, *lexicon.NUMBERS) for word in phrase.split())
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
