"""What stands fast: which pixels show it, and how far its drawers, doors and knobs are open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, Track, Uncertainty, Visibility, WorldObject

from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.tracking.looks import Look

_KERNEL = np.ones((5, 5), np.uint8)
"""Pixels between those that show a fixture, and do, too."""
_NEAR = 0.01
"""Metres from a surface within which a point is of it."""
_POSITIONS = 24
"""Positions of a joint that are compared."""
_LEAST_SEEN, _PIERCED = 20, 0.4
"""Points of a part that have to be seen, and the share of these that may show something behind it."""
_EXACTNESS = Uncertainty(0.0015, 0.0015, math.radians(2.0))


@dataclass(frozen=True)
class _Part:
    pose: Pose
    stamp: float
    visibility: Visibility


class Furniture:
    """The fixtures of a scene, and their parts that move.

    Args:
        objects: of the scene.
        looks: points on their surfaces, by name; what has none is not looked for.
    """

    def __init__(self, objects: Mapping[str, WorldObject], looks: Mapping[str, np.ndarray]) -> None:
        fixed = {name: item for name, item in objects.items() if not item.movable and name in looks}
        self._parts = {name: item for name, item in fixed.items() if item.joint is not None}
        self._fixed = [(Look(looks[name]), item.pose) for name, item in fixed.items()
                       if name not in self._parts and item.pose is not None]
        self._looks = {name: Look(looks[name]) for name in self._parts}
        self._stands = [(item, item.pose) for item in objects.values() if not item.movable and item.pose is not None]
        self._known: Dict[str, _Part] = {}

    @property
    def placed(self) -> List[Tuple[WorldObject, Pose]]:
        """All fixtures and their parts with their poses, those of parts as they were seen last."""
        return [(item, self._known[item.name].pose if item.name in self._known else pose)
                for item, pose in self._stands]

    @property
    def tracks(self) -> Tuple[Track, ...]:
        """Tracks of the parts that were ever seen."""
        return tuple(Track(name, known.pose, _EXACTNESS, known.stamp, known.visibility)
                     for name, known in self._known.items())

    def look(self, ground: Ground, claimed: np.ndarray) -> None:
        """Measure the parts in a picture, and claim the pixels that show what stands fast.

        Args:
            claimed: pixels that known objects account for, added to.
        """
        for name, item in self._parts.items():
            before = self._known.get(name)
            pose = _measured(item, self._looks[name], None if before is None else before.pose, ground)
            if pose is not None:
                self._known[name] = _Part(pose, ground.view.stamp, Visibility.VISIBLE)
            elif before is not None:
                self._known[name] = _Part(before.pose, before.stamp, Visibility.HIDDEN)
        there = [*self._fixed, *((self._looks[name], known.pose) for name, known in self._known.items())]
        for part in ground.parts:
            left = ground.things[part] & ~claimed[part]
            rows, columns = np.nonzero(left)
            points = ground.places(part, left)
            own = np.zeros(len(points), bool)
            for look, pose in there:
                own[~own] = look.explains(points[~own], pose, _NEAR)
            shown = np.zeros(claimed[part].shape, np.uint8)
            shown[rows[own], columns[own]] = 1
            claimed[part] |= cv2.morphologyEx(shown, cv2.MORPH_CLOSE, _KERNEL) > 0


def _measured(item: WorldObject, look: Look, before: Optional[Pose], ground: Ground) -> Optional[Pose]:
    """Return the pose of a part on its joint by which the depth shows it; ``None`` if too little of it is seen."""
    joint, best, most = item.joint, before, -math.inf
    assert joint is not None
    low, high = sorted(joint.reach)
    for fine in (False, True):
        about, step = joint.position(best) if best is not None else low, (high - low) / _POSITIONS
        positions = np.linspace(about - step, about + step, 9) if fine else np.linspace(low, high, _POSITIONS + 1)
        for pose in [*([] if best is None else [best]), *(joint.moved(joint.home, float(each)) for each in positions)]:
            seen, through, _ = look.against(pose, ground)
            if seen - 2 * through > most and through < _PIERCED * seen:
                best, most = pose, seen - 2 * through
    return best if most > _LEAST_SEEN else None
