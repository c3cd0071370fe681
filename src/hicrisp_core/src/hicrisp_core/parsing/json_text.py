"""JSON as models write it: in fences, amid prose, with comments, single quotes, trailing commas, or cut
off.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from hicrisp_core.parsing.json_mending import mended

_FENCE = re.compile(r"```(?:json)?\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_STARTS = re.compile(r"[{\[]")
_JSON_LIKE = re.compile(r"\{\s*[\"']|\[\s*[{\[\"']")
_MOST_STARTS = 20
"""How many brackets of a text are tried as the beginning of JSON."""


_MOST_MENDED = 300_000
"""Characters of a text that are gone through in search of JSON that has to be mended, over all beginnings."""


class FoundJson(NamedTuple):
    """A JSON value in a text, and whether the text ended before it did."""

    value: Any
    cut_off: bool


def read_json(text: str, wanted: Callable[[Any], bool] = lambda value: True) -> Optional[FoundJson]:
    """The first wanted object or list in a text, whole ones before those that are cut off; thoughts are
    passed over.
    """
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
