"""The naming of unknown objects over ROS: beside the perception, where the configuration names a role ``vision``."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import FrozenSet, Optional, Tuple

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.models import Models
from hicrisp_core.model import Picture, Track, Tracks
from hicrisp_core.ports.brain import Usage
from hicrisp_core.trace.exchanges import ExchangeFile
from hicrisp_core.trace.task_state import ENDED
from hicrisp_ros.config_files import parameter
from hicrisp_ros.llm_choice import chosen_llm
from hicrisp_ros.node_threads import NodeThread
from hicrisp_ros.ports.detector import RosNamer
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.tracks import NAMED
from std_msgs.msg import Bool

from hicrisp_msgs.msg import LlmUsage, TaskStatus, WorldState
from hicrisp_perception.live_naming import LiveNamer, live_namer

RECORD = "naming.jsonl"
"""File in ``runs_dir`` that gets the exchanges, as a run's ``llm.jsonl``; they belong to no task."""
_ENDED = frozenset(getattr(TaskStatus, state.name) for state in ENDED)
_PATIENCE = 2.0
"""Wall seconds in which the detector publishes a world."""


class NamingServer:
    """Asks in a thread of its own, so that no image waits for a model.

    Args:
        namer: decides what is asked.
        record: file that gets the exchanges.
    """

    def __init__(self, namer: LiveNamer, record: Path) -> None:
        self._namer, self._record = namer, ExchangeFile(record)
        self._due: Optional[Tuple[Picture, Tuple[Track, ...]]] = None
        self._news = Event()
        self._named = Publisher(NAMED, Bool, queue_size=1, latch=True)
        self._usage = Publisher("llm_usage", LlmUsage, queue_size=20)
        self._settled = False
        self._thread = NodeThread("naming", self._loop, self._wake)
        self._thread.start()

    def show(self, picture: Picture, view: Tracks) -> None:
        """Take in the newest image; does not block.

        Args:
            picture: the image.
            view: the tracks of the image, by their own names.
        """
        tracks = self._namer.due(view)
        if tracks:
            self._due = picture, tracks
            self._news.set()
        settled = self._namer.settled(view.stamp)
        if settled is not self._settled:
            self._settled = settled
            self._named.publish(Bool(settled))

    def forget(self) -> None:
        """Drop all objects because the world was reset."""
        self._namer.forget()

    def stop(self) -> None:
        """Stop naming; does not wait for an answer."""
        self._thread.end()

    def _wake(self) -> None:
        self._namer.forget()  # An answer that waits for the end of a task is dropped.
        self._news.set()

    def _loop(self, ended: Event) -> None:
        spent = Usage()
        while not ended.is_set():
            self._news.wait()
            self._news.clear()
            due, self._due = self._due, None
            if due is None or ended.is_set():
                continue
            try:
                usage = self._namer.ask(*due)
                if usage.calls:
                    spent = spent + usage
                    self._usage.publish(LlmUsage("", spent.calls, spent.prompt_tokens, spent.completion_tokens,
                                                 spent.seconds, []))
                for exchange in usage.exchanges:
                    self._record.add(exchange.as_dict())
            except OSError as error:
                rospy.logerr_throttle(60.0, f"what was asked about unknown objects is not recorded: {error}")


class TaskWatch:
    """Hears whether a task is carried out."""

    def __init__(self) -> None:
        self._state = TaskStatus.SUCCEEDED
        self._subscriber = rospy.Subscriber("task_status", TaskStatus, self._hear, queue_size=5)

    def _hear(self, status: TaskStatus) -> None:
        self._state = status.state

    def idle(self) -> bool:
        """Check whether no task is carried out.

        Returns:
            True if the last task has ended, or none was submitted.
        """
        return self._state in _ENDED


def open_naming() -> Optional[NamingServer]:
    """Create the naming that the parameters ask for.

    Returns:
        The server; ``None`` if no model is to name objects. The log says why if one cannot be used.
    """
    try:
        settings, _ = chosen_llm()
        models = Models(settings)
        namer = live_namer(models, RosNamer().give_name, _unnamed, TaskWatch().idle)
    except ConfigError as error:
        rospy.logerr(f"unknown objects get no names: {error}")
        return None
    if namer is None:
        return None
    models.begin_probe()
    rospy.loginfo("the role vision of '%s' names unknown objects", settings.name)
    return NamingServer(namer, Path(str(parameter("runs_dir", "runs"))).expanduser() / RECORD)


def _unnamed() -> Optional[FrozenSet[str]]:
    """The names in the world: an unknown object that nobody has named is among them by its track's name."""
    try:
        world = rospy.wait_for_message("world_state", WorldState, _PATIENCE)
    except rospy.ROSException:
        return None
    return frozenset(each.name for each in world.objects)
