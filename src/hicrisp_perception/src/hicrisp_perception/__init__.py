"""From a camera's pictures to tracks: tags, shapes, what is hidden, held or gone, and unknown things."""

from hicrisp_perception.sight import SceneSight, SightSettings
from hicrisp_perception.view import PictureError

__all__ = ["PictureError", "SceneSight", "SightSettings"]
