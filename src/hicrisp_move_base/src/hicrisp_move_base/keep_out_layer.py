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
from hicrisp_ros.grids import Grid
from hicrisp_ros.publisher import Publisher

from hicrisp_move_base.settings import MoveBaseSettings

_LETHAL = 100
_MOST = 50_000_000
"""Cells of a map beside which a grid is published: 350 m by 350 m in cells of 5 cm."""


class KeepOutLayer:
    """Publishes the grid, latched, once the map has arrived and whenever the ground changes."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._changed = Condition()
        self._map: Optional[Grid] = None
        """The map's header and measures; its cells are not kept."""
        self._too_large = False
        self._shown: Tuple[KeepOut, ...] = ()
        self._publisher = Publisher(settings.keep_out, Grid, queue_size=1, latch=True) \
            if settings.keep_out else None
        self._subscriber = rospy.Subscriber(settings.map, Grid, self._on_map, queue_size=1) \
            if settings.keep_out else None

    @property
    def heard(self) -> bool:
        """Whether somebody reads the grid."""
        return self._publisher is not None and not self._too_large and self._publisher.get_num_connections() > 0

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

    def _on_map(self, message: Grid) -> None:
        count = message.info.width * message.info.height
        self._too_large = count > _MOST
        if self._too_large:
            rospy.logwarn("the map has %.0f million cells, and move_base is shown the ground to keep out of beside "
                          "maps of up to %.0f million: a path over such ground is refused, and no other is looked for; "
                          "crop the map, or save it with larger cells", count / 1e6, _MOST / 1e6)
        with self._changed:
            self._map = None if self._too_large else Grid(header=message.header, info=message.info)
            self._publish()
            self._changed.notify_all()

    def _publish(self) -> bool:
        if self._map is None or self._publisher is None:
            return False
        grid = Grid(info=self._map.info)
        grid.header.frame_id, grid.header.stamp = self._map.header.frame_id, rospy.Time.now()
        cells = np.zeros((grid.info.height, grid.info.width), dtype=np.int8)
        size, corner = grid.info.resolution, grid.info.origin.position
        for shape in self._shown:  # A zone takes its edge's cells too: no cell that is free is over it.
            shape.paint(cells, (corner.x, corner.y), size, size if shape.name else 0.0, _LETHAL)
        grid.data = cells.ravel()
        self._publisher.publish(grid)
        return True
