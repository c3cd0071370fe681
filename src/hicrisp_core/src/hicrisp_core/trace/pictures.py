"""Pictures of a run folder as data URIs."""

from __future__ import annotations

import base64
from pathlib import Path

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
LIMIT = 8_000_000
"""Bytes of one picture that are embedded at most."""


def embedded(folder: Path, name: str) -> str:
    """The picture as a data URI; empty when there is none of that name inside the folder, or it is no
    picture.
    """
    if not name:
        return ""
    root = folder.resolve()
    path = (root / name).resolve()
    if root not in path.parents or path.suffix.lower() not in TYPES or not path.is_file():
        return ""
    if path.stat().st_size > LIMIT:
        return ""
    return f"data:{TYPES[path.suffix.lower()]};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
