"""What the schema of an answer asks for, for models of the bench that answer without reading the prompt."""

from __future__ import annotations

from typing import Any, List, Mapping


def kinds_of(schema: Mapping[str, Any]) -> List[str]:
    """List the kinds that an answer with this schema may have.

    Args:
        schema: a JSON schema.

    Returns:
        Kinds; empty if it names none.
    """
    found: List[str] = []
    for each in schema.get("anyOf", (schema,)):
        kind = each.get("properties", {}).get("kind", {})
        found += [kind["const"]] if "const" in kind else kind.get("enum", ())
    return found
