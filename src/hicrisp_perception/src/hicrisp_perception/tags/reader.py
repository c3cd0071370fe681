"""AprilTags in a picture: their corners, and the objects that wear them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.scene.tags import Tag

from hicrisp_perception.shapes.segments import Window
from hicrisp_perception.tags.tag_fit import Sighting, TagFit
from hicrisp_perception.view import View

_WIDEST = 27
"""Widest neighbourhood for the threshold between dark and light, pixels."""
_LARGE = 80
"""Pixels along a part beyond which it shows its tags at first sight."""
_CLOSER, _RIM = 4, 8
"""Factor by which parts are enlarged, and the pixels around them."""
_LEAST_AROUND = 20.0
"""Pixels around the smallest tag; what is smaller is not tried."""
_LARGER = 2
"""How much the picture is enlarged before it is searched: small tags have few pixels a square."""


@dataclass(frozen=True)
class TagReport:
    """What tags say of a picture, and what is wrong with them, as sentences for people.

    Args:
        seen: all tags, known or not.
    """

    fits: Mapping[str, TagFit]
    warnings: Tuple[str, ...] = ()
    seen: Tuple[Sighting, ...] = ()

    def shown_in(self, window: Window) -> bool:
        """Check whether a tag is visible in a window.

        Args:
            window: rows and columns in pixels.

        Returns:
            True if at least one corner lies in it or just outside.
        """
        rows, columns = window
        return any(rows.start - _RIM <= y < rows.stop + _RIM
                   and columns.start - _RIM <= x < columns.stop + _RIM
                   for one in self.seen for x, y in one.corners)


class TagReader:
    """Finds tags and the objects that wear them.

    Args:
        tags: those that are known.
    """

    def __init__(self, tags: Sequence[Tag]) -> None:
        self._tags = {tag.number: tag for tag in tags}
        self._detector = _Detector(_WIDEST, (_WIDEST - 5) // 2)
        self._closer = _Detector(2 * _WIDEST - 1, 8)

    def sightings(self, view: View) -> List[Sighting]:
        """Find all tags in an image.

        Args:
            view: the current image with its viewing rays.

        Returns:
            Known and unknown tags.
        """
        grey = cv2.cvtColor(view.colour, cv2.COLOR_RGB2GRAY)
        return [Sighting(number, corners) for number, corners in self._detector.find(grey, _LEAST_AROUND)]

    def among(self, view: View, windows: Sequence[Window]) -> List[Sighting]:
        """Find tags in parts of an image.

        Args:
            view: the current image with its viewing rays.
            windows: the parts.

        Returns:
            Known and unknown tags.
        """
        found: List[Sighting] = []
        for window in windows:
            grey, corner = _grey_part(view, window)
            for number, corners in self._detector.find(grey, _LEAST_AROUND):
                one = Sighting(number, corners + corner)
                if not any(one.same(other) for other in found):  # Parts may overlap.
                    found.append(one)
        return found

    def closer(self, view: View, windows: Sequence[Window]) -> List[Sighting]:
        """Find tags in enlarged parts of an image, for small and dark ones.

        Args:
            view: the current image with its viewing rays.
            windows: the parts; large ones are skipped.

        Returns:
            Known and unknown tags.
        """
        found: Dict[int, Sighting] = {}
        for rows, columns in windows:
            if max(rows.stop - rows.start, columns.stop - columns.start) > _LARGE:
                continue
            grey, corner = _grey_part(view, (rows, columns))
            large = cv2.resize(grey, None, fx=_CLOSER, fy=_CLOSER, interpolation=cv2.INTER_CUBIC)
            for number, corners in self._closer.find(large, _CLOSER * _LEAST_AROUND):
                found[number] = Sighting(number, (corners + 0.5) / _CLOSER - 0.5 + corner)
        return list(found.values())

    def read(self, view: View, windows: Optional[Sequence[Window]] = None, closer: bool = False
             ) -> TagReport:
        """Find the objects whose tags are visible.

        Args:
            view: the current image with its viewing rays.
            windows: parts of the image; ``None`` for the whole.
            closer: whether to enlarge them.

        Returns:
            Tags by object, and warnings for the user.
        """
        if windows is None:
            seen = self.sightings(view)
        else:
            seen = self.closer(view, windows) if closer else self.among(view, windows)
        warnings = [f"Tag {one.number} is in no file of tags; add it to the file, or cover it."
                    for one in seen if one.number not in self._tags]
        twice = sorted({one.number for one in seen if sum(other.number == one.number for other in seen) > 1})
        for number in twice:
            whose = f" of {self._tags[number].thing}" if number in self._tags else ""
            warnings.append(f"Tag {number}{whose} is seen at two places at once; remove one of them. "
                            "Neither is used.")
        worn: Dict[str, List[Tuple[Tag, Sighting]]] = {}
        for one in seen:
            if one.number in self._tags and one.number not in twice:
                tag = self._tags[one.number]
                worn.setdefault(tag.thing, []).append((tag, one))
        fits = {name: TagFit.of(pairs, view.rays) for name, pairs in worn.items()}
        return TagReport(fits, tuple(warnings), tuple(seen))


class _Detector:
    """OpenCV's detector of markers for pictures of any size.

    Args:
        widest: largest neighbourhood for the threshold between dark and light, pixels.
        step: by which the neighbourhood grows to it, pixels.
    """

    def __init__(self, widest: int, step: int) -> None:
        self._settings = settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        settings.cornerRefinementWinSize = 3
        settings.adaptiveThreshWinSizeMin = 5
        settings.adaptiveThreshWinSizeMax = widest
        settings.adaptiveThreshWinSizeStep = step
        settings.minOtsuStdDev = 3.0  # On sides in the shade white is dark.
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
        self._detector = cv2.aruco.ArucoDetector(dictionary, settings)

    def find(self, grey: np.ndarray, around: float) -> List[Tuple[int, np.ndarray]]:
        """Return the numbers of the tags in a picture with their corners, (4, 2) pixels.

        Args:
            around: pixels around the smallest one.
        """
        self._settings.minMarkerPerimeterRate = around / max(grey.shape)
        self._detector.setDetectorParameters(self._settings)
        corners, numbers, _ = self._detector.detectMarkers(grey)
        return [(int(number), each.reshape(4, 2).astype(float))
                for number, each in zip(() if numbers is None else numbers.ravel(), corners)]


def _grey_part(view: View, window: Window) -> Tuple[np.ndarray, Tuple[int, int]]:
    """Return a part of a picture with a rim in grey, and the column and row at which it begins."""
    rows, columns = window
    height, width = view.shape
    top, left = max(0, rows.start - _RIM), max(0, columns.start - _RIM)
    part = view.colour[top:min(height, rows.stop + _RIM), left:min(width, columns.stop + _RIM)]
    return cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_RGB2GRAY), (left, top)


class TagFinder:
    """Finds the tags of the family 36h11."""

    def __init__(self) -> None:
        told = cv2.aruco.DetectorParameters()
        told.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        told.cornerRefinementWinSize = 5
        told.relativeCornerRefinmentWinSize = 0.5
        family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
        self._detector = cv2.aruco.ArucoDetector(family, told)

    def find(self, colour: np.ndarray) -> Dict[int, np.ndarray]:
        """Return the tags of a picture by their numbers; a number that is seen twice is left out.

        Args:
            colour: (height, width, 3) red, green, blue, uint8.

        Returns:
            (4, 2) pixels of each one's corners, columns first, in the order of ``Tag.corners``; the middle
            of the first pixel is (0, 0).
        """
        grey = cv2.cvtColor(colour, cv2.COLOR_RGB2GRAY)
        large = cv2.resize(grey, None, fx=_LARGER, fy=_LARGER, interpolation=cv2.INTER_CUBIC)
        corners, numbers, _ = self._detector.detectMarkers(large)
        found: Dict[int, np.ndarray] = {}
        twice = set()
        for seen, number in zip(corners, () if numbers is None else map(int, numbers.ravel())):
            twice |= {number} & found.keys()
            found[number] = (np.asarray(seen, float).reshape(4, 2) + 0.5) / _LARGER - 0.5
        return {number: pixels for number, pixels in found.items() if number not in twice}
