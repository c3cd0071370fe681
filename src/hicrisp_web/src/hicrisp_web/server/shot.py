"""A picture of the scene as the page asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Shot:
    """A picture.

    Args:
        image: its bytes; empty where there is none now.
        kind: its media type.
        eye: ``camera`` for what the robot's camera sees, ``scene`` for what a simulated world shows.
        age: seconds of the robot's clock since it was taken.
    """

    image: bytes = b""
    kind: str = ""
    eye: str = "scene"
    age: float = 0.0


NO_SHOT = Shot()
Camera = Callable[[str], Shot]
"""Takes a picture of the scene, or of the object that words name."""


def no_camera(_: str) -> Shot:
    """There is no camera."""
    return NO_SHOT
