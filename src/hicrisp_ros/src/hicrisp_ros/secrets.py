"""Keys taken out of messages that others read."""

from __future__ import annotations

from typing import Any

import genpy
from hicrisp_core.llm.redaction import redacted_values


def without_secrets(value: Any, *secrets: str) -> Any:
    """Take the given secrets, and whatever looks like one, out of every text of a message.

    Args:
        value: a message, which is changed in place, or a value of one of its fields.

    Returns:
        The value without them.
    """
    if isinstance(value, genpy.Message):
        for name in value.__slots__:
            setattr(value, name, without_secrets(getattr(value, name), *secrets))
        return value
    if isinstance(value, (list, tuple)):
        return [without_secrets(each, *secrets) for each in value]
    return redacted_values(value, *secrets) if isinstance(value, str) else value
