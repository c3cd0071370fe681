#!/usr/bin/env python3
"""A world for the tests over ROS, without physics: a robot that moves things in a straight line, and their
TF.

Its robot is served as any driver's is; it serves ``inject_fault``, too, and publishes the frames that the embedded
world would. Faults: ``miss`` (a pick closes on nothing), ``offset`` (a place ends beside its aim), ``fail``
(EXECUTION), ``slow`` (a command takes that many seconds).
"""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, RLock, Thread
from typing import Dict, List, Optional, Sequence, Tuple

import rospy
from hicrisp_core.model import Command, Outcome, Pose, Status, WorldObject
from hicrisp_core.ports.robot import Progress
from hicrisp_core.scene import load_scene
from hicrisp_core.time import Deadline
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.node import run
from hicrisp_ros.robot_server import RobotServer
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.srv import InjectFault, InjectFaultRequest, InjectFaultResponse

HOME = Pose((0.3, 0.0, 0.6), (1.0, 0.0, 0.0, 0.0))
OPEN = 0.08
TICK, SHOWN = 0.02, 0.04
"""Wall seconds between two steps of a motion, and between two publications."""
FAULTS = ("miss", "offset", "fail", "slow")


class TeleportWorld:
    """One arm and its things; ``seconds`` is how long a command takes."""

    def __init__(self, robot: str, things: Dict[str, WorldObject], seconds: float) -> None:
        self.name = robot
        self._things = things
        self._poses = {name: thing.pose for name, thing in things.items() if thing.pose is not None}
        self._seconds = seconds
        self._tool, self._opening = HOME, OPEN
        self._held: Optional[str] = None
        self._faults: List[InjectFaultRequest] = []
        self._lock = RLock()
        self._tf = rospy.Publisher("/tf", TFMessage, queue_size=10)
        Thread(target=self._publish, daemon=True).start()
        self._service = rospy.Service("inject_fault", InjectFault, self._inject)
        self._server = RobotServer(self)

    def _inject(self, request: InjectFaultRequest) -> InjectFaultResponse:
        if request.kind not in FAULTS:
            return InjectFaultResponse(False, f"no fault '{request.kind}'; there are: {', '.join(FAULTS)}")
        # A newer one takes the place of what is left of an earlier one of its kind.
        self._faults = [*(fault for fault in self._faults if fault.kind != request.kind), request]
        return InjectFaultResponse(True, "")

    def _fault(self, kind: str) -> Tuple[float, ...]:
        """The magnitude of a fault that waits, and one less of it; empty when there is none."""
        for fault in self._faults:
            if fault.kind == kind:
                fault.count -= 1
                if fault.count == 0:
                    self._faults.remove(fault)
                return tuple(fault.magnitude) or (1.0,)
        return ()

    def capabilities(self) -> Sequence[str]:
        return ()

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        if self._fault("fail"):
            return Outcome(Status.EXECUTION, "the motion was aborted")
        seconds = (*self._fault("slow"), self._seconds)[0]
        ticks = max(1, int(seconds / TICK))
        start, end = self._tool, self._goal_of(command)
        for tick in range(1, ticks + 1):
            if cancel.is_set() or deadline.passed:
                return Outcome(Status.CANCELED if cancel.is_set() else Status.TIMEOUT, "stopped on request")
            part = tick / ticks
            x, y, z = (a + part * (b - a) for a, b in zip(start.position, end.position))
            with self._lock:
                self._tool = Pose((x, y, z), start.orientation)
                if self._held:
                    self._poses[self._held] = Pose((x, y, z), self._poses[self._held].orientation)
            if progress is not None:
                progress("move", part)
            time.sleep(TICK)
        with self._lock:
            self._finish(command)
        return Outcome(Status.SUCCESS)

    def stop(self, deadline: Deadline) -> Outcome:
        return Outcome(Status.SUCCESS)

    def reset(self) -> None:
        """Nothing is kept."""

    def _goal_of(self, command: Command) -> Pose:
        if command.action == "pick":
            return self._poses[command.argument("item")]
        if command.aim is None:
            return HOME
        offset = self._fault("offset")
        return command.aim.shifted((offset[0], offset[1], 0.0)) if len(offset) >= 2 else command.aim

    def _finish(self, command: Command) -> None:
        item = command.argument("item")
        if command.action == "pick" and not self._fault("miss"):
            self._held, self._opening = item, min(self._things[item].size[:2])
        elif command.action != "pick" and self._held:
            self._poses[self._held] = Pose(self._tool.position,
                                           command.target.orientation if command.target else
                                           self._poses[self._held].orientation)
            self._held, self._opening = None, OPEN
            self._tool = HOME

    def _publish(self) -> None:
        while not rospy.is_shutdown():
            with self._lock:
                finger = self._opening / 2.0
                frames = {
                    **self._poses,
                    "panda_hand_tcp": self._tool,
                    "panda_leftfinger": self._tool.compose(Pose((0.0, finger, 0.0))),
                    "panda_rightfinger": self._tool.compose(Pose((0.0, -finger, 0.0))),
                }
            now = rospy.Time.now()
            self._tf.publish(TFMessage([transform_to_msg("world", *frame, now) for frame in frames.items()]))
            time.sleep(SHOWN)


def build() -> TeleportWorld:
    """Make the world of a scene."""
    scene = load_scene(Path(rospy.get_param("scene")), rospy.get_param("seed", 0))
    return TeleportWorld(scene.robots[0], dict(scene.objects), rospy.get_param("~seconds", 0.3))


if __name__ == "__main__":
    run("teleport_world", build)
