"""From a camera's pictures to tracks: tags, shapes, what is hidden, held or gone, and unknown objects."""

from hicrisp_perception.calibration.mounting import CameraMisplaced, CheckedSight, MountingError, mounting_check
from hicrisp_perception.sight import SceneSight, SightSettings
from hicrisp_perception.view import PictureError

__all__ = ["CameraMisplaced", "CheckedSight", "MountingError", "PictureError", "SceneSight", "SightSettings",
           "mounting_check"]
