"""The pictures of a whole task: an arm carries it out, and a camera looks on."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Dict, Iterator, List, Tuple

from hicrisp_core.factory import load_factory
from hicrisp_core.model import Pose, Task
from hicrisp_core.model.picture import Picture
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.simulation import Snapshot
from hicrisp_sim.tracker import Tracker

Moment = Tuple[Picture, Dict[str, Pose]]
"""A picture, and the robot's frames when it was taken."""


@contextmanager
def task_stream(config: Path, scene: Scene, seed: int, most: int) -> Iterator[Iterator[Moment]]:
    """What a camera sees while the scene's own task is carried out in one process, at the camera's rate of
    simulated time.

    Args:
        most: pictures, from the first on.
    """
    parts = load_factory(config, scene.domain, "hierarchical", bodies=bodies_of(scene))
    world = EmbeddedWorld(scene, seed, domain=parts.domain)
    period, moments, enough = 1.0 / world.camera.settings.rate, [world.simulation.snapshot], Event()

    def remember() -> None:
        snapshot = world.simulation.snapshot
        if len(moments) >= most:
            enough.set()
        elif snapshot.time - moments[-1].time >= period:
            moments.append(snapshot)

    world.simulation.listeners.append(remember)
    try:
        executive = parts.executive({world.robot.name: world.robot}, world, lambda event: None, enough)
        executive.run(Task(scene.task))
        world.simulation.listeners.remove(remember)
        yield _pictures(world, moments)
    finally:
        world.close()


def _pictures(world: EmbeddedWorld, moments: List[Snapshot]) -> Iterator[Moment]:
    tracker = Tracker(world.description.links())
    for snapshot in moments:
        picture = world.camera.take(snapshot)
        if picture is not None:
            yield picture, tracker.read(snapshot)[0]
