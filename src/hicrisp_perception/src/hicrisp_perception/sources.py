"""The perception sources of the workspace, and the one that a scene names."""

from __future__ import annotations

from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.ports.kinds import PerceptionSource
from hicrisp_core.scene import Scene

from hicrisp_perception.calibration.mounting import CheckedTracker
from hicrisp_perception.scene_tracker import SceneTracker, TrackerSettings


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
