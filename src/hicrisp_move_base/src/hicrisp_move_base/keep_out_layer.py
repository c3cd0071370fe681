"""Ground to keep out of as a grid that a second static layer of move_base's costmaps reads.

``costmap_2d::StaticLayer`` takes a grid of any topic (``map_topic``); one of the map's own size, resolution
and origin leaves the costmap as it is and adds its occupied cells (``use_maximum``).
"""

from __future__ import annotations

from threading import Condition
from typing import Optional, Sequence, Tuple

import numpy as np
import rospy
from hicrisp_core.model import KeepOut
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.publisher import Publisher
from nav_msgs.msg import OccupancyGrid

from hicrisp_move_base.settings import MoveBaseSettings

_LETHAL = 100


class KeepOutLayer:
    """Publishes the grid, latched, once the map has arrived and whenever the ground changes."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._changed = Condition()
        self._map: Optional[OccupancyGrid] = None
        self._shown: Tuple[KeepOut, ...] = ()
        self._publisher = Publisher(settings.keep_out, OccupancyGrid, queue_size=1, latch=True) \
            if settings.keep_out else None
        self._subscriber = rospy.Subscriber(settings.map, OccupancyGrid, self._on_map, queue_size=1) \
            if settings.keep_out else None

    @property
    def heard(self) -> bool:
        """Whether somebody reads the grid."""
        return self._publisher is not None and self._publisher.get_num_connections() > 0

    def show(self, ground: Sequence[KeepOut], patience: Deadline) -> bool:
        """Publish some ground in place of what was shown before; whether anything has changed by that."""
        if self._publisher is None:
            return False
        with self._changed:
            while self._map is None and self.heard and not patience.passed and not rospy.is_shutdown():
                self._changed.wait(min(0.05, patience.remaining))
            if tuple(ground) == self._shown:
                return False
            self._shown = tuple(ground)
            return self._publish()

    def _on_map(self, message: OccupancyGrid) -> None:
        with self._changed:
            self._map = message
            self._publish()
            self._changed.notify_all()

    def _publish(self) -> bool:
        if self._map is None or self._publisher is None:
            return False
        grid = OccupancyGrid(info=self._map.info)
        grid.header.frame_id, grid.header.stamp = self._map.header.frame_id, rospy.Time.now()
        cells = np.zeros((grid.info.height, grid.info.width), dtype=np.int8)
        size, corner = grid.info.resolution, grid.info.origin.position
        x, y = np.meshgrid(corner.x + (np.arange(grid.info.width) + 0.5) * size,
                           corner.y + (np.arange(grid.info.height) + 0.5) * size)
        for shape in self._shown:  # A zone takes its edge's cells too: no cell that is free is over it.
            cells[shape.distance(x, y) <= (size if shape.name else 0.0)] = _LETHAL
        grid.data = cells.ravel().tolist()
        self._publisher.publish(grid)
        return True
