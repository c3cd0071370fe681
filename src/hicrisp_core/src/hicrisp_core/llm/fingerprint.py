"""Short names of prompts and schemas: the same for the same, whatever the order of keys."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Mapping, Optional


def fingerprint(value: Any) -> str:
    """SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def schema_hash(schema: Optional[Mapping[str, Any]]) -> str:
    """SHA-256 of a JSON schema; empty where there is none."""
    return fingerprint(schema) if schema is not None else ""
