"""Pictures of a run folder as data URIs."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import NamedTuple

from hicrisp_core.trace.events import PictureTaken

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
LIMIT = 8_000_000
"""Bytes of one picture that are embedded at most."""


_ALL, _MOST = 60_000_000, 120
"""Characters of all pictures of a page, and how many there are at most of what went well."""


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


class Picture(NamedTuple):
    """A picture as a data URI with its caption; the source is empty when the file is not in the run
    folder.
    """

    source: str
    caption: str


class Album:
    """Hands out the pictures of a run, not all of them where there are very many, so that the page stays one
    that can be opened.

    Args:
        count: how many pictures the run has.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._every = -(-count // _MOST) or 1
        self._left = _ALL
        self._asked = 0

    def picture(self, taken: PictureTaken, wanted: bool = False) -> Picture:
        """A picture; one that is ``wanted`` is there unless all of them are too large."""
        self._asked += 1
        if not wanted and self._asked % self._every:
            return Picture("", "")
        caption = f"{taken.caption} (the robot's camera)" if taken.eye else taken.caption
        return self.file(taken.file, caption)

    def file(self, name: str, caption: str) -> Picture:
        """A picture by its file."""
        source = embedded(self._folder, name) if self._left > 0 else ""
        self._left -= len(source)
        return Picture(source, caption)
