"""The node ``recorder``: each task's topics into two files in its run folder, as long as the task runs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import RLock
from typing import Any, Dict, Optional, Tuple

import genpy
import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.trace.events import TaskFinished, TaskReceived
from hicrisp_core.trace.read_event import event_of
from hicrisp_ros.config_files import load_configuration, own_topic, parameter
from hicrisp_ros.diagnostics import ERROR, Diagnostics, Health
from hicrisp_ros.wall_clock import WallTimer

from hicrisp_msgs.msg import Event
from hicrisp_nodes.recording.tape import Raw, Tape, packed
from hicrisp_nodes.recording.topics import BASE, Choice, Chosen

_LOOK = 1.0
"""Wall seconds between two looks for topics that are new."""
_AFTER = 1.0
"""Wall seconds after the end of a task that belong to it."""
_BUFFER = 2 ** 23
_EVENTS = "events"


class Recorder:
    """Listens to what is chosen and writes it while a task runs; of latched topics it keeps the last
    messages, with which every recording begins.

    Args:
        runs: the folder that gets one folder for each task.
    """

    def __init__(self, choice: Choice, runs: Path) -> None:
        self._choice = choice
        self._runs = runs
        self._lock = RLock()
        self._tape: Optional[Tape] = None
        self._task, self._ends, self._why = "", 0.0, ""
        self._latched: Dict[Tuple[str, str], Raw] = {}
        self._written: Dict[str, float] = {}
        self._subscribers: Dict[str, Any] = {}
        self._events = rospy.resolve_name(_EVENTS)
        self._look()
        self._timer = WallTimer(_LOOK, self._look, "topics")
        self._diagnostics = Diagnostics("recording", self._health)
        rospy.on_shutdown(self._end)

    def _look(self) -> None:
        """Listen to topics that have come up, and close a recording whose task is over."""
        published = dict(rospy.get_published_topics())
        for topic, kind in published.items():
            chosen = self._choice.of(topic, kind, published)
            if chosen is not None and topic not in self._subscribers:
                self._subscribers[topic] = rospy.Subscriber(
                    topic, rospy.AnyMsg, self._take, (topic, chosen), queue_size=200, buff_size=_BUFFER,
                    tcp_nodelay=True)
        with self._lock:
            if self._ends and time.monotonic() > self._ends:
                self._end()

    def _take(self, message: genpy.Message, told: Tuple[str, Chosen]) -> None:
        topic, chosen = told
        header = message._connection_header
        # rospy has read it already where this node listens to the topic with its type, as to a simulated clock.
        data = bytes(message._buff) if isinstance(message, rospy.AnyMsg) else packed(message)
        raw = Raw(topic, header["type"], header["md5sum"], header["message_definition"], data,
                  header.get("callerid", ""), header.get("latching") == "1")
        with self._lock:
            if raw.latched:
                self._latched[topic, raw.caller] = raw
            if topic == self._events:
                self._follow(raw)
            now = time.monotonic()
            if chosen.rate > 0.0 and now - self._written.get(topic, 0.0) < 1.0 / chosen.rate:
                return
            self._written[topic] = now
            self._write(raw)

    def _follow(self, raw: Raw) -> None:
        """Begin and end with the tasks."""
        message = Event()
        try:
            message.deserialize(raw.data)
            event = event_of(json.loads(message.json))
        except (genpy.DeserializationError, ValueError, AttributeError, RecursionError):
            return
        if isinstance(event, TaskReceived):
            self._end()
            self._begin(message.task_id)
        elif isinstance(event, TaskFinished) and message.task_id == self._task:
            self._ends = time.monotonic() + _AFTER

    def _begin(self, task: str) -> None:
        folder = self._runs / task
        if not task or folder.parent != self._runs:
            return
        try:
            self._tape, self._task, self._ends, self._why = Tape(folder), task, 0.0, ""
        except OSError as error:
            self._fail(error)
            return
        for raw in list(self._latched.values()):
            self._write(raw)

    def _write(self, raw: Raw) -> None:
        if self._tape is None:
            return
        try:
            self._tape.write(raw, max(rospy.get_rostime(), genpy.Time(0, 1)))
        except (OSError, ValueError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._why = f"{self._task}: {error}"
        rospy.logerr("the recording ends: %s", self._why)
        self._tape = None

    def _end(self) -> None:
        with self._lock:
            tape, self._tape, self._ends = self._tape, None, 0.0
            if tape is None:
                return
            try:
                tape.close()
            except (OSError, ValueError) as error:
                self._fail(error)
                return
            rospy.loginfo("recorded %d messages of the task %s", tape.messages, self._task)

    def _health(self) -> Health:
        with self._lock:
            values = {"topics": len(self._subscribers),
                      "messages": self._tape.messages if self._tape is not None else 0}
            if self._why:
                return Health(self._why, ERROR, values)
            return Health(f"records {self._task}" if self._tape is not None else "waits for a task",
                          values=values)


def build() -> Recorder:
    """The recorder that the parameters ask for.

    Raises:
        ConfigError: for a number of pictures that is none.
    """
    scene = load_configuration().scene
    rate = float(parameter("pictures", 1.0))
    if not 0.0 <= rate <= 30.0:
        raise ConfigError(f"~pictures is a number of pictures a second from 0 to 30, not {rate:g}")
    topics = load_camera(scene.camera, scene.source or None).topics
    pictures = tuple(map(rospy.resolve_name, (topics.colour, topics.info)))
    more = tuple(str(parameter("topics", "")).split())
    runs = Path(str(parameter("runs_dir", "runs"))).expanduser().resolve()
    return Recorder(Choice(rospy.get_namespace(), pictures, rate, (*map(own_topic, BASE), *more)), runs)
