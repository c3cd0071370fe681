"""Values as strict JSON knows them, whatever they were before."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, is_dataclass
from enum import Enum
from typing import Any, Dict, Iterable, Iterator, Mapping, Optional, Tuple


def plain(value: Any) -> Any:
    """The value as dicts, lists, texts, finite numbers, booleans and ``None``; NaN and infinity become
    ``None``.
    """
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(entry) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        return plain(value.tolist())
    return str(value)


def to_json(value: Any, indent: int = 0) -> str:
    """Strict JSON: one line, or indented."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=indent or None)


def json_lines(lines: Iterable[str]) -> Iterator[Tuple[int, Optional[Dict[str, Any]]]]:
    """The JSON object of each line that is not empty, with its number from 1; ``None`` for a line that is none."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                found = None
            yield number, found if isinstance(found, dict) else None
