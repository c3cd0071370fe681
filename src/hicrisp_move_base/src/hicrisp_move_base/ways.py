"""Where a move_base would drive: asked beforehand, compared with the ground to keep out of, and shown to its costmaps.

``costmap_2d::StaticLayer`` takes a grid of any topic (``map_topic``); one of the map's own size, resolution
and origin leaves the costmap as it is and adds its occupied cells (``use_maximum``).
"""

from __future__ import annotations

from threading import Condition, Event
from typing import Optional, Sequence, Tuple

import numpy as np
import rospy
from geometry_msgs.msg import PoseStamped
from hicrisp_core.model import Cause, CauseKind, KeepOut, Outcome, Pose, Status
from hicrisp_core.model.geometry import Planar
from hicrisp_core.model.keep_out import crossed, overlapped
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.time import Deadline, wait_until
from hicrisp_ros.conversions.geometry import pose_to_msg
from hicrisp_ros.grids import Grid
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.service_client import ServiceClient
from nav_msgs.srv import GetPlan, GetPlanRequest
from std_srvs.srv import Empty, EmptyRequest

from hicrisp_move_base.settings import MoveBaseSettings

_SLOW = 5.0
"""A simulated clock may run this much slower than the wall's before it is no longer waited for."""


class Services:
    """``make_plan`` and ``clear_costmaps``, each used where it is offered."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._settings = settings
        self._plan = ServiceClient(f"{settings.action}/make_plan", GetPlan)
        self._clear = ServiceClient(f"{settings.action}/clear_costmaps", Empty)

    def path(self, start: Pose, goal: Pose) -> Optional[Sequence[Planar]]:
        """Ask move_base for a path.

        Args:
            start: map frame.
            goal: map frame.

        Returns:
            Its points (x, y) in metres, empty if there is none; ``None`` without an answer, as while it drives.
        """
        if not self._plan.offered:
            return None
        request = GetPlanRequest(self.stamped(start), self.stamped(goal), self._settings.plan_tolerance)
        reply = self._plan.call(request, self._settings.service_wait)
        if reply.response is None:
            return None
        return [(at.pose.position.x, at.pose.position.y) for at in reply.response.plan.poses]

    def clear_costmaps(self, cancel: Event) -> bool:
        """Make the costmaps forget, and wait until they are filled again.

        A cleared costmap lacks even the walls of the map until its next update, and ``make_plan`` then leads
        through them (seen of move_base 1.17: up to one period of ``update_frequency``).

        Args:
            cancel: event that ends the call when it is set.

        Returns:
            Whether that was done.
        """
        if not self._clear.offered:
            return False
        if self._clear.call(EmptyRequest(), self._settings.service_wait).response is None:
            return False
        return self.wait_for_update(cancel)

    def wait_for_update(self, cancel: Event) -> bool:
        """Wait until the costmaps hold what is known by now.

        Args:
            cancel: event that ends the call when it is set.

        Returns:
            Whether the wait was not canceled.
        """
        filled, patience = rospy.get_time() + self._settings.refill, Deadline(_SLOW * self._settings.refill)
        wait_until(lambda: rospy.get_time() >= filled, patience, cancel)
        return not cancel.is_set()

    def stamped(self, pose: Pose) -> PoseStamped:
        """Return a pose as a message for the newest transforms.

        Args:
            pose: map frame.

        Returns:
            The message, in the map frame without a stamp.
        """
        message = PoseStamped(pose=pose_to_msg(pose))
        message.header.frame_id = self._settings.map_frame
        return message


_LETHAL = 100
_MOST = 50_000_000
"""Cells of a map beside which a grid is published: 350 m by 350 m in cells of 5 cm."""


class KeepOutLayer:
    """Publishes the ground to keep out of as a grid, latched, once the map has arrived and whenever it changes."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._changed = Condition()
        self._map: Optional[Grid] = None
        """The map's header and measures; its cells are not kept."""
        self._too_large = False
        self._shown: Tuple[KeepOut, ...] = ()
        self._publisher = Publisher(settings.keep_out, Grid, queue_size=1, latch=True) \
            if settings.keep_out else None
        self._subscriber = rospy.Subscriber(settings.map, Grid, self._on_map, queue_size=1) \
            if settings.keep_out else None

    @property
    def heard(self) -> bool:
        """Whether somebody reads the grid."""
        return self._publisher is not None and not self._too_large and self._publisher.get_num_connections() > 0

    def show(self, ground: Sequence[KeepOut], patience: Deadline) -> bool:
        """Publish some ground in place of what was shown before.

        Args:
            ground: areas in the map frame.
            patience: wall-clock limit of the wait for the map.

        Returns:
            Whether anything has changed by that.
        """
        if self._publisher is None:
            return False
        with self._changed:
            while self._map is None and self.heard and not patience.passed and not rospy.is_shutdown():
                self._changed.wait(min(0.05, patience.remaining))
            if tuple(ground) == self._shown:
                return False
            self._shown = tuple(ground)
            return self._publish()

    def _on_map(self, message: Grid) -> None:
        count = message.info.width * message.info.height
        self._too_large = count > _MOST
        if self._too_large:
            rospy.logwarn("the map has %.0f million cells, and move_base is shown the ground to keep out of beside "
                          "maps of up to %.0f million: a path over such ground is refused, and no other is looked for; "
                          "crop the map, or save it with larger cells", count / 1e6, _MOST / 1e6)
        with self._changed:
            self._map = None if self._too_large else Grid(header=message.header, info=message.info)
            self._publish()
            self._changed.notify_all()

    def _publish(self) -> bool:
        if self._map is None or self._publisher is None:
            return False
        grid = Grid(info=self._map.info)
        grid.header.frame_id, grid.header.stamp = self._map.header.frame_id, rospy.Time.now()
        cells = np.zeros((grid.info.height, grid.info.width), dtype=np.int8)
        size, corner = grid.info.resolution, grid.info.origin.position
        for shape in self._shown:  # A zone takes its edge's cells too: no cell that is free is over it.
            shape.paint(cells, (corner.x, corner.y), size, size if shape.name else 0.0, _LETHAL)
        grid.data = cells.ravel()
        self._publisher.publish(grid)
        return True


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
        """Show the ground to keep out of to the costmaps that read it.

        Args:
            constraints: ground to keep out of.
            cancel: event that ends the call when it is set.
        """
        changed = self._layer.show(constraints.keep_out, Deadline(self._settings.service_wait))
        if changed and self._layer.heard:
            self._services.wait_for_update(cancel)

    def leads(self, start: Pose, goal: Pose, constraints: Constraints) -> Optional[bool]:
        """Check whether a path that respects the constraints leads to a goal.

        Args:
            start: map frame.
            goal: map frame.
            constraints: ground to keep out of.

        Returns:
            Whether one does; ``None`` if move_base does not say.
        """
        if overlapped(goal, self._radius, constraints.keep_out):
            return False
        path = self._services.path(start, goal)
        return None if path is None else bool(path) and crossed(path, self._radius,
                                                                constraints.keep_out) is None

    def refusal(self, start: Pose, goal: Pose, constraints: Constraints, cancel: Event) -> Optional[Outcome]:
        """Return why a drive must not begin.

        Args:
            start: map frame.
            goal: map frame.
            constraints: ground to keep out of.
            cancel: event that ends the call when it is set.

        Returns:
            The outcome that refuses it; ``None`` if it may begin.
        """
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
