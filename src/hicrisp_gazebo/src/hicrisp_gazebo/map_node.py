"""Serves the maps of an arena, as map servers would, from the same scene that its walls are built from."""

from __future__ import annotations

import rospy
from geometry_msgs.msg import Quaternion
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.scene import Arena
from hicrisp_ros.config_files import config_file, parameter
from hicrisp_ros.node import run
from nav_msgs.msg import OccupancyGrid
from nav_msgs.srv import GetMap, GetMapRequest, GetMapResponse

from hicrisp_gazebo.occupancy import Grid, grid_of


class MapServer:
    """One map as a latched topic, and as a service for those who ask."""

    def __init__(self, grid: Grid, frame: str, topic: str, service: str) -> None:
        self._message = OccupancyGrid()
        self._message.header.frame_id, self._message.header.stamp = frame, rospy.Time.now()
        self._message.info.resolution = grid.resolution
        self._message.info.height, self._message.info.width = grid.cells.shape
        self._message.info.origin.position.x, self._message.info.origin.position.y = grid.origin
        self._message.info.origin.orientation = Quaternion(0.0, 0.0, 0.0, 1.0)
        self._message.data = grid.cells.ravel().tolist()
        self._publisher = rospy.Publisher(topic, OccupancyGrid, queue_size=1, latch=True)
        self._publisher.publish(self._message)
        self._service = rospy.Service(service, GetMap, self._give)

    def stop(self) -> None:
        """Serve no more."""
        self._publisher.unregister()
        self._service.shutdown("the map is closed")

    def _give(self, _: GetMapRequest) -> GetMapResponse:
        return GetMapResponse(self._message)


class ArenaMaps:
    """``/map`` for who drives, with the zones painted in, and ``/walls_map`` for who localises by what a lidar sees;
    the services ``/static_map`` and ``/walls_static_map`` give the same."""

    def __init__(self, scene: Scene, arena: Arena, resolution: float, frame: str) -> None:
        self._maps = (MapServer(grid_of(arena, resolution, scene.zones), frame, "/map", "/static_map"),
                      MapServer(grid_of(arena, resolution), frame, "/walls_map", "/walls_static_map"))

    def stop(self) -> None:
        """Serve no more."""
        for each in self._maps:
            each.stop()


def build() -> ArenaMaps:
    """The maps of the scene that the parameters ask for."""
    scene = load_scene(config_file("scenes", str(parameter("scene", "agv"))), int(parameter("seed", 0)))
    if scene.arena is None:
        raise ConfigError(f"the scene '{scene.name}' has no arena, so there is no map of it")
    return ArenaMaps(scene, scene.arena, float(parameter("resolution", 0.02)), str(parameter("frame", "map")))


def main() -> None:
    """Run the node."""
    run("arena_map", build)
