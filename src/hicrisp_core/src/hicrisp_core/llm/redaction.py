"""Keys, passwords and tokens taken out of whatever is written down or shown."""

from __future__ import annotations

import re
from typing import Any, Mapping

MARK = "[redacted]"
_SHORTEST = 8
"""Minimum length of a secret; a shorter text is a word, and words stay."""
_PLACEHOLDER = re.compile(
    r"x+|\.+|\*+|<.*>|test|none|null|n/?a|dummy|fake|placeholder|empty|todo|change[-_]?me|not[-_]needed|no[-_]?key|"
    r"ollama|lm[-_]studio|your[-_ ].*|sk-(?:x+|\.+|…|\*+|your.*)", re.IGNORECASE)
_KEY = re.compile(r"\b(?:sk-|gsk_|xai-|hf_|AIza)[A-Za-z0-9_-]{8,}")
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{3,}")
_HEADER = re.compile(
    r"(?i)\b((?:authorization|(?:x-)?api[-_]?key)[\"']?\s*[:=]\s*[\"']?)(?!\[redacted\])[^\s\"',}&]+")
_QUERY = re.compile(
    r"(?i)([?&](?:[\w-]*(?:key|token|secret|password|signature)|sig|auth|code)=)[^&\s\"'<>#]+")
_LOGIN = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*://)[^/\s@\"']+@")


def is_placeholder(key: str) -> bool:
    """Check whether a text only stands where a key belongs: ``x``, ``EMPTY``, ``your-key-here``, ``sk-...``.

    Args:
        key: the value of a key's variable or file.

    Returns:
        Whether it is not a real key.
    """
    return bool(_PLACEHOLDER.fullmatch(key.strip()))


def redacted(text: str, *secrets: str) -> str:
    """Return the text without the given secrets and without anything that looks like a key, an authorization,
    or a token or a login in a URL.

    Placeholders and secrets shorter than eight characters stay: they are words of the text.

    Args:
        text: any text.
        *secrets: keys that must not appear.

    Returns:
        The text with a mark in their place.
    """
    for secret in secrets:
        if len(secret) >= _SHORTEST and not is_placeholder(secret):
            text = text.replace(secret, MARK)
    text = _BEARER.sub(MARK, _KEY.sub(MARK, text))
    for pattern in (_HEADER, _QUERY):
        text = pattern.sub(rf"\g<1>{MARK}", text)
    return _LOGIN.sub(rf"\g<1>{MARK}@", text)


def redacted_values(value: Any, *secrets: str) -> Any:
    """Redact every text inside mappings and lists; their form stays.

    Args:
        value: any JSON value.
        *secrets: keys that must not appear.

    Returns:
        A redacted copy.
    """
    if isinstance(value, str):
        return redacted(value, *secrets)
    if isinstance(value, Mapping):
        return {key: redacted_values(each, *secrets) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted_values(each, *secrets) for each in value]
    return value
