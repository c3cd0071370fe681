"""JSON as models write it: in fences, with prose around it, trailing commas, duplicate keys, cut off in the middle."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Optional, Tuple

_FENCE = re.compile(r"```(?:json)?\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


def find_json(text: str) -> Optional[Any]:
    """The first JSON object or list in a text; ``None`` when there is none."""
    for candidate in (*_FENCE.findall(text), text):
        start = min((at for at in (candidate.find("{"), candidate.find("[")) if at >= 0), default=-1)
        if start < 0:
            continue
        for value in (_decode(candidate[start:]), _decode(_mended(candidate[start:]))):
            if isinstance(value, (dict, list)):
                return value
    return None


def _decode(text: str) -> Optional[Any]:
    try:
        return json.JSONDecoder(object_pairs_hook=_merge).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _merge(pairs: List[Tuple[str, Any]]) -> Any:
    """An object; a key that stands twice keeps both values when they are lists, else the last."""
    merged: Dict[str, Any] = {}
    for key, value in pairs:
        if isinstance(value, list) and isinstance(merged.get(key), list):
            merged[key] = merged[key] + value
        else:
            merged[key] = value
    return merged


def _mended(text: str) -> str:
    """Without trailing commas, and with what a cut-off answer left open closed."""
    open_: List[str] = []
    quoted, escaped, last_whole = False, False, 0
    for at, char in enumerate(text):
        if quoted:
            escaped = char == "\\" and not escaped
            if char == '"' and not escaped:
                quoted = False
            continue
        if char == '"':
            quoted = True
        elif char in _CLOSING:
            open_.append(_CLOSING[char])
        elif open_ and char == open_[-1]:
            open_.pop()
            last_whole = at + 1
            if not open_:
                return _without_trailing_commas(text[:at + 1])
    return _without_trailing_commas(text[:last_whole] + "".join(reversed(_open_at(text[:last_whole]))))


def _open_at(text: str) -> List[str]:
    open_: List[str] = []
    quoted = False
    for before, char in zip(" " + text, text):
        if char == '"' and before != "\\":
            quoted = not quoted
        elif not quoted and char in _CLOSING:
            open_.append(_CLOSING[char])
        elif not quoted and open_ and char == open_[-1]:
            open_.pop()
    return open_


def _without_trailing_commas(text: str) -> str:
    return re.sub(r",(\s*[}\]])", r"\1", text)
