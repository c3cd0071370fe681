"""Where a move_base would drive, asked beforehand and compared with the ground that must be kept out of."""

from __future__ import annotations

from threading import Event
from typing import Optional

from hicrisp_core.model import Cause, CauseKind, KeepOut, Outcome, Pose, Status
from hicrisp_core.model.keep_out import crossed, overlapped
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.time.deadline import Deadline

from hicrisp_move_base.keep_out_layer import KeepOutLayer
from hicrisp_move_base.services import Services
from hicrisp_move_base.settings import MoveBaseSettings


class Ways:
    """Asks for paths and refuses those on which any part of the base would be over forbidden ground.

    Args:
        radius: of the base's round footprint, metres.
    """

    def __init__(self, settings: MoveBaseSettings, services: Services, radius: float) -> None:
        self._settings = settings
        self._services = services
        self._radius = radius
        self._layer = KeepOutLayer(settings)

    def show(self, constraints: Constraints, cancel: Event) -> None:
        """Let the costmaps know the ground to keep out of, where they read it."""
        changed = self._layer.show(constraints.keep_out, Deadline(self._settings.service_wait))
        if changed and self._layer.heard:
            self._services.wait_for_update(cancel)

    def leads(self, start: Pose, goal: Pose, constraints: Constraints) -> Optional[bool]:
        """Whether a path that respects the constraints leads to a goal; ``None`` where nobody says."""
        if overlapped(goal, self._radius, constraints.keep_out):
            return False
        path = self._services.path(start, goal)
        return None if path is None else bool(path) and crossed(path, self._radius,
                                                                constraints.keep_out) is None

    def refusal(self, start: Pose, goal: Pose, constraints: Constraints, cancel: Event) -> Optional[Outcome]:
        """Why a drive must not begin; ``None`` when it may."""
        ground = constraints.keep_out
        taken = overlapped(goal, self._radius, ground)
        if taken is not None:
            return _refused(taken, f"the goal is too near to {taken}, which must not be entered")
        path = self._services.path(start, goal)
        if path is not None and not path and self._services.clear_costmaps(cancel) and not cancel.is_set():
            path = self._services.path(start, goal)
        if cancel.is_set():
            return Outcome(Status.CANCELED, "the drive was canceled while the base stood",
                           cause=Cause(CauseKind.CANCELED))
        if path is None:
            return None if not ground else Outcome(
                Status.PRECONDITION,
                f"{self._settings.action}/make_plan does not answer, so nobody knows whether the "
                f"path keeps out of {ground[0]}", cause=Cause(CauseKind.UNSUPPORTED, ("keep_out",)))
        if not path:
            return Outcome(Status.PLANNING, "no path leads there", cause=Cause(CauseKind.NO_PATH))
        over = crossed(path, self._radius, ground)
        if over is None:
            return None
        advice = "" if self._layer.heard else \
            (f"; let its costmaps read '{self._settings.keep_out or 'keep_out'}' with a static layer "
             "to drive around it")
        return _refused(over, f"move_base's path leads over {over}, which must not be entered{advice}")


def _refused(ground: KeepOut, message: str) -> Outcome:
    kind = CauseKind.FORBIDDEN if ground.name else CauseKind.UNSUPPORTED
    return Outcome(Status.PRECONDITION, message, cause=Cause(kind, (ground.name or "keep_out",)))
