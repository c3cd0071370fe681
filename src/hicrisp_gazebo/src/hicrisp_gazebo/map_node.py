"""Serves the maps of an arena, as map servers would, from the same scene that its walls are built from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence, Tuple

import numpy as np
import rospy
from geometry_msgs.msg import Quaternion
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import KeepOut
from hicrisp_core.scene import Scene
from hicrisp_core.scene.floor_plan import Arena
from hicrisp_ros.config_files import Configuration, load_configuration, parameter
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.scene_change import SceneFollower
from nav_msgs.srv import GetMap, GetMapResponse

from hicrisp_ros import grids

FREE, TAKEN, UNKNOWN = 0, 100, -1
_BORDER = 0.1
"""Seen of the wall around the arena, metres."""
_MOST = 25_000_000
"""Cells of a map: 100 m by 100 m in cells of 2 cm. move_base and what localises take several times that in bytes."""


@dataclass(frozen=True)
class Grid:
    """Cells of 0 (free), 100 (taken), -1 (unknown), rows along y, columns along x.

    Args:
        origin: x and y of the outer corner of the first cell, metres in the map frame.
        resolution: edge of a cell, metres.
        cells: (rows, columns).
    """

    origin: Tuple[float, float]
    resolution: float
    cells: np.ndarray


def grid_of(arena: Arena, resolution: float = 0.02, zones: Sequence[KeepOut] = ()) -> Grid:
    """Draw the walls of an arena as a grid; movable obstacles are in no map.

    Args:
        arena: its border and walls.
        resolution: edge of a cell, metres.
        zones: ground that is drawn as occupied, too, with the cells of its edge: no free cell is over it.

    Returns:
        The grid in the map frame.

    Raises:
        ConfigError: for a resolution that makes no map, or one of too many cells.
    """
    if not 0.0 < resolution < min(arena.size):
        raise ConfigError(f"a resolution above 0 and below {min(arena.size):g} m was expected, got "
                          f"{resolution}")
    x, y = (low - _BORDER for low in arena.origin)
    columns, rows = (math.ceil((extent + 2 * _BORDER) / resolution - 1e-9) for extent in arena.size)
    if columns * rows > _MOST:
        least = math.ceil(100.0 * resolution * math.sqrt(columns * rows / _MOST)) / 100.0
        raise ConfigError(f"a map of {arena.size[0]:g} m by {arena.size[1]:g} m has {columns * rows / 1e6:.0f} million "
                          f"cells of {resolution:g} m, and {_MOST / 1e6:.0f} million are the limit: set 'resolution' "
                          f"to {least:g} m or more")
    cells = np.full((rows, columns), FREE, dtype=np.int8)
    arena.paint(cells, (x, y), resolution, resolution / 4.0, TAKEN)  # A wall reaches into the middle half of these.
    for zone in zones:
        zone.paint(cells, (x, y), resolution, resolution, TAKEN)
    return Grid((x, y), resolution, cells)


class MapServer:
    """One map as a latched topic, and as a service for those who ask."""

    def __init__(self, grid: Grid, frame: str, topic: str, service: str) -> None:
        self._frame = frame
        self._publisher = Publisher(topic, grids.Grid, queue_size=1, latch=True)
        self.show(grid)
        self._service = rospy.Service(service, GetMap, lambda _: GetMapResponse(self._message))

    def show(self, grid: Grid) -> None:
        """Serve this map from now on."""
        self._message = grids.Grid(data=grid.cells.ravel())
        self._message.header.frame_id, self._message.header.stamp = self._frame, rospy.Time.now()
        self._message.info.resolution = grid.resolution
        self._message.info.height, self._message.info.width = grid.cells.shape
        self._message.info.origin.position.x, self._message.info.origin.position.y = grid.origin
        self._message.info.origin.orientation = Quaternion(0.0, 0.0, 0.0, 1.0)
        self._publisher.publish(self._message)

    def stop(self) -> None:
        """Serve no more."""
        self._publisher.unregister()
        self._service.shutdown("the map is closed")


class ArenaMaps:
    """``/map`` for who drives, with the zones painted in, and ``/walls_map`` for who localises by what a
    lidar sees; the services ``/static_map`` and ``/walls_static_map`` give the same. Both follow the scene of
    the world.

    Raises:
        ConfigError: for a scene without an arena.
    """

    def __init__(self, configuration: Configuration, resolution: float, frame: str) -> None:
        self._resolution = resolution
        driven, seen = self._grids(configuration.scene)
        self._driven = MapServer(driven, frame, "/map", "/static_map")
        self._seen = MapServer(seen, frame, "/walls_map", "/walls_static_map")
        self._follower = SceneFollower(self.follow)

    def follow(self, configuration: Configuration) -> None:
        """Serve the maps of another scene."""
        driven, seen = self._grids(configuration.scene)
        self._driven.show(driven)
        self._seen.show(seen)

    def stop(self) -> None:
        """Serve no more."""
        self._follower.stop()
        self._driven.stop()
        self._seen.stop()

    def _grids(self, scene: Scene) -> Tuple[Grid, Grid]:
        if scene.arena is None:
            raise ConfigError(f"the scene '{scene.name}' has no arena, so there is no map of it")
        return grid_of(scene.arena, self._resolution, scene.zones), grid_of(scene.arena, self._resolution)


def build() -> ArenaMaps:
    """The maps of the scene that the parameters ask for."""
    return ArenaMaps(load_configuration(), float(parameter("resolution", 0.02)),
                     str(parameter("frame", "map")))
