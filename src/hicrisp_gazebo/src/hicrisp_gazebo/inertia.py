"""Mass, centre and inertia of solids of even density, alone and together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

import numpy as np
from hicrisp_core.model import Pose, Vector
from hicrisp_core.model.geometry import rotate


@dataclass(frozen=True)
class Solid:
    """A box or an upright cylinder of a body.

    Args:
        name: unique in its body.
        shape: ``box`` or ``cylinder`` (about its own z axis).
        size: extents along its own axes, metres; a cylinder's x and y are its diameter.
        pose: of its middle in the body's frame.
    """

    name: str
    shape: str
    size: Vector
    pose: Pose = Pose((0.0, 0.0, 0.0))

    @property
    def volume(self) -> float:
        """Cubic metres."""
        x, y, z = self.size
        return x * y * z * (math.pi / 4.0 if self.shape == "cylinder" else 1.0)


@dataclass(frozen=True)
class Inertia:
    """Of a body, about its centre of mass, along the axes of the body's frame.

    Args:
        mass: kilograms.
        centre: of mass, in the body's frame, metres.
        tensor: 3 x 3, kg m2.
    """

    mass: float
    centre: np.ndarray
    tensor: np.ndarray


def inertia_of(solids: Sequence[Solid], mass: float) -> Inertia:
    """What solids of one density that weigh ``mass`` kilograms together have; none of them overlaps another."""
    if not solids or not mass > 0.0:
        raise ValueError(f"a body needs solids and a mass above 0 kg, got {len(solids)} and {mass}")
    whole = sum(solid.volume for solid in solids)
    parts = [(solid, mass * solid.volume / whole) for solid in solids]
    centre = sum((np.array(solid.pose.position) * part for solid, part in parts), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for solid, part in parts:
        turn = np.column_stack([rotate(solid.pose.orientation, axis) for axis in
                                ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))])
        away = np.array(solid.pose.position) - centre
        # Parallel axes (Steiner): what a part has about its own middle, and what its middle has about the
        # body's.
        x, y, z = solid.size
        own = (part * (y * y + z * z) / 12.0, part * (x * x + z * z) / 12.0, part * (x * x + y * y) / 12.0)
        if solid.shape == "cylinder":
            across = part * (3.0 * (x / 2.0) ** 2 + z * z) / 12.0
            own = (across, across, part * (x / 2.0) ** 2 / 2.0)
        tensor += turn @ np.diag(own) @ turn.T
        tensor += part * (float(away @ away) * np.eye(3) - np.outer(away, away))
    return Inertia(mass, centre, tensor)


def inertia_of_mesh(triangles: np.ndarray, density: float) -> Inertia:
    """Return the inertia of closed meshes of one density; where they overlap, all of them count.

    Args:
        triangles: corners, array (n, 3, 3), counter-clockwise from outside, metres.
        density: kg/m3.
    """
    # Of the tetrahedra between the triangles and the origin, whose volumes have a sign.
    volumes = np.linalg.det(triangles) / 6.0
    sums = triangles.sum(axis=1)
    volume = volumes.sum()
    centre = volumes @ sums / (4.0 * volume)
    squares = np.einsum("n,ni,nj->ij", volumes, sums, sums) + np.einsum("n,nki,nkj->ij", volumes, triangles, triangles)
    spread = squares / 20.0 - volume * np.outer(centre, centre)
    return Inertia(density * volume, centre, density * (np.trace(spread) * np.eye(3) - spread))
