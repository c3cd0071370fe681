"""Short names of prompts and schemas: the same for the same, whatever the order of keys."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Mapping, Optional


def fingerprint(value: Any) -> str:
    """Hash a JSON value, independent of the order of keys.

    Args:
        value: any JSON value.

    Returns:
        SHA-256 in hexadecimal digits.
    """
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def schema_hash(schema: Optional[Mapping[str, Any]]) -> str:
    """Hash a JSON schema.

    Args:
        schema: the schema, or ``None``.

    Returns:
        SHA-256 in hexadecimal digits; empty without a schema.
    """
    return fingerprint(schema) if schema is not None else ""
