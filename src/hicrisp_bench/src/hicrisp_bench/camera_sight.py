"""The embedded world by its camera: the only place where a world and the perception meet in one process."""

from __future__ import annotations

from typing import Callable

from hicrisp_core.model.track import BLIND, View
from hicrisp_core.ports.eyes import Frames
from hicrisp_core.ports.perception import Camera, Perception
from hicrisp_perception.checked_sight import CheckedSight
from hicrisp_perception.sight import SceneSight
from hicrisp_sim.embedded import EmbeddedWorld


class CameraSight:
    """Takes a picture for every look.

    Args:
        robots: the frames of the robots at this moment.
    """

    def __init__(self, camera: Camera, perception: Perception, robots: Callable[[], Frames]) -> None:
        self._camera = camera
        self._perception = perception
        self._robots = robots
        self._view = BLIND

    def look(self) -> View:
        """What is to be seen now; what was seen last, with its stamp, where no picture came."""
        picture = self._camera.take()
        if picture is not None:
            self._view = View(picture.stamp, self._perception.look(picture, self._robots()))
            self._perception.afterwards()
        return self._view

    def forget(self) -> None:
        """The world began again."""
        self._perception.forget()
        self._view = BLIND


def camera_sight(world: EmbeddedWorld) -> CameraSight:
    """Observe a world by its own camera alone; the mounting is checked first.

    Args:
        world: the simulation with its camera.

    Returns:
        The observer.
    """
    return CameraSight(world.camera, CheckedSight(SceneSight(world.scene), world.scene), world.robot_frames)
