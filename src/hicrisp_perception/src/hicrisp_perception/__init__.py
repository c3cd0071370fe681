"""From a camera's pictures to tracks: tags, shapes, what is hidden, held or gone, and unknown objects."""

from hicrisp_perception.checked_sight import CameraMisplaced, CheckedSight
from hicrisp_perception.mounting import GoalError, mounting_check
from hicrisp_perception.sight import SceneSight, SightSettings
from hicrisp_perception.view import PictureError

__all__ = ["CameraMisplaced", "CheckedSight", "GoalError", "PictureError", "SceneSight", "SightSettings",
           "mounting_check"]
