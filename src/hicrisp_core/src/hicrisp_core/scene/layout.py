"""Where objects stand at first: random layouts, and the checks that every layout must pass."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import ClassVar, Dict, Mapping, Optional, Sequence, Tuple

from pydantic import ConfigDict

from hicrisp_core.config.settings import STRICT
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.joint import within
from hicrisp_core.model.keep_out import footprint, vertical_span

_LAYOUTS = 200
_SPOTS = 100
_TOUCHING = 1e-4
"""Overlap in metres up to which two objects only touch."""


@dataclass(frozen=True)
class RandomSpot:
    """Where an object may be put by chance.

    Args:
        region: x_min, y_min, x_max, y_max of its centre, metres.
        min_gap: least space to everything else, metres.
        reach: least and greatest distance of its centre from the robot's base, metres.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    region: Tuple[float, float, float, float]
    min_gap: float = 0.06
    reach: Tuple[float, float] = (0.34, 0.66)

    def __post_init__(self) -> None:
        if not (self.region[0] <= self.region[2] and self.region[1] <= self.region[3]):
            raise ValueError("the region is x_min, y_min, x_max, y_max, the least values first")


def draw_layout(
    objects: Mapping[str, WorldObject], spots: Mapping[str, RandomSpot], seed: int
) -> Optional[Dict[str, WorldObject]]:
    """Draw a pose for each object with a random spot.

    Rejection sampling: the whole layout is drawn again if an object finds no room. The result depends only on
    the seed.

    Args:
        objects: all objects by name.
        spots: areas of the random objects by name.
        seed: of the random generator.

    Returns:
        The objects with poses; ``None`` if no layout was found.
    """
    dice = random.Random(seed)
    for _ in range(_LAYOUTS):
        placed = {name: item for name, item in objects.items() if name not in spots}
        for name, spot in spots.items():
            item = _draw(objects[name], spot, placed, dice)
            if item is None:
                break
            placed[name] = item
        else:
            return {name: placed[name] for name in objects}
    return None


def shuffled(spots: Mapping[str, RandomSpot], groups: Sequence[Sequence[str]], seed: int) -> Dict[str, RandomSpot]:
    """Exchange the spots among the objects of each group.

    Args:
        spots: areas of the random objects by name.
        groups: names of objects that share their spots.
        seed: of the random generator; the result depends only on it.

    Returns:
        The spots by name.
    """
    dice = random.Random(f"shuffle {seed}")
    dealt = dict(spots)
    for group in groups:
        order = dice.sample(list(group), len(group))
        dealt.update({name: spots[other] for name, other in zip(group, order)})
    return dealt


def overlapping(item: WorldObject, others: Mapping[str, WorldObject], gap: float = 0.0) -> str:
    """Return the first object that is too near.

    Args:
        item: the object to check.
        others: the other objects by name.
        gap: least distance, metres.

    Returns:
        Its name; empty without one.
    """
    if item.pose is None:
        return ""
    shadow = footprint(item, item.pose)
    low, high = vertical_span(item, item.pose)
    for other in others.values():
        if other.name == item.name or other.pose is None or other.form.ground:
            continue
        apart = math.dist(item.pose.position[:2], other.pose.position[:2])
        if apart > (math.hypot(*item.size) + math.hypot(*other.size)) / 2.0 + gap:
            continue  # Whichever way they lie, they do not reach so far.
        if gap <= 0.0 and (_holds(other, other.pose, item.pose) or _holds(item, item.pose, other.pose)):
            continue  # It is in a cupboard, a drawer or a bowl, or on a board.
        bottom, top = vertical_span(other, other.pose)
        if min(top, high) - max(bottom, low) <= _TOUCHING:
            continue
        between = footprint(other, other.pose).distance(shadow)
        if between < gap or between == 0.0 and shadow.intersection(footprint(other, other.pose)).area > _TOUCHING ** 2:
            return other.name
    return ""


def off_the_table(item: WorldObject, table: WorldObject) -> bool:
    """Check whether an object's footprint leaves the table or its bottom is below the table's top.

    Args:
        item: the object with its shape and size.
        table: the table with its pose and size.

    Returns:
        True if it leaves the table; false if a pose is missing.
    """
    if item.pose is None or table.pose is None:
        return False
    below = vertical_span(item, item.pose)[0] < vertical_span(table, table.pose)[1] - _TOUCHING
    return below or not footprint(table, table.pose).contains(footprint(item, item.pose))


def _holds(outer: WorldObject, pose: Pose, inner: Pose) -> bool:
    return (outer.form.hollow or not outer.movable) and within(outer.size, pose, inner.position)


def standing(item: WorldObject, x: float, y: float, yaw: float, height: float = 0.0) -> WorldObject:
    """Return an object in upright position.

    Args:
        item: the object with its shape and size.
        x: world frame, metres.
        y: world frame, metres.
        yaw: radians.
        height: z of its bottom, metres.

    Returns:
        The object with its pose.
    """
    return replace(item, pose=Pose((x, y, height + item.size[2] / 2.0), from_yaw(yaw)))


def _draw(
    item: WorldObject, spot: RandomSpot, placed: Mapping[str, WorldObject], dice: random.Random
) -> Optional[WorldObject]:
    x_min, y_min, x_max, y_max = spot.region
    for _ in range(_SPOTS):
        x, y = dice.uniform(x_min, x_max), dice.uniform(y_min, y_max)
        yaw = dice.uniform(-math.pi, math.pi)
        if not spot.reach[0] <= math.hypot(x, y) <= spot.reach[1]:
            continue
        candidate = standing(item, x, y, yaw)
        if not overlapping(candidate, placed, spot.min_gap):
            return candidate
    return None
