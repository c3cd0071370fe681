"""Which parts of an image look as they did when they were measured or read, so that neither is done again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

import cv2
import numpy as np

from hicrisp_perception.shapes.segments import Window, overlap
from hicrisp_perception.view import NEIGHBOURS, Rays, View

CELL = 4
"""Pixels along the side of the cells whose mean colours are compared: there the grain hardly counts."""
_OTHER = 8
"""Difference of a cell's colour that counts as a change; a millimetre at an edge makes more."""
_CELLS = 2
_OFTEN = 4.0
"""Time between two images after which everything is measured again, seconds."""
_FRESH = 1
"""Objects that are measured in a picture at least, those in turn whose measurement is the oldest."""
_ALL = 40
"""Number of images after which objects are identified again."""
_COVERED = 0.5
"""Part of an object that the robot may cover while the rest tells that it is where it was."""
_BUSY = 4
"""Number of changed objects in an image above which no others are checked."""
_KEPT = 40
"""Pictures after which a part is read again all the same."""
Claim = Tuple[Window, np.ndarray]
Alike = Callable[[str, str], bool]


@dataclass(frozen=True, eq=False)
class _Measured:
    """An object as it was measured.

    Args:
        cells: the whole picture in which it was, by the mean colours of its cells.
        claim: the pixels that it accounted for.
    """

    number: int
    cells: np.ndarray
    claim: Claim


class Steady:
    """Remembers of each object the picture in which it was measured.

    The arm moves in front of some objects, and the others look the same from picture to picture, as does what
    it leaves of those that it does not cover for the most part. Now and then those that may be taken for one
    another are measured together, a few in each picture.

    Args:
        alike: whether two objects may be taken for one another.
    """

    def __init__(self, alike: Alike = lambda one, other: False) -> None:
        self._alike = alike
        self.forget()

    def forget(self) -> None:
        """Reset after the world was reset."""
        self._measured: Dict[str, _Measured] = {}
        self._rays: Optional[Rays] = None
        self.cells = np.zeros((0, 0, 3), np.uint8)
        """The last picture by the mean colours of its cells."""
        self._stamp, self._number, self._asked = 0.0, 0, 0
        self._to_ask: List[str] = []
        self.goes_on = False
        """Whether the last picture followed the one before it closely."""

    def unchanged(self, view: View, robot: np.ndarray, seen: Iterable[str]) -> Dict[str, Claim]:
        """Return the objects that need not be measured in an image, since nothing changed around them.

        Args:
            view: the current image with its viewing rays.
            robot: boolean (height, width), true where the robot is visible.
            seen: names of the objects that were visible in the last image.

        Returns:
            Pixels that belong to each object, by name.
        """
        self.goes_on = view.rays is self._rays and 0.0 < view.stamp - self._stamp < _OFTEN
        self._rays, self._stamp, self._number = view.rays, view.stamp, self._number + 1
        height, width = view.shape
        self.cells = cells = cv2.resize(
            view.colour, (width // CELL, height // CELL), interpolation=cv2.INTER_AREA
        )
        shown = cv2.resize(
            robot.view(np.uint8) * np.uint8(255), cells.shape[1::-1], interpolation=cv2.INTER_AREA
        )
        behind = cv2.dilate(shown, NEIGHBOURS) > 0  # Cells that show a robot, or touch one that does.
        if not self.goes_on:
            self._asked, self._to_ask = self._number, []
            return {}
        known = [name for name in seen if name in self._measured]
        if self._number - self._asked >= _ALL:
            self._asked, self._to_ask = self._number, list(known)
        claims = {name: self._measured[name].claim for name in known}
        covered = {name: np.count_nonzero(own & robot[window]) / max(1, np.count_nonzero(own))
                   for name, (window, own) in claims.items()}
        changed = {name for name in known if covered[name] > _COVERED
                   or differs(cells, self._measured[name].cells, claims[name][0], behind)}
        measured = changed | (self._next_to_ask(known) if len(changed) < _BUSY else set())
        # What is partly covered is measured the worse for it: it comes last.
        oldest = sorted(set(known) - measured,
                        key=lambda name: (covered[name] > 0.0, self._measured[name].number, name))
        return {name: claims[name] for name in oldest[max(0, _FRESH - len(measured)) :]}

    def _next_to_ask(self, known: Iterable[str]) -> Set[str]:
        """Return an object, and those that it may be taken for: alike, or seen beside or behind it."""
        self._to_ask = [name for name in self._to_ask if name in known]
        if not self._to_ask:
            return set()
        first = self._to_ask[0]
        window = self._measured[first].claim[0]
        together = {
            name
            for name in known
            if name == first or self._alike(first, name) or overlap(window, self._measured[name].claim[0])
        }
        self._to_ask = [name for name in self._to_ask if name not in together]
        return together

    def remember(self, claims: Mapping[str, Claim]) -> None:
        """Store what was measured in the image compared last.

        Args:
            claims: pixels that belong to each object, by name.
        """
        for name, claim in claims.items():
            self._measured[name] = _Measured(self._number, self.cells, claim)


def differs(cells: np.ndarray, before: np.ndarray, window: Window, robot: Optional[np.ndarray] = None
            ) -> bool:
    """Check whether a part of an image has changed.

    Args:
        cells: the image as mean colours of its cells.
        before: the earlier image in the same form.
        window: rows and columns in pixels.
        robot: cells that a robot hides now; they are not compared.

    Returns:
        True if enough cells changed their colour by more than the noise.
    """
    rows, columns = (slice(max(0, side.start // CELL - 1), side.stop // CELL + 2) for side in window)
    other = cv2.absdiff(cells[rows, columns], before[rows, columns]).max(axis=2) > _OTHER
    if robot is not None:
        other &= ~robot[rows, columns]
    return int(np.count_nonzero(other)) >= _CELLS


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


class TagMisses:
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
