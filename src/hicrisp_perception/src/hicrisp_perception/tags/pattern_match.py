"""The squares of an object's tags compared with the picture, where the object would be."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import List, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.scene.tags import MODULES, Tag

from hicrisp_perception.shapes.evidence import render, tolerance, weigh
from hicrisp_perception.shapes.fitting import Fit
from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.tags.tag_fit import Sighting, TagFit
from hicrisp_perception.view import enlarged, matrix_of

_RIM = 6
"""Pixels by which tags may be beside where they should be."""
_SQUARE = np.array([(0, 0), (MODULES, 0), (MODULES, MODULES), (0, MODULES)], np.float32)
_LEAST_OF_ONE = 12
"""Pixels of one pattern that tell anything."""
_SLANT = 0.15
"""Cosine to the line of sight below which a tag is not looked at."""
_STEP, _FINEST = np.array((0.004, 0.004, 0.1)), 0.0004
"""Metres, metres and radians of the first steps to where tags are seen best, and metres of the last."""
_ROUNDS = 3
AWAY = 0.015
"""Metres by which an object may be beside where its shape was laid."""


@dataclass(frozen=True, eq=False)
class SearchRange:
    """How far beside where they should be tags are looked for, and how exactly.

    Args:
        shifts: (N, 2) columns and rows.
        together: whether all tags of an object are beside that by the same.
        parts: (P, 2) the places in a pixel for which a pattern is drawn, pixels.
        most: of them in all pixels of a pattern, about.
        least: pixels of all patterns that tell anything.
    """

    shifts: np.ndarray
    together: bool
    parts: np.ndarray
    most: int
    least: int

    @classmethod
    def exact(cls, furthest: int) -> SearchRange:
        """Search each tag independently.

        Args:
            furthest: greatest distance from its expected place, pixels.

        Returns:
            The search range.
        """
        parts = np.array([(x, y) for y in (-0.25, 0.25) for x in (-0.25, 0.25)])
        return cls(_within(furthest), together=False, parts=parts, most=800, least=30)

    @classmethod
    def rough(cls, furthest: int) -> SearchRange:
        """Search all tags of an object together, with fewer pixels.

        Args:
            furthest: greatest distance from the expected place, pixels.

        Returns:
            The search range.
        """
        return cls(_within(furthest), together=True, parts=np.zeros((1, 2)), most=150, least=15)


def _within(furthest: int) -> np.ndarray:
    """(N, 2) columns and rows."""
    side = range(-furthest, furthest + 1)
    return np.array([(x, y) for y in side for x in side])


WIDE, NARROW, _HERE = SearchRange.rough(_RIM), SearchRange.exact(_RIM // 2), SearchRange.exact(0)


@dataclass(frozen=True, eq=False)
class Worn:
    """The tags of an object, in its frame.

    Args:
        tags: those that it wears, T of them.
        corners: (T, 4, 3) of their black squares, in the order of ``Tag.corners``, metres.
        middles, normals: (T, 3) metres, and out of them.
    """

    tags: Tuple[Tag, ...]
    corners: np.ndarray
    middles: np.ndarray
    normals: np.ndarray

    @classmethod
    def of(cls, tags: Sequence[Tag]) -> Worn:
        """Collect the tags of one object.

        Args:
            tags: tags that the object wears.

        Returns:
            Their corners, centres and normals in the object's frame.
        """
        corners = [[tag.pose.apply(corner) for corner in tag.corners] for tag in tags]
        return cls(tuple(tags), np.array(corners), np.array([tag.pose.position for tag in tags]),
                   np.array([tag.pose.axes[2] for tag in tags]))

    def facing(self, fit: Fit, ground: Ground) -> List[Tuple[Tag, np.ndarray]]:
        """Return the tags that face the camera.

        Args:
            fit: pose of the object.
            ground: the current image, split into table and objects.

        Returns:
            Each tag with the pixels (4, 2) of its corners.
        """
        rays = ground.view.rays
        turn, place = matrix_of(fit.pose).T, np.array(fit.pose.position)
        sights = self.middles @ turn + place - rays.origin
        cosines = -np.sum(sights * (self.normals @ turn), axis=1) / np.linalg.norm(sights, axis=1)
        pixels = rays.project(self.corners @ turn + place)
        return [(tag, pixels[number]) for number, tag in enumerate(self.tags) if cosines[number] > _SLANT]


@dataclass(frozen=True, eq=False)
class Match:
    """An object's tags where they are seen best.

    Args:
        likeness: correlation of their squares with what is seen, -1 to 1.
        pairs: the tags, and where they are seen.
        still: whether that is where they should be.
    """

    likeness: float
    pairs: Tuple[Tuple[Tag, Sighting], ...]
    still: bool


@dataclass(frozen=True, eq=False)
class Surface:
    """The part of a picture that shows an object's surface.

    Args:
        own: (N, 2) columns and rows of its pixels that do.
        grey: the brightness of the part and of a rim around it.
        corner: the part's first column and row.
    """

    own: np.ndarray
    grey: np.ndarray
    corner: Tuple[int, int]

    @classmethod
    def of(cls, fit: Fit, ground: Ground) -> Surface:
        """Return the part of the image that shows an object's surface.

        Args:
            fit: pose of the object.
            ground: the current image, split into table and objects.

        Returns:
            The surface.
        """
        rendering = fit.rendering
        rows, columns = rendering.window
        inside = np.isfinite(rendering.depth)
        away = np.abs(ground.depth[rendering.part] - np.where(inside, rendering.depth, np.float32(9.0)))
        middle = float(ground.view.rays.depth_of(np.array(fit.pose.position)))
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        full = enlarged(inside & (away < tolerance(ground, middle)), rendering.step, shape)
        height, width = ground.view.shape
        top, left = max(0, rows.start - _RIM), max(0, columns.start - _RIM)
        bottom, right = min(height, rows.stop + _RIM), min(width, columns.stop + _RIM)
        part = np.ascontiguousarray(ground.view.colour[top:bottom, left:right])
        framed = cv2.copyMakeBorder(
            cv2.cvtColor(part, cv2.COLOR_RGB2GRAY), top - rows.start + _RIM, rows.stop + _RIM - bottom,
            left - columns.start + _RIM, columns.stop + _RIM - right, cv2.BORDER_REPLICATE)
        return cls(np.argwhere(full)[:, ::-1], framed.astype(np.float32), (columns.start, rows.start))

    def compared(self, number: int, corners: np.ndarray, reach: SearchRange) -> Optional[Tuple[np.ndarray, int]]:
        """Correlate the cells of a tag with the image around its expected place; its border, which all tags
        share, is left out.

        Args:
            number: of the tag in the family.
            corners: (4, 2) pixels of its black square, clockwise from the top left.
            reach: the search range.

        Returns:
            Correlations for each offset, and the number of pixels; ``None`` if too little is visible.
        """
        low, high = corners.min(axis=0) - self.corner, corners.max(axis=0) - self.corner
        pixels = self.own[((self.own >= low) & (self.own <= high)).all(axis=1)]
        pixels = pixels[::max(1, len(pixels) * len(reach.parts) // reach.most)]
        if len(pixels) < _LEAST_OF_ONE:
            return None
        to_squares = cv2.getPerspectiveTransform((corners - self.corner).astype(np.float32), _SQUARE)
        flat = (pixels[:, None] + reach.parts) @ to_squares[:, :2].T + to_squares[:, 2]
        squares = flat[..., :2] / flat[..., 2:]
        inner = ((squares > 1.0) & (squares < MODULES - 1.0)).all(axis=(1, 2))
        pixels, indices = pixels[inner], squares[inner].astype(int)
        if len(pixels) < _LEAST_OF_ONE:
            return None
        drawn = _squares(number)[indices[..., 1], indices[..., 0]].mean(axis=1)
        drawn -= drawn.mean()
        line = np.array((1, self.grey.shape[1]))
        shown = self.grey.ravel()[(pixels + _RIM) @ line + (reach.shifts @ line)[:, None]]
        shown -= shown.mean(axis=1, keepdims=True)
        strength = np.sqrt(np.einsum("ij,ij->i", shown, shown) * (drawn @ drawn))
        return shown @ drawn / np.maximum(strength, 1e-6), len(pixels)


def matched(worn: Worn, fit: Fit, surface: Surface, ground: Ground, reach: SearchRange) -> Optional[Match]:
    """Match all tags of an object near their expected places.

    Args:
        worn: tags of the object.
        fit: pose of the object.
        surface: its part of the image.
        ground: the current image, split into table and objects.
        reach: the search range.

    Returns:
        The best match; ``None`` if too little is visible.
    """
    found: List[Tuple[Tag, np.ndarray, np.ndarray, int]] = []
    for tag, corners in worn.facing(fit, ground):
        compared = surface.compared(tag.number, corners, reach)
        if compared is not None:
            found.append((tag, corners, *compared))
    pixels = sum(count for _, _, _, count in found)
    if pixels < reach.least:
        return None
    if reach.together:
        whole = np.sum([likes * count for _, _, likes, count in found], axis=0)
        best = [int(whole.argmax())] * len(found)
    else:
        best = [int(likes.argmax()) for _, _, likes, _ in found]
    total = sum(float(likes[index]) * count for index, (_, _, likes, count) in zip(best, found))
    return Match(total / pixels, tuple((tag, Sighting(tag.number, corners + reach.shifts[index]))
                                       for index, (tag, corners, _, _) in zip(best, found)),
                 not any(reach.shifts[index].any() for index in best))


def followed(worn: Worn, match: Match, fit: Fit, surface: Surface, ground: Ground
             ) -> Tuple[Match, Fit]:
    """Move a fit to where its tags are observed, as long as the match improves.

    Args:
        worn: tags of the object.
        match: the match at the fit.
        fit: pose of the object.
        surface: its part of the image.
        ground: the current image, split into table and objects.

    Returns:
        The last match and fit.
    """
    for _ in range(_ROUNDS):
        moved = _by(match, fit, ground)
        again = matched(worn, moved, surface, ground, NARROW)
        if again is None or again.likeness < match.likeness:
            break
        match, fit = again, moved
    return match, fit


def exact(worn: Worn, match: Match, fit: Fit, ground: Ground) -> Tuple[float, Fit]:
    """Refine a fit by its tags with decreasing steps.

    Args:
        worn: tags of the object.
        match: the match at the fit.
        fit: pose of the object.
        ground: the current image, split into table and objects.

    Returns:
        The correlation, -1 to 1, and the fit.
    """
    moved = _by(match, fit, ground)
    rendering = render(moved.lie, moved.pose, ground) or moved.rendering
    surface = Surface.of(replace(moved, rendering=rendering), ground)
    place = np.array((moved.place.x, moved.place.y, moved.place.yaw))
    best = matched(worn, moved, surface, ground, _HERE)
    step = _STEP.copy()
    while best is not None and step[0] > _FINEST:
        for axis, sign in product(range(3), (-1.0, 1.0)):
            other = place.copy()
            other[axis] += sign * step[axis]
            found = matched(worn, _at(moved, other), surface, ground, _HERE)
            if found is not None and found.likeness > best.likeness:
                best, place = found, other
                break
        else:
            step /= 2.0
    if best is None or best.likeness < match.likeness:
        return match.likeness, known(fit, match, ground)
    return best.likeness, known(_at(moved, place), best, ground)


def _at(fit: Fit, place: np.ndarray) -> Fit:
    x, y, yaw = (float(value) for value in place)
    return replace(fit, place=replace(fit.place, x=x, y=y, yaw=yaw))


def _by(match: Match, fit: Fit, ground: Ground) -> Fit:
    """Move a fit to where its tags are observed; unchanged if that is too far away."""
    start = (fit.place.x, fit.place.y, fit.place.yaw)
    place = TagFit.of(match.pairs, ground.view.rays).standing(fit.lie, start, fit.bottom, ground.view.rays)
    return replace(fit, place=place) if math.hypot(place.x - start[0], place.y - start[1]) < AWAY else fit


def known(fit: Fit, match: Match, ground: Ground) -> Fit:
    """Return a fit that is identified by its tags.

    Args:
        fit: pose of the object.
        match: its tags in this image.
        ground: the current image, split into table and objects.

    Returns:
        The fit with the evidence of this image.
    """
    rendering = render(fit.lie, fit.pose, ground) or fit.rendering
    return Fit(fit.lie, fit.place, fit.bottom, fit.resting, weigh(rendering, ground), 0.0, rendering,
               tags=TagFit.of(match.pairs, ground.view.rays))


@lru_cache(maxsize=128)
def _squares(number: int) -> np.ndarray:
    """(8, 8) the squares of a tag by rows, 0 for black and 1 for white."""
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    picture = np.asarray(cv2.aruco.generateImageMarker(family, number, MODULES))
    found: np.ndarray = (picture > 127).astype(float)
    found.setflags(write=False)
    return found
