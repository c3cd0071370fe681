"""What is wanted of a running Gazebo, and how it says no."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Optional, Protocol, Tuple

from hicrisp_core.model import Pose, Vector

from hicrisp_gazebo.scene_models import Model


class Refusal(Enum):
    """Why Gazebo did not do something."""

    EXISTS = "there is a model of that name already"
    MISSING = "there is no model of that name"
    SILENT = "Gazebo did not answer"
    OTHER = "Gazebo refused"


_TEXTS = (("already exist", Refusal.EXISTS), ("does not exist", Refusal.MISSING))


@dataclass(frozen=True)
class Answer:
    """What came of a request; the pose, or the names of the models, where they were asked for."""

    refusal: Optional[Refusal] = None
    message: str = ""
    pose: Optional[Pose] = None
    models: Tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.refusal is None


def refusal_in(text: str) -> Refusal:
    """The refusal that one of Gazebo's texts means: its services tell the reason in words only."""
    return next((refusal for part, refusal in _TEXTS if part in text), Refusal.OTHER)


class Gazebo(Protocol):
    """A running Gazebo. Poses are in the world frame; nothing waits without limit."""

    def models(self) -> Answer:
        """The names of all models."""

    def spawn(self, model: Model) -> Answer:
        """Put a new model into the world."""

    def place(self, name: str, pose: Pose, velocity: Vector = (0.0, 0.0, 0.0)) -> Answer:
        """Teleport a model; afterwards it moves at a velocity (m/s)."""

    def delete(self, name: str) -> Answer:
        """Take a model out of the world."""

    def pose(self, name: str) -> Answer:
        """Where a model is."""

    def paused(self) -> "AbstractContextManager[None]":
        """While inside, the physics stands still."""
