"""What an embedded base publishes: clock, TF, odometry, scan, map and costmap; and, for judges, where it really is."""

from __future__ import annotations

import math
import time
from typing import AbstractSet, Dict, Optional, Tuple

import numpy as np
import rospy
from geometry_msgs.msg import PoseStamped, Quaternion
from hicrisp_core.model import Pose
from hicrisp_core.model.scan import Scan
from hicrisp_ros.config_files import own_topic
from hicrisp_ros.conversions.geometry import pose_to_msg, transform_to_msg
from hicrisp_ros.frames import MovingFrames, StaticFrames
from hicrisp_ros.grids import Grid
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.simulated_world import WorldClock
from nav_msgs.msg import Odometry, Path
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Header

from hicrisp_msgs.msg import TrueMotion
from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.world import AgvFaults

_COSTMAP_PERIOD = 1.0
"""Wall seconds between two costmaps."""
_ROUTE_PERIOD = 0.5
"""Wall seconds between two paths of one drive."""
_ROUTE_STEP = 0.05
"""Metres between two points of a path that is published."""
_AHEAD = rospy.Duration.from_sec(5.0)
"""Lead of wrong stamps over the clock, seconds."""
_FALLEN = 5.0
"""Distance by which a base is reported to have fallen, metres."""
_DEAREST = 99
"""Cost of a cell that may just be entered, as occupancy grids count; 100 may not."""
_QUEUE = 10000
"""Moments that may wait for a judge: each one counts, so none is dropped."""


class AgvTopics:
    """Publishes one base; ``publish`` is called while the physics stands, after every control period.

    Args:
        frame: the TF frame of the base.
        clock: publishes the clock; ``None`` where another node does.
        tray: the name of the frame of what the base carries, and its pose in the base's frame.
        static: the frames of this node that stay where they are.
        faults: what is published wrongly.
        root: its name with a slash, before the names of its topics and its odometry's frame; empty for the only base of
            an arena.

    Frames: ``world`` and ``map`` are one; ``odom`` takes up the odometry's drift, under which the base hangs.
    """

    def __init__(
        self, base: EmbeddedBase, frame: str, clock: Optional[WorldClock] = None,
        tray: Optional[Tuple[str, Pose]] = None,
        static: Optional[StaticFrames] = None, faults: Optional[AgvFaults] = None, root: str = "",
    ) -> None:
        self._base = base
        self._clock = clock
        self._counted_in = f"{root}/odom".lstrip("/")
        self._tray = tray
        self._body = frame
        self._faults = faults
        self._tf = MovingFrames(queue=20)
        self._static = static or StaticFrames()
        self._odometry = Publisher(own_topic(f"{root}/odom"), Odometry, queue_size=20, tcp_nodelay=True)
        self._scan = Publisher(own_topic(f"{root}/scan"), LaserScan, queue_size=5)
        self._map = Publisher(own_topic(f"{root}/map"), Grid, queue_size=1, latch=True)
        move_base = own_topic(f"{root}/move_base")
        self._costmap = Publisher(f"{move_base}/global_costmap/costmap", Grid, queue_size=1, latch=True)
        self._route = Publisher(f"{move_base}/NavfnROS/plan", Path, queue_size=2)
        self._routed: Optional[np.ndarray] = None
        self._led_to: Optional[Pose] = None
        self._frozen: Dict[str, rospy.Time] = {}
        self._scanned = self._costed = self._routed_at = -math.inf
        self.begin()

    def begin(self) -> None:
        """Publish what is static in a scene."""
        fixed = [transform_to_msg("world", "map", Pose((0.0, 0.0, 0.0)), rospy.Time())]
        fixed += [transform_to_msg(self._body, *self._tray, rospy.Time())] if self._tray else []
        self._static.put(fixed)
        self._map.publish(self._grid(np.where(self._base.map(), 100, 0)))

    def publish(self) -> None:
        """Publish the current state; the clock first, so that no pose is stamped in the future."""
        now = rospy.Time.from_sec(self._base.simulation.time)
        pose, counted = self._base.pose(), self._base.odometry()
        if self._clock is not None:
            self._clock.tell(self._base.simulation.time)
        told: AbstractSet[str] = self._faults.told if self._faults is not None else frozenset()
        if "pose_fallen" in told:
            pose = pose.shifted((0.0, 0.0, -_FALLEN))
        if "pose_stale" not in told:
            stamp = now + _AHEAD if "pose_ahead" in told else now
            slash = "/" if "frame_slash" in told else ""
            counter = slash + self._counted_in
            self._tf.tell([transform_to_msg(f"{slash}map", counter, pose.compose(counted.inverse()), stamp),
                           transform_to_msg(counter, slash + self._body, counted, stamp)])
        odometry = Odometry(child_frame_id=self._body)
        odometry.header.frame_id = self._counted_in
        odometry.pose.pose = pose_to_msg(counted)
        odometry.twist.twist.linear.x, odometry.twist.twist.angular.z = self._base.body.wheel_speeds
        if "odometry_nan" in told:
            odometry.pose.pose.position.x = odometry.twist.twist.linear.x = math.nan
        odometry.header.stamp = self._stamp("odometry", now, told)
        self._odometry.publish(odometry)
        scan = self._base.scan()
        if scan is not None and scan.time > self._scanned:
            self._scanned = scan.time
            self._scan.publish(self._laser_scan(scan, told))
        self._publish_route(now)
        if time.monotonic() - self._costed > _COSTMAP_PERIOD and self._costmap.get_num_connections() > 0:
            self._costed = time.monotonic()
            self._costmap.publish(self._grid(_occupancy(self._base.costmap())))

    def _publish_route(self, now: rospy.Time) -> None:
        """Publish the path that is driven: the first of each drive, and then now and then the newest."""
        route, goal = self._base.route, self._base.goal
        if route is None or route is self._routed or self._route.get_num_connections() == 0:
            return
        due = time.monotonic() - self._routed_at > _ROUTE_PERIOD
        if not due and goal is self._led_to:
            return
        self._routed, self._routed_at, self._led_to = route, time.monotonic(), goal
        every = max(1, round(_ROUTE_STEP / self._base.local.resolution))
        message = Path()
        message.header.stamp, message.header.frame_id = now, "map"
        for x, y in (*route[:-1:every], route[-1]):
            placed = PoseStamped(header=message.header)
            placed.pose.position.x, placed.pose.position.y = float(x), float(y)
            placed.pose.orientation.w = 1.0
            message.poses.append(placed)
        self._route.publish(message)

    def _laser_scan(self, scan: Scan, told: AbstractSet[str]) -> LaserScan:
        settings = self._base.settings
        message = LaserScan(
            angle_min=float(scan.angles[0]), angle_max=float(scan.angles[-1]),
            angle_increment=float(scan.angles[1] - scan.angles[0]), scan_time=1.0 / settings.scan_rate,
            range_min=0.0, range_max=settings.range, ranges=scan.ranges.tolist())
        message.header.stamp = self._stamp("scan", rospy.Time.from_sec(scan.time), told)
        message.header.frame_id = f"/{self._body}" if "frame_slash" in told else self._body
        if "scan_nan" in told:
            message.ranges = [math.nan] * len(message.ranges)
        if "scan_frame" in told:
            message.header.frame_id = "nobodys_frame"
        return message

    def _stamp(self, what: str, true: rospy.Time, told: AbstractSet[str]) -> rospy.Time:
        """Return the stamp that odometry or scans get, whose true one is known."""
        if f"{what}_old" in told:
            return self._frozen.setdefault(what, true)
        self._frozen.pop(what, None)
        return true + _AHEAD if f"{what}_ahead" in told else true

    def _grid(self, cells: np.ndarray) -> Grid:
        """Cells (column along x, row along y) of 0 to 100 as a grid, whose rows come one after another."""
        message = Grid(data=cells.T.astype(np.int8).ravel())
        message.header.stamp, message.header.frame_id = rospy.Time.from_sec(self._base.simulation.time), "map"
        message.info.resolution = self._base.local.resolution
        message.info.width, message.info.height = cells.shape
        message.info.origin.position.x, message.info.origin.position.y = map(float, self._base.local.origin)
        message.info.origin.orientation = Quaternion(0.0, 0.0, 0.0, 1.0)
        return message


def _occupancy(costs: np.ndarray) -> np.ndarray:
    """Convert costs (1 in the open, infinite if occupied) to 0 to 100."""
    finite = np.isfinite(costs)
    dearest = max(float(costs[finite].max(initial=1.0)) - 1.0, 1e-6)
    scaled = np.full(costs.shape, 100)
    scaled[finite] = np.rint((costs[finite] - 1.0) / dearest * _DEAREST)
    return scaled


class AgvTruth:
    """Publishes where one base really is, for judges: no node listens. ``publish`` is called while the physics stands,
    after every control period.
    """

    def __init__(self, base: EmbeddedBase) -> None:
        self._base = base
        self._truth = Publisher("ground_truth", TrueMotion, queue_size=_QUEUE)

    def publish(self) -> None:
        """Publish the current true state if there are subscribers."""
        if self._truth.get_num_connections() == 0:
            return
        simulation, body, goal = self._base.simulation, self._base.body, self._base.goal
        self._truth.publish(TrueMotion(
            header=Header(stamp=rospy.Time.from_sec(simulation.time), frame_id="world"),
            robot=self._base.name,
            pose=pose_to_msg(body.pose), speed=body.speed,
            turning=body.turning, touching=body.touching, driving=self._base.driving,
            has_goal=goal is not None, goal=pose_to_msg(goal)))
