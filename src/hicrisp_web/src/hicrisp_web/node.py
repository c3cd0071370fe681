"""The dashboard's node: the workspace's topics and services at one end, a page at the other."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Optional

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_ros.config_files import config_path, load_configuration, own_topic, parameter
from hicrisp_ros.ports.brain import RosInterpreter
from hicrisp_ros.ports.node_client import NodeClient

from hicrisp_msgs.msg import UnderstandAction
from hicrisp_web.history.history import History
from hicrisp_web.live.address import kept_token, write_private
from hicrisp_web.live.brain_reading import BrainReading
from hicrisp_web.live.node_scene import NodeScene
from hicrisp_web.live.queue_watch import QueueWatch
from hicrisp_web.live.services import Services, page_actions_of
from hicrisp_web.live.snapshots import Snapshots
from hicrisp_web.live.topics import HealthWatch, Topics, under_way
from hicrisp_web.live.world_watch import BaseWatch, WorldWatch
from hicrisp_web.server.app import Desk
from hicrisp_web.server.guard import Guard
from hicrisp_web.server.web_thread import PORT, WebThread, listen, names_of
from hicrisp_web.view.board import Board
from hicrisp_web.view.following import Following

_END_LIMIT = 3.0
_BASE_TOPICS = {"scan": "/scan", "map": "/map", "route": "/move_base/NavfnROS/plan"}
"""What a base publishes, by the parameters that name it otherwise."""
LOOPBACK = "127.0.0.1"


class Dashboard:
    """Everything behind the page, and the thread that serves it."""

    def __init__(self) -> None:
        configuration = load_configuration()
        runs = Path(str(parameter("runs_dir", "runs"))).expanduser().resolve()
        board = Board()
        following, services = Following(board), Services()
        self._queue = QueueWatch(board, services, following)
        self._topics = Topics(board, following, self._queue.look)
        self._world = WorldWatch(board, lambda: self._scene.domain(), lambda: following.task)
        self._scene = NodeScene(board, configuration, str(parameter("safety", str(config_path("safety.yaml")))),
                                lambda: self._world.latest)
        self._health = HealthWatch(board)
        self._base: Optional[BaseWatch] = None
        if configuration.scene.arena is not None:
            topics = [str(parameter(name, own_topic(default))) for name, default in _BASE_TOPICS.items()]
            self._base = BaseWatch(board, *topics)
        found = listen(str(parameter("address", LOOPBACK)), int(parameter("port", PORT)))
        port = int(found.getsockname()[1])
        public = str(parameter("public", "")) or f"{LOOPBACK}:{port}"
        shown = public.rpartition(":")[2]
        if not shown.isdigit():
            raise ConfigError(f"~public is a name with a port, such as 127.0.0.1:8080, not '{public}'")
        home = Path(os.environ.get("ROS_HOME") or Path.home() / ".ros")
        token = kept_token(home / "hicrisp_web" / f"{port}.json", str(rospy.get_param("/run_id", "")))
        interpreter = NodeClient("brain/understand", UnderstandAction)
        self._brain = BrainReading(lambda cancel: RosInterpreter(interpreter, cancel), self._scene.domain,
                                   self._scene.world, lambda: _hindered(interpreter, board))
        actions = {**page_actions_of(services, self._queue.look), **self._scene.actions(), **self._brain.actions()}
        guard = Guard(token, {*names_of(port), *names_of(int(shown)), public})
        self._web = WebThread(Desk(board, History(runs), guard, actions, Snapshots()), found)
        rospy.on_shutdown(self._end)
        if not self._web.start():
            raise ConfigError(f"the dashboard does not begin to serve port {port}")
        self._announce(f"http://{public}/#token={token}")

    def _announce(self, address: str) -> None:
        """Say the address where only the user of this machine reads it: not in ROS's log, which all nodes share."""
        file = str(parameter("address_file", ""))
        if file:
            write_private(Path(file).expanduser(), address + "\n")
        sys.stdout.write(f"dashboard: {address}\n")
        sys.stdout.flush()

    def _end(self) -> None:
        self._web.stop()
        self._web.join(_END_LIMIT)


def _hindered(interpreter: NodeClient, board: Board) -> str:
    """Return why the interpreter must not be asked now: the supervisor's question would lose its place."""
    if not interpreter.client.connected:
        return "The brain is not connected; ask again once it is back."
    return "A task is under way; ask again when it has ended." if under_way(board) else ""
