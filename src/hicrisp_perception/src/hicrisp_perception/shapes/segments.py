"""What stands on the table, cut where the colour changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.model import WorldObject

from hicrisp_perception.shapes.colour_model import DARK, GREY, Palette
from hicrisp_perception.shapes.gaps import with_gaps_filled
from hicrisp_perception.shapes.level import TablePlane, fit_level
from hicrisp_perception.view import NEIGHBOURS, NOWHERE, Rays, View, enlarged

LEAST_PIXELS = 30
"""Pixels that a segment needs."""
_LOWEST = 0.006
"""Height above the table at which pixels belong to an object, metres."""
_SIGMAS = 2.5
_AROUND = 4
"""Pixels around what the depth shows in which the colour decides: depth is ragged at edges."""
_BELOW = -0.02
"""Height below which a pixel shows what is beyond the table, metres."""
_MARGIN = 0.01
"""How far beyond the table's sides objects are looked for, metres."""
_SPECK = 6
"""Pixels of every second row and column that are no object."""
_CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
_WOOD = np.array([200.0, 175.0, 140.0])
_EDGE = 3.5
"""Pixels that an edge is wide."""
_OTHER_LIGHT = 6.0
"""Change of the table's colour after which families are computed again."""
_FACES = 4.0
"""How many times as bright as its sides the top of an object may be."""
_FEW = 8
"""Pixels that are no face."""
Window = Tuple[slice, slice]


@dataclass(eq=False)
class Segment:
    """Pixels that hang together and have one family of colours.

    Args:
        window: the part of the picture that holds it.
        mask: which pixels of the window belong to it.
        family: its family of colours; 0 for the table's own.
        uncut: whether it may have patches of other families.
    """

    window: Window
    mask: np.ndarray
    family: int
    uncut: bool = False

    @property
    def pixels(self) -> int:
        """Number of its pixels."""
        return int(np.count_nonzero(self.mask))


@dataclass(eq=False)
class Ground:
    """A picture with what stands on the table told from the table.

    Args:
        height: of each pixel above the table as it is seen, metres; ``NOWHERE`` without depth.
        depth: smoothed, metres; 0 without a measurement.
        things: which pixels show what stands on the table, by depth and colour.
        family: of each pixel; 0 for the table's colour.
        robot: which pixels show the robot.
        x, y: of each pixel, metres.
        table_colour: 0 to 255.
        bare: which pixels would show the table if nothing stood on it.
        palette: what sorts its colours.
        parts: of the picture, in which all objects are; nothing stands in two of them.
    """

    view: View
    level: TablePlane
    height: np.ndarray
    depth: np.ndarray
    things: np.ndarray
    family: np.ndarray
    robot: np.ndarray
    x: np.ndarray
    y: np.ndarray
    table_colour: np.ndarray
    bare: np.ndarray
    palette: Palette
    parts: Sequence[Window]

    def points(self, part: Window, mask: np.ndarray) -> np.ndarray:
        """Return what pixels show above the table as it is seen.

        Args:
            part: of the picture.
            mask: which pixels of that part.

        Returns:
            Array (n, 3): x, y and height above the table, metres.
        """
        return np.stack([each[part][mask] for each in (self.x, self.y, self.height)], axis=1)

    def places(self, part: Window, mask: np.ndarray) -> np.ndarray:
        """Return what pixels show by the camera's pose alone: a table may bear things elsewhere than it is seen.

        Args:
            part: of the picture.
            mask: which pixels of that part.

        Returns:
            Array (n, 3), world frame, metres.
        """
        x, y, height = self.points(part, mask).T
        return np.stack([x, y, height + self.level.at(x, y)], axis=1)


class Sorter:
    """Tells objects from the table and cuts them where their colour changes.

    Args:
        table: whose sides bound what is looked at.
    """

    def __init__(self, table: WorldObject) -> None:
        pose = table.pose
        x, y = pose.position[:2] if pose is not None else (0.0, 0.0)
        self._low = (x - table.size[0] / 2.0, y - table.size[1] / 2.0)
        self._high = (x + table.size[0] / 2.0, y + table.size[1] / 2.0)
        self._rays: Optional[Rays] = None
        self.forget()

    def forget(self) -> None:
        """Reset after the world was reset."""
        self._level = TablePlane()
        self._palette: Optional[Palette] = None

    @property
    def level(self) -> TablePlane:
        """The table's plane as observed last."""
        return self._level

    def ground(self, view: View, robot: np.ndarray, known: Optional[np.ndarray] = None) -> Ground:
        """Separate objects from the table.

        Args:
            view: the current image with its viewing rays.
            robot: boolean (height, width), true where the robot is visible.
            known: pixels that known objects account for; regions without others are skipped.

        Returns:
            The separated image.
        """
        if view.rays is not self._rays:
            self._rays = view.rays
            self._bare = self._within(*view.rays.on_plane(), 0.0)
        view = with_gaps_filled(view, robot, self._bare)
        parts, solid = self._coarse(view, robot, known)
        depth = view.depth.copy()
        height = np.full(view.shape, NOWHERE, np.float32)
        x, y = np.zeros(view.shape, np.float32), np.zeros(view.shape, np.float32)
        family = np.zeros(view.shape, np.uint8)
        objects = np.zeros(view.shape, bool)
        for part in parts:
            depth[part] = near = cv2.medianBlur(np.ascontiguousarray(view.depth[part]), 3)
            x[part], y[part] = view.rays.point(0, near, part), view.rays.point(1, near, part)
            above = view.rays.point(2, near, part) - self._level.at(x[part], y[part])
            above[near <= 0.0] = NOWHERE
            height[part] = above
            family[part] = self._families(np.ascontiguousarray(view.colour[part]))
            objects[part] = ~robot[part] & self._things(np.ascontiguousarray(solid[part]), family[part], above,
                                                        self._bare[part])
        if self._palette is None:
            raise ValueError("the table's colour comes first")
        return Ground(view, self._level, height, depth, objects, family, robot, x, y, self._table_colour,
                      self._bare, self._palette, parts)

    def _within(self, x: np.ndarray, y: np.ndarray, margin: float) -> np.ndarray:
        return ((x > self._low[0] - margin) & (x < self._high[0] + margin)
                & (y > self._low[1] - margin) & (y < self._high[1] + margin))

    def _coarse(self, view: View, robot: np.ndarray, known: Optional[np.ndarray]
                ) -> Tuple[List[Window], np.ndarray]:
        """Return the table's plane and colour, the parts of the picture that have objects, and which pixels the
        depth shows to be above the table; from every second row and column.
        """
        half = (slice(None, None, 2), slice(None, None, 2))
        depth = cv2.medianBlur(np.ascontiguousarray(view.depth[half]), 3)
        x, y, height = (view.rays.half(axis, depth) for axis in range(3))
        over = self._within(x, y, _MARGIN) & (depth > 0.0) & ~robot[half]
        self._level = level = fit_level(x, y, height, depth, over, self._level)
        height -= level.at(x, y)
        self._look_at_the_table(view.colour[half], over & (np.abs(height) < _LOWEST))
        least = np.maximum(np.float32(_LOWEST), np.float32(_SIGMAS * level.noise) * depth * depth)
        high = (over & (height > least)).view(np.uint8)
        holes = ((depth <= 0.0) & self._bare[half]).view(np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(high | holes, connectivity=8)
        # What is thin goes on from what is not, beyond holes in its depth; alone it is noise.
        firm = cv2.morphologyEx(high, cv2.MORPH_OPEN, _CROSS) > 0
        small = np.bincount(labels[firm], minlength=count) < _SPECK
        small[0] = True
        solid = high & ~small[labels]
        if known is not None:
            small |= np.bincount(labels[(solid > 0) & ~known[half]], minlength=count) < _SPECK
        fine = enlarged(solid, 2, view.shape)
        return _joined([_about(stats[number], view.shape) for number in range(1, count) if not small[number]]
                       ), fine

    def _look_at_the_table(self, colour: np.ndarray, bare: np.ndarray) -> None:
        """Its colour, which changes with the light."""
        part = (slice(None, None, 5), slice(None, None, 5))
        pixels = colour[part][bare[part]]
        if len(pixels) < 50 and self._palette is not None:
            return
        found = np.median(pixels, axis=0) if len(pixels) else _WOOD
        if self._palette is None or float(np.abs(self._palette.table - found).max()) > _OTHER_LIGHT:
            self._palette = Palette(np.maximum(found, 1.0))
        self._table_colour: np.ndarray = found

    def _families(self, raw: np.ndarray) -> np.ndarray:
        """Families of the pixels; those at edges go to the table or to the nearest object, whichever they are
        more like.
        """
        if self._palette is None:
            raise ValueError("the table's colour comes first")
        soft = cv2.blur(raw, (3, 3))
        family = self._palette.families(soft)
        pure = cv2.erode(family, NEIGHBOURS) == cv2.dilate(family, NEIGHBOURS)
        coloured = pure & (family > 0)
        away, nearest = cv2.distanceTransformWithLabels((~coloured).view(np.uint8), cv2.DIST_L2, 3,
                                                        labelType=cv2.DIST_LABEL_PIXEL)
        labels, every = nearest.ravel(), soft.reshape(-1, 3)
        pixel = np.zeros(int(labels.max()) + 1, np.intp)  # Each label's own one.
        inside = np.flatnonzero(coloured)
        pixel[labels[inside]] = inside
        edge = np.flatnonzero(~pure)
        nearby, shown = pixel[labels[edge]], raw.reshape(-1, 3)[edge].astype(np.float32)
        like = ((shown - every[nearby]) ** 2).sum(axis=1)
        unlike = ((shown - self._palette.table.astype(np.float32)) ** 2).sum(axis=1)
        own = (like < unlike) & (away.ravel()[edge] < _EDGE)
        family.ravel()[edge] = np.where(own, family.ravel()[nearby], 0)
        return family

    @staticmethod
    def _things(solid: np.ndarray, family: np.ndarray, height: np.ndarray, bare: np.ndarray) -> np.ndarray:
        """Select pixels by colour near the solid ones, because depth is ragged at edges."""
        size = 2 * _AROUND + 1
        near = cv2.dilate(solid, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))) > 0
        # Beyond the table there may be any colour.
        coloured = (family > 0) & (height > _BELOW) if not bare.any() else (
            (family > 0) & (bare | (height > _BELOW)) & ((height > _BELOW) | (height == NOWHERE)))
        plain = cv2.erode(solid, NEIGHBOURS, iterations=2) > 0
        return near & (coloured | plain)


def raised(ground: Ground, part: Window) -> np.ndarray:
    """Return which pixels the depth alone shows to be above the table, beyond its noise.

    Args:
        ground: the current image, split into table and objects.
        part: of the image.

    Returns:
        The mask of the part.
    """
    depth = ground.depth[part]
    found: np.ndarray = ground.height[part] > np.maximum(_LOWEST, _SIGMAS * ground.level.noise * depth * depth)
    return found


def _about(box: np.ndarray, shape: Tuple[int, int]) -> Window:
    """Return the part of the picture with a piece of which every second row and column was looked at, and a rim."""
    left, top, width, height = (2 * int(value) for value in box[:4])
    rim = _AROUND + 2
    return (slice(max(0, top - rim), min(shape[0], top + height + rim)),
            slice(max(0, left - rim), min(shape[1], left + width + rim)))


def _joined(parts: Sequence[Window]) -> List[Window]:
    """Parts of the image that do not overlap."""
    found: List[Window] = []
    for part in parts:
        while True:
            other = next((each for each in found if overlap(each, part)), None)
            if other is None:
                break
            found.remove(other)
            rows, columns = (slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(part, other))
            part = rows, columns
        found.append(part)
    return found


def overlap(one: Window, other: Window) -> bool:
    """Check whether two windows share pixels.

    Args:
        one: rows and columns.
        other: rows and columns.

    Returns:
        True if they do.
    """
    return all(a.start < b.stop and b.start < a.stop for a, b in zip(one, other))


def segments_in(ground: Ground, claimed: Optional[np.ndarray] = None, uncut: bool = False) -> List[Segment]:
    """Return connected regions of one colour family that belong to objects.

    Args:
        ground: the current image, split into table and objects.
        claimed: boolean mask of pixels to leave out.
        uncut: whether to ignore colour changes; the family is then the table's.

    Returns:
        The segments, largest first.
    """
    found: List[Segment] = []
    for window, mask in pieces_in(ground, claimed):
        if uncut:
            found.append(Segment(window, mask, 0, uncut=True))
            continue
        family = _of_one_brightness(ground.family[window], mask, ground.view.colour[window])
        numbers = np.unique(family[mask])
        for number in numbers:
            if len(numbers) == 1:
                found.append(Segment(window, mask, int(number)))
                continue
            found += [Segment(inner, own, int(number)) for inner, own in
                      _pieces(mask & (family == number), (window[0].start, window[1].start))]
    return sorted(found, key=lambda segment: -segment.pixels)


def _of_one_brightness(family: np.ndarray, mask: np.ndarray, colour: np.ndarray) -> np.ndarray:
    """Families in which light and dark grey are one where they may be the faces of one object: what is lit of
    a black object is as bright as the shade of a grey one.
    """
    light, dark = mask & (family == GREY), mask & (family == DARK)
    if min(np.count_nonzero(light), np.count_nonzero(dark)) < _FEW:
        return family
    shown = colour[light | dark].max(axis=1)
    low, high = (float(value) for value in np.percentile(shown, (5.0, 95.0)))
    if high > _FACES * max(low, 1.0):
        return family
    whole = GREY if np.count_nonzero(light) > np.count_nonzero(dark) else DARK
    return np.where(light | dark, whole, family).astype(family.dtype)


def pieces_in(ground: Ground, claimed: Optional[np.ndarray] = None) -> Iterator[Tuple[Window, np.ndarray]]:
    """Yield connected regions that belong to objects; specks are left out.

    Args:
        ground: the current image, split into table and objects.
        claimed: boolean mask of pixels to leave out.

    Yields:
        Window and mask of each region.
    """
    for part in ground.parts:
        where = ground.things[part] if claimed is None else ground.things[part] & ~claimed[part]
        yield from _pieces(where, (part[0].start, part[1].start))


def _pieces(where: np.ndarray, origin: Tuple[int, int]) -> List[Tuple[Window, np.ndarray]]:
    """Connected pieces with their windows, of which the first pixel is at an origin; specks left out."""
    left, top, width, height = cv2.boundingRect(where.view(np.uint8))
    if not width:
        return []
    inner = np.ascontiguousarray(where[top:top + height, left:left + width])
    _, labels, stats, _ = cv2.connectedComponentsWithStats(inner.view(np.uint8), connectivity=4)
    found: List[Tuple[Window, np.ndarray]] = []
    for label, (column, row, width, height) in large(stats, LEAST_PIXELS):
        own = labels[row:row + height, column:column + width] == label
        first, second = origin[0] + top + row, origin[1] + left + column
        found.append(((slice(first, first + height), slice(second, second + width)), own))
    return found


def large(stats: np.ndarray, least: int) -> Iterator[Tuple[int, Tuple[int, int, int, int]]]:
    """Yield the large components of OpenCV's connected components, without the background.

    Args:
        stats: statistics from OpenCV.
        least: least number of pixels.

    Yields:
        Label and box: column, row, width, height.
    """
    for label in 1 + np.flatnonzero(stats[1:, cv2.CC_STAT_AREA] >= least):
        column, row, width, height, _ = stats[label].tolist()
        yield int(label), (column, row, width, height)
