"""What looks as it did when it was measured, and need not be measured again in every picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterable, List, Mapping, Optional, Tuple

import cv2
import numpy as np

from hicrisp_perception.segments import Window
from hicrisp_perception.view import Rays, View

_CELL = 4
"""Pixels along the side of the cells whose mean colours are compared: there the grain hardly counts."""
_OTHER = 8
"""Difference of a cell's colour from which on it shows something else; a millimetre at an edge makes more."""
_CELLS = 2
_OFTEN = 4.0
"""Seconds between two pictures from which on everything is measured anew."""
_FRESH = 2
"""Things that are measured in a picture at least, those in turn whose measurement is the oldest."""
_ALL = 40
"""Pictures after which everything is measured anew, and who is who is asked again."""
Claim = Tuple[Window, np.ndarray]


@dataclass(frozen=True, eq=False)
class _Measured:
    """A thing as it was measured.

    Args:
        cells: the whole picture in which it was, by the mean colours of its cells.
        claim: the pixels that it accounted for.
    """

    number: int
    cells: np.ndarray
    claim: Claim


class Steady:
    """Remembers of each thing the picture in which it was measured.

    The arm moves in front of some things, and the others look the same from picture to picture.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """The world began again."""
        self._measured: Dict[str, _Measured] = {}
        self._rays: Optional[Rays] = None
        self._cells: Optional[np.ndarray] = None
        self._stamp, self._number, self._whole = 0.0, 0, 0

    def unchanged(self, view: View, seen: Iterable[str]) -> Dict[str, Claim]:
        """The things that need not be measured in a picture, with the pixels that they account for.

        Args:
            seen: those that were visible in the last picture.
        """
        often = view.rays is self._rays and 0.0 < view.stamp - self._stamp < _OFTEN
        self._rays, self._stamp, self._number = view.rays, view.stamp, self._number + 1
        height, width = view.shape
        self._cells = cells = cv2.resize(view.colour, (width // _CELL, height // _CELL),
                                         interpolation=cv2.INTER_AREA)
        if not often or self._number - self._whole >= _ALL:
            self._whole = self._number
            return {}
        known = [name for name in seen if name in self._measured]
        same = [name for name in known if not _differs(cells, self._measured[name])]
        due = max(0, _FRESH - (len(known) - len(same)))
        oldest: List[str] = sorted(same, key=lambda name: self._measured[name].number)
        return {name: self._measured[name].claim for name in oldest[due:]}

    def remember(self, claims: Mapping[str, Claim]) -> None:
        """Take what was measured in the picture that was compared last, with the pixels that it has."""
        if self._cells is not None:
            for name, claim in claims.items():
                self._measured[name] = _Measured(self._number, self._cells, claim)


def _differs(cells: np.ndarray, before: _Measured) -> bool:
    rows, columns = (slice(max(0, side.start // _CELL - 1), side.stop // _CELL + 2)
                     for side in before.claim[0])
    other = cv2.absdiff(cells[rows, columns], before.cells[rows, columns]).max(axis=2) > _OTHER
    return int(np.count_nonzero(other)) >= _CELLS
