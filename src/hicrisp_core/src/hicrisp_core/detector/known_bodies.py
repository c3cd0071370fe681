"""Which ends of a lidar's rays lie on a robot or on the floor, and so on no object that stands about."""

from __future__ import annotations

from typing import Mapping, Tuple

import numpy as np

from hicrisp_core.model.scan import Scan
from hicrisp_core.ports.eyes import Frames
from hicrisp_core.robot.description import Capsule

_SLACK = 0.02
"""Metres around an arm's capsules, which are drawn for pictures, that still belong to it."""
_FLAT = 0.02
"""Height up to which an end lies on the floor, metres."""


class KnownBodies:
    """The bodies of robots in an arena, each where its frames show it.

    Args:
        bases: the radius of the round footprint of each base (metres), by the frame of its middle.
        links: the capsules around the links of arms, by the link's frame.
        floor: its height in the world frame, metres.
    """

    def __init__(self, bases: Mapping[str, float], links: Mapping[str, Tuple[Capsule, ...]], floor: float) -> None:
        self._bases, self._links, self._floor = bases, links, floor

    @property
    def frames(self) -> Tuple[str, ...]:
        """The frames of the arms' links."""
        return tuple(self._links)

    def explain(self, scan: Scan, frames: Frames) -> np.ndarray:
        """Check for each end of a scan whether it lies on a robot or on the floor.

        Args:
            scan: one sweep of a lidar in the map frame.
            frames: the poses of the robots' frames at the moment of the scan; a frame that is missing explains
                nothing.

        Returns:
            Boolean array (n,), true if the end needs no obstacle.
        """
        ends = scan.ends
        explained = np.asarray(ends[:, 2] <= self._floor + _FLAT) & (scan.pose.position[2] > self._floor + _FLAT)
        for name, radius in self._bases.items():
            if name in frames:
                middle = np.array(frames[name][0].position[:2])
                explained |= np.hypot(*(ends[:, :2] - middle).T) < radius
        for name, capsules in self._links.items():
            for capsule in capsules if name in frames else ():
                start, end = (np.array(frames[name][0].apply(at)) for at in (capsule.start, capsule.end))
                explained |= _distance(ends, start, end) < capsule.radius + _SLACK
        return explained


def _distance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distance of points (n, 3) to a line between two others, metres."""
    along = end - start
    part = np.clip((points - start) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - part[:, None] * along, axis=1))
