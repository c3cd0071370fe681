"""JSON as models write it: in fences, amid prose, with comments, single quotes, trailing commas, or cut off."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

_FENCE = re.compile(r"```(?:json)?\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_STARTS = re.compile(r"[{\[]")
_JSON_LIKE = re.compile(r"\{\s*[\"']|\[\s*[{\[\"']")
_MOST_STARTS = 20
"""How many brackets of a text are tried as the beginning of JSON."""


_MOST_MENDED = 300_000
"""Characters of a text that are gone through in search of JSON that has to be mended, over all beginnings."""
_CLOSING = {"{": "}", "[": "]"}
_WORD = re.compile(r"[A-Za-z_]\w*")
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_COMMENT = re.compile(r"(?://|#)[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
DEEPEST = 64
"""Brackets in brackets that are read; no plan needs more, and reading costs more the deeper they are."""
_ENDS_STRING = re.compile(r"\s*(?:[,:\]}]|\Z|//|#)")


class FoundJson(NamedTuple):
    """A JSON value in a text, and whether the text ended before it did."""

    value: Any
    cut_off: bool


def read_json(text: str, wanted: Callable[[Any], bool] = lambda value: True) -> Optional[FoundJson]:
    """The first wanted object or list in a text, whole ones before those that are cut off; thoughts are passed over."""
    said = without_thoughts(text)
    for cut_off in (False, True):
        for candidate in (*_FENCE.findall(said), said):
            for value in _values(candidate, cut_off):
                if isinstance(value, (dict, list)) and wanted(value):
                    return FoundJson(value, cut_off)
    return None


def without_thoughts(text: str) -> str:
    """The text without what a reasoning model says to itself."""
    return _THOUGHTS.sub(" ", text)


def _values(text: str, cut_off: bool) -> Iterator[Any]:
    """What stands at the brackets of a text; inside a value that was read, no further one is looked for."""
    at, mendable = 0, _MOST_MENDED
    for _ in range(_MOST_STARTS):
        start = _STARTS.search(text, at)
        if start is None:
            return
        at = start.start() + 1
        if not cut_off:
            value, length = _decode(text[start.start():])
            if value is not None:
                at = start.start() + length
                yield value
                continue
        mendable -= len(text) - start.start()
        whole = mended(text[start.start():]) if mendable >= 0 else None
        if whole is not None and whole.cut_off == cut_off:
            yield _decode(whole.text)[0]
        if whole is not None and whole.cut_off and _JSON_LIKE.match(text, start.start()):
            return  # What is whole inside a value that is not would pass for all of it.


def _decode(text: str) -> Tuple[Optional[Any], int]:
    try:
        value, length = json.JSONDecoder(object_pairs_hook=_merge).raw_decode(text)
    except (ValueError, RecursionError):
        return None, 0
    return value, length


def _merge(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    """An object; a key that stands twice keeps both values when they are lists, else the last."""
    merged: Dict[str, Any] = {}
    for key, value in pairs:
        if isinstance(value, list) and isinstance(merged.get(key), list):
            merged[key] = merged[key] + value
        else:
            merged[key] = value
    return merged


class Mended(NamedTuple):
    """JSON made of a text, and whether the text ended before it did."""

    text: str
    cut_off: bool


def mended(text: str) -> Optional[Mended]:
    """The value that begins at the first character, as JSON; ``None`` when its brackets do not match or are too deep.

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
                    return Mended("".join(self._out), False)
        if self._whole is None:
            return Mended("", True)
        length, closing = self._whole
        return Mended("".join(self._out[:length]) + closing, True)

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
