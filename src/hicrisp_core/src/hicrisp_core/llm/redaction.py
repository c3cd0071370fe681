"""Keys, passwords and tokens taken out of whatever is written down or shown."""

from __future__ import annotations

import re
from typing import Any, Mapping

MARK = "[redacted]"
_KEY = re.compile(r"\b(?:sk-|gsk_|xai-|hf_|AIza)[A-Za-z0-9_-]{8,}")
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{3,}")
_HEADER = re.compile(
    r"(?i)\b((?:authorization|(?:x-)?api[-_]?key)[\"']?\s*[:=]\s*[\"']?)(?!\[redacted\])[^\s\"',}&]+")
_QUERY = re.compile(
    r"(?i)([?&](?:[\w-]*(?:key|token|secret|password|signature)|sig|auth|code)=)[^&\s\"'<>#]+")
_LOGIN = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*://)[^/\s@\"']+@")


def redacted(text: str, *secrets: str) -> str:
    """The text without the given secrets and without anything that looks like a key, an authorization, or a
    token or a login in a URL.
    """
    for secret in filter(None, secrets):
        text = text.replace(secret, MARK)
    text = _BEARER.sub(MARK, _KEY.sub(MARK, text))
    for pattern in (_HEADER, _QUERY):
        text = pattern.sub(rf"\g<1>{MARK}", text)
    return _LOGIN.sub(rf"\g<1>{MARK}@", text)


def redacted_values(value: Any, *secrets: str) -> Any:
    """The same for every text inside mappings and lists; their form stays as it is."""
    if isinstance(value, str):
        return redacted(value, *secrets)
    if isinstance(value, Mapping):
        return {key: redacted_values(each, *secrets) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted_values(each, *secrets) for each in value]
    return value
