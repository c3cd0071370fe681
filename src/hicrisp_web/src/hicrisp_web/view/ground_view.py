"""What a base sees and where it goes, as the view from above draws it: scan, map, the way that it drove; and whether
robots stand, seen from their poses, whatever their drivers say.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any, Deque, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import RobotState
from hicrisp_core.model.geometry import Planar, Vector, distance
from hicrisp_core.model.scan import Scan

_MOST_RAYS = 180
_MOST_RUNS = 4000
_OCCUPIED = 50
"""Per cent from which on a cell counts as occupied."""
_STEP, _MOST_STEPS = 0.03, 2000
"""Metres between two points of a way, and how many of them are kept."""
_LEAP = 0.5
"""Metres between two sights of a base beyond which it was put somewhere, and did not drive."""
_STILL = 0.004
"""Metres within which a robot that stands is seen; above the noise of its pose."""
_WINDOW = 0.5
"""Wall seconds over which it must be."""


def scan_points(scan: Scan) -> List[List[float]]:
    """Return where the rays of a scan end, thinned out.

    Args:
        scan: ranges and the lidar's pose.

    Returns:
        x, y in the world frame, metres.
    """
    points = scan.points[::max(1, len(scan.ranges) // _MOST_RAYS)]
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def map_section(cells: np.ndarray, resolution: float, origin: Planar) -> Dict[str, Any]:
    """Compress an occupancy grid.

    Args:
        cells: grid with rows along y.
        resolution: edge of a cell, metres.
        origin: x, y of the first cell's corner in the world frame, metres.

    Returns:
        Runs of occupied cells: least x and y, and length along x, metres; cut off if there are too many.
    """
    runs: List[List[float]] = []
    for row, line in enumerate(np.asarray(cells) >= _OCCUPIED):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(int), [0]))))
        for begin, end in zip(edges[::2], edges[1::2]):
            runs.append([round(origin[0] + resolution * begin, 3), round(origin[1] + resolution * row, 3),
                         round(resolution * (end - begin), 3)])
    return {"cell": resolution, "runs": runs[:_MOST_RUNS]}


def route_section(points: Sequence[Planar]) -> List[List[float]]:
    """Thin out a planned path.

    Args:
        points: x, y in the world frame, metres.

    Returns:
        A few hundred points at most.
    """
    every = max(1, len(points) // 300)
    return [[round(x, 2), round(y, 2)] for x, y in [*points[::every], *points[-1:]]]


class Trail:
    """The way that a base was seen to drive since a task began."""

    def __init__(self) -> None:
        self._task = ""
        self._points: List[List[float]] = []

    def see(self, task: str, robots: Mapping[str, RobotState]) -> List[List[float]]:
        """Add the pose of the first base; another task begins a new path.

        Args:
            task: the task's id.
            robots: pose and stamp of the robots' frames, world frame.

        Returns:
            The path so far: x, y in the world frame, metres.
        """
        if task != self._task:
            self._task, self._points = task, []
        base = next((each for each in robots.values() if each.kind == "base" and each.pose is not None), None)
        if base is None or base.pose is None:
            return self._points
        x, y = base.pose.position[:2]
        gone = math.hypot(x - self._points[-1][0], y - self._points[-1][1]) if self._points else math.inf
        if _LEAP < gone < math.inf:
            self._points = []
        if gone > _STEP:
            self._points = [*self._points, [round(x, 3), round(y, 3)]][-_MOST_STEPS:]
        return self._points


class Standing:
    """Remembers where the robots were seen during the last moments."""

    def __init__(self) -> None:
        self._seen: Dict[str, Deque[Tuple[float, Vector]]] = {}

    def see(self, now: float, robots: Mapping[str, RobotState]) -> Dict[str, Optional[bool]]:
        """Judge whether each robot stands still.

        Args:
            now: wall seconds.
            robots: pose and stamp of the robots' frames, world frame.

        Returns:
            By the robot's name; ``None`` while it is unknown.
        """
        return {name: self._look(now, name, robot) for name, robot in robots.items()}

    def _look(self, now: float, name: str, robot: RobotState) -> Optional[bool]:
        if robot.pose is None:
            self._seen.pop(name, None)
            return None
        seen = self._seen.setdefault(name, deque())
        seen.append((now, robot.pose.position))
        while len(seen) > 1 and now - seen[1][0] >= _WINDOW:
            seen.popleft()
        if max(distance(position, robot.pose.position) for _, position in seen) > _STILL:
            return False
        return True if now - seen[0][0] >= _WINDOW else None
