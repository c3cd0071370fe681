"""Values as strict JSON knows them, whatever they were before."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple

_AS_THEY_ARE = (str, bool, int, type(None))


def plain(value: Any) -> Any:
    """Convert a value to dicts, lists, texts, finite numbers, booleans and ``None``.

    Args:
        value: may contain enums, dataclasses and tuples.

    Returns:
        The JSON value; NaN and infinity become ``None``.
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, (int, str)):
        return value
    if isinstance(value, (dict, Mapping)):  # A dict is known at once, an abstract class asks around.
        return {str(key): entry if type(entry) in _AS_THEY_ARE else plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(entry) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        return plain(value.tolist())
    return str(value)


def to_json(value: Any, indent: int = 0) -> str:
    """Write strict JSON.

    Args:
        value: any value that :func:`plain` converts.
        indent: spaces for each level; 0 writes one line.

    Returns:
        The text.
    """
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=indent or None)


def json_lines(lines: Iterable[str]) -> Iterator[Tuple[int, Optional[Dict[str, Any]]]]:
    """Parse lines of JSON; empty lines are skipped.

    Args:
        lines: text lines, one JSON object in each.

    Yields:
        Line number, starting at 1, and the JSON object; ``None`` for a line that is not a JSON object.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                found = None
            yield number, found if isinstance(found, dict) else None
