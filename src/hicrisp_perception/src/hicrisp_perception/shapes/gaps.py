"""Holes in the depth that stand on the table, as glass does: the upright cylinder whose outline each has."""

from __future__ import annotations

from typing import Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, WorldObject

from hicrisp_perception.shapes.shape_models import cast, lie_at
from hicrisp_perception.view import Rays, View

_CLOSES, _SHADOW = 5, 13
"""Pixels between what is measured in a hole that may be what is behind it; and the widest hole of which it is not said
that it is an object: beside nearer objects, depth has narrow ones.
"""
_LEAST_PIXELS = 300
_BESIDE, _TABLE = 4, 0.012
"""Pixels beside a hole that show the table, and the greatest height that they seem to have, metres."""
_FREE = 0.4
"""Share of a hole's rows that have the table on both sides: the shadow of something nearer has that on one."""
_WIDTH, _HEIGHT = (0.02, 0.16), (0.03, 0.30)
"""Of what stands there, metres."""
_ALIKE = 0.7
"""Share of the outlines of a hole and of its cylinder that both have in common, at least."""
_ROUNDS = 6


def with_gaps_filled(view: View, robot: np.ndarray, bare: np.ndarray) -> View:
    """Give holes that stand on the table the depth of what most likely is there.

    What is measured in a hole is what is behind it, so it is left out. A hole that something nearer cuts off, or that
    has no outline of an upright cylinder, stays one.

    Args:
        view: the image with its viewing rays.
        robot: boolean (height, width), true where the robot is visible.
        bare: which pixels would show the table if nothing stood on it.

    Returns:
        The view, or one with more depth.
    """
    holes = ((view.depth <= 0.0) & bare & ~robot).view(np.uint8)
    wide = cv2.morphologyEx(cv2.morphologyEx(holes, cv2.MORPH_CLOSE, _disc(_CLOSES)), cv2.MORPH_OPEN, _disc(_SHADOW))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(wide, connectivity=8)
    large = [number for number in range(1, count) if stats[number, cv2.CC_STAT_AREA] >= _LEAST_PIXELS]
    if not large:
        return view
    depth = view.depth.copy()
    for number in large:
        left, top, width, height = stats[number, :4].tolist()
        window = slice(top, top + height), slice(left, left + width)
        mask = labels[window] == number
        depth[window][mask] = 0.0
        item = _standing(mask, window, view.rays) if _on_table(mask, window, view) else None
        if item is None or item.pose is None:
            continue
        surface = cast(lie_at(item, item.pose)[0], item.pose, view.rays.origin, view.rays.part(window))
        surface = surface.reshape(mask.shape)
        inside = np.isfinite(surface)
        if np.count_nonzero(mask & inside) >= _ALIKE * np.count_nonzero(mask | inside):
            depth[window][mask & inside] = surface[mask & inside]
    return View(view.stamp, view.colour, depth, view.rays)


def _disc(width: int) -> np.ndarray:
    found: np.ndarray = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    return found


def _on_table(mask: np.ndarray, window: Tuple[slice, slice], view: View) -> bool:
    """Check whether the table shows on both sides of a hole."""
    rows = np.arange(window[0].start, window[0].stop)
    sides = (mask.argmax(axis=1) - _BESIDE, mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1) + _BESIDE)
    shown = np.ones(len(rows), bool)
    for side in sides:
        columns = side + window[1].start
        within = (columns >= 0) & (columns < view.shape[1])
        columns = np.clip(columns, 0, view.shape[1] - 1)
        away = view.depth[rows, columns]
        height = away * view.rays.directions(rows, columns)[2] + view.rays.origin[2]
        shown &= within & (away > 0.0) & (np.abs(height) < _TABLE)
    return bool(shown.mean() >= _FREE)


def _standing(mask: np.ndarray, window: Tuple[slice, slice], rays: Rays) -> Optional[WorldObject]:
    """Return the upright cylinder on the table that a hole is the outline of.

    Seen from the camera, it covers the table from the near side of its foot to where rays pass the far side of its top;
    there it is wider by as much as the top is nearer.
    """
    x, y, up = rays.part(window)[:, mask.ravel()]
    reach = -rays.origin[2] / np.minimum(up, -1e-3)
    places = np.stack([x, y], axis=1) * reach[:, None]
    ahead = places.mean(axis=0) / max(1e-6, float(np.linalg.norm(places.mean(axis=0))))
    along, across = places @ ahead, places @ (-ahead[1], ahead[0])
    near, far, eye = float(along.min()), float(along.max()), float(rays.origin[2])
    radius, height = float(np.ptp(across)) / 2.0, 0.0
    for _ in range(_ROUNDS):
        radius = float(np.ptp(across)) / 2.0 * (1.0 - height / eye)
        height = eye * max(0.0, 1.0 - (near + 2.0 * radius) / far)
    if not (_WIDTH[0] < 2.0 * radius < _WIDTH[1] and _HEIGHT[0] < height < _HEIGHT[1]):
        return None
    middle = (near + radius) * ahead + float((across.min() + across.max()) / 2.0) * (
        1.0 - height / eye) * np.array((-ahead[1], ahead[0])) + rays.origin[:2]
    return WorldObject("", "", "cylinder", (2.0 * radius, 2.0 * radius, height),
                       pose=Pose((float(middle[0]), float(middle[1]), height / 2.0)))
