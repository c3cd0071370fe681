"""Values as strict JSON knows them, whatever they were before."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, is_dataclass
from enum import Enum
from typing import Any, Mapping


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
