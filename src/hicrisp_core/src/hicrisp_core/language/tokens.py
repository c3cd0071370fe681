"""From a request to words and known phrases; what would change its meaning and cannot be read is refused here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import AbstractSet, List, Mapping, Tuple

from hicrisp_core.language import lexicon
from hicrisp_core.language.intents import NotUnderstood

MAX_CHARACTERS = 2000


@dataclass(frozen=True)
class Token:
    """A word or phrase with its meaning: kind ``verb``, ``relation``, ``then``, ``and``, ``except`` or ``word``."""

    kind: str
    value: str
    text: str


END = Token("end", "", "the end")
_TABLE: Mapping[str, Tuple[str, str]] = {
    **{p: ("relation", m) for p, m in lexicon.phrases(lexicon.RELATIONS).items()},
    **{p: ("verb", m) for p, m in lexicon.phrases(lexicon.VERBS).items()},
    **{p: ("filler", p) for p in lexicon.FILLERS},
    **{p: ("then", p) for p in lexicon.THEN},
    **{p: ("except", p) for p in lexicon.EXCEPT},
    "and": ("and", "and"), ",": ("and", ","),
}
_LONGEST = max(len(phrase.split()) for phrase in _TABLE)
_FORBIDS = re.compile(r"\b(?:not|never|no|none|nothing|neither|cannot|without|avoid|don'?t|do not|"
                      r"(?:does|must|should|can|wo|is|are)n'?t)\b")
_UNREADABLE = tuple((re.compile(pattern), why) for pattern, why in lexicon.UNREADABLE)


def check_readable(text: str, known: AbstractSet[str]) -> None:
    """Refuse a request that is empty, too long, or says what the grammar has no words for.

    Args:
        known: words by which things of the world are called; they are never refused.

    Raises:
        NotUnderstood: with the part and the reason.
    """
    if len(text) > MAX_CHARACTERS:
        raise NotUnderstood(f"the request has {len(text)} characters; at most {MAX_CHARACTERS} are read")
    if not re.search(r"[A-Za-z]", text):
        raise NotUnderstood("the request holds no words")
    words = text.lower().replace("\u2019", "'")
    forbidden = _FORBIDS.search(words.replace("but not", ""))
    if forbidden and forbidden.group() not in known:
        raise NotUnderstood(f"what shall not be done ('{forbidden.group()}') cannot be planned: say what shall be done")
    for pattern, why in _UNREADABLE:
        found = pattern.search(words)
        if found and found.group() not in known:
            raise NotUnderstood(f"'{found.group()}' is not understood: {why}")


def tokenise(text: str) -> List[Token]:
    """Words and known phrases, the longest first; fillers are left out."""
    words = re.findall(r"[a-z0-9_]+|[,;.]", _unnumbered(text.lower()).replace("-", " ").replace("'s ", " "))
    tokens: List[Token] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            phrase = " ".join(words[at:at + length])
            if phrase in _TABLE or length == 1:
                kind, value = _TABLE.get(phrase, ("word", phrase))
                if kind != "filler":
                    tokens.append(Token(kind, value, phrase))
                at += length
                break
    return tokens


def _unnumbered(text: str) -> str:
    """A numbered list as parts that follow each other; other numbers stay as they are."""
    number, at = 1, 0
    while True:
        mark = re.compile(rf"(?:\bstep\s+)?(?<!\w){number}\s*[.):](?=\s)").search(text, at)
        if mark is None or (number == 1 and text[:mark.start()].strip()):
            return text
        text = f"{text[:mark.start()]} ; {text[mark.end():]}"
        at = mark.start() + 3
        number += 1
