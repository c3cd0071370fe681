"""A camera in a thread of its own: pictures of now, and an animation of what was seen since a moment."""

from __future__ import annotations

from collections import deque
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Deque, Dict, List, Tuple

import mujoco
import rospy
from hicrisp_core.errors import HicrispError
from sensor_msgs.msg import CompressedImage

from hicrisp_msgs.srv import SnapshotRequest, SnapshotResponse
from hicrisp_sim.draughtsman import Draughtsman
from hicrisp_sim.render import SIZE, Renderer, save_animation
from hicrisp_sim.simulation import Simulation, Snapshot

_REMEMBERED = 20000
_LEAST_APART = 0.05
"""Seconds of simulated time between two remembered snapshots."""
_FRAMES = 90
_FRAME_SECONDS = 0.1
_SMALL = (480, 360)
_STILL_LIMIT, _ANIMATION_LIMIT = 5.0, 60.0
"""Wall seconds that a picture and an animation may take."""


class SceneCamera:
    """Takes pictures of a simulation; every OpenGL call happens in its one thread."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._thread = Draughtsman("camera")
        self._renderers: Dict[Tuple[int, int], Tuple[mujoco.MjModel, Renderer]] = {}
        self._seen: Deque[Snapshot] = deque(maxlen=_REMEMBERED)

    def remember(self, snapshot: Snapshot) -> None:
        """Keep a snapshot for the animation, if enough time has passed since the last one.

        Args:
            snapshot: state of the simulation.
        """
        if not self._seen or snapshot.time - self._seen[-1].time >= _LEAST_APART:
            self._seen.append(snapshot)

    def forget(self) -> None:
        """Drop the snapshots after the world was reset."""
        self._seen.clear()

    def answer(self, request: SnapshotRequest) -> SnapshotResponse:
        """Answer a request for an image.

        Args:
            request: with ``since`` (simulation time) above 0 an animation starting there is requested.

        Returns:
            The current image (JPEG) or an animation (WebP).
        """
        image = CompressedImage()
        image.header.stamp = rospy.Time.from_sec(self._simulation.time)
        try:
            if request.since > 0.0:
                seen = [snapshot for snapshot in list(self._seen) if snapshot.time >= request.since]
                picture = self._thread.do(partial(self._animation, seen or [self._simulation.snapshot]))
                image.format, image.data = "webp", picture.result(_ANIMATION_LIMIT)
            else:
                image.format, image.data = "jpeg", self._thread.do(self._jpeg).result(_STILL_LIMIT)
        except (HicrispError, FutureTimeout) as error:
            return SnapshotResponse(ok=False, message=str(error) or "the picture took too long")
        return SnapshotResponse(ok=True, image=image)

    def _jpeg(self) -> bytes:
        snapshot = self._simulation.snapshot
        renderer = self._renderer(SIZE, shadows=True)
        with TemporaryDirectory() as folder:
            return renderer.save(snapshot, Path(folder) / "picture.jpg").read_bytes()

    def _animation(self, seen: List[Snapshot]) -> bytes:
        stride = max(1, -(-len(seen) // _FRAMES))
        renderer = self._renderer(_SMALL, shadows=False)
        pictures = [renderer.draw(snapshot).copy() for snapshot in [*seen[::stride], seen[-1]]]
        with TemporaryDirectory() as folder:
            return save_animation(pictures, Path(folder) / "overview.webp", _FRAME_SECONDS).read_bytes()

    def _renderer(self, size: Tuple[int, int], shadows: bool) -> Renderer:
        """Return the one for pictures of this size, kept until the model is another: making one takes as long as
        drawing eight small pictures.
        """
        model = self._simulation.model
        if size in self._renderers:
            drawn, renderer = self._renderers[size]
            if drawn is model:
                return renderer
            renderer.close()
        self._renderers[size] = (model, Renderer(model, size, shadows))
        return self._renderers[size][1]
