"""What looks at pictures is asked and answers, and where pictures come from."""

from __future__ import annotations

from typing import Optional, Protocol, Tuple

from hicrisp_core.model.picture import Picture
from hicrisp_core.model.track import Track, View
from hicrisp_core.ports.eyes import Frames

POSES, CAMERA = "poses", "camera"
"""How things are seen: by frames of their names, or by a depth camera's pictures."""


class Camera(Protocol):
    """Delivers pictures."""

    def take(self) -> Optional[Picture]:
        """What is to be seen now; ``None`` when no picture came."""


class Sight(Protocol):
    """Looks at the things."""

    def look(self) -> View:
        """What is to be seen now; what was seen last, with its stamp, where no picture came."""

    def forget(self) -> None:
        """The world began again."""


class Perception(Protocol):
    """Turns pictures into tracks; it remembers what it saw, and is asked in the order of time."""

    def look(self, picture: Picture, robots: Frames) -> Tuple[Track, ...]:
        """All tracks after this picture: what is seen, hidden, held and gone.

        Args:
            robots: frames of the robots' links, tools and fingers at the picture's moment, by which the
                robot's own body is told from things, and what is in a hand is known.
        """

    def afterwards(self) -> None:
        """Do what can wait until the tracks of the last picture were told."""

    def forget(self) -> None:
        """The world began again."""
