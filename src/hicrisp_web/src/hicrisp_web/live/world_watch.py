"""The world as it is seen, and a base's lidar, map and planned way, onto the board while a page is open: poses come
often and cost time.
"""

from __future__ import annotations

import time
from typing import Any, Callable, List, Optional

import rospy
from hicrisp_core.domain import Domain
from hicrisp_core.scene.scene_record import world_section
from hicrisp_ros.conversions import WORLD
from hicrisp_ros.grids import Grid
from hicrisp_ros.scans import ScanTopic
from hicrisp_ros.tf_world import TfWorld
from hicrisp_ros.wall_clock import WallTimer
from nav_msgs.msg import Path

from hicrisp_msgs.msg import WorldState
from hicrisp_web.view.board import Board
from hicrisp_web.view.ground_view import Standing, Trail, map_section, route_section, scan_points

_PERIOD = 0.2
"""Wall seconds between two states that are shown."""
_SCAN_PERIOD = 0.5
"""Wall seconds between two scans that are shown."""
_LOOK = 0.5
"""Wall seconds between two looks whether a page is open."""


class WorldWatch:
    """Keeps the sections ``world``, ``standing`` and ``path`` (the way of a base) up to date.

    Args:
        domain: gives the domain of the scene that is loaded now.
        task: gives the id of the task that is shown, with which a base's way begins anew.
    """

    def __init__(self, board: Board, domain: Callable[[], Domain], task: Callable[[], str]) -> None:
        self._board = board
        self._domain = domain
        self._task = task
        self._trail = Trail()
        self._subscriber: Optional[rospy.Subscriber] = None
        self._standing = Standing()
        self._shown = 0.0
        self.latest: Optional[WorldState] = None
        board.put({"world": None, "standing": {}, "path": None})
        self._timer = WallTimer(_LOOK, self._follow_readers, "world")

    def _follow_readers(self) -> None:
        if self._board.readers and self._subscriber is None:
            self._subscriber = rospy.Subscriber("world_state", WorldState, self._saw, queue_size=1)
        elif not self._board.readers and self._subscriber is not None:
            self._subscriber.unregister()
            self._subscriber = None

    def _saw(self, message: WorldState) -> None:
        now = time.monotonic()
        self.latest = message
        if now - self._shown < _PERIOD:
            return
        self._shown = now
        world = WORLD.from_msg(message)
        self._board.put({"world": world_section(world, self._domain()),
                         "standing": self._standing.see(now, world.robots),
                         "path": self._trail.see(self._task(), world.robots) or None})


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
        self._timer = WallTimer(_SCAN_PERIOD, self._look, "base")

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
