"""Serves the map of an arena, as a map server would, from the same scene that its walls are built from."""

from __future__ import annotations

from typing import Tuple

import rospy
from geometry_msgs.msg import Quaternion
from hicrisp_core.errors import ConfigError
from hicrisp_ros.config_files import Configuration, load_configuration, parameter
from hicrisp_ros.node import run
from hicrisp_ros.scene_change import SceneFollower
from nav_msgs.msg import OccupancyGrid
from nav_msgs.srv import GetMap, GetMapRequest, GetMapResponse

from hicrisp_gazebo.occupancy import Grid, grid_of


class MapServer:
    """``/map``, latched, and the service ``/static_map``."""

    def __init__(self, grid: Grid, frame: str) -> None:
        self._frame = frame
        self._publisher = rospy.Publisher("/map", OccupancyGrid, queue_size=1, latch=True)
        self.show(grid)
        self._service = rospy.Service("/static_map", GetMap, self._give)

    def show(self, grid: Grid) -> None:
        """Serve this map from now on."""
        self._message = OccupancyGrid()
        self._message.header.frame_id, self._message.header.stamp = self._frame, rospy.Time.now()
        self._message.info.resolution = grid.resolution
        self._message.info.height, self._message.info.width = grid.cells.shape
        self._message.info.origin.position.x, self._message.info.origin.position.y = grid.origin
        self._message.info.origin.orientation = Quaternion(0.0, 0.0, 0.0, 1.0)
        self._message.data = grid.cells.ravel().tolist()
        self._publisher.publish(self._message)

    def stop(self) -> None:
        """Serve no more."""
        self._publisher.unregister()
        self._service.shutdown("the map is closed")

    def _give(self, _: GetMapRequest) -> GetMapResponse:
        return GetMapResponse(self._message)


def build() -> Tuple[MapServer, SceneFollower]:
    """The map of the scene that the parameters ask for; it follows the scene of the world."""
    resolution = float(parameter("resolution", 0.02))

    def grid(configuration: Configuration) -> Grid:
        scene = configuration.scene
        if scene.arena is None:
            raise ConfigError(f"the scene '{scene.name}' has no arena, so there is no map of it")
        return grid_of(scene.arena, resolution)

    server = MapServer(grid(load_configuration()), str(parameter("frame", "map")))
    return server, SceneFollower(lambda configuration: server.show(grid(configuration)))


def main() -> None:
    """Run the node."""
    run("arena_map", build)
