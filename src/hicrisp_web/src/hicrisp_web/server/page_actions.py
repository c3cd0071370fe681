"""What may be asked of the workspace: actions with their fields, which are checked before anybody is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional, Union

LONGEST_TEXT = 2000
"""Characters of one text."""
MOST_TEXTS = 100
"""Texts of one list."""
Fields = Mapping[str, type]


@dataclass(frozen=True)
class Said:
    """What came of an action, in words for the page, and what else it should know."""

    ok: bool
    message: str
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> Dict[str, Any]:
        """The answer as JSON values."""
        return {**self.more, "ok": self.ok, "message": self.message}


@dataclass(frozen=True)
class PageAction:
    """One request that a page may make.

    Args:
        call: carries it out; gets the fields by name, and may take seconds.
        fields: what it needs: ``str``, ``bool`` or ``list`` (of texts); what is left out is empty.
        urgent: whether it is done however often it is asked for, as a stop is.
    """

    call: Callable[..., Said]
    fields: Fields = field(default_factory=dict)
    urgent: bool = False


def read_fields(action: PageAction, told: Any) -> Union[Dict[str, Any], str]:
    """Check the fields of a request.

    Args:
        action: the action that is asked for, with the types of its fields.
        told: the parsed body.

    Returns:
        The fields, or what is wrong with them in words.
    """
    if not isinstance(told, dict):
        return "Send a JSON object."
    unknown = sorted(set(told) - set(action.fields))
    if unknown:
        return f"Unknown field '{unknown[0][:40]}'; there are: {', '.join(action.fields) or 'none'}."
    found: Dict[str, Any] = {}
    for name, kind in action.fields.items():
        value = told.get(name, kind())
        why = _wrong(value, kind)
        if why:
            return f"The field '{name}' {why}."
        found[name] = value
    return found


def _wrong(value: Any, kind: type) -> Optional[str]:
    if type(value) is not kind:
        return f"is no {({str: 'text', bool: 'yes or no', list: 'list'})[kind]}"
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"has {len(value)} characters; at most {LONGEST_TEXT} are taken"
    if isinstance(value, list):
        if len(value) > MOST_TEXTS:
            return f"has {len(value)} entries; at most {MOST_TEXTS} are taken"
        return next(filter(None, (_wrong(each, str) for each in value)), None)
    return None
