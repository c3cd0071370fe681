"""Two bodies that are one piece until they are cut, and the seam between them."""

from __future__ import annotations

import math
from typing import Optional

from hicrisp_core.model.geometry import Pose, from_yaw
from hicrisp_core.model.shapes import Solid
from hicrisp_core.model.world import WorldObject

PART_OF = "part_of"
"""The predicate of a body that is one piece with another one."""


def seam_between(whole: WorldObject, part: WorldObject) -> Optional[Solid]:
    """Return the space between two boxes that lie end to end.

    Args:
        whole: as it is seen; its x axis points to the part.
        part: the other one.

    Returns:
        A box, whose x leads across the seam and whose pose is in the world frame; ``None`` if either was not seen.
    """
    if whole.pose is None or part.pose is None:
        return None
    x, y = (b - a for a, b in zip(whole.pose.position[:2], part.pose.position[:2]))
    away = math.hypot(x, y)
    wide = max(0.0, away - (whole.size[0] + part.size[0]) / 2.0)
    middle = (whole.size[0] + wide) / 2.0 / away
    at = whole.pose.position
    return Solid("box", (wide, whole.size[1], whole.size[2]),
                 Pose((at[0] + middle * x, at[1] + middle * y, at[2]), from_yaw(math.atan2(y, x))))
