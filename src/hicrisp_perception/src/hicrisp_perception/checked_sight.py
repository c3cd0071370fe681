"""Perception that only uses a camera whose pose matches its configuration."""

from __future__ import annotations

import math
from typing import Optional, Tuple

from hicrisp_core.errors import HicrispError
from hicrisp_core.model.picture import Picture
from hicrisp_core.model.track import Track
from hicrisp_core.ports.eyes import Frames
from hicrisp_core.ports.perception import Perception
from hicrisp_core.scene import Scene

from hicrisp_perception.mounting import GoalError, mounting_check
from hicrisp_perception.tag_corners import TagFinder

_AGAIN = 1.0
"""Time after a misfit until the mounting is checked again, seconds of the images' stamps."""
_KNOCKED = 5.0
"""Seconds of the same from one check of a camera that was in its place to the next."""


class CameraMisplaced(HicrispError):
    """A camera's pose differs from its configuration: its images cannot locate objects."""

    def __init__(self, misfit: GoalError) -> None:
        super().__init__(misfit.reason)
        self.misfit = misfit


class CheckedSight:
    """A perception that begins once a picture fits the camera's mounting; implements ``Perception``.

    It goes on to compare, and ends when two checks one after the other find that the camera was knocked.

    Args:
        sight: what looks at the pictures then.
        scene: the table, the markers, and how far off the camera may be.
    """

    def __init__(self, sight: Perception, scene: Scene) -> None:
        self._sight, self._scene, self._finder = sight, scene, TagFinder()
        self._fits = self._doubted = False
        self._misfit: Optional[GoalError] = None
        self._last: Optional[Tuple[Picture, Frames]] = None
        self._next = self._checked = -math.inf

    def look(self, picture: Picture, robots: Frames) -> Tuple[Track, ...]:
        """Return all tracks after an image.

        Args:
            picture: colour and depth with stamp, lens and camera pose.
            robots: pose and stamp of the robots' frames, world frame.

        Returns:
            The tracks.

        Raises:
            CameraMisplaced: until an image has fitted the mounting, and again after the camera was moved.
            PictureError: if the parts of the image are inconsistent.
        """
        if self._doubted:
            self._check_again(picture, robots)
        if not self._fits:
            self._check(picture, robots)
        self._last = picture, robots
        return self._sight.look(picture, robots)

    def afterwards(self) -> None:
        """Compare the last image with the mounting if that is due; this takes longer than most images."""
        self._sight.afterwards()
        if self._fits and self._last is not None and not (
                self._checked <= self._last[0].stamp < self._checked + _KNOCKED):
            self._check_again(*self._last)

    def forget(self) -> None:
        """Reset after the world was reset; the camera's mounting stays valid."""
        self._sight.forget()
        self._next = self._checked = -math.inf

    def _check_again(self, picture: Picture, robots: Frames) -> None:
        """One picture that does not fit may show anything before the table; two show a knocked camera."""
        misfit = mounting_check(picture, robots, self._scene, self._finder)
        self._checked = picture.stamp
        if misfit is not None and self._doubted:
            self._fits, self._misfit, self._next = False, misfit, picture.stamp + _AGAIN
            self._sight.forget()  # What was seen since the knock is not where it seemed to be.
        self._doubted = misfit is not None

    def _check(self, picture: Picture, robots: Frames) -> None:
        if self._misfit is None or not self._next - _AGAIN <= picture.stamp < self._next:
            self._misfit = mounting_check(picture, robots, self._scene, self._finder)
            self._next = picture.stamp + _AGAIN
        if self._misfit is not None:
            raise CameraMisplaced(self._misfit)
        self._fits, self._doubted, self._checked = True, False, picture.stamp
