"""Parts of images that were read without finding a tag: not read again while they look the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence

import numpy as np

from hicrisp_perception.change_detection import CELL, differs
from hicrisp_perception.segments import Window

_KEPT = 40
"""Pictures after which a part is read again all the same."""


@dataclass(frozen=True, eq=False)
class _Part:
    """A part that was read.

    Args:
        number: of the picture.
        cells: that picture by the mean colours of its cells.
        closer: whether it was enlarged.
    """

    number: int
    window: Window
    cells: np.ndarray
    closer: bool


class InVain:
    """Remembers what was read in the last pictures without finding a tag."""

    def __init__(self) -> None:
        self._parts: List[_Part] = []
        self._number = 0

    def begin(self, goes_on: bool) -> None:
        """A picture comes.

        Args:
            goes_on: whether it follows the last one closely: else everything is read.
        """
        self._number += 1
        since = self._number - _KEPT if goes_on else self._number
        self._parts = [part for part in self._parts if part.number > since]

    def worth(self, windows: Sequence[Window], cells: np.ndarray, closer: bool) -> List[Window]:
        """Select the windows that need to be read, since they changed since they were read without a result.

        Args:
            windows: the candidates.
            cells: the image as mean colours of its cells.
            closer: whether they would be read enlarged.

        Returns:
            The windows to read.
        """
        own = [part for part in self._parts if part.closer == closer]
        return [window for window in windows if not any(
            _holds(part.window, window) and not differs(cells, part.cells, window) for part in own)]

    def remember(self, windows: Sequence[Window], cells: np.ndarray, closer: bool) -> None:
        """Store windows in which no tag was found.

        Args:
            windows: rows and columns, in pixels.
            cells: the image as mean colours of its cells.
            closer: whether they were read enlarged.
        """
        self._parts += [_Part(self._number, window, cells, closer) for window in windows]


def _holds(outer: Window, inner: Window) -> bool:
    """Check whether a part holds another, but for a cell at its sides: a rim around it is read, too."""
    return all(a.start - CELL <= b.start and b.stop <= a.stop + CELL for a, b in zip(outer, inner))
