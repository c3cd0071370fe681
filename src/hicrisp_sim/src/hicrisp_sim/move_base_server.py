"""An embedded base behind ``/move_base``: the action and its services, and ``/cmd_vel``, as any such robot
has them.
"""

from __future__ import annotations

import math
import time
from threading import Event, Lock, Timer
from typing import Dict, List, Mapping, Tuple

import rospy
from dynamic_reconfigure.msg import Config, DoubleParameter
from dynamic_reconfigure.srv import Reconfigure, ReconfigureRequest, ReconfigureResponse
from geometry_msgs.msg import PoseStamped, Twist
from hicrisp_core.model import CauseKind, Pose, Status
from hicrisp_core.ports.robot import AWAITED, Constraints, Manner
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import Aborted, ActionServer, Goal
from hicrisp_ros.config_files import own_topic
from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_ros.grids import Grid
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.wall_clock import WallTimer
from move_base_msgs.msg import MoveBaseAction, MoveBaseFeedback, MoveBaseResult
from nav_msgs.srv import GetPlan, GetPlanRequest, GetPlanResponse
from std_msgs.msg import String
from std_srvs.srv import Empty, EmptyRequest, EmptyResponse

from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.drive import NO_PLAN
from hicrisp_sim.agv.pursuit import Twist as Speeds
from hicrisp_sim.agv.settings import AgvSettings

PLANNER = "PursuitController"
COSTMAPS = ("global_costmap", "local_costmap")
_PADDING = "footprint_padding"
_WIDEST = 0.5
"""The greatest padding that a costmap takes, metres."""


class DriveParameters:
    """Serves ``set_parameters`` of the local planner and of the costmaps under ``/move_base``; what is out of
    range is put to the nearest bound."""

    def __init__(self, settings: AgvSettings, action: str) -> None:
        self._margin = settings.margin
        usual = {"max_vel_x": settings.speed, "xy_goal_tolerance": settings.xy_tolerance}
        self._planner = _Served(f"{action}/{PLANNER}", usual, {"max_vel_x": 0.05, "xy_goal_tolerance": 0.02},
                                usual)
        self._costmaps = [_Served(f"{action}/{name}", {_PADDING: settings.margin}, {_PADDING: 0.0},
                                  {_PADDING: _WIDEST})
                          for name in COSTMAPS]

    @property
    def manner(self) -> Manner:
        """Speed and style of the next drive."""
        return Manner(self._planner.now["max_vel_x"], self._planner.now["xy_goal_tolerance"])

    @property
    def clearance(self) -> float:
        """Clearance requested beyond the base's own margin, metres."""
        return max(0.0, *(served.now[_PADDING] - self._margin for served in self._costmaps))


class _Served:
    """The parameters of one part of move_base, each with its least and its greatest value."""

    def __init__(
        self, name: str, usual: Mapping[str, float], least: Mapping[str, float], most: Mapping[str, float]
    ) -> None:
        self.now: Dict[str, float] = dict(usual)
        self._least, self._most = dict(least), dict(most)
        self._service = rospy.Service(f"{name}/set_parameters", Reconfigure, self._set)

    def _set(self, request: ReconfigureRequest) -> ReconfigureResponse:
        for entry in request.config.doubles:
            if entry.name in self.now and math.isfinite(entry.value):
                self.now[entry.name] = min(self._most[entry.name], max(self._least[entry.name], entry.value))
        values: List[DoubleParameter] = [DoubleParameter(*item) for item in sorted(self.now.items())]
        return ReconfigureResponse(Config(doubles=values))


REACHED = "Goal reached."
BAD_QUATERNION = "Aborting on goal because it was sent with an invalid quaternion"
WAITS_FOR = "waits_for"
"""Topic under the action: the words for which base a drive waits, and for what."""
KEEP_OUT = "/keep_out"
"""Topic of a second static layer of the costmap: ground that must be kept out of, cell by cell of the map."""
_FRAMES = ("map", "world")
_LETHAL = 100
_LONGEST = 3600.0
"""Seconds that a drive may take at most: move_base knows no limit, its clients do."""
_PACED_PAUSE = 0.002
"""Wall seconds that the loop leaves to others between two periods; the simulation itself keeps the pace."""
_VELOCITY_LIVES = 0.5
"""Time after which a velocity that is not repeated expires, wall seconds."""


class MoveBaseServer:
    """Serves a base, and lets time pass while it stands.

    Args:
        root: its name with a slash; empty for the only base of an arena.
    """

    def __init__(self, base: EmbeddedBase, root: str = "") -> None:
        self._base = base
        self._action = own_topic(f"{root}/move_base")
        self._waits = Publisher(f"{self._action}/{WAITS_FOR}", String, queue_size=5)
        self.wheel = Lock()
        """Held by the driver: a goal, or the loop that advances time."""
        self._driving = Event()
        """Set while a goal is driven to."""
        self._parameters = DriveParameters(base.settings, self._action)
        self._velocity: Tuple[float, Speeds] = (-math.inf, Speeds())
        self._subscribers = (
            rospy.Subscriber(own_topic(f"{root}/cmd_vel"), Twist, self._on_velocity, queue_size=5, tcp_nodelay=True),
            rospy.Subscriber(own_topic(root + KEEP_OUT), Grid, self._on_keep_out, queue_size=1),
        )
        self._timer = WallTimer(_PACED_PAUSE, self._idle, "idle")
        self._serve()

    def _serve(self) -> None:
        self._services = (
            rospy.Service(f"{self._action}/make_plan", GetPlan, self._plan),
            rospy.Service(f"{self._action}/clear_costmaps", Empty, self._clear),
        )
        self._server = ActionServer(self._action, MoveBaseAction, self._execute).start()

    def leave(self, seconds: float) -> None:
        """Simulate the crash and restart of the server.

        Args:
            seconds: wall time until it serves again, seconds.
        """
        self._server.stop()
        for service in self._services:
            service.shutdown("gone")
        back = Timer(seconds, self._serve)
        back.daemon = True
        back.start()

    def cancel_all(self) -> None:
        """End the drive that is under way."""
        self._server.cancel_all()

    def _idle(self) -> float:
        """Let a period pass while no goal is driven to, at the speeds of ``/cmd_vel``; the pause after it, s."""
        with self.wheel, self._base.simulation.idling():
            said, speeds = self._velocity
            if time.monotonic() - said < _VELOCITY_LIVES:
                self._base.tick(speeds)
            else:
                self._base.rest()
        return _PACED_PAUSE if self._base.simulation.paced else 1.0 / self._base.settings.control_rate

    def _on_velocity(self, message: Twist) -> None:
        limit = self._base.settings
        forward = max(-limit.speed, min(limit.speed, message.linear.x))
        turn = max(-limit.turn_speed, min(limit.turn_speed, message.angular.z))
        if math.isfinite(forward) and math.isfinite(turn):
            self._velocity = (time.monotonic(), Speeds(forward, turn))

    def _on_keep_out(self, message: Grid) -> None:
        """As a static layer does: a grid of another size than the map is none of ours."""
        columns, rows = self._base.local.shape
        if (message.info.width, message.info.height) != (columns, rows):
            rospy.logwarn("a keep-out grid of %d by %d cells does not fit the map, which has %d by %d",
                          message.info.width, message.info.height, columns, rows)
            return
        with self._base.simulation.edit():
            self._base.local.occupy(message.cells.T >= _LETHAL)

    def _execute(self, goal: Goal) -> MoveBaseResult:
        target: PoseStamped = goal.message.target_pose
        pose = pose_from_msg(target.pose)
        if pose is None or not pose.finite:
            raise Aborted(BAD_QUATERNION)
        if target.header.frame_id.lstrip("/") not in _FRAMES:
            goal.cancel.wait()  # As the real one does: it waits for a transform that never comes.
            return MoveBaseResult()

        goal.feedback(MoveBaseFeedback(self._stamped(self._base.pose())))  # As in the first cycle of the real one.

        def progress(phase: str, part: float) -> None:
            del part  # move_base tells where the base is, and nothing else.
            if phase.startswith(AWAITED):
                self._waits.publish(String(phase[len(AWAITED):]))
            goal.feedback(MoveBaseFeedback(self._stamped(self._base.pose())))

        with self.wheel:
            self._velocity = (-math.inf, Speeds())
            self._driving.set()
            try:
                outcome = self._base.go_to(pose, Deadline(_LONGEST), goal.cancel, progress,
                                           self._parameters.manner,
                                           Constraints(clearance=self._parameters.clearance))
            finally:
                self._driving.clear()
        if outcome.cause is not None and outcome.cause.kind is CauseKind.STALE_SENSOR:
            goal.cancel.wait()  # As the real one does: it stands still and says nothing until scans are back.
        if outcome.ok:
            goal.text = REACHED
        elif not goal.cancel.is_set():
            raise Aborted(NO_PLAN if outcome.status in (Status.INVALID, Status.PLANNING) else outcome.message)
        return MoveBaseResult()

    def _plan(self, request: GetPlanRequest) -> GetPlanResponse:
        response = GetPlanResponse()
        response.plan.header.frame_id = "map"
        start = pose_from_msg(request.start.pose) if request.start.header.frame_id else self._base.pose()
        goal = pose_from_msg(request.goal.pose)
        if start is None or goal is None or not goal.finite or not start.finite:
            return response
        if self._driving.is_set():
            raise rospy.ServiceException("a plan is made only while no goal is driven to")
        with self._base.simulation.edit():
            self._base.constrain(Constraints(clearance=self._parameters.clearance))
            points = self._base.make_plan(start, goal)
        path: List[Pose] = [] if points is None else [Pose((float(x), float(y), 0.0)) for x, y in points]
        response.plan.poses = [self._stamped(pose) for pose in path]
        return response

    def _clear(self, _: EmptyRequest) -> EmptyResponse:
        with self._base.simulation.edit():
            self._base.clear_costmaps()
        return EmptyResponse()

    def _stamped(self, pose: Pose) -> PoseStamped:
        message = PoseStamped(pose=pose_to_msg(pose))
        message.header.frame_id, message.header.stamp = "map", rospy.Time.from_sec(self._base.simulation.time)
        return message
