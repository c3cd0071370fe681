"""From what is nearly JSON to JSON: one pass over the characters, nothing is evaluated."""

from __future__ import annotations

import json
import re
from typing import List, NamedTuple, Optional, Tuple

_CLOSING = {"{": "}", "[": "]"}
_WORD = re.compile(r"[A-Za-z_]\w*")
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_COMMENT = re.compile(r"(?://|#)[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
DEEPEST = 64
"""Brackets in brackets that are read; no plan needs more, and reading costs more the deeper they are."""
_ENDS_STRING = re.compile(r"\s*(?:[,:\]}]|\Z|//|#)")


class Mended(NamedTuple):
    """JSON made of a text, whether the text ended before it did, and how many of its characters it took."""

    text: str
    cut_off: bool
    length: int


def mended(text: str) -> Optional[Mended]:
    """The value that begins at the first character, as JSON; ``None`` when its brackets do not match or
    are too deep.

    Comments and trailing commas go, Python's quotes and words become JSON's. Of a text that is cut off the
    whole entries of the outermost list stay, and what is open is closed; nothing stays where none is whole.
    """
    return _Mender(text).run()


class _Mender:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._out: List[str] = []
        self._open: List[str] = []
        self._whole: Optional[Tuple[int, str]] = None
        """How much of the output ends with the last whole entry of the outermost list, and what closes it."""

    def run(self) -> Optional[Mended]:
        while self._at < len(self._text):
            char = self._text[self._at]
            comment = _COMMENT.match(self._text, self._at)
            if comment:
                self._at = comment.end()
            elif char in "\"'":
                if not self._string(char):
                    break
            elif char.isalpha():
                self._word()
            else:
                if not self._mark(char):
                    return None
                if not self._open:
                    return Mended("".join(self._out), False, self._at)
        if self._whole is None:
            return Mended("", True, len(self._text))
        length, closing = self._whole
        return Mended("".join(self._out[:length]) + closing, True, len(self._text))

    def _string(self, quote: str) -> bool:
        """Copy a string with JSON's quotes; False when it does not end."""
        at = self._at + 1
        inner: List[str] = []
        while at < len(self._text):
            char = self._text[at]
            if char == "\\" and at + 1 < len(self._text):
                following = self._text[at + 1]
                inner.append(following if following == "'" else char + following)
                at += 2
                continue
            if char == quote and (quote == '"' or _ENDS_STRING.match(self._text, at + 1)):
                self._out.append(f'"{"".join(inner)}"')
                self._at = at + 1
                return True
            inner.append(json.dumps(char)[1:-1] if char in '"\n\r\t' else char)
            at += 1
        return False

    def _word(self) -> None:
        word = _WORD.match(self._text, self._at)
        said = word.group() if word else self._text[self._at]
        self._out.append(_LITERALS.get(said, said))
        self._at += len(said)

    def _mark(self, char: str) -> bool:
        """Copy a bracket, a comma or anything else; False for a bracket that closes what is not open, or is
        too deep.
        """
        self._at += 1
        if char in _CLOSING:
            if len(self._open) == DEEPEST:
                return False
            self._open.append(_CLOSING[char])
        elif char in "}]":
            if not self._open or self._open.pop() != char:
                return False
            while self._out and self._out[-1].isspace():
                self._out.pop()
            if self._out and self._out[-1] == ",":
                self._out.pop()
        elif char == "," and self._out and self._out[-1].startswith('"'):
            self._note_whole()
        self._out.append(char)
        if char in "}]":
            self._note_whole()
        return True

    def _note_whole(self) -> None:
        """Between the entries of the outermost list; lists inside an entry are whole with the entry."""
        if self._open and self._open[-1] == "]" and self._open.count("]") == 1:
            self._whole = len(self._out), "".join(reversed(self._open))
