"""What hangs together in an image, told apart into objects: those behind one another, and those that touch."""

from __future__ import annotations

from itertools import combinations
from typing import List, Set, Tuple

import cv2
import numpy as np

from hicrisp_perception.shapes.segments import Ground, Window
from hicrisp_perception.shapes.touching import filled, ground_covered, told_apart
from hicrisp_perception.view import NEIGHBOURS

_APART = 0.005
"""Cells of the table between which objects are told apart, metres."""
_ONE_RIM = 0.02
"""How much higher a piece of a rim may seem to be than another one, metres."""
_PIECE = 60
"""Least pixels of an object that stands behind another one."""
_RIM_GAP, _ONE_TINT = 6, 0.06
"""Cells between two pieces of one rim, and by how much the shares of red, green and blue in their colours differ."""
_WIDE, _BETWEEN = 3, 0.015
"""Pixels from a mixed one to the surfaces between which it is, and by how much it is from both, metres."""
_FLAT = 0.01
"""Metres below its top up to which a piece is flat there."""
_FEW = 3
"""Pixels in a cell and those around it that are more than noise."""


def mixed(depth: np.ndarray) -> np.ndarray:
    """Find the pixels at edges that show neither of two surfaces but a depth between theirs.

    Args:
        depth: array (height, width), metres.

    Returns:
        The mask.
    """
    around = np.pad(depth, _WIDE, mode="edge")
    rows, columns = depth.shape
    found = np.zeros(depth.shape, bool)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        one, other = (around[_WIDE + side * _WIDE * down:, _WIDE + side * _WIDE * right:][:rows, :columns] - depth
                      for side in (-1, 1))
        found |= (np.minimum(one, other) < -_BETWEEN) & (np.maximum(one, other) > _BETWEEN)
    return found


def apart(ground: Ground, window: Window, mask: np.ndarray) -> List[Tuple[np.ndarray, np.ndarray, bool]]:
    """Split what hangs together in an image where it does not on the table, because one object stands before another,
    and where two objects touch.

    Args:
        ground: the image, split into table and objects.
        window: a part of the image.
        mask: which pixels of the window show objects.

    Returns:
        The pixels of each, and those of them whose depth is its own; those at its edges, where depth lies between two
        objects, go to the nearest; and whether it may be two that touch.
    """
    depth = ground.depth[window]
    clear = mask & ~mixed(depth) & (ground.height[window] > -1.0)
    if not clear.any():
        return [(mask, mask, False)]
    places = np.stack([ground.x[window], ground.y[window]], axis=-1)
    corner, height = places[clear].min(axis=0), ground.height[window][clear]
    cells = np.floor((places - corner) / _APART).astype(int)
    at = tuple(cells[clear].T)
    plan = np.zeros(cells[clear].max(axis=0) + 1, np.int32)
    np.add.at(plan, at, 1)
    # With a cell's neighbours: what is thin has few pixels in each. Dilated: with small gaps between them.
    there = (plan > 0) & (cv2.boxFilter(plan.astype(np.float32), -1, (3, 3), normalize=False) >= _FEW)
    _, labels = cv2.connectedComponents(cv2.dilate(there.view(np.uint8), NEIGHBOURS), connectivity=8)
    labels[~there] = 0
    top, bottom, bare = np.zeros(plan.shape), np.full(plan.shape, np.inf), np.zeros(plan.shape, bool)
    np.maximum.at(top, at, height)
    np.minimum.at(bottom, at, height)
    empty = cells[ground.bare[window] & ~ground.things[window] & ~filled(mask) & (ground.depth[window] > 0.0)]
    bare[tuple(empty[((empty >= 0) & (empty < plan.shape)).all(axis=1)].T)] = True
    row, column = (np.array(ground.view.rays.camera.position[:2]) - corner) / _APART
    doubtful: Set[int] = set()
    for part in (labels == number for number in range(1, int(labels.max()) + 1)):
        if plan[part].sum() >= _PIECE:
            most = int(labels.max())
            numbers, unsure = told_apart(ground_covered(part, bare, (row, column)), np.where(part, top, 0.0),
                                         np.where(part, bottom, np.inf))
            doubtful |= {int(labels[part].max()) + (number - 1) * most for number in unsure}
            labels[part] += (numbers[part] - 1) * most
    own = np.zeros(mask.shape, np.int32)
    own[clear] = labels[at]
    numbers, pixels = np.unique(own[own > 0], return_counts=True)
    large = [number for number, count in zip(numbers, pixels) if count >= _PIECE]
    tops = {number: float(np.percentile(ground.height[window][own == number], 97.0)) for number in large}
    tints = {number: _tint(ground.view.colour[window][own == number]) for number in large}
    for number, other in combinations(large, 2):  # The two sides of a hollow object, whose thin rim is hardly seen.
        near = cv2.dilate((labels == number).astype(np.uint8), NEIGHBOURS, iterations=_RIM_GAP) > 0
        if abs(tops[number] - tops[other]) < _ONE_RIM and np.abs(tints[number] - tints[other]).max() < _ONE_TINT and (
                near & (labels == other)).any() and _hollow(ground, window, own == number, own == other):
            own[own == other], labels[labels == other] = number, number
    left = [number for number in large if (own == number).any()]
    masks = [own == number for number in left]
    if len(masks) < 2:
        return [(mask, masks[0] if masks else clear, bool(doubtful & {*left}))]
    away = np.stack([cv2.distanceTransform((~each).astype(np.uint8), cv2.DIST_L2, 3) for each in masks])
    nearest = away.argmin(axis=0)
    return [(mask & (nearest == index), each, number in doubtful)
            for index, (number, each) in enumerate(zip(left, masks))]


def _hollow(ground: Ground, window: Window, one: np.ndarray, other: np.ndarray) -> bool:
    """Check whether the farther one of two pieces is the inside of a wall: hardly flat on top, farthest in the middle,
    unlike the front of another object that stands behind the nearer one.
    """
    x, y, _ = ground.view.rays.camera.position
    pieces = [ground.points(window, mask) for mask in (one, other)]
    far = max(pieces, key=lambda points: float(np.hypot(*(points[:, :2] - (x, y)).mean(axis=0))))
    if (far[:, 2] > np.percentile(far[:, 2], 97.0) - _FLAT).mean() > 0.5:
        return False
    ahead = far[:, :2].mean(axis=0) - (x, y)
    ahead /= np.linalg.norm(ahead)
    return bool(np.polyfit(far[:, :2] @ (-ahead[1], ahead[0]), far[:, :2] @ ahead, 2)[0] < 0.0)


def _tint(colour: np.ndarray) -> np.ndarray:
    """Return the shares of red, green and blue in the colour of most pixels, whatever the light."""
    mean = np.median(colour, axis=0) + 1.0
    shares: np.ndarray = mean / mean.sum()
    return shares
