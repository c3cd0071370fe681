"""From a camera's pictures to tracks: tags, shapes, what is hidden, held or gone, and unknown objects."""

from hicrisp_perception.calibration.mounting import CameraMisplaced, CheckedTracker, MountingError, mounting_check
from hicrisp_perception.scene_tracker import SceneTracker, TrackerSettings
from hicrisp_perception.view import PictureError

__all__ = ["CameraMisplaced", "CheckedTracker", "MountingError", "PictureError", "SceneTracker", "TrackerSettings",
           "mounting_check"]
