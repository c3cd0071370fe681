"""How sentences come in: capitals, full stops, greetings, thanks, slips of the finger, recognised speech."""

from __future__ import annotations

import random
import re
from typing import Callable, Sequence, Tuple

_BEFORE = (
    "please {}",
    "hey, {}",
    "ok {}",
    "okay, {}",
    "so, {}",
    "right, {}",
    "hi robot, {}",
    "robot, {}",
    "now {}",
    "um, {}",
    "alright, {}",
    "hello! {}",
    "next: {}",
    "could you do this: {}",
    "listen, {}",
    "well, {}",
    "one more thing: {}",
)
_AFTER = (
    "{} please",
    "{}, please",
    "{}, thanks",
    "{}, thank you",
    "{} thx",
    "{} for me",
    "{} now",
    "{}, ok?",
    "{}, if you can",
    "{} when you get a chance",
    "{}, will you",
    "{} asap",
    "{}, that's all",
    "{}, cheers",
    "{} :)",
    "{}!!",
)
_KEYS = {
    "a": "sq",
    "s": "ad",
    "d": "sf",
    "e": "wr",
    "r": "et",
    "t": "ry",
    "i": "uo",
    "o": "ip",
    "n": "bm",
    "m": "n",
    "l": "k",
    "u": "yi",
    "h": "gj",
    "b": "vn",
    "c": "xv",
    "g": "fh",
    "p": "o",
    "w": "qe",
    "y": "tu",
    "k": "jl",
    "f": "dg",
    "v": "cb",
    "x": "zc",
    "z": "x",
    "q": "w",
    "j": "hk",
}
_NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four"}
_SHORT = {
    "and": "n",
    "please": "pls",
    "you": "u",
    "to": "2",
    "the": "teh",
    "for": "4",
    "left": "l",
    "with": "w/",
    "next": "nxt",
    "box": "bx",
}
_LETTERS = re.compile(r"[A-Za-z]{4,}")
Change = Callable[[str], str]


def disturbed(text: str, voice: str, typos: bool, imperative: bool, rng: random.Random) -> str:
    """A sentence as somebody types or says it.

    Args:
        typos: whether slips of the finger are to be expected.
        imperative: whether words before and after leave it a request.
    """
    if imperative and rng.random() < 0.14:
        text = rng.choice(_BEFORE).format(_small_first(text))
    if imperative and rng.random() < 0.12:
        text = rng.choice(_AFTER).format(text.rstrip(".!"))
    if voice == "speech" or rng.random() < 0.05:
        return _spoken(text)
    if rng.random() < (0.5 if typos else 0.3 if voice == "haste" else 0.035):
        for _ in range(rng.choice((1, 1, 2, 3) if voice == "haste" or typos else (1,))):
            text = _slip(text, rng)
    if voice in ("engineer", "polite", "elderly", "commander", "chatty"):
        text = text[:1].upper() + text[1:]
    chance = rng.random()
    if chance < 0.10:
        return text.lower().rstrip(".")
    if chance < 0.15:
        return text[:1].upper() + text[1:] + ("" if text[-1:] in ".!?" else ".")
    if chance < 0.16:
        return text.upper()
    return text


def _small_first(text: str) -> str:
    return text if text[:2] in ("I ", "I'") or text[1:2].isupper() else text[:1].lower() + text[1:]


def _spoken(text: str) -> str:
    """Without punctuation and capitals, numbers in words."""
    words = re.sub(r"[.,;:!?\"()]", " ", text.lower()).replace("_", " ").split()
    return " ".join(_NUMBERS.get(word, word) for word in words)


def _slip(text: str, rng: random.Random) -> str:
    """One slip: a letter dropped, doubled, swapped or missed, or a word cut short."""
    if rng.random() < 0.2:
        shortened = [(long, short) for long, short in _SHORT.items() if re.search(rf"\b{long}\b", text)]
        if shortened:
            long, short = rng.choice(shortened)
            return re.sub(rf"\b{long}\b", short, text, count=1)
    spots: Sequence[Tuple[int, int]] = [match.span() for match in _LETTERS.finditer(text)]
    if not spots:
        return text
    begin, end = rng.choice(spots)
    at = rng.randrange(begin + 1, end - 1)
    letter, kind = text[at], rng.randrange(4)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + letter + text[at:]
    if kind == 2:
        return text[:at] + text[at + 1] + letter + text[at + 2 :]
    return text[:at] + rng.choice(_KEYS.get(letter.lower(), letter)) + text[at + 1 :]
