"""The node ``markers``: what is known as ``visualization_msgs/MarkerArray``, while somebody looks."""

from __future__ import annotations

import json
from threading import Lock
from typing import Dict, List, Optional, Tuple

import rospy
from geometry_msgs.msg import Point, Vector3
from hicrisp_core.model.way import WayLog
from hicrisp_core.trace.events import TaskReceived
from hicrisp_core.trace.sections import places_section
from hicrisp_core.trace.timeline import Timeline
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.conversions import WORLD, pose_to_msg
from hicrisp_ros.conversions.world import WORLD_FRAME, way_from_msg
from hicrisp_ros.node import run
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.scene_change import SceneFollower
from hicrisp_ros.wall_clock import WallTimer
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from hicrisp_msgs.msg import CorrectionStack, Event, TaskStatus, WorldState
from hicrisp_nodes.markers import marks as draw

TOPIC = "markers"
_PERIOD = 0.2
"""Wall seconds between two states that are shown."""
_FORMS = {draw.CUBE: Marker.CUBE, draw.CYLINDER: Marker.CYLINDER, draw.SPHERE: Marker.SPHERE,
          draw.TEXT: Marker.TEXT_VIEW_FACING, draw.STRIP: Marker.LINE_STRIP, draw.LINES: Marker.LINE_LIST}
_TABLE_TEXT, _ARENA_TEXT = (0.3, -0.55, 0.55), (0.3, 0.6)
"""Where the stack's text stands at a table; in an arena, how far behind its edge and how high."""
_ARENA_LETTERS = 0.1
"""Metres."""
_MOST_SPOTS = 4000


class Markers:
    """Publishes ``markers``; it works only while somebody listens."""

    def __init__(self, configuration: Configuration) -> None:
        self._lock = Lock()
        self._book = draw.MarkBook()
        self._world: Optional[WorldState] = None
        self._watchers = 0
        self._follow(configuration)
        self._begin()
        self._publisher = Publisher(TOPIC, MarkerArray, queue_size=5)
        self._subscribers = [
            rospy.Subscriber("world_state", WorldState, self._saw, queue_size=1, tcp_nodelay=True),
            rospy.Subscriber("events", Event, self._event, queue_size=100),
            rospy.Subscriber("correction_stack", CorrectionStack, self._stacked, queue_size=5),
            rospy.Subscriber("task_status", TaskStatus, self._status, queue_size=5),
        ]
        self._follower = SceneFollower(self._follow)
        self._timer = WallTimer(_PERIOD, self._show, "markers")

    def _begin(self) -> None:
        """A task begins: what was drawn of the last one is over."""
        self._run = Timeline()
        self._ways: Dict[str, WayLog] = {}
        self._stack: List[Tuple[str, str]] = []

    def _follow(self, configuration: Configuration) -> None:
        scene = configuration.scene
        with self._lock:
            self._known = frozenset(scene.objects) - (scene.arena.unknown if scene.arena else frozenset())
            self._still = draw.scene_marks(scene)
            self._task = ""
            self._above, self._letters = _TABLE_TEXT, draw.LETTERS
            self._radii: Dict[str, float] = {}
            if scene.arena is not None:
                self._radii = {name: start.radius for name, start in scene.arena.starts.items()}
                (x, y), (width, depth) = scene.arena.origin, scene.arena.size
                self._above = (x + width / 2.0, y + depth + _ARENA_TEXT[0], _ARENA_TEXT[1])
                self._letters = _ARENA_LETTERS

    def _saw(self, message: WorldState) -> None:
        self._world = message
        for robot in message.robots:
            if robot.has_motion:
                with self._lock:
                    self._ways.setdefault(robot.name, WayLog()).see(way_from_msg(robot.motion))

    def _event(self, message: Event) -> None:
        try:
            entry = json.loads(message.json)
        except (ValueError, RecursionError):
            return
        with self._lock:
            if message.kind == TaskReceived.kind:
                self._begin()
                self._book.forget()  # A recording begins here, and shall hold everything.
            if isinstance(entry, dict):
                self._run.take(entry)

    def _stacked(self, message: CorrectionStack) -> None:
        with self._lock:
            self._stack = [(entry.command, entry.error) for entry in message.entries]

    def _status(self, message: TaskStatus) -> None:
        with self._lock:
            self._task = f"{message.text}: {message.message}" if message.message else message.text

    def _show(self) -> None:
        watchers = self._publisher.get_num_connections()
        if watchers == 0:
            self._watchers = 0
            return
        message = self._world
        with self._lock:
            if watchers > self._watchers:
                self._book.forget()
            self._watchers = watchers
            for log in self._ways.values():
                del log.spots[:-_MOST_SPOTS]
            marks = [*self._still, *draw.place_marks(places_section(self._run), self._letters),
                     *draw.way_marks({name: log.spots for name, log in self._ways.items()}),
                     *draw.stack_marks(self._task, self._stack, self._above, self._letters)]
            if message is not None:
                marks += draw.world_marks(WORLD.from_msg(message), self._known, self._letters, self._radii)
            fresh, gone = self._book.turn(marks)
        if fresh or gone:
            stamp = rospy.Time(0)  # Whatever the clock: they stand in the fixed frame.
            self._publisher.publish(MarkerArray([*(marker_of(mark, number, stamp) for number, mark in fresh),
                                                 *(_gone(mark, number, stamp) for number, mark in gone)]))


def marker_of(mark: draw.Mark, number: int, stamp: rospy.Time) -> Marker:
    """Convert a mark to a message.

    Args:
        mark: form, pose and size, metres in the world frame.
        number: id within its namespace.
        stamp: ROS time.

    Returns:
        The marker.
    """
    marker = Marker(ns=mark.space, id=number, type=_FORMS[mark.form], action=Marker.ADD, text=mark.text,
                    pose=pose_to_msg(mark.pose), scale=Vector3(*mark.size), color=ColorRGBA(*mark.colour),
                    points=[Point(*point) for point in mark.points])
    marker.header.frame_id, marker.header.stamp = WORLD_FRAME, stamp
    if mark.form in (draw.STRIP, draw.LINES):
        marker.scale = Vector3(mark.size[0], 0.0, 0.0)
    return marker


def _gone(mark: draw.Mark, number: int, stamp: rospy.Time) -> Marker:
    marker = Marker(ns=mark.space, id=number, action=Marker.DELETE, pose=pose_to_msg(mark.pose))
    marker.header.frame_id, marker.header.stamp = WORLD_FRAME, stamp
    return marker


def main() -> None:
    """Run the node."""
    run("markers", lambda: Markers(load_configuration()))
