"""Pictures for the run folder, where something serves ``snapshot``; a task never waits long for one."""

from __future__ import annotations

import re
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from threading import Event
from typing import Any, Mapping, Optional, Set

import rospy
from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace.events import PlanMade, TaskFinished, VerdictGiven
from hicrisp_core.trace.read_event import event_of
from hicrisp_ros.config_files import parameter
from hicrisp_ros.service_client import ServiceClient, offered

from hicrisp_msgs.srv import Snapshot, SnapshotRequest

STILL_LIMIT = 2.0
ANIMATION_LIMIT = 30.0
WARM_LIMIT = 60.0
BEFORE = "before"
_SCENE, _EYE = "snapshot", "camera_view"
"""The services of a simulated scene, and of the perception."""


class Camera:
    """Takes pictures into a folder; it falls silent for a task when the service does not answer in
    ``~picture_limit`` seconds.
    """

    def __init__(self) -> None:
        self._limit = float(parameter("picture_limit", STILL_LIMIT))
        self._clients = {name: ServiceClient(name, Snapshot) for name in (_SCENE, _EYE)}
        self._there: Set[str] = set()
        self._thread = ThreadPoolExecutor(1, "camera")
        self._folder: Optional[Path] = None
        self._before: "Optional[Future[Optional[str]]]" = None
        self._count = 0
        self._closed = False

    def warm(self) -> None:
        """Take a picture for nobody once there is a camera: the first one takes long, and no task shall wait for it."""
        self._thread.submit(self._clients[_SCENE].call, SnapshotRequest(caption="warming up"), WARM_LIMIT)

    def close(self) -> None:
        """Take no more pictures."""
        self._closed, self._folder = True, None

    def begin(self, folder: Path) -> None:
        """Prepare the pictures of a new task; the first is taken while the task is planned.

        Args:
            folder: the run folder.
        """
        self._before = None
        self._there = set() if self._closed else {name for name in (_SCENE, _EYE) if offered(name)}
        self._folder = folder / "pictures" if self._there else None
        self._count = 0
        if _SCENE in self._there:
            self._before = self._thread.submit(self._take, BEFORE, _SCENE)

    def take(self, caption: str) -> Optional[str]:
        """Take a picture of the scene.

        Args:
            caption: shown below it; names the file.

        Returns:
            Path relative to the run folder; ``None`` without a camera or in time.
        """
        if caption == BEFORE and self._before is not None:
            try:
                return self._before.result(self._limit)
            except FutureTimeout:
                return None
        return self._take(caption, _SCENE)

    def look(self, caption: str) -> Optional[str]:
        """Take the image of the perception's camera, with what was recognised drawn in.

        Args:
            caption: shown below it; names the file.

        Returns:
            Path relative to the run folder; ``None`` without a camera or in time.
        """
        return self._take(caption, _EYE)

    def _take(self, caption: str, service: str) -> Optional[str]:
        if self._folder is None or service not in self._there:
            return None
        self._count += 1
        words = re.sub("[^a-z0-9]+", "-", caption.lower()).strip("-")[:48]
        name = f"{self._count:03d}-{'camera-' if service == _EYE else ''}{words}"
        return self._save(SnapshotRequest(caption=caption), self._limit, self._folder, name, service)

    def animate(self, since: float, cancel: Event) -> None:
        """Write the task as an animation, ``overview.webp``; it takes seconds, which a cancel cuts short.

        Args:
            since: start in simulation time, seconds.
            cancel: event that ends the wait.
        """
        if self._folder is None or _SCENE not in self._there or not since > 0.0:
            return
        drawn = self._thread.submit(self._save, SnapshotRequest(caption="overview", since=since), ANIMATION_LIMIT,
                                    self._folder.parent, "overview")
        wait_until(drawn.done, Deadline(ANIMATION_LIMIT), cancel, in_vain=lambda: self._closed)

    def _save(self, request: SnapshotRequest, limit: float, folder: Path, name: str,
              service: str = _SCENE) -> Optional[str]:
        reply = self._clients[service].call(request, limit)
        taken = reply.response
        if taken is None:
            rospy.logwarn("no more pictures of this task: %s", reply.message)
            self._there.discard(service)
            return None
        if not taken.ok:
            rospy.logwarn("no picture: %s", taken.message)
            return None
        kind = next((suffix for suffix in ("webp", "png", "gif") if suffix in taken.image.format), "jpg")
        file = folder / f"{name}.{kind}"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(taken.image.data)
        except OSError as error:
            rospy.logwarn("no more pictures of this task: %s", error)
            self._folder = None
            return None
        root = folder.parent if folder.name == "pictures" else folder
        return str(file.relative_to(root))


def caption_of(entry: Mapping[str, Any]) -> str:
    """Write the caption for a picture after an event.

    Args:
        entry: an event as it is written.

    Returns:
        The caption; empty for an event that needs no picture.
    """
    event = event_of(entry)
    if isinstance(event, PlanMade):
        return "new plan" if event.from_step else BEFORE
    if isinstance(event, VerdictGiven):
        return (event.feedback.error if event.feedback else "") or "after the command"
    return "after" if isinstance(event, TaskFinished) else ""


def wants_eye(entry: Mapping[str, Any]) -> bool:
    """Check whether the perception's camera image is recorded after an event: at the start, after a failure
    and at the end.

    Args:
        entry: an event as it is written.

    Returns:
        Whether it is.
    """
    event = event_of(entry)
    return (isinstance(event, (PlanMade, TaskFinished))
            or isinstance(event, VerdictGiven) and event.ok is not True)
