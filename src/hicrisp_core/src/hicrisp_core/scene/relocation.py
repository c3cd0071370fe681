"""Hands that move things: put a thing elsewhere on the table, where there is room for it."""

from __future__ import annotations

import math
from typing import Callable, Iterable, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene.layout import off_the_table, overlapping, standing

_GAP = 0.004
_LIFT = 0.001
"""Height above the table from which a moved thing drops, metres."""
_FAR = ((0.84, -0.52), (0.84, 0.52), (0.84, -0.40), (0.84, 0.40), (0.76, -0.54), (0.76, 0.54))
"""Spots of the table beyond the reach of a hand that points down."""
_NEAR, _TRIES = (0.36, -0.30, 0.56, 0.30), 200
"""Where a thing is put by chance: x_min, y_min, x_max, y_max, metres; and how many spots are tried."""


class Relocation:
    """Teleports things, as a hand would move them while nobody looks.

    Args:
        things: says where the physics has the things that can move, by name.
        table: says what the table is.
        put: puts a thing at a pose, at rest.
    """

    def __init__(
        self, things: Callable[[], Mapping[str, WorldObject]], table: Callable[[], WorldObject],
        put: Callable[[str, Pose], None],
    ) -> None:
        self._things = things
        self._table = table
        self._put = put

    def things(self) -> Mapping[str, WorldObject]:
        """Where the physics has the things that can move, by name."""
        return self._things()

    def put_by_chance(self, name: str, dice: np.random.Generator) -> Optional[str]:
        """Move a thing to a free spot in front of the robot; ``None`` when there is none."""
        x_min, y_min, x_max, y_max = _NEAR
        return self._put_first(name, [(float(x), float(y)) for x, y in
                                      dice.uniform((x_min, y_min), (x_max, y_max), (_TRIES, 2))])

    def push(self, name: str, by: Sequence[float], dice: np.random.Generator) -> Optional[str]:
        """Move a thing by [dx, dy], or by a distance in a random direction; ``None`` when there is no
        room.
        """
        pose = self._things()[name].pose
        if pose is None:
            return None
        x, y, _ = pose.position
        if len(by) > 1:
            return self._put_first(name, [(x + by[0], y + by[1])])
        start = dice.uniform(0.0, math.tau)
        turns = (start + math.tau * turn / 16 for turn in range(16))
        return self._put_first(name, [(x + by[0] * math.cos(a), y + by[0] * math.sin(a)) for a in turns])

    def out_of_reach(self, name: str) -> Optional[str]:
        """Move a thing to a far corner of the table."""
        return self._put_first(name, _FAR)

    def block(self, spot: Sequence[float], name: str, spared: Set[str]) -> Optional[str]:
        """Put a thing on a spot or at most 3 cm beside it; any one but the spared when no name is given."""
        names = [name] if name else [thing for thing in self._things() if thing not in spared]
        around = [(spot[0] + r * math.cos(a), spot[1] + r * math.sin(a))
                  for r in (0.0, 0.01, 0.02, 0.03) for a in np.arange(8) * math.pi / 4.0]
        return next((done for done in (self._put_first(name, around) for name in names) if done), None)

    def _put_first(self, name: str, spots: Iterable[Tuple[float, float]]) -> Optional[str]:
        things = self._things()
        pose = things[name].pose
        yaw = pose.yaw if pose else 0.0
        for x, y in spots:
            candidate = standing(things[name], x, y, yaw, _LIFT)
            if not overlapping(candidate, things, _GAP) and not off_the_table(candidate, self._table()):
                self._put(name, candidate.pose or Pose((x, y, 0.0), from_yaw(yaw)))
                return f"{name} was moved to ({x:.2f}, {y:.2f})"
        return None
