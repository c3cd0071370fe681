"""The shape of an undescribed object as a camera sees it: how high it is on a grid, and what that makes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import List, Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, Vector
from hicrisp_core.model.shapes import Handling, Shape, Solid, measured, rectangle
from hicrisp_core.robot.gripper import Gripper
from hicrisp_core.robot.measured_shape import MeasuredShape, shape_from

from hicrisp_perception.shapes.evidence import tolerance
from hicrisp_perception.shapes.segments import Ground, Window
from hicrisp_perception.view import NEIGHBOURS, Rays

_CELL = 0.004
"""Metres: two pixels or more of a camera a metre away."""
_LEVEL = 0.015
"""Heights that make one solid, metres."""
_OPEN, _PIERCED = 0.25, 0.15
"""Share of its pixels that show an object at least where it stands, and of the open ones that show what is behind it at
most."""
_TOP, _BEHIND = 0.9, 0.012
"""Share of its height that the top of an object has, and how far behind what is seen its hidden side is, metres."""
_MOST = 0.8
"""Share of an object's pixels that another one has which is the same, seen better."""
_EDGE_PIXELS = 2
"""Width of the mixed pixels at an edge."""
_NOTHING, _UNSEEN = -1.0, -2.0


@dataclass(frozen=True, eq=False)
class Relief:
    """How high an object is.

    Args:
        heights: above what it stands on, on a grid along its box's x and y, metres; negative where nothing is.
        size: extents of the box, metres.
    """

    heights: np.ndarray
    size: Vector

    @cached_property
    def form(self) -> Shape:
        """What rays meet of it: one for all images, by which its rendering is kept."""
        return Shape(rectangle, measured(self.solids), Handling.NONE)

    @cached_property
    def solids(self) -> Tuple[Solid, ...]:
        """Upright boxes, one level after another, in the frame of the box."""
        coarse = self._coarse()
        levels = np.where(coarse > 0.0, np.ceil(coarse / _LEVEL), 0.0).astype(int)
        cell = np.array(self.size[:2]) / levels.shape
        found: List[Solid] = []
        for level in range(int(levels.max()), 0, -1):
            left = levels == level
            while left.any():
                rows, columns = _rectangle(left)
                high = float(coarse[rows, columns].max())
                left[rows, columns] = False
                x, y = ((part.stop - part.start) * along for part, along in zip((rows, columns), cell))
                middle = [(part.start + part.stop - count) / 2.0 * along
                          for part, along, count in zip((rows, columns), cell, levels.shape)]
                found.append(Solid("box", (float(x), float(y), high),
                                   Pose((middle[0], middle[1], (high - self.size[2]) / 2.0))))
        return tuple(found)

    def _coarse(self) -> np.ndarray:
        """Return the highest of every two by two cells."""
        odd = [(0, side % 2) for side in self.heights.shape]
        even = np.pad(self.heights, odd, constant_values=_NOTHING)
        return np.maximum.reduce([even[row::2, column::2] for row in (0, 1) for column in (0, 1)])


@dataclass(frozen=True, eq=False)
class Patch:
    """How an image shows an object.

    Args:
        window: the part of the image.
        mask: which of its pixels show the object.
        depth: of the window, metres.
        rays: of the camera, which sees it from elsewhere once they are others.
        whole: whether the robot is not before it.
        colour: its mean red, green and blue, 0 to 255.
    """

    window: Window
    mask: np.ndarray
    depth: np.ndarray
    rays: Rays
    whole: bool
    colour: np.ndarray

    @classmethod
    def of(cls, ground: Ground, window: Window, mask: np.ndarray) -> Patch:
        """Keep how an object is shown.

        Args:
            ground: the image, split into table and objects.
            window: the part of the image.
            mask: which of its pixels show the object.

        Returns:
            The patch.
        """
        around = cv2.dilate(mask.astype(np.uint8), NEIGHBOURS, iterations=_EDGE_PIXELS) > 0
        return cls(window, mask, ground.depth[window].copy(), ground.view.rays,
                   not (around & ground.robot[window]).any(), ground.view.colour[window][mask].mean(axis=0))

    def differs(self, other: Patch) -> float:
        """Return by how much its colour differs from that of another one.

        Args:
            other: the other one.

        Returns:
            The greatest difference of red, green and blue, of 255.
        """
        return float(np.abs(self.colour - other.colour).max())

    def claimed(self, by_others: np.ndarray) -> bool:
        """Check whether other objects account for most of it.

        Args:
            by_others: boolean mask of the image.

        Returns:
            True if more than half of its pixels are theirs.
        """
        return bool(by_others[self.window][self.mask].mean() > 0.5)

    def part_of(self, other: Patch) -> bool:
        """Check whether a patch shows what another one shows more of.

        Args:
            other: of the same or a later image.

        Returns:
            True if nearly all of its pixels are the other's, too.
        """
        if other.rays is not self.rays:
            return False
        (rows, columns), (top, left) = self.window, (part.start for part in other.window)
        inside = np.argwhere(self.mask) + (rows.start - top, columns.start - left)
        kept = inside[((inside >= 0) & (inside < other.mask.shape)).all(axis=1)]
        return np.count_nonzero(other.mask[tuple(kept.T)]) > _MOST * len(inside)

    def shown_in(self, ground: Ground) -> Optional[np.ndarray]:
        """Return the pixels of the window that show the object where it was.

        Args:
            ground: a later image.

        Returns:
            The mask, with the mixed pixels at its edge and with what the robot hides; ``None`` if it does not stand
            there any more, or too little of it is open to view.
        """
        if ground.view.rays is not self.rays:
            return None
        now = ground.depth[self.window]
        own = self.mask & (self.depth > 0.0)
        farther = now - self.depth
        near = tolerance(ground, float(self.depth[own].mean())) if own.any() else 0.0
        alike = (now > 0.0) & (np.abs(farther) < near)
        seen, through = np.count_nonzero(own & alike), np.count_nonzero(own & (farther >= near))
        if seen < _OPEN * np.count_nonzero(own) or through > _PIERCED * (seen + through):
            return None
        hidden = (now <= 0.0) | ground.robot[self.window]
        return cv2.dilate((self.mask & (alike | hidden)).astype(np.uint8), NEIGHBOURS, iterations=_EDGE_PIXELS) > 0


@lru_cache(maxsize=256)
def shape_of(relief: Relief, hand: Gripper) -> MeasuredShape:
    """Return the shape that a relief makes.

    Args:
        relief: what was measured of an object.
        hand: the gripper's measures.

    Returns:
        The shape in the frame of the box.
    """
    upright = Pose((0.0, 0.0, relief.size[2] / 2.0))
    return shape_from(relief.size, relief.heights, relief.solids, upright, hand)


def _rectangle(there: np.ndarray) -> Tuple[slice, slice]:
    """Return a large rectangle of cells that are all there: the tallest from the first one on, and then as wide."""
    row, first = (int(each) for each in np.argwhere(there)[0])
    last = first + int(np.argmin(np.append(there[row, first:], False)))
    end = row + int(np.argmin(np.append(there[row:, first:last].all(axis=1), False)))
    return slice(row, end), slice(first, last)


def points_of(ground: Ground, window: Window, mask: np.ndarray) -> np.ndarray:
    """Return where the surface of an object is that pixels show.

    Args:
        ground: the image, split into table and objects.
        window: the part of the image that shows the object.
        mask: which pixels of the window do.

    Returns:
        Array (n, 3): x, y and height above the table, metres.
    """
    seen = mask & (ground.height[window] > -1.0)
    return ground.points(window, seen)


def with_hidden_side(points: np.ndarray, ground: Ground, window: Window, mask: np.ndarray) -> np.ndarray:
    """Add what an object most likely has on the side that it hides: the opposite of what is seen, about its top.

    Args:
        points: array (n, 3) on its visible surface: x, y and height, metres.
        ground: the image, split into table and objects.
        window: the part of the image that shows the object.
        mask: which pixels of the window do.

    Returns:
        The points, and those of the other side that are behind the object itself.
    """
    height = points[:, 2]
    top = points[height > _TOP * np.percentile(height, 98.0), :2]
    low, high = np.percentile(top, (3.0, 97.0), axis=0)
    opposite = np.column_stack([low + high - points[:, :2], height])
    column, row = np.round(ground.view.rays.project(opposite)).astype(int).T
    row, column = row - window[0].start, column - window[1].start
    inside = (row >= 0) & (row < mask.shape[0]) & (column >= 0) & (column < mask.shape[1])
    opposite, row, column = opposite[inside], row[inside], column[inside]
    farther = ground.view.rays.depth_of(opposite) - ground.depth[window][row, column]
    return np.concatenate([points, opposite[mask[row, column] & (farther > _BEHIND)]])


def relief_of(ground: Ground, window: Window, points: np.ndarray, box: Pose, size: Vector) -> Relief:
    """Measure how high an object is on a grid.

    What no pixel shows is as low as the lowest beside it if the object is all around it, like the bottom of a mug
    behind its wall, and empty otherwise, like what is behind the object.

    Args:
        ground: the image, split into table and objects.
        window: the part of the image that shows the object.
        points: array (n, 3) on its surface: x, y and height above the table, metres.
        box: middle of the box around it, upright, world frame.
        size: extents of that box, metres.

    Returns:
        The grid.
    """
    bottom = box.position[2] - size[2] / 2.0
    shape = tuple(max(2, round(extent / _CELL)) for extent in size[:2])
    grid = np.full(shape, _UNSEEN, np.float32)

    def mark(places: np.ndarray, heights: np.ndarray) -> None:
        turned = (places - box.position[:2]) @ np.array(box.axes)[:2, :2].T
        cells = np.floor((turned / size[:2] + 0.5) * shape).astype(int)
        inside = ((cells >= 0) & (cells < shape)).all(axis=1)
        np.maximum.at(grid, tuple(cells[inside].T), heights[inside])

    table = ground.bare[window] & ~ground.things[window] & ~ground.robot[window]
    mark(np.stack([ground.x[window][table], ground.y[window][table]], axis=1),
         np.full(int(np.count_nonzero(table)), _NOTHING, np.float32))
    mark(points[:, :2], np.clip(points[:, 2] - bottom, 0.0, size[2]))
    _, labels = cv2.connectedComponents(np.pad(grid < 0.0, 1, constant_values=True).astype(np.uint8), connectivity=4)
    outside = (labels == labels[0, 0])[1:-1, 1:-1]
    hidden = (grid < 0.0) & ~outside
    grid[outside] = _NOTHING
    count, labels = cv2.connectedComponents(hidden.astype(np.uint8), connectivity=8)
    for label in range(1, count):
        own = labels == label
        beside = (cv2.dilate(own.astype(np.uint8), NEIGHBOURS) > 0) & ~own & ~outside
        grid[own] = grid[beside].min()
    return Relief(grid, size)
