"""Boxes around what stands on a table and is explained by nothing that is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Mapping, Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, Vector, Visibility, WorldObject
from hicrisp_core.model.geometry import from_yaw

from hicrisp_perception.shapes.contours import circle_around, spread_of
from hicrisp_perception.shapes.relief import Patch, Relief, points_of, relief_of, with_hidden_side
from hicrisp_perception.shapes.segments import Ground, Window, raised
from hicrisp_perception.shapes.separating import apart
from hicrisp_perception.tracking.grip import ObservedHand
from hicrisp_perception.view import NEIGHBOURS

_LEAST_PIXELS = 60
_CERTAIN = 200
"""Size at which one image suffices, pixels."""
_LEAST_SIZE = 0.012
_LEAST_HEIGHT = 0.010
_FOOT = 0.25
"""Share of its height below which a point may be of the ground as well as of an object, near that."""
_BLUR = 0.003
"""How much longer than an object what is seen of it is: the depth at its edges is mixed, metres."""
ON_TABLE = 0.035
_GROWN = 6
"""Pixels by which an object is followed by its colour alone."""
_RAGGED = 4
"""Pixels around what is coloured in which the depth of its edges is not its own."""
_RING = 5
"""Pixels around an object that show what bears it."""
_BESIDE = 0.05
"""How much nearer or farther than the object that is at most, metres."""
NEAR_HAND = 0.06
AT_TOOL = 0.03
"""How far from a tool what hangs from it may seem to end, metres."""


@dataclass(frozen=True)
class UnknownObject:
    """An undescribed object.

    Args:
        pose: middle of the box around it, world frame.
        size: extents of that box, metres.
        relief: how high it is.
        patch: how the image showed it that this was made of.
        looks: in how many pictures it was seen.
        pixels: of which it was made.
        doubtful: whether it may be two that touch.
    """

    pose: Pose
    size: Tuple[float, float, float]
    relief: Relief
    patch: Patch
    pixels: int
    stamp: float
    looks: int = 1
    visibility: Visibility = Visibility.VISIBLE
    doubtful: bool = False

    @property
    def certain(self) -> bool:
        """Whether it was observed often enough to exclude noise."""
        return self.looks > 1 or self.pixels >= _CERTAIN

    @property
    def bottom(self) -> float:
        """Height of its box's lower side, metres."""
        return self.pose.position[2] - self.size[2] / 2.0

    def holds(self, position: Vector, margin: float) -> bool:
        """Check whether a point lies in its box, or near it.

        Args:
            position: world frame, metres.
            margin: distance from the box along its axes, metres.

        Returns:
            True within the box and the margin.
        """
        return all(abs(value) < size / 2.0 + margin for value, size in zip(self.pose.seen(position), self.size))


def seen_as(known: UnknownObject) -> WorldObject:
    """Return an unknown object as pictures show it: by its relief.

    Args:
        known: the object.

    Returns:
        The object in the frame of its box.
    """
    return WorldObject("", "", "box", known.size, own_form=known.relief.form)


def boxes_in(
    ground: Ground, claimed: np.ndarray, hands: Mapping[str, ObservedHand], stamp: float
) -> List[UnknownObject]:
    """Return a box around each object that nothing known accounts for.

    Args:
        ground: the current image, split into table and objects.
        claimed: boolean (height, width), true for pixels of known objects.
        hands: tool pose and opening of each hand by name.
        stamp: of the image, seconds.

    Returns:
        The unknown objects.
    """
    found: List[UnknownObject] = []
    for part in ground.parts:
        left = (ground.things[part] & ~claimed[part]).view(np.uint8)
        if np.count_nonzero(left) < _LEAST_PIXELS:
            continue
        firm = cv2.morphologyEx(left, cv2.MORPH_OPEN, NEIGHBOURS)
        # What is thin hardly stands out of the noise of the depth, but its colour goes on.
        coloured = ((ground.family[part] > 0) & ground.bare[part] & ~claimed[part] & ~ground.robot[part]).view(np.uint8)
        for _ in range(_GROWN):
            left |= cv2.dilate(left, NEIGHBOURS) & coloured
        # Where its colour is that of the table, or the depth has a hole, the depth around holds it together; away from
        # what is coloured the depth alone shows it, beside that it is ragged.
        free = ~claimed[part] & ~ground.robot[part]
        high = (raised(ground, part) & free).view(np.uint8)
        _, labels = cv2.connectedComponents(left | high | ((ground.depth[part] <= 0.0) & free).view(np.uint8),
                                            connectivity=8)
        ragged = cv2.dilate(left, NEIGHBOURS, iterations=_RAGGED)
        left |= cv2.morphologyEx(high & (1 - ragged), cv2.MORPH_OPEN, NEIGHBOURS)
        for label in np.unique(labels[firm > 0]):
            whole = ((labels == label) & (left > 0)).view(np.uint8)
            if np.count_nonzero(whole) < _LEAST_PIXELS:
                continue
            column, row, width, height = cv2.boundingRect(whole)
            own = whole[row:row + height, column:column + width] > 0
            top, side = part[0].start + row, part[1].start + column
            window = slice(top, top + height), slice(side, side + width)
            boxes = (_box(ground, window, *alone, hands, stamp) for alone in apart(ground, window, own))
            found += [box for box in boxes
                      if box is not None and not any(_at_hand(box, hand) for hand in hands.values())]
    return found


def _box(ground: Ground, window: Window, mask: np.ndarray, sure: np.ndarray, doubtful: bool,
         hands: Mapping[str, ObservedHand], stamp: float) -> Optional[UnknownObject]:
    points = points_of(ground, window, sure)
    if len(points) < _LEAST_PIXELS // 2:
        return None
    low, high = (float(value) for value in np.percentile(points[:, 2], (3.0, 97.0)))
    least = max(_LEAST_HEIGHT, 3.0 * ground.level.noise)
    points = points[(points[:, 2] > min(low, least)) & (points[:, 2] < high + least)]
    # Through a handle the ground behind it shows, which makes it no larger; within it, that may be a thin bottom.
    sure_of_it = points[:, 2] > min(high * _FOOT, least)
    floor, points = points[~sure_of_it], points[sure_of_it]
    if high < least or len(points) < _LEAST_PIXELS // 2:
        return None
    points = with_hidden_side(points, ground, window, mask)
    (cx, cy), (along, across), angle = circle_around(*points[:, :2].T) or spread_of(*points[:, :2].T)
    if max(along, across) < _LEAST_SIZE:
        return None
    reach = max(along, across) / 2.0 + AT_TOOL
    hangs = any(math.dist(hand.tool.position[:2], (cx, cy)) < reach and low - AT_TOOL < hand.tool.position[2] < high +
                AT_TOOL for hand in hands.values())
    bottom = low if low > ON_TABLE and (hangs or _borne(ground, window, mask)) else 0.0
    size = max(along - _BLUR, _LEAST_SIZE), max(across - _BLUR, _LEAST_SIZE), high - bottom
    pose = Pose((cx, cy, bottom + size[2] / 2.0), from_yaw(angle))
    return UnknownObject(pose, size, relief_of(ground, window, np.concatenate([points, floor]), pose, size),
                         Patch.of(ground, window, mask), int(np.count_nonzero(mask)), stamp, doubtful=doubtful)


def _borne(ground: Ground, window: Window, mask: np.ndarray) -> bool:
    """Check whether an object is seen beside what bears it; what is nearer only hides its lower part."""
    rows, columns = (slice(max(0, part.start - _RING), part.stop + _RING) for part in window)
    wide = np.zeros(ground.things[rows, columns].shape, bool)
    wide[window[0].start - rows.start:, window[1].start - columns.start:][:mask.shape[0], :mask.shape[1]] = mask
    around = (cv2.dilate(wide.astype(np.uint8), NEIGHBOURS, iterations=_RING) > 0) & ~wide
    ring = around & ground.things[rows, columns]
    away = np.abs(ground.depth[rows, columns] - np.median(ground.depth[window][mask]))
    near = np.count_nonzero(ring & (away < _BESIDE))  # What only stands beside it, shows at one side.
    return bool(near > max(np.count_nonzero(ring) / 2.0, np.count_nonzero(around) / 4.0))


def _at_hand(box: UnknownObject, hand: ObservedHand) -> bool:
    """Check whether it is at a hand's fingers, where what is held is seen in part."""
    return box.holds(hand.tool.position, NEAR_HAND) and box.bottom > ON_TABLE
