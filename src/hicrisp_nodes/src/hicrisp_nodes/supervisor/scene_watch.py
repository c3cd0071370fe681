"""Writes what the supervisor's eyes see during a task into its run folder, for replays."""

from __future__ import annotations

import time
from threading import Event
from types import TracebackType
from typing import Optional, Type

import rospy
from hicrisp_core.scene.scene_record import SceneRecord
from hicrisp_ros.node_threads import NodeThread
from hicrisp_ros.ports.observer import TopicObserver

_PERIOD = 0.5
"""Wall seconds between two looks."""
_PATIENCE = 0.5


class SceneWatch:
    """Looks now and then, in a thread of its own, from the beginning of its block to the end."""

    def __init__(self, observer: TopicObserver, record: SceneRecord) -> None:
        self._observer = observer
        self._record = record
        self._began = time.monotonic()
        self._thread = NodeThread("scene", self._loop)

    def __enter__(self) -> "SceneWatch":
        self._thread.start()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
        trace: Optional[TracebackType]
    ) -> None:
        self._thread.end()
        self._thread.join(_PATIENCE + _PERIOD)

    def _loop(self, ended: Event) -> None:
        seen = -1
        while not rospy.is_shutdown():
            over = ended.wait(_PERIOD)  # What stands at the end is written, too.
            seen, world = self._observer.next(seen, 0.0 if over else _PATIENCE)
            if world is not None:
                try:
                    self._record.see(time.monotonic() - self._began, world)
                except OSError as error:
                    rospy.logwarn("what stands where is not written any more: %s", error)
                    return
            if over:
                return
