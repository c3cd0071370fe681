#!/usr/bin/env python3
"""A move_base for the tests: the real one's action, services, texts and topics over a base without physics.

It runs in a test's own process, or as a node whose parameter ``~mode`` names what goes wrong (see ``MODES``).
"""

from __future__ import annotations

import math
import sys
import time
from functools import partial
from pathlib import Path
from threading import RLock, Thread
from typing import Any, Callable, List, Tuple, Union

import actionlib
import rospy
from dynamic_reconfigure.msg import Config, DoubleParameter
from dynamic_reconfigure.srv import Reconfigure, ReconfigureRequest, ReconfigureResponse
from geometry_msgs.msg import PoseStamped, Quaternion, TransformStamped, Twist, Vector3
from hicrisp_core.model.geometry import from_yaw
from hicrisp_ros.node import run
from move_base_msgs.msg import MoveBaseAction, MoveBaseFeedback, MoveBaseGoal, MoveBaseResult
from nav_msgs.msg import Odometry
from nav_msgs.srv import GetPlan, GetPlanRequest, GetPlanResponse
from sensor_msgs.msg import LaserScan
from std_srvs.srv import Empty, EmptyRequest, EmptyResponse
from tf2_msgs.msg import TFMessage

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hicrisp_bringup/test/support"))
from ended_server import silence  # noqa: E402

MODES = ("", "aborts", "silent", "deaf", "dies", "lies", "jumps", "blind", "blocked", "unseeing",
         "mapless", "slips", "falls")
"""``aborts`` with ``text``; ``silent`` never answers; ``deaf`` does not end when canceled either; ``dies`` on
the way; ``lies`` about having arrived; the odometry ``jumps`` or falls silent (``blind``); ``blocked`` until
costmaps are clear; the lidar falls silent on the way (``unseeing``); the wheels spin on the way (``slips``), or the
base ``falls``; ``mapless``: no map has come, so that no
TF leads to it.
"""
REACHED = "Goal reached."
NO_PLAN = "Failed to find a valid plan. Even after executing recovery behaviors."
NO_CONTROL = "Failed to find a valid control. Even after executing recovery behaviors."
OSCILLATES = "Robot is oscillating. Even after executing recovery behaviors."
BAD_QUATERNION = "Aborting on goal because it was sent with an invalid quaternion"
HALL = 4.0
"""Goals with |x| or |y| beyond it are unreachable, metres."""
SPEED, TURN = 1.2, 3.0
JUMP = 6.0
"""Metres that no base drives between two messages, were they a second apart on a busy machine."""
UPDATE = 0.5
"""Seconds after which a cleared costmap has its walls again."""
TICK = 0.02


def quaternion(yaw: float) -> Quaternion:
    return Quaternion(*from_yaw(yaw))


class KinematicBase:
    """Drives as ``cmd_vel`` says, for as long as it says nothing else; publishes ``/odom`` and ``/tf``."""

    def __init__(self, period: float = TICK) -> None:
        self._lock = RLock()
        self._pose, self._speeds, self._ended = (0.0, 0.0, 0.0), (0.0, 0.0), False
        self.blind, self.unseeing, self.offset = False, False, 0.0
        self.height = 0.0
        """Metres above the floor."""
        self.slips = False
        """Whether its wheels turn and it stays where it is."""
        self.garbled: Callable[[], bool] = lambda: False
        self.ahead = dict.fromkeys(("odometry", "scan"), 0.0)
        """Seconds by which messages are stamped ahead of the clock, or behind it where they are negative."""
        self.frozen: Callable[[], bool] = lambda: False
        """Whether the odometry goes on with the stamp that it had last."""
        self._stamp = rospy.Time()
        self.scans, self.scan_frame = [math.inf] * 4, "base_link"
        self.no_map: Callable[[], bool] = lambda: False
        self._period = period
        self._odometry = rospy.Publisher("/odom", Odometry, queue_size=10)
        self._scan = rospy.Publisher("/scan", LaserScan, queue_size=2)
        self._tf = rospy.Publisher("/tf", TFMessage, queue_size=10)
        self._subscriber = rospy.Subscriber("/cmd_vel", Twist, self._on_twist, queue_size=5, tcp_nodelay=True)
        Thread(target=self._loop, daemon=True).start()

    @property
    def pose(self) -> Tuple[float, float, float]:
        """x, y, yaw in the map frame."""
        return self._pose

    @property
    def moving(self) -> bool:
        return self._speeds != (0.0, 0.0)

    def stop(self) -> None:
        with self._lock:
            self._ended = True
        for end in (self._odometry, self._scan, self._tf, self._subscriber):
            end.unregister()

    def _on_twist(self, message: Twist) -> None:
        with self._lock:
            self._speeds = (message.linear.x, message.angular.z)

    def _loop(self) -> None:
        before = time.monotonic()
        while not self._ended and not rospy.is_shutdown():
            time.sleep(self._period)
            now = time.monotonic()
            with self._lock:
                (x, y, yaw), (speed, turn), step = self._pose, self._speeds, now - before
                yaw += turn * step
                if not self.slips:
                    self._pose = (x + speed * step * math.cos(yaw), y + speed * step * math.sin(yaw), yaw)
                if not self._ended:
                    self._publish()
            before = now

    def _publish(self) -> None:
        stamp, (x, y, yaw), (speed, turn) = rospy.Time.now(), self._pose, self._speeds
        corrected, moved = TransformStamped(child_frame_id="odom"), TransformStamped(child_frame_id=
                                                                                     "base_link")
        corrected.header.stamp = moved.header.stamp = stamp
        corrected.header.frame_id, moved.header.frame_id = "map", "odom"
        corrected.transform.rotation = Quaternion(0.0, 0.0, 0.0, 1.0)
        moved.transform.translation, moved.transform.rotation = Vector3(x + self.offset, y,
                                                                        self.height), quaternion(yaw)
        self._tf.publish(TFMessage([moved] if self.no_map() else [corrected, moved]))
        if not self.unseeing:
            scan = LaserScan(angle_increment=math.pi / 2.0, range_max=6.0, ranges=self.scans)
            scan.header.stamp = stamp + rospy.Duration.from_sec(self.ahead["scan"])
            scan.header.frame_id = self.scan_frame
            self._scan.publish(scan)
        if not self.blind:
            odometry = Odometry(child_frame_id="base_link")
            if not self.frozen():
                self._stamp = stamp + rospy.Duration.from_sec(self.ahead["odometry"])
            odometry.header.stamp = self._stamp
            odometry.header.frame_id = "odom"
            speed = math.nan if self.garbled() else speed
            odometry.pose.pose.position.x, odometry.pose.pose.position.y = x + self.offset, y
            odometry.pose.pose.orientation = quaternion(yaw)
            odometry.twist.twist.linear.x, odometry.twist.twist.angular.z = speed, turn
            self._odometry.publish(odometry)


class HeardBase:
    """A base that another process moves, as its odometry tells."""

    def __init__(self) -> None:
        self.pose, self.offset, self.blind, self.unseeing = (0.0, 0.0, 0.0), 0.0, False, False
        self.slips, self.height = False, 0.0
        self._subscriber = rospy.Subscriber("/odom", Odometry, self._on_odometry, queue_size=1)

    def _on_odometry(self, message: Odometry) -> None:
        at, turned = message.pose.pose.position, message.pose.pose.orientation
        self.pose = (at.x, at.y, 2.0 * math.atan2(turned.z, turned.w))


class ReferenceMoveBase:
    """The action ``/move_base`` as the real one behaves, over a base that listens to ``/cmd_vel``."""

    def __init__(self, base: Union[KinematicBase, HeardBase], services: bool = True, patience: float = 1.0,
                 name: str = "/move_base") -> None:
        self.mode: Callable[[], str] = lambda: ""
        self.hall: Callable[[], float] = lambda: HALL
        self.text, self.goals, self.clears, self.patience = NO_CONTROL, 0, 0, patience
        self._base, self._cleared = base, -math.inf
        self._cmd_vel = rospy.Publisher("/cmd_vel", Twist, queue_size=5)
        self.parameters = {"max_vel_x": SPEED, "max_vel_trans": SPEED, "xy_goal_tolerance": 0.08}
        self.least_speed, self.most_padding = 0.1, 1.0
        self.padding = {"global_costmap": 0.03, "local_costmap": 0.01}
        self.via: List[Tuple[float, float]] = []
        """Points between the start and the goal through which ``make_plan`` leads."""
        self._services = [
            *(rospy.Service(f"{name}/{costmap}/set_parameters", Reconfigure, partial(self._pad, costmap))
              for costmap in self.padding),
            rospy.Service(f"{name}/DWAPlannerROS/set_parameters", Reconfigure, self._reconfigure),
            rospy.Service(f"{name}/make_plan", GetPlan, self._plan),
            rospy.Service(f"{name}/clear_costmaps", Empty, self._clear)] if services else []
        self._server = actionlib.SimpleActionServer(name, MoveBaseAction, self._execute, auto_start=False)
        self._server.start()

    def stop(self) -> None:
        """Be gone, as a process that was killed is: nothing is said, the last velocity stays."""
        silence(self._server)
        self._cmd_vel.unregister()
        for service in self._services:
            service.shutdown("gone")

    def _plan(self, request: GetPlanRequest) -> GetPlanResponse:
        if self._server.is_active():
            raise rospy.ServiceException("move_base must be in an inactive state to make a plan for an "
                                         "external user")
        answer = GetPlanResponse()
        if self._reachable(request.goal) or time.monotonic() - self._cleared < UPDATE:
            between = [PoseStamped() for _ in self.via]
            for pose, (x, y) in zip(between, self.via):
                pose.pose.position.x, pose.pose.position.y = x, y
            answer.plan.poses = [request.start, *between, request.goal]
        return answer

    def _reconfigure(self, request: ReconfigureRequest) -> ReconfigureResponse:
        """As every dynamic_reconfigure server: unknown names are ignored, values are put to the nearest
        bound.
        """
        for entry in request.config.doubles:
            if entry.name in self.parameters:
                least = self.least_speed if entry.name.startswith("max_vel") else 0.0
                self.parameters[entry.name] = max(least, entry.value)
        return ReconfigureResponse(Config(doubles=[DoubleParameter(*item)
                                                   for item in self.parameters.items()]))

    def _pad(self, costmap: str, request: ReconfigureRequest) -> ReconfigureResponse:
        for entry in request.config.doubles:
            if entry.name == "footprint_padding":
                self.padding[costmap] = min(self.most_padding, entry.value)
        return ReconfigureResponse(Config(doubles=[DoubleParameter("footprint_padding",
                                                                   self.padding[costmap])]))

    def _clear(self, _: EmptyRequest) -> EmptyResponse:
        self.clears, self._cleared = self.clears + 1, time.monotonic()
        return EmptyResponse()

    def _reachable(self, goal: PoseStamped) -> bool:
        return max(abs(goal.pose.position.x), abs(goal.pose.position.y)) <= self.hall()

    def _execute(self, goal: MoveBaseGoal) -> None:
        self.goals += 1
        try:
            self._follow(goal.target_pose, time.monotonic(), self.mode())
        except rospy.ROSException:
            return  # it has died

    def _follow(self, goal: PoseStamped, began: float, mode: str) -> None:
        self._base.blind = self._base.unseeing = False
        q = goal.pose.orientation
        if abs(math.sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w) - 1.0) > 1e-2:
            self._server.set_aborted(MoveBaseResult(), BAD_QUATERNION)
            return
        lost = goal.header.frame_id != "map" or mode in ("silent", "deaf")
        while not rospy.is_shutdown():
            late = time.monotonic() - began
            if self._server.is_preempt_requested() and mode != "deaf":
                self._drive(0.0, 0.0)
                self._server.set_preempted()
                return
            if lost:
                pass
            elif mode == "lies":
                self._server.set_succeeded(MoveBaseResult(), REACHED)
                return
            elif not self._reachable(goal) or mode == "blocked" and not self.clears:
                if late > self.patience:
                    self._server.set_aborted(MoveBaseResult(), NO_PLAN)
                    return
            elif mode == "aborts":  # stands meanwhile, as a base does for which no velocity is found
                if late > 0.4:
                    self._server.set_aborted(MoveBaseResult(), self.text)
                    return
            elif mode == "dies" and late > 0.4:
                self.stop()
                return
            elif self._step(goal):
                self._server.set_succeeded(MoveBaseResult(), REACHED)
                return
            if mode == "jumps" and late > 0.4:
                self._base.offset = JUMP
            if mode == "slips" and late > 0.4:
                self._base.slips = True
            if mode == "falls" and late > 0.4:
                self._base.height = -5.0
            if mode == "unseeing" and late > 0.4:
                self._base.unseeing = True
            if mode == "blind" and late > 0.4:
                self._base.blind = True
            time.sleep(TICK)

    def _step(self, goal: PoseStamped) -> bool:
        """One period of driving; whether the goal is reached."""
        x, y, yaw = self._base.pose
        dx, dy = goal.pose.position.x - x, goal.pose.position.y - y
        left, exact = math.hypot(dx, dy), self.parameters["xy_goal_tolerance"]
        wanted = math.atan2(dy, dx) if left > exact else 2.0 * math.atan2(goal.pose.orientation.z,
                                                                         goal.pose.orientation.w)
        off = math.remainder(wanted - yaw, math.tau)
        feedback = MoveBaseFeedback(PoseStamped())
        feedback.base_position.header.frame_id = "map"
        feedback.base_position.pose.position.x, feedback.base_position.pose.position.y = x, y
        self._server.publish_feedback(feedback)
        if left <= exact and abs(off) < 0.1:
            self._drive(0.0, 0.0)
            return True
        forward = 0.0 if left <= exact or abs(off) > 0.3 else min(self.parameters["max_vel_x"], 2.0 * left)
        self._drive(forward, max(-TURN, min(TURN, 4.0 * off)))
        return False

    def _drive(self, forward: float, turn: float) -> None:
        twist = Twist()
        twist.linear.x, twist.angular.z = forward, turn
        self._cmd_vel.publish(twist)


def build() -> Any:
    """Make a node's parts; with ``~base`` false it moves a base of another process, which ``~server`` false makes."""
    base = KinematicBase() if rospy.get_param("~base", True) else HeardBase()
    if not rospy.get_param("~server", True):
        return base
    server = ReferenceMoveBase(base, bool(rospy.get_param("~services", True)))

    def mode() -> str:
        return str(rospy.get_param("~mode", ""))

    def no_map() -> bool:
        base.unseeing = base.unseeing and mode() == "unseeing"
        base.slips = base.slips and mode() == "slips"
        base.offset = base.offset if mode() == "jumps" else 0.0
        base.height = base.height if mode() == "falls" else 0.0
        return mode() == "mapless"

    server.mode, base.no_map = mode, no_map
    server.hall = lambda: float(rospy.get_param("~hall", HALL))
    server.text = str(rospy.get_param("~text", NO_CONTROL))
    return server


if __name__ == "__main__":
    run("reference_move_base", build)
