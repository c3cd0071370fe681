"""Pieces of what a depth camera measures, each of which may be of one object, or of several."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Iterator, List, Optional, Sequence, Tuple

import cv2
import numpy as np
from scipy.spatial.distance import cdist

from hicrisp_perception.shapes.fitting import ON_TABLE
from hicrisp_perception.shapes.segments import Ground, Window
from hicrisp_perception.shapes.separating import mixed

NEAR = 0.012
"""Metres from a model within which a point is explained by it."""
LEAST = 40
"""Pixels by which an object is known."""
_POINTS = 200
"""Measured points of an object that are compared with a model."""
_BESIDE = 4
"""Places away from the middle of what is larger than an object, where it may be."""


@dataclass(frozen=True, eq=False)
class SeenPiece:
    """Measured points that may be of one object: places in the world frame, metres, and colours, 0 to 255; of how many
    pieces, and how far across these are together, metres.
    """

    points: np.ndarray
    colours: np.ndarray
    middle: Tuple[float, float]
    top: float
    pieces: Tuple[SeenPiece, ...] = ()
    reach: float = 0.0

    @property
    def key(self) -> Tuple[int, ...]:
        """What it is by, from picture to picture."""
        return tuple(round(100.0 * value) for value in (*self.middle, self.top)) + (len(self.points) // 40,)

    def places(self, radius: float) -> Iterator[Tuple[float, float, float]]:
        """Yield where an object may stand in it, and how high that reaches: in the middle, or beside others.

        Args:
            radius: of the object, metres.
        """
        left, (x, y) = self.points, self.middle
        yield x, y, self.top
        apart = np.linalg.norm(left[:, :2] - self.middle, axis=1)
        for _ in range(_BESIDE if apart.max() > radius + NEAR else 0):
            x, y = left[int(apart.argmax()), :2]
            near = left[np.linalg.norm(left[:, :2] - (x, y), axis=1) < radius]
            yield float(near[:, 0].mean()), float(near[:, 1].mean()), float(near[:, 2].max())
            apart = np.minimum(apart, np.linalg.norm(left[:, :2] - (x, y), axis=1))


def piece_of(ground: Ground, window: Window, mask: np.ndarray, middle: Sequence[float]) -> Optional[SeenPiece]:
    """Return what pixels measure.

    Args:
        ground: the current image, split into table and objects.
        window: part of the image.
        mask: its pixels.
        middle: where an object may stand in them, (x, y), metres.

    Returns:
        The piece; ``None`` if it is too small to tell what it is.
    """
    own = mask & ~mixed(ground.depth[window]) & (ground.height[window] > ON_TABLE / 2.0)
    if np.count_nonzero(own) < LEAST:
        return None
    points = ground.places(window, own).astype(float)
    colours = cv2.blur(np.ascontiguousarray(ground.view.colour[window]), (5, 5))[own].astype(float)
    top = float(np.percentile(points[:, 2], 97.0))
    step = max(1, len(points) // _POINTS)
    return SeenPiece(points[::step], colours[::step], (float(middle[0]), float(middle[1])), top)


def joined(seen: Sequence[SeenPiece], widest: float) -> List[SeenPiece]:
    """Join pieces that may be of one object that others hide or split, what lies closest together first.

    Args:
        seen: the pieces.
        widest: how far across they are together at most, metres.

    Returns:
        What is of several pieces.
    """
    left, found = list(seen), []
    while len(left) > 1:
        reach, one, other = min(((_reach(one, other), one, other) for one, other in combinations(left, 2)),
                                key=lambda pair: pair[0])
        if reach > widest:
            break
        points = np.concatenate([one.points, other.points])
        x, y = (points[:, :2].min(axis=0) + points[:, :2].max(axis=0)) / 2.0
        found.append(SeenPiece(points, np.concatenate([one.colours, other.colours]), (float(x), float(y)),
                               max(one.top, other.top), (one.pieces or (one,)) + (other.pieces or (other,)), reach))
        left = [each for each in left if each not in (one, other)] + found[-1:]
    return found


def _reach(one: SeenPiece, other: SeenPiece) -> float:
    """Return how far apart points of two pieces are at most, on the ground, metres."""
    return float(cdist(one.points[::4, :2], other.points[::4, :2]).max())
