"""A base's lidar, map and planned way onto the board while a page is open."""

from __future__ import annotations

from typing import Any, List, Optional

import rospy
from hicrisp_ros.grids import Grid
from hicrisp_ros.scans import ScanTopic
from hicrisp_ros.tf_world import TfWorld
from hicrisp_ros.wall_clock import WallTimer
from nav_msgs.msg import Path

from hicrisp_web.view.board import Board
from hicrisp_web.view.ground_view import map_section, route_section, scan_points

_PERIOD = 0.5
"""Wall seconds between two scans that are shown."""


class BaseWatch:
    """Keeps the sections ``scan``, ``grid`` and ``route`` up to date.

    Args:
        scan: topic of the lidar; so are ``map_`` and ``route`` of the map and the planned way.
    """

    def __init__(self, board: Board, scan: str, map_: str, route: str) -> None:
        self._board = board
        self._topics = (scan, map_, route)
        self._tf: Optional[TfWorld] = None
        self._scans: Optional[ScanTopic] = None
        self._subscribers: List[Any] = []
        board.put({"scan": None, "grid": None, "route": None})
        self._timer = WallTimer(_PERIOD, self._look, "base")

    def _look(self) -> None:
        if not self._board.readers:
            return
        if self._tf is None or self._scans is None:
            scan, map_, route = self._topics
            self._tf, self._scans = TfWorld(), ScanTopic(scan)
            self._subscribers = [rospy.Subscriber(map_, Grid, self._map),
                                 rospy.Subscriber(route, Path, self._route)]
        taken = self._scans.take(self._tf)
        if taken:
            self._board.put({"scan": scan_points(taken[-1])})

    def _map(self, message: Grid) -> None:
        origin = message.info.origin.position
        self._board.put({"grid": map_section(message.cells, message.info.resolution, (origin.x, origin.y))})

    def _route(self, message: Path) -> None:
        points = [(pose.pose.position.x, pose.pose.position.y) for pose in message.poses]
        self._board.put({"route": route_section(points) or None})
