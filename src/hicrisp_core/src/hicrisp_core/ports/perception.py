"""What looks at pictures is asked and answers, and where pictures come from."""

from __future__ import annotations

from typing import Optional, Protocol, Tuple

from hicrisp_core.model import Picture, Track, Tracks
from hicrisp_core.ports.observer import Frames

POSES, CAMERA = "poses", "camera"
"""How objects are seen: by frames of their names, or by a depth camera's pictures."""


class Camera(Protocol):
    """Delivers pictures."""

    def take(self) -> Optional[Picture]:
        """Return the latest picture; ``None`` if none arrived."""


class TrackSource(Protocol):
    """Returns the tracks of the objects."""

    def look(self) -> Tracks:
        """Return what the latest picture shows; the previous view with its own stamp if no new picture arrived."""

    def forget(self) -> None:
        """Drop all tracks because the world was reset."""


class ObjectTracker(Protocol):
    """Turns pictures into tracks; it remembers what it saw, and is asked in the order of time."""

    def look(self, picture: Picture, robots: Frames) -> Tuple[Track, ...]:
        """Update the tracks with a picture. Pictures must come in the order of their stamps.

        Args:
            picture: registered colour and depth images (m), with the camera's pose in the world frame.
            robots: frames of the robots' links, tools and fingers at the picture's moment. They mask the robot's
                own body and determine what is in a hand.

        Returns:
            All tracks after this picture: visible, hidden, held and gone objects.
        """

    def look_closer(self, picture: Picture, robots: Frames) -> Tuple[Track, ...]:
        """Look for what the last picture hid in one of another camera, such as the hand's.

        Args:
            picture: as of the first camera.
            robots: frames of the robots at the picture's moment.

        Returns:
            All tracks after this picture.
        """

    def afterwards(self) -> None:
        """Do deferred work after the tracks of the last picture were published."""

    def forget(self) -> None:
        """Drop all tracks because the world was reset."""
