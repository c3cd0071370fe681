"""Lines for a terminal: colours where somebody looks, plain text in a pipe or a file."""

from __future__ import annotations

import os
import re
import sys
from typing import Optional, TextIO

_CODES = {"good": "32", "bad": "31", "warn": "33", "soft": "2", "strong": "1", "accent": "36"}
_PLAIN = {"✓": "+", "✗": "x", "↻": "~", "▶": ">", "│": "|", "▇": "#", "■": "=", "·": "-", "→": "->", "…": "...",
          "–": "-"}
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of writing."""


def clean(text: object) -> str:
    """Remove characters that a terminal obeys.

    Args:
        text: any value.

    Returns:
        Its text on one or more lines.
    """
    return _CONTROL.sub("", str(text))


class Console:
    """Writes lines to a stream.

    Args:
        stream: where to; the standard output by default.
        colour: whether to use colours; by default only on a terminal, and never when ``NO_COLOR`` is set.
    """

    def __init__(self, stream: Optional[TextIO] = None, colour: Optional[bool] = None) -> None:
        self._stream = stream or sys.stdout
        self._colour = colour if colour is not None else (self._stream.isatty()
                                                          and not os.environ.get("NO_COLOR"))

    def paint(self, text: object, style: str) -> str:
        """Set a text in a style.

        Args:
            text: any value; its control characters are left out.
            style: ``good``, ``bad``, ``warn``, ``soft``, ``strong`` or ``accent``.

        Returns:
            The text with escape sequences if the terminal has colours.
        """
        said = clean(text)
        return f"\x1b[{_CODES[style]}m{said}\x1b[0m" if self._colour and said else said

    def say(self, line: str = "") -> None:
        """Write a line; characters that the stream cannot encode are replaced.

        Args:
            line: the text without a line feed.
        """
        encoding = self._stream.encoding or "ascii"
        try:
            line.encode(encoding)
        except UnicodeEncodeError:
            for sign, plain in _PLAIN.items():
                line = line.replace(sign, plain)
            line = line.encode(encoding, "replace").decode(encoding)
        self._stream.write(line + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Write to nowhere from now on: the reader of a pipe, such as ``head``, has ended."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def error(self, message: str, *mends: str) -> None:
        """Write an error to the standard error stream.

        Args:
            message: what is wrong.
            *mends: what to do, one line each.
        """
        sys.stderr.write(f"error: {clean(message)}\n" + "".join(f"  {mend}\n" for mend in mends))
        sys.stderr.flush()
