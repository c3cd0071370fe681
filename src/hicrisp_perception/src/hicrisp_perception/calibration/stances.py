"""Poses of an arm from which pictures of a tag tell most of where a camera is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Optional, Tuple

import numpy as np
from hicrisp_core.model.geometry import Pose, from_axes
from hicrisp_core.model.picture import Lens
from hicrisp_core.scene.tags import Tag

from hicrisp_perception.calibration.hand_eye import information
from hicrisp_perception.view import vector_of

_POOL, _DRAWN = 250, 6000
"""Poses among which is chosen, and how many are drawn at most to find them."""
_NEAREST, _SAFE_NEAREST = 0.30, 0.50
"""Metres from the camera at which a tag is shown at least: once the mounting is known well, and before."""
_LEAST_PIXELS = 28.0
"""Pixels that a tag's edge has at least."""
_TILT, _ROLL = (math.radians(8.0), math.radians(48.0)), math.radians(55.0)
"""Angles between the tag's direction and that to the camera; its turn in the picture from upright."""
_RIM, _SAFE_RIM = 0.04, 0.27
"""Share of the image at its edges that views keep free of the tag: once the mounting is known well, and before."""
_LOW, _LEAN = 0.12, math.cos(math.radians(75.0))
"""The tool's least height above the table, metres, and how far it may lean from pointing down."""
_NOISE = 0.2
"""Standard deviation of a corner, pixels."""
_DOUBT = np.array([0.1] * 3 + [0.05] * 3 + [0.1] * 3 + [0.02] * 3)
"""Of both unknown poses before the first view: radians and metres."""
_ALIKE = 0.06
"""Distance around an unreachable tool pose within which no other one is tried, metres."""


@dataclass(frozen=True)
class ToolReach:
    """Where an arm can hold its tool.

    Args:
        origin: where it stands in the world's plane, metres.
        least: distance of the tool from there, metres.
        greatest: likewise.
    """

    origin: Tuple[float, float]
    least: float
    greatest: float

    def holds(self, tool: Pose) -> bool:
        """Check whether the arm may hold its tool at a pose; the fingers must point more down than up.

        Args:
            tool: tool pose, world frame.

        Returns:
            True if it is within reach and above the table.
        """
        x, y, z = tool.position
        away = math.hypot(x - self.origin[0], y - self.origin[1])
        return z > _LOW and self.least < away and math.hypot(away, z - 0.3) < self.greatest \
            and -tool.axes[2][2] > _LEAN


@dataclass(frozen=True)
class Stance:
    """A pose to take a picture from.

    Args:
        tool: where the tool goes, in the world.
        link: the tag's parent frame in the camera's then (``hand_eye``).
    """

    tool: Pose
    link: Pose


class Stances:
    """Chooses where the arm goes next: each time the pose whose view tells most beyond those that there are.

    Args:
        mounting: where the camera is about: in the world, or in the link that carries it.
        in_hand: whether the arm carries the camera; otherwise it carries the tag.
        to_tool: the tool in the frame of the link that carries the camera or the tag.
    """

    def __init__(self, tag: Tag, lens: Lens, mounting: Pose, in_hand: bool, to_tool: Pose, reach: ToolReach,
                 dice: np.random.Generator) -> None:
        self._tag, self._lens, self._in_hand, self._to_tool = tag, lens, in_hand, to_tool
        self._reach, self._dice = reach, dice
        self._known = np.diag(_DOUBT ** -2.0)
        self._mounting, self._placed = mounting, tag.pose
        self._avoided: List[Pose] = []
        self._pool: List[Stance] = []
        self._told: np.ndarray = np.zeros((0, 12, 12))
        self._draw(_SAFE_RIM, _SAFE_NEAREST)

    def next(self) -> Optional[Stance]:
        """Return the most informative pose that was not proposed yet.

        Returns:
            The pose; ``None`` if none is left.
        """
        pool = [number for number, stance in enumerate(self._pool) if not any(
            math.dist(stance.tool.position, other.position) < _ALIKE for other in self._avoided)]
        if not pool:
            return None
        worth = np.linalg.slogdet(self._known + self._told[pool])[1]
        best = pool[int(np.argmax(worth))]
        stance = self._pool.pop(best)
        self._told = np.delete(self._told, best, axis=0)
        return stance

    def learn(self, link: Pose) -> None:
        """Add a view that was taken.

        Args:
            link: pose of the link that moves, world frame.
        """
        self._known = self._known + self._worth([link])[0]

    def avoid(self, stance: Stance) -> None:
        """Exclude a pose that the arm does not reach, or that shows nothing.

        Args:
            stance: the pose.
        """
        self._avoided.append(stance.tool)

    def believe(self, mounting: Pose, placed: Pose) -> None:
        """Choose the next poses by a better estimate of camera and tag.

        Args:
            mounting: pose of the camera in its parent frame.
            placed: pose of the tag in its parent frame.
        """
        self._mounting, self._placed = mounting, placed
        self._draw(_RIM, _NEAREST)

    def _worth(self, links: List[Pose]) -> np.ndarray:
        unknown = np.concatenate([vector_of(self._mounting.inverse()), vector_of(self._placed)])
        return information(self._tag, self._lens, unknown, links) / _NOISE ** 2

    def _draw(self, rim: float, nearest: float) -> None:
        self._pool = []
        for _ in range(_DRAWN):
            if len(self._pool) == _POOL:
                break
            seen = self._seen(rim, nearest)
            if seen is None:
                continue
            link = self._mounting.compose(seen).compose(self._placed.inverse())
            tool = (link.inverse() if self._in_hand else link).compose(self._to_tool)
            if self._reach.holds(tool):
                self._pool.append(Stance(tool, link))
        self._told = np.zeros((0, 12, 12))
        if self._pool:
            self._told = self._worth([stance.link for stance in self._pool])

    def _seen(self, rim: float, nearest: float) -> Optional[Pose]:
        """Return the tag somewhere in the picture, turned towards the camera about."""
        lens, dice = self._lens, self._dice
        farthest = lens.fx * self._tag.size / _LEAST_PIXELS
        depth = dice.uniform(min(nearest, farthest), farthest)
        half = 0.75 * lens.fx * self._tag.size / depth
        low, high = half + rim * lens.width, lens.width - half - rim * lens.width
        top, bottom = half + rim * lens.height, lens.height - half - rim * lens.height
        if low >= high or top >= bottom:
            return None
        x = (dice.uniform(low, high) - lens.cx) / lens.fx * depth
        y = (dice.uniform(top, bottom) - lens.cy) / lens.fy * depth
        return Pose((x, y, depth), _facing((x, y, depth), dice.uniform(*_TILT), dice.uniform(0.0, math.tau),
                                           dice.uniform(-_ROLL, _ROLL)))


def _facing(position: Tuple[float, float, float], tilt: float, towards: float, roll: float
            ) -> Tuple[float, float, float, float]:
    """Return the orientation of a tag that leans away from the camera by ``tilt`` towards a direction of the
    picture, and is turned by ``roll`` from upright; radians.
    """
    back = -np.array(position) / np.linalg.norm(position)
    aside = np.cross(back, [0.0, 1.0, 0.0])
    aside /= np.linalg.norm(aside)
    lean = math.cos(towards) * aside + math.sin(towards) * np.cross(back, aside)
    out = math.cos(tilt) * back + math.sin(tilt) * lean
    up = np.array([math.sin(roll), -math.cos(roll), 0.0])
    up -= up @ out * out
    up /= np.linalg.norm(up)
    axes = [tuple(float(value) for value in axis) for axis in (np.cross(up, out), up, out)]
    return from_axes(*axes)  # type: ignore[arg-type]
