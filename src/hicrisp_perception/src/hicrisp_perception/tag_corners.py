"""The corners of AprilTags in a picture, to a fraction of a pixel."""

from __future__ import annotations

from typing import Dict

import cv2
import numpy as np

_LARGER = 2
"""How much the picture is enlarged before it is searched: small tags have few pixels a square."""


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
