"""How well the picture supports that an object lies somewhere: what of it is seen, covered, or seen through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, WorldObject

from hicrisp_perception.shapes.segments import Ground, Segment, Window
from hicrisp_perception.shapes.shape_models import Lie, cast, lie_at, unit
from hicrisp_perception.view import NEIGHBOURS, enlarged, matrix_of

_TOLERANCE = 0.012
"""Metres by which a depth may differ from a surface that it shows, at least."""
_NEAREST = 0.05
"""Least distance in front of the camera at which objects are rendered, metres."""
_SIGMAS = 4.0
_CONTACT, _FINE = 0.003, 1.5
"""Metres, and standard deviations, by which another object has to be nearer to hide a surface."""
_LARGE = 1600
"""Size of a window above which every second row and column suffices, pixels."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Pixels of an object's outline by what they show, and how much of a segment is outside of it.

    Args:
        seen: show the object.
        covered: show something nearer, or the robot.
        through: show what is behind it, or another object in its place.
        left: part of the segment that the object does not explain, 0 to 1.
        whole: pixels of its outline.
    """

    seen: int
    covered: int
    through: int
    left: float
    whole: int

    @property
    def pierced(self) -> float:
        """Share of the visible pixels that show something else, 0 to 1."""
        return self.through / max(1, self.seen + self.through)

    @property
    def misfit(self) -> float:
        """Evidence against the object: pixels that show something else, and the unexplained rest of a segment."""
        return 3.0 * self.pierced + self.left

    @property
    def visible(self) -> float:
        """Visible share of its outline, 0 to 1."""
        return self.seen / max(1, self.whole)

    @property
    def absent(self) -> bool:
        """Whether an object that was not found is gone: false also while too little of its place is open to view."""
        return self.seen + self.through >= max(0.25 * self.whole, 20) and self.pierced > 0.5


@dataclass(frozen=True, eq=False)
class Rendering:
    """An object as it would be seen: the depth of its surface in a window of the picture."""

    window: Window
    depth: np.ndarray
    step: int

    @property
    def part(self) -> Tuple[slice, slice]:
        """The pixels of the image that it covers."""
        rows, columns = self.window
        return slice(rows.start, rows.stop, self.step), slice(columns.start, columns.stop, self.step)


def render(lie: Lie, pose: Pose, ground: Ground, beside: Optional[Window] = None) -> Optional[Rendering]:
    """Compute the depth of an object's surface at a pose.

    Args:
        lie: shape and size with the side that it lies on.
        pose: of the object, world frame.
        ground: the current image, split into table and objects.
        beside: a window to cover as well.

    Returns:
        Depth in a window of the image; ``None`` outside the image.
    """
    corners = lie.corners() @ (matrix_of(pose) @ unit(lie.turn).T).T + np.array(pose.position)
    if float(ground.view.rays.depth_of(corners).min()) < _NEAREST:
        return None
    outline = ground.view.rays.project(corners)
    low, high = np.floor(outline.min(axis=0)) - 1, np.ceil(outline.max(axis=0)) + 2
    if beside is not None:
        low = np.minimum(low, (beside[1].start, beside[0].start))
        high = np.maximum(high, (beside[1].stop, beside[0].stop))
    height, width = ground.view.shape
    left, top = max(0, int(low[0])), max(0, int(low[1]))
    right, bottom = min(width, int(high[0])), min(height, int(high[1]))
    if right - left < 2 or bottom - top < 2:
        return None
    step = 1 if (right - left) * (bottom - top) < _LARGE else 2
    part = slice(top, bottom, step), slice(left, right, step)
    found = cast(lie, pose, ground.view.rays.origin, ground.view.rays.part(part))
    shape = ground.depth[part].shape
    return Rendering((slice(top, bottom), slice(left, right)), found.reshape(shape), step)


def weigh(rendering: Rendering, ground: Ground, segment: Optional[Segment] = None,
          others: Optional[np.ndarray] = None) -> Evidence:
    """Compare the expected view of an object with the image.

    Args:
        rendering: expected depth of its surface.
        ground: the current image, split into table and objects.
        segment: pixels attributed to the object; by default all that are not table.
        others: boolean mask of the pixels of other objects, if no segment is given.

    Returns:
        Pixel counts for and against the object.
    """
    part = rendering.part
    expected, measured = rendering.depth, ground.depth[part]
    inside = np.isfinite(expected)
    whole = int(np.count_nonzero(inside))
    if whole == 0:
        return Evidence(0, 0, 0, 1.0, 0)
    distance = float(expected[inside].mean())
    near = tolerance(ground, distance)
    known = measured > 0.0
    if segment is not None:
        own = _spread(rendering, segment)
    else:
        own = ground.things[part] if others is None else ground.things[part] & ~others[part]
    behind = np.where(inside, measured - np.where(inside, expected, 0.0), 0.0)
    seen = inside & own & (~known | (np.abs(behind) < near))
    covered = inside & ~seen & ((known & (behind < -near)) | ground.robot[part])
    if segment is not None:
        # What stands on it is hardly nearer than its top where it touches that.
        closer = max(_CONTACT, _FINE * ground.level.noise_at(distance))
        covered |= inside & ~own & known & ground.things[part] & (behind < -closer)
    # The outermost pixels are mixed: whether they show the object is a matter of half a pixel.
    core = cv2.erode(inside.astype(np.uint8), NEIGHBOURS, borderValue=0) > 0 if rendering.step == 1 else inside
    through = core & ~seen & ~covered & known
    if segment is not None and segment.uncut:
        # Near where it touches another object, a pixel of that may as well be its own.
        through &= ~(ground.things[part] & (np.abs(behind) < near))
    left = 0.0
    if segment is not None:
        about = cv2.dilate(inside.astype(np.uint8), NEIGHBOURS, iterations=2 if rendering.step == 1 else 1) > 0
        unexplained = own & ~about
        if not segment.uncut:  # Its own pixels do not hide it: it would have to be nearer.
            unexplained |= own & inside & known & (behind < -near)
        left = np.count_nonzero(unexplained) / max(1, np.count_nonzero(own))
    scale = rendering.step ** 2
    return Evidence(scale * int(np.count_nonzero(seen)), scale * int(np.count_nonzero(covered)),
                    scale * int(np.count_nonzero(through)), float(left), scale * whole)


def evidence_at(item: WorldObject, pose: Pose, ground: Ground, others: np.ndarray) -> Optional[Evidence]:
    """Compare an object where it is thought to be with the image.

    Args:
        item: the object with its shape and size.
        pose: world frame.
        ground: the current image, split into table and objects.
        others: boolean mask of the pixels of other objects.

    Returns:
        Pixel counts for and against the object; ``None`` outside the image.
    """
    rendering = render(lie_at(item, pose)[0], pose, ground)
    return None if rendering is None else weigh(rendering, ground, others=others)


def cover(claimed: np.ndarray, item: WorldObject, pose: Pose, ground: Ground) -> None:
    """Mark the pixels that belong to an object at a pose.

    Args:
        claimed: boolean mask of the image, changed in place.
        item: the object with its shape and size.
        pose: world frame.
        ground: the current image, split into table and objects.
    """
    rendering = render(lie_at(item, pose)[0], pose, ground)
    if rendering is not None:
        claimed[rendering.window] |= explained(rendering, ground)


def explained(rendering: Rendering, ground: Ground, rim: int = 3) -> np.ndarray:
    """Return the pixels of a window that belong to an object.

    Args:
        rendering: expected depth of its surface.
        ground: the current image, split into table and objects.
        rim: width of the border of mixed pixels, pixels.

    Returns:
        Boolean mask of the window; includes pixels where a robot hides the object.
    """
    measured = ground.depth[rendering.part]
    inside = np.isfinite(rendering.depth)
    if not inside.any():
        return np.zeros(ground.depth[rendering.window].shape, bool)
    near = tolerance(ground, float(rendering.depth[inside].mean()))
    turns = rim if rendering.step == 1 else (rim + 1) // 2
    about = cv2.dilate(inside.astype(np.uint8), NEIGHBOURS, iterations=turns) > 0
    surface = np.where(inside, rendering.depth, np.float32(9.0))
    surface = np.where(inside, surface, cv2.erode(surface, NEIGHBOURS, iterations=turns))
    found = about & ((measured <= 0.0) | (np.abs(measured - surface) < 1.5 * near)
                     | ground.robot[rendering.part])
    rows, columns = rendering.window
    return enlarged(found, rendering.step, (rows.stop - rows.start, columns.stop - columns.start))


def tolerance(ground: Ground, depth: float) -> float:
    """Return the allowed difference between measured and expected depth.

    Args:
        ground: the current image, split into table and objects.
        depth: metres along the optical axis.

    Returns:
        Metres.
    """
    return max(_TOLERANCE, _SIGMAS * ground.level.noise_at(depth))


def _spread(rendering: Rendering, segment: Segment) -> np.ndarray:
    """Return a segment's mask in a rendering's window."""
    rows, columns = rendering.window
    mask = np.zeros((rows.stop - rows.start, columns.stop - columns.start), bool)
    top, left = segment.window[0].start - rows.start, segment.window[1].start - columns.start
    height, width = segment.mask.shape
    mask[top:top + height, left:left + width] = segment.mask
    return mask[::rendering.step, ::rendering.step]
