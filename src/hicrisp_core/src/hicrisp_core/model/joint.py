"""What a door, a drawer, a lid or a knob hangs on: where its part is at a position of the joint, and the joint as
measured poses show it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Tuple

from hicrisp_core.model.geometry import Pose, Vector, conjugate, multiply

HANDLE_AWAY = 0.045
"""Distance of the bar of a handle from its part, metres."""
SLIDE, SWING, TURN = "slide", "swing", "turn"
_SQUARE, _UPRIGHT = math.pi / 2.0, 0.9
"""A right angle, and the cosine of the greatest angle between the vertical and an axis that counts as upright."""
_SHUT = 0.08
"""Share of its range up to which a part hides what is behind it."""
_SHOWN = {SLIDE: 0.015, SWING: 0.12, TURN: 0.12}
"""Metres and radians of a measured motion above which it shows the axis better than the scene says it."""


@dataclass(frozen=True)
class Joint:
    """How a part of a fixture moves: along an axis or about it. World frame, metres and radians.

    Args:
        kind: ``slide``, ``swing`` (about an edge) or ``turn`` (about its middle).
        fixture: name of the object that it is a part of.
        home: pose of the part at position 0.
        axis: unit vector along which it slides, or about which it turns.
        point: any point on that axis.
        reach: position when it is closed, and when it is wide open.
        handle: pose of the middle of its handle, a round bar along z, in the frame of the part; y of a level bar points
            into the part, x of an upright one out of it.
        bar: diameter and length of the bar, metres.
        latch: force that holds it closed, newtons at the handle.
        guessed: whether it was only seen shut: it is taken to slide out of its front until it was pulled.
    """

    kind: str
    fixture: str
    home: Pose
    axis: Vector
    point: Vector
    reach: Tuple[float, float]
    handle: Pose
    bar: Tuple[float, float]
    latch: float = 0.0
    guessed: bool = False

    def position(self, pose: Pose) -> float:
        """Return the position of the joint at a measured pose of the part.

        Args:
            pose: of the part, world frame.

        Returns:
            Metres or radians from closed.
        """
        if self.kind == SLIDE:
            return sum(along * (a - b) for along, a, b in zip(self.axis, pose.position, self.home.position))
        turn = multiply(pose.orientation, conjugate(self.home.orientation))
        about = sum(a * b for a, b in zip(self.axis, turn))
        return math.remainder(2.0 * math.atan2(about, turn[3]), math.tau)

    @property
    def range(self) -> float:
        """From closed to wide open, metres or radians: a door that stands square to its front is."""
        whole = self.reach[1] - self.reach[0]
        square = self.kind == SWING and self.stands
        return math.copysign(min(abs(whole), _SQUARE), whole) if square else whole

    @property
    def stands(self) -> bool:
        """Whether the axis is upright."""
        return abs(self.axis[2]) > _UPRIGHT

    @property
    def lies(self) -> bool:
        """Whether the bar of the handle is level."""
        return abs(self.handle.axes[2][2]) < 0.5

    @property
    def lever(self) -> float:
        """Distance of the handle from the axis, metres; 1 for a part that slides, whose force is no torque."""
        if self.kind == SLIDE:
            return 1.0
        x, y, z = (a - b for a, b in zip(self.home.apply(self.handle.position), self.point))
        along = sum(a * b for a, b in zip(self.axis, (x, y, z)))
        return max(HANDLE_AWAY, math.sqrt(max(0.0, x * x + y * y + z * z - along * along)))

    def share(self, pose: Pose) -> float:
        """Return how far the part is open.

        Args:
            pose: of the part, world frame.

        Returns:
            Share of its range, 0 for closed, 1 for wide open and beyond.
        """
        return min(1.0, (self.position(pose) - self.reach[0]) / self.range)

    def shut(self, pose: Pose) -> bool:
        """Check whether the part is closed so far that nothing behind it can be seen or reached.

        Args:
            pose: of the part, world frame.

        Returns:
            True within the first twelfth of its range.
        """
        return self.share(pose) <= _SHUT

    def turned(self, by: float) -> Pose:
        """Return a motion of the joint as a change of orientation.

        Args:
            by: radians; a part that slides is not turned.

        Returns:
            The rotation, as a pose at the origin.
        """
        half = 0.0 if self.kind == SLIDE else by / 2.0
        x, y, z = (math.sin(half) * value for value in self.axis)
        return Pose((0.0, 0.0, 0.0), (x, y, z, math.cos(half)))

    def moved(self, pose: Pose, by: float) -> Pose:
        """Return where a pose goes that moves with the part.

        Args:
            pose: world frame.
            by: metres or radians.

        Returns:
            Pose in the world frame.
        """
        if self.kind == SLIDE:
            x, y, z = (by * value for value in self.axis)
            return pose.shifted((x, y, z))
        x, y, z = self.point
        there = self.turned(by).compose(pose.shifted((-x, -y, -z)))
        return there.shifted(self.point)

    def followed(self, first: Pose, last: Pose) -> "Joint":
        """Return the joint as two measured poses of the part show it.

        Args:
            first: an earlier pose, world frame.
            last: a later one.

        Returns:
            The joint with its axis as measured, and as it was told if the part has not moved far enough to show it.
        """
        by = self.position(last) - self.position(first)
        if abs(by) < _SHOWN[self.kind]:
            return self
        from_to = tuple(b - a for a, b in zip(first.position, last.position))
        turn = multiply(last.orientation, conjugate(first.orientation))
        along = from_to if self.kind == SLIDE else turn[:3]
        length = math.copysign(math.hypot(*along), sum(a * b for a, b in zip(self.axis, along)))
        x, y, z = (value / length for value in along)
        if self.kind == SLIDE:
            return replace(self, axis=(x, y, z))
        angle = 2.0 * math.atan2(sum(a * b for a, b in zip((x, y, z), turn)), turn[3])
        dx, dy, dz = from_to
        across = (y * dz - z * dy, z * dx - x * dz, x * dy - y * dx)
        middle = (sum(pair) / 2.0 for pair in zip(first.position, last.position))
        a, b, c = (at + side / (2.0 * math.tan(angle / 2.0)) for at, side in zip(middle, across))
        return replace(self, axis=(x, y, z), point=(a, b, c))


def within(size: Vector, pose: Pose, point: Vector) -> bool:
    """Check whether a point is in a box.

    Args:
        size: extents of the box along its own axes, metres.
        pose: of its middle, world frame.
        point: world frame, metres.

    Returns:
        True if it is.
    """
    return all(abs(value) <= extent / 2.0 for value, extent in zip(pose.seen(point), size))
