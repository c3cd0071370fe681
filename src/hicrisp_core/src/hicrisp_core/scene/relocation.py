"""Hands that move objects: put an object elsewhere on the table, or add an unannounced one."""

from __future__ import annotations

import math
from typing import Callable, Iterable, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene.colours import COLOURS
from hicrisp_core.scene.layout import off_the_table, overlapping, standing

_GAP = 0.004
_LIFT = 0.001
"""Height above the table from which a moved object drops, metres."""
_FAR = ((0.84, -0.52), (0.84, 0.52), (0.84, -0.40), (0.84, 0.40), (0.76, -0.54), (0.76, 0.54))
"""Spots of the table beyond the reach of a hand that points down."""
_NEAR, _TRIES = (0.36, -0.30, 0.56, 0.30), 200
"""Where an object is put by chance: x_min, y_min, x_max, y_max, metres; and how many spots are tried."""
UNKNOWN_OBJECT = "intruder"
"""Their names are this with a number; perception has names of its own for what it does not know."""
_REGION = (0.30, -0.42, 0.68, 0.42)
"""Area for random spots: x_min, y_min, x_max, y_max, metres."""
_REACH = (0.34, 0.72)
_ROOM, _SPOTS = 0.03, 400
_WIDTHS, _HEIGHTS = (0.04, 0.09), (0.04, 0.15)
"""Of one whose size is drawn, metres."""


class Relocation:
    """Teleports objects, as a hand would move them unobserved.

    Args:
        objects: says where the physics has the objects that can move, by name.
        table: says what the table is.
        put: puts an object at a pose, at rest.
        fixed: says what stands in the way and cannot be moved.
    """

    def __init__(
        self, objects: Callable[[], Mapping[str, WorldObject]], table: Callable[[], WorldObject],
        put: Callable[[str, Pose], None], fixed: Callable[[], Iterable[WorldObject]] = tuple,
    ) -> None:
        self._fixed = fixed
        self.things = objects
        self._table = table
        self._put = put

    def put_by_chance(self, name: str, dice: np.random.Generator) -> Optional[str]:
        """Move an object to a random free spot in front of the robot.

        Args:
            name: name of the object in the world.
            dice: random generator.

        Returns:
            What was done, as a sentence; ``None`` without a free spot.
        """
        x_min, y_min, x_max, y_max = _NEAR
        return self._put_first(name, [(float(x), float(y)) for x, y in
                                      dice.uniform((x_min, y_min), (x_max, y_max), (_TRIES, 2))])

    def push(self, name: str, by: Sequence[float], dice: np.random.Generator) -> Optional[str]:
        """Move an object.

        Args:
            name: name of the object in the world.
            by: [dx, dy] in the world frame, or [distance] in a random direction, metres.
            dice: random generator.

        Returns:
            What was done, as a sentence; ``None`` without room.
        """
        pose = self.things()[name].pose
        if pose is None:
            return None
        x, y, _ = pose.position
        if len(by) > 1:
            return self._put_first(name, [(x + by[0], y + by[1])])
        start = dice.uniform(0.0, math.tau)
        turns = (start + math.tau * turn / 16 for turn in range(16))
        return self._put_first(name, [(x + by[0] * math.cos(a), y + by[0] * math.sin(a)) for a in turns])

    def out_of_reach(self, name: str) -> Optional[str]:
        """Move an object to a far corner of the table.

        Args:
            name: name of the object in the world.

        Returns:
            What was done, as a sentence; ``None`` without room.
        """
        return self._put_first(name, _FAR)

    def block(self, spot: Sequence[float], name: str, spared: Set[str]) -> Optional[str]:
        """Put an object on a spot, or at most 3 cm away.

        Args:
            spot: (x, y) in the world frame, metres.
            name: the object; if empty, any one except the spared.
            spared: names of objects that stay.

        Returns:
            What was done, as a sentence; ``None`` without room.
        """
        names = [name] if name else [item for item in self.things() if item not in spared]
        around = [(spot[0] + r * math.cos(a), spot[1] + r * math.sin(a))
                  for r in (0.0, 0.01, 0.02, 0.03) for a in np.arange(8) * math.pi / 4.0]
        return next((done for done in (self._put_first(name, around) for name in names) if done), None)

    def _put_first(self, name: str, spots: Iterable[Tuple[float, float]]) -> Optional[str]:
        objects = self.things()
        obstacles = {**{item.name: item for item in self._fixed()}, **objects}
        pose = objects[name].pose
        yaw = pose.yaw if pose else 0.0
        for x, y in spots:
            candidate = standing(objects[name], x, y, yaw, _LIFT)
            if not overlapping(candidate, obstacles, _GAP) and not off_the_table(candidate, self._table()):
                self._put(name, candidate.pose or Pose((x, y, 0.0), from_yaw(yaw)))
                return f"{name} was moved to ({x:.2f}, {y:.2f})"
        return None


def draw_unknown_object(
    number: int, magnitude: Sequence[float], objects: Mapping[str, WorldObject], table: WorldObject,
    dice: np.random.Generator, free: Callable[[WorldObject], bool] = lambda item: True,
) -> Optional[WorldObject]:
    """Draw an unknown object: a box or cylinder in an unused colour on a free spot of the table.

    Args:
        number: part of its name.
        magnitude: empty, [x, y], or [x, y, width, depth, height] of a box, metres; the rest is random.
        objects: objects that keep their room.
        table: the table with its pose and size.
        dice: random generator.
        free: further test of a place.

    Returns:
        The object; ``None`` without room.
    """
    used = {item.attributes.get("colour") for item in objects.values()}
    colours = [colour for colour in COLOURS if colour not in used] or list(COLOURS)
    colour = colours[int(dice.integers(len(colours)))]
    kind = "box" if len(magnitude) > 2 else ("box", "cylinder")[int(dice.integers(2))]
    width, depth = (round(value, 3) for value in dice.uniform(*_WIDTHS, 2).tolist())
    height = round(float(dice.uniform(*_HEIGHTS)), 3)
    size = (width, width if kind == "cylinder" else depth, height)
    if len(magnitude) > 2:
        size = (magnitude[2], magnitude[3], magnitude[4])
    item = WorldObject(f"{UNKNOWN_OBJECT}_{number}", kind, kind, size, {"colour": colour})
    for _ in range(1 if len(magnitude) > 1 else _SPOTS):
        x, y = (dice.uniform(_REGION[axis], _REGION[axis + 2]) for axis in (0, 1))
        told = len(magnitude) > 1
        if told:
            x, y = magnitude[:2]
        elif not _REACH[0] <= math.hypot(x, y) <= _REACH[1]:
            continue
        yaw = 0.0 if told else dice.uniform(-math.pi, math.pi)
        candidate = standing(item, float(x), float(y), float(yaw))
        if (not overlapping(candidate, objects, 0.0 if told else _ROOM) and not off_the_table(candidate, table)
                and free(candidate)):
            return candidate
    return None
