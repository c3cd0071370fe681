"""The world as it is seen, onto the board while a page is open: poses come often and cost time."""

from __future__ import annotations

import time
from typing import Callable, Optional

import rospy
from hicrisp_core.domain import Domain
from hicrisp_core.scene.scene_record import world_section
from hicrisp_ros.conversions import world_from_msg
from hicrisp_ros.wall_clock import WallTimer

from hicrisp_msgs.msg import WorldState
from hicrisp_web.view.board import Board
from hicrisp_web.view.ground_view import Trail
from hicrisp_web.view.standing import Standing

_PERIOD = 0.2
"""Wall seconds between two states that are shown."""
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
        world = world_from_msg(message)
        self._board.put({"world": world_section(world, self._domain()),
                         "standing": self._standing.see(now, world.robots),
                         "path": self._trail.see(self._task(), world.robots) or None})
