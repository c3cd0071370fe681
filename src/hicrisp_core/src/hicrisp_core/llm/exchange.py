"""What goes to a model and what comes back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping

Message = Mapping[str, str]
"""``{"role": ..., "content": ...}``"""
_SECRET = re.compile(r"\b(?:sk-|gsk_|xai-)[A-Za-z0-9_-]{8,}|\bBearer\s+[A-Za-z0-9._~+/=-]+")
_MARK = "[redacted]"


@dataclass(frozen=True)
class Completion:
    """A model's answer."""

    text: str
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut_off: bool = False
    """The answer ended at the limit of tokens."""
    seconds: float = 0.0
    calls: int = 1


@dataclass(frozen=True)
class LlmFailure:
    """Why there is no answer.

    Kinds: ``timeout``, ``connection``, ``unauthorised``, ``rate_limit``, ``server``, ``request`` (the server
    refuses it), ``empty``, ``cut_off`` (before its first word), ``refused`` (by the model), ``budget`` or
    ``replay``.
    """

    kind: str
    message: str
    calls: int = 1


def redacted(text: str, *secrets: str) -> str:
    """The text without the given secrets and without anything that looks like a key."""
    for secret in filter(None, secrets):
        text = text.replace(secret, _MARK)
    return _SECRET.sub(_MARK, text)


def redacted_values(value: Any, *secrets: str) -> Any:
    """The same for every text inside mappings and lists; their form stays as it is."""
    if isinstance(value, str):
        return redacted(value, *secrets)
    if isinstance(value, Mapping):
        return {key: redacted_values(each, *secrets) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted_values(each, *secrets) for each in value]
    return value
