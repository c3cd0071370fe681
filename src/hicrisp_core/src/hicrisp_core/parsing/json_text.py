"""JSON as models write it: in fences, amid prose, with comments, single quotes, trailing commas, or cut off."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

_FENCE = re.compile(r"```(?:json)?\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_STARTS = re.compile(r"[{\[]")
_JSON_LIKE = re.compile(r"\{\s*[\"']|\[\s*[{\[\"']")
_BETWEEN = re.compile(r"(?:[\s,;`]|json|<[^<>{}]*>|\[/?\w+\])*")
"""What may stand between the parts of one answer: blanks, fences and marks."""
_MOST_STARTS = 20
"""How many brackets of a text are tried in vain as the beginning of JSON."""
_MOST_MENDED = 300_000
"""Characters of a text that are gone through in search of JSON that has to be mended, over all beginnings."""
_CLOSING = {"{": "}", "[": "]"}
_LITERALS = {"True": "true", "False": "false", "None": "null"}
DEEPEST = 64
"""Brackets in brackets that are read; no plan needs more, and reading costs more the deeper they are."""
_BEHIND = r"\s*(?:[,:\]}]|\Z|//|\#)"
"""What stands behind a string; a single quote before anything else is an apostrophe."""
_TOKEN = re.compile(rf"""
    (?P<comment>(?://|\#)[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\]|'(?!{_BEHIND}))*'(?={_BEHIND}))
    |(?P<unended>["'])|(?P<word>[A-Za-z]\w*)|.""", re.DOTALL | re.VERBOSE)
_ESCAPED = re.compile(r"\\.|[\"\n\r\t]", re.DOTALL)


class FoundJson(NamedTuple):
    """A JSON value in a text, and whether the text ended before it did."""

    value: Any
    cut_off: bool


def read_json(text: str, wanted: Callable[[Any], bool] = lambda value: True) -> Optional[FoundJson]:
    """The first wanted object or list in a text, whole ones before those that are cut off."""
    for cut_off in (False, True):
        for candidate in (*_FENCE.findall(text), text):
            for value, *_ in _spans(candidate, cut_off):
                if isinstance(value, (dict, list)) and wanted(value):
                    return FoundJson(value, cut_off)
    return None


def objects_in(text: str) -> Tuple[Tuple[Any, ...], bool]:
    """Return the objects of a final answer, and whether nothing but marks stands between them.

    An object that is cut off is ``None``; lists count where they hold objects.
    """
    found = [(value, begins, ends) for value, begins, ends in _spans(text, cut_off=False)
             if not isinstance(value, list) or any(isinstance(each, dict) for each in value)]
    gaps = (text[ends:begins] for (_, _, ends), (_, begins, _) in zip(found, found[1:]))
    return tuple(value for value, _, _ in found), all(map(_BETWEEN.fullmatch, gaps))


def _spans(text: str, cut_off: bool) -> Iterator[Tuple[Any, int, int]]:
    """What stands at the brackets of a text, with where it begins and ends; inside a value that was read, no further
    one is looked for.
    """
    at, mendable, vain = 0, _MOST_MENDED, 0
    while vain < _MOST_STARTS:
        start = _STARTS.search(text, at)
        if start is None:
            return
        begins, at = start.start(), start.end()
        value, end = _decode(text, begins)
        if value is not None:
            at = end
            if not cut_off:
                yield value, begins, end
            continue
        vain += 1
        mendable -= len(text) - begins
        whole = mended(text[begins:]) if mendable >= 0 else None
        open_ = whole is not None and whole.cut_off and _JSON_LIKE.match(text, begins)
        if whole is not None and whole.cut_off == cut_off:
            value, _ = _decode(whole.text, 0)
            at = begins + whole.length if value is not None and not whole.cut_off else at
            yield value, begins, at
        elif open_:
            yield None, begins, len(text)
        if open_:
            return  # What is whole inside a value that is not would pass for all of it.


def _decode(text: str, at: int) -> Tuple[Optional[Any], int]:
    try:
        return json.JSONDecoder(object_pairs_hook=_merge).raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, 0


def _merge(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    """An object; a key that stands twice keeps both values when they are lists, else the last."""
    merged: Dict[str, Any] = {}
    for key, value in pairs:
        lists = isinstance(value, list) and isinstance(merged.get(key), list)
        merged[key] = merged[key] + value if lists else value
    return merged


class RepairedJson(NamedTuple):
    """JSON made of a text, whether the text ended before it did, and how many of its characters it took."""

    text: str
    cut_off: bool
    length: int


def mended(text: str) -> Optional[RepairedJson]:
    """The value that begins at the first character, as JSON; ``None`` when its brackets do not match or are too deep.

    Comments and trailing commas go, Python's quotes and words become JSON's. Of a text that is cut off the
    whole entries of the outermost list stay, and what is open is closed; nothing stays where none is whole.
    """
    out: List[str] = []
    open_: List[str] = []
    whole, closing = 0, ""
    for token in _TOKEN.finditer(text):
        kind, said = token.lastgroup, token.group()
        if kind == "comment":
            continue
        if kind == "unended":
            break
        if kind == "string":
            said = f'"{_ESCAPED.sub(_escaped, said[1:-1])}"'
        elif kind == "word":
            said = _LITERALS.get(said, said)
        elif said in _CLOSING:
            if len(open_) == DEEPEST:
                return None
            open_.append(_CLOSING[said])
        elif said in "}]":
            if not open_ or open_.pop() != said:
                return None
            while out[-1].isspace():
                out.pop()
            if out[-1] == ",":
                out.pop()
        listed = said == "," and out[-1].startswith('"')
        out.append(said)
        # Between the entries of the outermost list; lists inside an entry are whole with the entry.
        if (listed or said in ("}", "]")) and open_[-1:] == ["]"] and open_.count("]") == 1:
            whole, closing = len(out) - listed, "".join(reversed(open_))
        if kind is None and not open_:
            return RepairedJson("".join(out), False, token.end())
    return RepairedJson("".join(out[:whole]) + closing, True, len(text))


def _escaped(found: "re.Match[str]") -> str:
    """What stands in a string, as JSON writes it there."""
    said = found.group()
    return "'" if said == "\\'" else said if said.startswith("\\") else json.dumps(said)[1:-1]
