"""Poses, and the workspace's only quaternion and Euler arithmetic; metres, radians, REP-103 axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable, Tuple

Planar = Tuple[float, float]
"""x and y, metres."""
Vector = Tuple[float, float, float]
Quaternion = Tuple[float, float, float, float]

IDENTITY: Quaternion = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Pose:
    """A position in metres and a unit quaternion (x, y, z, w), in the world frame unless said otherwise."""

    position: Vector
    orientation: Quaternion = IDENTITY

    @property
    def finite(self) -> bool:
        """Whether every number is finite and the quaternion has a length near one."""
        values = (*self.position, *self.orientation)
        if not all(math.isfinite(value) for value in values):
            return False
        return abs(math.sqrt(sum(q * q for q in self.orientation)) - 1.0) < 1e-2

    @property
    def yaw(self) -> float:
        """Rotation about the vertical axis, radians in (-pi, pi]."""
        x, y, z, w = self.orientation
        return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))

    @property
    def tilt(self) -> float:
        """Angle between the pose's z axis and the vertical, radians in [0, pi]."""
        x, y, _, _ = self.orientation
        return math.acos(max(-1.0, min(1.0, 1.0 - 2.0 * (x * x + y * y))))

    def shifted(self, offset: Vector) -> "Pose":
        """Return the pose moved by an offset, with the same orientation.

        Args:
            offset: in the parent frame (m).

        Returns:
            The moved pose.
        """
        (x, y, z), (a, b, c) = self.position, offset
        return Pose((x + a, y + b, z + c), self.orientation)

    def apply(self, point: Vector) -> Vector:
        """Transform a point from this pose's frame to the parent frame.

        Args:
            point: in this pose's frame (m).

        Returns:
            The point in the parent frame (m).
        """
        (x, y, z), (a, b, c) = self.position, rotate(self.orientation, point)
        return (x + a, y + b, z + c)

    def seen(self, point: Vector) -> Vector:
        """Transform a point from the parent frame to this pose's frame: the inverse of :meth:`apply`.

        Args:
            point: in the parent frame (m).

        Returns:
            The point in this pose's frame (m).
        """
        (a, b, c), (x, y, z) = point, self.position
        return rotate(conjugate(self.orientation), (a - x, b - y, c - z))

    def inverse(self) -> "Pose":
        """The parent frame as seen from this pose."""
        back = conjugate(self.orientation)
        moved = rotate(back, self.position)
        return Pose((-moved[0], -moved[1], -moved[2]), back)

    def compose(self, other: "Pose") -> "Pose":
        """Compute ``self * other``.

        Args:
            other: a pose in this pose's frame.

        Returns:
            The same pose in the parent frame.
        """
        return Pose(self.apply(other.position), multiply(self.orientation, other.orientation))

    @property
    def axes(self) -> Tuple[Vector, Vector, Vector]:
        """The pose's x, y and z axis as unit vectors in the parent frame."""
        x, y, z, w = self.orientation
        xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
        wx, wy, wz = w * x, w * y, w * z
        return ((1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)),
                (2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)),
                (2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)))

    def towards(self, other: "Pose", fraction: float) -> "Pose":
        """Interpolate on the straight way to another pose, with an even turn the shorter way round.

        Args:
            other: the pose at fraction 1.
            fraction: 0 to 1.

        Returns:
            The pose at the fraction.
        """
        x, y, z = (a + (b - a) * fraction for a, b in zip(self.position, other.position))
        turn = multiply(conjugate(self.orientation), other.orientation)
        sine = math.copysign(math.hypot(*turn[:3]), turn[3])
        if abs(sine) < 1e-9:
            return Pose((x, y, z), other.orientation)
        half = math.atan2(abs(sine), abs(turn[3])) * fraction
        i, j, k = (value / sine * math.sin(half) for value in turn[:3])
        return Pose((x, y, z), multiply(self.orientation, (i, j, k, math.cos(half))))


def as_vector(values: Iterable[float]) -> Vector:
    """Return three numbers, such as an array's, as a vector.

    Args:
        values: x, y, z.

    Returns:
        The vector.
    """
    x, y, z = map(float, values)
    return (x, y, z)


def from_yaw(yaw: float) -> Quaternion:
    """Convert a rotation about the vertical axis to a quaternion.

    Args:
        yaw: rotation (rad).

    Returns:
        The unit quaternion (x, y, z, w).
    """
    return (0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0))


def from_euler(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Convert rotations about the fixed x, then y, then z axis to a quaternion, as in URDF and SDF.

    Args:
        roll: rotation about x (rad).
        pitch: rotation about y (rad).
        yaw: rotation about z (rad).

    Returns:
        The unit quaternion (x, y, z, w).
    """
    about_x: Quaternion = (math.sin(roll / 2.0), 0.0, 0.0, math.cos(roll / 2.0))
    about_y: Quaternion = (0.0, math.sin(pitch / 2.0), 0.0, math.cos(pitch / 2.0))
    return multiply(from_yaw(yaw), multiply(about_y, about_x))


def to_euler(q: Quaternion) -> Vector:
    """Convert a quaternion to fixed-axis angles, the inverse of :func:`from_euler`.

    Args:
        q: unit quaternion (x, y, z, w).

    Returns:
        Roll, pitch and yaw (rad).
    """
    x, y, z, w = q
    return (
        math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x)))),
        math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    )


def from_axes(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """Compute the rotation with the given axes.

    Args:
        x: unit vector of the rotated x axis in the parent frame.
        y: the same for y; orthogonal to x.
        z: the same for z.

    Returns:
        Unit quaternion (x, y, z, w).
    """
    squares = (1.0 + x[0] + y[1] + z[2], 1.0 + x[0] - y[1] - z[2], 1.0 - x[0] + y[1] - z[2], 1.0 - x[0] - y[1] + z[2])
    greatest = max(range(4), key=lambda index: squares[index])
    differences = (y[2] - z[1], z[0] - x[2], x[1] - y[0])
    sums = {(1, 2): x[1] + y[0], (1, 3): x[2] + z[0], (2, 3): y[2] + z[1]}
    found = [0.0, 0.0, 0.0, 0.0]  # w, x, y, z
    for index in range(4):
        low, high = sorted((index, greatest))
        found[index] = (squares[greatest] if index == greatest else differences[high - 1] if low == 0
                        else sums[(low, high)])
    length = math.sqrt(sum(value * value for value in found))
    w, i, j, k = (value / length for value in found)
    return (i, j, k, w)


def facing(position: Vector, target: Vector) -> Pose:
    """Place an optical frame (REP-103: z ahead, x right, y down) that looks at a target, with the world's z up
    in its image, or the world's x if it looks straight up or down.

    Args:
        position: of the frame in the world frame, metres.
        target: the point to look at, metres.

    Returns:
        The frame's pose in the world frame.

    Raises:
        ValueError: when it stands where it looks.
    """
    ahead = _unit((target[0] - position[0], target[1] - position[1], target[2] - position[2]))
    level = math.hypot(ahead[0], ahead[1]) > 1e-6
    right = _unit(_cross(ahead, (0.0, 0.0, 1.0) if level else (1.0, 0.0, 0.0)))
    return Pose(position, from_axes(right, _cross(ahead, right), ahead))


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _unit(v: Vector) -> Vector:
    length = math.sqrt(sum(value * value for value in v))
    if length < 1e-9:
        raise ValueError("a direction needs two points that are apart")
    return (v[0] / length, v[1] / length, v[2] / length)


def upright_turn(axis: Vector) -> Quaternion:
    """Compute the shortest rotation that brings a vector to the vertical.

    Args:
        axis: unit vector in the world frame.

    Returns:
        Unit quaternion (x, y, z, w).
    """
    x, y, z = axis
    length = math.hypot(x, y)
    if length < 1e-6:
        return IDENTITY if z > 0.0 else (1.0, 0.0, 0.0, 0.0)
    half = math.atan2(length, z) / 2.0
    # About the horizontal direction across it.
    return (y / length * math.sin(half), -x / length * math.sin(half), 0.0, math.cos(half))


def conjugate(q: Quaternion) -> Quaternion:
    """Invert a rotation.

    Args:
        q: unit quaternion (x, y, z, w).

    Returns:
        The inverse rotation.
    """
    x, y, z, w = q
    return (-x, -y, -z, w)


def turn_between(a: Quaternion, b: Quaternion) -> float:
    """Compute the angle between two orientations.

    Args:
        a: unit quaternion (x, y, z, w).
        b: unit quaternion (x, y, z, w).

    Returns:
        The angle in [0, pi] (rad).
    """
    turn = multiply(conjugate(a), b)
    return 2.0 * math.atan2(math.hypot(*turn[:3]), abs(turn[3]))


def heading(direction: Vector) -> float:
    """Return the direction of a vector in the horizontal plane.

    Args:
        direction: any vector that is not vertical.

    Returns:
        Radians from the x axis, -pi to pi.
    """
    return math.atan2(direction[1], direction[0])


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Compute the Hamilton product ``a * b``.

    Args:
        a: quaternion (x, y, z, w).
        b: quaternion (x, y, z, w).

    Returns:
        The product (x, y, z, w).
    """
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def rotate(q: Quaternion, v: Vector) -> Vector:
    """Rotate a vector by a unit quaternion.

    Args:
        q: unit quaternion (x, y, z, w).
        v: vector to rotate.

    Returns:
        The rotated vector.
    """
    x, y, z, w = q
    tx, ty, tz = 2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])
    return (v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx)


def distance(a: Vector, b: Vector) -> float:
    """Compute the Euclidean distance between two points.

    Args:
        a: first point (m).
        b: second point (m).

    Returns:
        The distance (m).
    """
    return math.sqrt(sum((p - q) ** 2 for p, q in zip(a, b)))


def planar_distance(a: Vector, b: Vector) -> float:
    """Compute the distance between two points in the horizontal plane.

    Args:
        a: first point (m).
        b: second point (m).

    Returns:
        The distance (m).
    """
    return math.hypot(a[0] - b[0], a[1] - b[1])
