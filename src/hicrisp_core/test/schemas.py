"""Answers held against the JSON schemas that models are given."""

from __future__ import annotations

from typing import Any, Dict, Optional


def matches(value: Any, schema: Dict[str, Any], root: Optional[Dict[str, Any]] = None) -> bool:
    """Whether a value follows a schema, by the keywords that the project's schemas use."""
    root = schema if root is None else root
    if "$ref" in schema:
        return matches(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return any(matches(value, each, root) for each in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return value in (schema.get("enum") or [schema["const"]])
    kind = schema["type"]
    if kind == "null":
        return value is None
    if kind == "string":
        return isinstance(value, str) and schema.get("minLength", 0) <= len(value) \
            <= schema.get("maxLength", len(value))
    if kind == "array":
        return isinstance(value, list) and schema.get("minItems", 0) <= len(value) \
            <= schema.get("maxItems", len(value)) and all(matches(each, schema["items"], root) for each in value)
    if kind == "object":
        known = schema["properties"]
        return isinstance(value, dict) and set(schema["required"]) <= set(value) <= set(known) \
            and all(matches(each, known[key], root) for key, each in value.items())
    return isinstance(value, (int, float)) and kind in ("number", "integer")
