"""Things that somebody puts on the table and nobody tells the scene of."""

from __future__ import annotations

import math
from typing import Callable, Mapping, Optional, Sequence

import numpy as np

from hicrisp_core.model import WorldObject
from hicrisp_core.scene.colours import COLOURS
from hicrisp_core.scene.layout import off_the_table, overlapping, standing

STRANGER = "intruder"
"""Their names are this with a number; perception has names of its own for what it does not know."""
_REGION = (0.30, -0.42, 0.68, 0.42)
"""Where one is put by chance: x_min, y_min, x_max, y_max, metres."""
_REACH = (0.34, 0.72)
_GAP, _SPOTS = 0.03, 400
_WIDTHS, _HEIGHTS = (0.04, 0.09), (0.04, 0.15)
"""Of one whose size is drawn, metres."""


def draw_stranger(
    number: int, magnitude: Sequence[float], things: Mapping[str, WorldObject], table: WorldObject,
    dice: np.random.Generator, free: Callable[[WorldObject], bool] = lambda thing: True,
) -> Optional[WorldObject]:
    """A box or a cylinder in a colour that no thing has, on a free spot of the table; ``None`` where there is
    no room.

    Args:
        number: of the name.
        magnitude: nothing, [x, y], or [x, y, width, depth, height] of a box, metres; the rest by chance.
        things: what keeps its room.
        free: whether a place suits otherwise.
    """
    used = {thing.attributes.get("colour") for thing in things.values()}
    colours = [colour for colour in COLOURS if colour not in used] or list(COLOURS)
    colour = colours[int(dice.integers(len(colours)))]
    kind = "box" if len(magnitude) > 2 else ("box", "cylinder")[int(dice.integers(2))]
    width, depth = (round(value, 3) for value in dice.uniform(*_WIDTHS, 2).tolist())
    height = round(float(dice.uniform(*_HEIGHTS)), 3)
    size = (width, width if kind == "cylinder" else depth, height)
    if len(magnitude) > 2:
        size = (magnitude[2], magnitude[3], magnitude[4])
    thing = WorldObject(f"{STRANGER}_{number}", kind, kind, size, {"colour": colour})
    for _ in range(1 if len(magnitude) > 1 else _SPOTS):
        x, y = (dice.uniform(_REGION[axis], _REGION[axis + 2]) for axis in (0, 1))
        told = len(magnitude) > 1
        if told:
            x, y = magnitude[:2]
        elif not _REACH[0] <= math.hypot(x, y) <= _REACH[1]:
            continue
        yaw = 0.0 if told else dice.uniform(-math.pi, math.pi)
        candidate = standing(thing, float(x), float(y), float(yaw))
        if (not overlapping(candidate, things, 0.0 if told else _GAP) and not off_the_table(candidate, table)
                and free(candidate)):
            return candidate
    return None
