"""A ``Base`` over a running move_base: goals in, outcomes out, and standstill that the odometry confirms."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from threading import Event
from typing import Any, List, Optional, Sequence, Tuple

import rospy
from actionlib_msgs.msg import GoalID
from geometry_msgs.msg import Twist
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.ports.robot import AWAITED, UNCONSTRAINED, USUAL, Constraints, Manner, Progress
from hicrisp_core.robot.drive_goals import Reached
from hicrisp_core.robot.safety import ZoneGuard
from hicrisp_core.robot.skilled import RunningCommand
from hicrisp_core.scene.floor_plan import Arena
from hicrisp_core.time import AlarmEvent, Deadline, wait_until
from hicrisp_ros.action_client import ActionClient, CallStatus, Limits, Reply
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.stamps import Silence
from hicrisp_ros.tf_world import TfWorld
from move_base_msgs.msg import MoveBaseAction, MoveBaseGoal
from std_msgs.msg import String

from hicrisp_move_base.drive_parameters import CostmapPadding, PlannerParameters
from hicrisp_move_base.outcomes import MOVE_BASE, explain
from hicrisp_move_base.settings import MoveBaseSettings
from hicrisp_move_base.watches import Obedience, OdometryWatch, ScanWatch, Traffic
from hicrisp_move_base.ways import Services, Ways

WAITS_FOR = "waits_for"
"""Topic under the action, ``std_msgs/String``: whom a drive waits for and for what, from a planner that gives way."""
_PREEMPTION = 0.8
"""Seconds that move_base gets to end a goal before the base is stopped without it."""
_LATE = 3.0
"""Seconds for which a goal that has not ended by then is canceled again and again."""
_HEARSAY = 1.0
"""Longest wait, once the base stands, for word of whose goal ended ours: it comes over another connection."""
_QUIET = 0.5
"""Seconds of a drive before its alarms are looked at: the first messages may still be on their way."""
_ZERO_PERIOD = 0.05
_BEGINS = 15.0
"""Seconds in which a move_base that took a goal says where the base is: it does so in every cycle, whatever it does."""
_GLANCE, _TOLD_EVERY = 1.0, 5.0
"""Seconds between two looks whether a move_base that went away is back, and between two words of how long that
takes."""
_CANCELED = Outcome(Status.CANCELED, "the drive was canceled while the base stood",
                    cause=Cause(CauseKind.CANCELED))


class MoveBase:
    """One base behind a move_base. Goals are in the map frame; what it says of its end is a claim.

    Args:
        radius: of the base's round footprint, metres.
        arena: whose floor the base must stand on; ``None`` where that is not known.
    """

    def __init__(
        self, name: str, settings: Optional[MoveBaseSettings] = None, radius: float = 0.18,
        arena: Optional[Arena] = None,
    ) -> None:
        self.name = name
        self._arena = arena
        self.settings = settings or MoveBaseSettings()
        self._client = ActionClient(self.settings.action, MoveBaseAction, empty_result=True)
        self._cancel_all = Publisher(f"{self.settings.action}/cancel", GoalID, queue_size=5)
        self._zero = Publisher(self.settings.cmd_vel, Twist, queue_size=5) if self.settings.cmd_vel else None
        self._odometry = OdometryWatch(self.settings)
        self._tf = TfWorld(root=self.settings.map_frame)
        self._placed = Silence()
        self._obedience = Obedience(self.settings.cmd_vel)
        self._scans = ScanWatch(self.settings, lambda: self._odometry.stamp, self._tf)
        self._traffic = Traffic(self.settings.action, f"{rospy.get_name()}-")
        self._services = Services(self.settings)
        self._planner = PlannerParameters(self.settings)
        self._padding = CostmapPadding(self.settings)
        self._ways = Ways(self.settings, self._services, radius)
        self._radius = radius
        self._progress: Progress = lambda phase, part: None
        self._silent: Optional[Deadline] = None
        """When a move_base that took a goal must have said something; ``None`` once it has."""
        self._waits = rospy.Subscriber(f"{self.settings.action}/{WAITS_FOR}", String, self._on_wait, queue_size=5)

    def end_leftovers(self) -> Outcome:
        """End the drive that a driver of this name began and left when it was killed: move_base goes on with
        it. A base that does not stand then, or shows no odometry, is not SUCCESS."""
        if not self._client.end_others(self.settings.server_wait, whose=f"{rospy.get_name()}-"):
            return Outcome.because(CauseKind.UNREACHABLE_NODE, Status.LOST, "move_base sends no status yet.",
                                   "move_base")
        return self._odometry.wait_until_standing(Deadline(self.settings.stop_limit))

    def where(self) -> Optional[Pose]:
        """Return the base's pose in the map frame by TF; ``None`` if it is unknown or too old."""
        found = self._tf.frames([self.settings.base_frame]).get(self.settings.base_frame)
        if found is None or rospy.get_time() - found[1] > self.settings.pose_age:
            return None
        return found[0]

    def go_to(
        self, pose: Pose, deadline: Deadline, cancel: Event, progress: Progress, manner: Manner = USUAL,
        constraints: Constraints = UNCONSTRAINED,
    ) -> Outcome:
        """Drive to a pose; an aborted goal is sent again after the costmaps were cleared.

        Args:
            pose: map frame.
            deadline: wall-clock limit of the call.
            cancel: event that ends the call when it is set.
            progress: called with the phase and the driven part of the way, 0 to 1.
            manner: greatest speed (m/s) and tolerance (m).
            constraints: ground to keep out of, and clearance (m).

        Returns:
            SUCCESS once the base stands at the goal.
        """
        refusal = self._refusal(pose, deadline, cancel)
        if refusal is not None:
            return refusal
        padded = self._padding.driving(constraints.clearance)
        with self._planner.driving(manner) as objection, padded as narrow:
            refusal = objection or narrow
            if refusal is None:
                self._ways.show(constraints, cancel)
                start = self.where()
                refusal = self._lost() if start is None else self._ways.refusal(start, pose, constraints, cancel)
            return refusal or self._go(pose, deadline, cancel, progress, constraints)

    def _go(
        self, pose: Pose, deadline: Deadline, cancel: Event, progress: Progress, constraints: Constraints
    ) -> Outcome:
        zones = [each for each in constraints.keep_out if each.name]
        guard = ZoneGuard(zones, self._radius, self.settings.deceleration)
        for _ in range(self.settings.retries):
            outcome, gave_up = self._drive(pose, deadline, cancel, progress, guard)
            worth_a_retry = gave_up and outcome.status in (Status.PLANNING, Status.EXECUTION)
            if not worth_a_retry or deadline.passed or cancel.is_set():
                return outcome
            start = self.where() if outcome.status is Status.PLANNING else None
            if start is not None and self._ways.leads(start, pose, constraints) is False:
                return outcome  # There is no path, with all that move_base saw since its own recoveries.
            if not self._services.clear_costmaps(cancel):
                return _CANCELED if cancel.is_set() else outcome
        return self._drive(pose, deadline, cancel, progress, guard)[0]

    def first_reached(self, poses: Sequence[Pose], constraints: Constraints, deadline: Deadline) -> Reached:
        """Return the first pose to which a path leads that respects the constraints.

        Args:
            poses: candidates in the map frame.
            constraints: ground to keep out of, and clearance (m).
            deadline: wall-clock limit of the call.

        Returns:
            The pose, or that there is none; nothing is known while the base drives.
        """
        start = self.where()
        if start is not None:
            self._ways.show(constraints, Event())
        for pose in poses:
            found = None if start is None or deadline.passed else self._ways.leads(start, pose, constraints)
            if start is None or found is None:
                return Reached(known=False)
            if found:
                return Reached(pose)
        return Reached()

    def wait_for_return(self, running: RunningCommand, outcome: Outcome) -> Outcome:
        """Wait for a move_base that went away under a command: it may be started again.

        Args:
            running: the command's deadline, cancellation and progress.
            outcome: how the command ended.

        Returns:
            The outcome, with how long move_base was away, or that it did not come back.
        """
        cause, limit = outcome.cause, min(self.settings.return_limit, running.deadline.remaining)
        if cause is None or cause.kind is not CauseKind.UNREACHABLE_NODE or math.isinf(self._traffic.silence):
            return outcome
        rospy.logwarn("move_base went away; waiting up to %.0f s for it to come back", limit)
        began, deadline, back, told = time.monotonic(), Deadline(limit), False, 0.0
        while not (back or deadline.passed or running.cancel.is_set() or rospy.is_shutdown()):
            away = time.monotonic() - began
            if away >= told:
                running.progress(f"{AWAITED}move_base: {away:.0f} s of {limit:.0f} s", away / limit)
                told += _TOLD_EVERY
            back = self._client.end_others(_GLANCE, anew=True)
        away = time.monotonic() - began
        if back:
            self._services.wait_for_update(running.cancel)
        said = f"{outcome.message.rstrip('.')}; " + (f"move_base is back after {away:.1f} s" if back else
                                                     f"move_base did not come back within {away:.0f} s")
        rospy.logwarn("%s", said)
        return replace(outcome, message=said, cause=replace(cause, said=said))

    def stop(self, deadline: Deadline) -> Outcome:
        """Cancel every goal, command zero velocity if that is configured, and wait until the base stands.

        Args:
            deadline: wall-clock limit of the wait.

        Returns:
            SUCCESS once it stands.
        """
        while True:
            self._cancel_all.publish(GoalID())
            if self._zero is not None:
                self._zero.publish(Twist())
            halted = self._odometry.wait_until_standing(Deadline(min(_ZERO_PERIOD, deadline.remaining)))
            if halted.ok or deadline.passed or rospy.is_shutdown():
                return halted

    def _refusal(self, pose: Pose, deadline: Deadline, cancel: Event) -> Optional[Outcome]:
        """Why a drive does not begin; ``None`` when it may."""
        if not pose.finite:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                   f"the goal {pose.position} with {pose.orientation} is not a finite pose")
        known = Deadline(min(self.settings.server_wait, deadline.remaining))
        wait_until(lambda: self.where() is not None and self._odometry.alive and self._scans.alarm() is None, known,
                   cancel)
        start = self.where()
        if cancel.is_set():
            return _CANCELED
        if start is None:
            return self._lost()
        if not self._odometry.alive:
            return self._odometry.lost()
        return self._off_floor(start) or self._scans.alarm()

    def _lost(self) -> Outcome:
        frame = self.settings.base_frame
        why = self._tf.problems([frame]).get(frame)
        found = self._tf.frames([frame]).get(frame)
        age = None if why or found is None else max(0.0, rospy.get_time() - found[1])
        said = f"TF does not say where '{frame}' is in '{self.settings.map_frame}'"
        said += f": {why}" if why else ""
        ahead = self._tf.ahead([frame]).get(frame)
        if ahead is not None:
            return Outcome(Status.LOST, said, cause=Cause(CauseKind.AHEAD, (frame,), ahead, said))
        old = f": its newest pose is {age:.1f} s old" if age is not None else ""
        return Outcome(Status.LOST, f"{said}{old}",
                       cause=Cause(CauseKind.LOCALISATION, (frame,), age, said if why else ""))

    def _off_floor(self, at: Optional[Pose]) -> Optional[Outcome]:
        """That the base is seen elsewhere than on its floor; ``None`` while it stands there."""
        off = self._arena.off_floor(at) if self._arena is not None and at is not None else 0.0
        frame, side = self.settings.base_frame, "above" if off > 0.0 else "below"
        said = f"TF has '{frame}' {abs(off):.1f} m {side} the floor of the arena; look whether the base has fallen, " \
               "or whether the map's height is the floor's"
        return None if off == 0.0 else Outcome(Status.LOST, said, cause=Cause(
            CauseKind.LOCALISATION, (frame,), said=said, metres=round(abs(off), 1)))

    def _drive(
        self, pose: Pose, deadline: Deadline, cancel: Event, progress: Progress, guard: ZoneGuard
    ) -> Tuple[Outcome, bool]:
        """Send the goal once and see it to its end; also whether it was move_base itself that gave up."""
        began = time.monotonic()
        self._odometry.forgive()
        self._obedience.begin()
        self._placed.heard()
        quiet, self._silent = Deadline(_QUIET), Deadline(_BEGINS)
        watch: AlarmEvent[Outcome] = AlarmEvent(
            lambda: self.astray(guard) or (self.alarm() if quiet.passed else None), cancel)
        self._progress = progress
        limits = Limits(min(self.settings.server_wait, deadline.remaining), deadline.remaining, _PREEMPTION)
        reply = self._client.call(MoveBaseGoal(self._services.stamped(pose)), limits, watch,
                                  self._feedback(pose, progress))
        self._progress, self._silent = lambda phase, part: None, None
        outcome = self._outcome(reply, watch, cancel, began)
        if outcome.ok:
            halted = self._odometry.wait_until_standing(Deadline(self.settings.stop_limit))
            return (outcome if halted.ok else replace(halted, status=Status.EXECUTION)), False
        halted = self.stop(Deadline(self.settings.stop_limit))
        if reply.status is CallStatus.STUCK and self._ends_late():
            slow = CallStatus.PREEMPTED if cancel.is_set() else CallStatus.TIMEOUT
            outcome = self._outcome(Reply(slow), watch, cancel, began)
        elif reply.status is CallStatus.PREEMPTED and watch.alarmed is None and not cancel.is_set():
            wait_until(lambda: self._traffic.taken_over(began), Deadline(_HEARSAY))
            outcome = self._outcome(reply, watch, cancel, began)
        return outcome.stopped(halted), halted.ok and reply.status is CallStatus.ABORTED

    def _ends_late(self) -> bool:
        """Whether a goal that did not end when it was told to still ends, as on a busy machine; the base is
        held meanwhile."""
        late = Deadline(_LATE)
        while not (late.passed or rospy.is_shutdown()):
            if self._client.end_others(_ZERO_PERIOD):
                return True
            self.stop(Deadline(self.settings.stop_limit))
        return False

    def _outcome(self, reply: Reply, watch: AlarmEvent[Outcome], cancel: Event, began: float) -> Outcome:
        taken = self._traffic.taken_over(began)
        if taken and reply.status in (CallStatus.PREEMPTED, CallStatus.LOST) and not cancel.is_set() \
                and watch.alarmed is None:
            return Outcome(Status.EXECUTION, f"another client took the base over: it was sent to {taken}",
                           cause=Cause(CauseKind.TAKEN_OVER, said=f"sent to {taken}"))
        if watch.alarmed is not None and reply.status is not CallStatus.SUCCEEDED:
            return watch.alarmed
        if reply.status is CallStatus.PREEMPTED and not cancel.is_set():
            return Outcome(Status.EXECUTION, "somebody else canceled the goal",
                           cause=Cause(CauseKind.TAKEN_OVER))
        return explain(reply.status, reply.message)

    def alarm(self) -> Optional[Outcome]:
        """Return why a drive must not go on; ``None`` while all is well."""
        if not self._odometry.alive:
            return self._odometry.lost()
        if self.where() is not None:
            self._placed.heard()
        elif self._placed.seconds > self.settings.pose_age:
            return self._lost()
        if self._odometry.jump > self.settings.jump:
            return Outcome(Status.EXECUTION, f"the odometry jumped by {self._odometry.jump:.2f} m; "
                                             "where the base is cannot be trusted",
                           cause=Cause(CauseKind.LOCALISATION, (self.settings.odometry,)))
        if self.settings.status_age < self._traffic.silence < math.inf:  # Before the first status the client waits.
            return Outcome(Status.LOST, f"move_base sent no status for {self.settings.status_age:g} s",
                           cause=Cause(CauseKind.UNREACHABLE_NODE, MOVE_BASE, self._traffic.silence))
        if self._silent is not None and not self._client.taken:
            self._silent = Deadline(_BEGINS)
        if self._silent is not None and self._silent.passed:
            said = f"move_base took the goal and has said nothing for {_BEGINS:g} s; look at its log, or start it again"
            return Outcome(Status.EXECUTION, said, cause=Cause(CauseKind.HARDWARE, MOVE_BASE, said=said))
        return self._off_floor(self.where()) or self._obedience.refusal(self.where()) or self._scans.alarm()

    def astray(self, guard: ZoneGuard) -> Optional[Outcome]:
        """Return why the base must stop: that it is about to enter a zone.

        Args:
            guard: the zones and how the base brakes.

        Returns:
            The outcome that ends its drive; ``None`` while it keeps out.
        """
        at = self.where()
        zone = None if at is None else guard.ahead(at, *self._odometry.speeds)
        return None if zone is None else Outcome(
            Status.EXECUTION, f"the base was stopped before it came over {zone}",
            cause=Cause(CauseKind.FORBIDDEN, (str(zone),)))

    def _on_wait(self, message: String) -> None:
        self._progress(f"{AWAITED}{message.data}", 0.0)

    def _feedback(self, goal: Pose, progress: Progress) -> Any:
        whole: List[float] = []
        done = [0.0]

        def report(feedback: Any) -> None:
            self._silent = None
            at = feedback.base_position.pose.position
            left = planar_distance((at.x, at.y, 0.0), goal.position)
            whole.append(max(left, 1e-6))
            done[0] = max(done[0], 1.0 - left / max(whole[0], left))
            progress("drive", done[0])

        return report
