"""Layouts of undescribed objects two of which touch, whatever a layout's least gaps are."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import permutations
from typing import Any, List, Optional, Tuple

import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene import Scene
from hicrisp_core.scene.undescribed import Ware, wares_of, with_undescribed
from shapely.geometry import MultiPoint
from shapely.ops import unary_union

_GAP, _FREE = 0.0005, 0.03
"""Between the two, and at least between these and others, metres."""
_REGION = (0.30, -0.40, 0.68, 0.40)
"""Within reach and view: x and y of the least and the greatest corner, metres."""
_TRIES, _HALVINGS, _FAR = 20, 30, 0.5


def drawn_together(scene: Scene, seed: int) -> Optional[Tuple[Scene, Tuple[str, str]]]:
    """Draw a layout, and put one of its objects beside another one so that both touch, at any side and any angle.

    Args:
        scene: as other nodes have it.
        seed: draws the layout and the two; never what a depth camera sees through.

    Returns:
        The scene with its objects, and the names of the two; ``None`` if there is no room.
    """
    drawn, dice = with_undescribed(scene, seed), random.Random(f"touching {seed}")
    wares = {ware.name: ware for ware in wares_of(drawn)}
    pairs = list(permutations((name for name in sorted(wares) if not wares[name].transparent), 2))
    dice.shuffle(pairs)
    for one, other in pairs * _TRIES:
        others = [ware for name, ware in wares.items() if name not in (one, other)]
        moved = _beside(wares[other], wares[one], others, dice.uniform(0.0, math.tau), dice.uniform(0.0, math.tau))
        if moved is not None:
            return replace(drawn, unknown=(*others, wares[one], moved), undescribed=""), (one, other)
    return None


def _beside(ware: Ware, fixed: Ware, others: List[Ware], heading: float, yaw: float) -> Optional[Ware]:
    """Move an object towards another one until they touch."""
    if ware.pose is None or fixed.pose is None:
        return None
    (x, y, _), height = fixed.pose.position, ware.pose.position[2]

    def at(away: float) -> Ware:
        place = (x + away * math.cos(heading), y + away * math.sin(heading), height)
        return replace(ware, pose=Pose(place, from_yaw(yaw)))

    near, far = 0.0, _FAR
    for _ in range(_HALVINGS):
        middle = (near + far) / 2.0
        near, far = (near, middle) if _ground(at(middle)).distance(_ground(fixed)) > _GAP else (middle, far)
    moved = at(far)
    low_x, low_y, high_x, high_y = _REGION
    place = moved.pose.position if moved.pose is not None else (0.0, 0.0, 0.0)
    free = all(_ground(moved).distance(_ground(each)) >= _FREE for each in others)
    return moved if free and low_x < place[0] < high_x and low_y < place[1] < high_y else None


def _ground(ware: Ware) -> Any:
    """Return the ground above which an object is; what is hollow or bent is not filled."""
    ends = np.cumsum([len(piece.corners) for piece in ware.pieces])[:-1]
    return unary_union([MultiPoint(corners[:, :2]).convex_hull for corners in np.split(ware.corners, ends)])
