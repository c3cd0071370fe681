"""The perception sources of the workspace, the one that a scene names, and how it is asked."""

from __future__ import annotations

from typing import Callable, Optional, Tuple

from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Picture, Track, Visibility
from hicrisp_core.ports.kinds import PerceptionSource
from hicrisp_core.ports.observer import Frames
from hicrisp_core.ports.perception import ObjectTracker
from hicrisp_core.scene import Scene

from hicrisp_perception.calibration.mounting import CheckedTracker
from hicrisp_perception.scene_tracker import SceneTracker, TrackerSettings


def observe(sight: ObjectTracker, picture: Picture, robots: Callable[[Picture], Frames],
            second: Callable[[float], Optional[Picture]]) -> Tuple[Track, ...]:
    """Return all tracks after a picture; what it hides is looked for in one of a second camera.

    Args:
        sight: the perception.
        picture: colour and depth with stamp, lens and camera pose.
        robots: returns the robots' frames at a picture's moment: pose and stamp, world frame.
        second: takes a picture of a stamp or later with another camera, such as the hand's; asked only while an
            object is hidden.

    Returns:
        The tracks.
    """
    tracks = sight.look(picture, robots(picture))
    if all(track.visibility is not Visibility.HIDDEN for track in tracks):
        return tracks
    other = second(picture.stamp)
    return tracks if other is None else sight.look_closer(other, robots(other))


def open_source(scene: Scene) -> CheckedTracker:
    """Open the source that a scene names, behind the check of the camera's mounting.

    Args:
        scene: its ``perception`` is the source's name in the registry ``sources``.

    Returns:
        The perception; it passes images on while the camera is in its place.

    Raises:
        ConfigError: if the source is unknown (the message lists the valid ones) or cannot serve the scene.
    """
    return CheckedTracker(extensions().sources.get(scene.perception).open(scene), scene)


def _tags_alone(scene: Scene) -> SceneTracker:
    if not scene.tags:
        raise ConfigError("perception: tags recognises objects by their AprilTags, and those of the scene "
                          f"'{scene.name}' wear none; write 'tags: true', or use another source")
    return SceneTracker(scene, TrackerSettings(shapes=False, unknown_objects=False))


SHAPES = PerceptionSource(SceneTracker)
"""Tags, shapes and colours; and objects that the scene does not contain."""
TAGS = PerceptionSource(_tags_alone)
"""Tags alone: for objects whose shapes and colours tell nothing, and for slow machines."""
