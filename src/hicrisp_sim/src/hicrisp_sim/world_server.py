"""A table's door: clock, TF, joint states, the driver, faults, reset and pictures."""

from __future__ import annotations

import math
import time
from concurrent.futures import TimeoutError as FutureTimeout
from threading import Lock, Thread
from typing import Dict, Sequence, Tuple

import rospy
from geometry_msgs.msg import TransformStamped, Vector3
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.robot.deadline import Deadline
from hicrisp_core.scene import load_scene
from hicrisp_nodes.action_server import ActionServer, Goal
from hicrisp_nodes.config_files import config_file
from hicrisp_nodes.conversions import command_from_msg, outcome_to_msg
from hicrisp_nodes.conversions.geometry import pose_to_msg
from hicrisp_nodes.ports.observer import TopicObserver
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CompressedImage, JointState
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.msg import ExecuteCommandAction, ExecuteCommandFeedback, ExecuteCommandResult
from hicrisp_msgs.srv import (
    InjectFault,
    InjectFaultRequest,
    InjectFaultResponse,
    ResetWorld,
    ResetWorldRequest,
    ResetWorldResponse,
    Snapshot,
    SnapshotRequest,
    SnapshotResponse,
)
from hicrisp_sim.camera import SceneCamera
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.panda import ARM_JOINTS, FINGER_JOINTS

_TICK, _IDLE_TICK = 0.01, 0.04
"""Wall seconds between two publications, while the arm carries out a command and while it does not."""
LOOK_LIMIT = 3.0
_STILL_LIMIT, _ANIMATION_LIMIT = 5.0, 60.0
_JOINTS = (*ARM_JOINTS, *FINGER_JOINTS)


class WorldServer:
    """Serves an embedded world. Its driver plans in what the detector publishes, never in the physics' own truth.

    Args:
        sigma: standard deviation of an offset on every placement, metres; a reset does not end it.
    """

    def __init__(self, world: EmbeddedWorld, eyes: TopicObserver, sigma: float = 0.0) -> None:
        self._world = world
        self._eyes = eyes
        self._sigma = sigma
        self._spoil()
        self._camera = SceneCamera(world.simulation)
        self._publishing = Lock()
        self._busy = False
        self._clock = rospy.Publisher("/clock", Clock, queue_size=5, tcp_nodelay=True)
        self._tf = rospy.Publisher("/tf", TFMessage, queue_size=5, tcp_nodelay=True)
        self._joints = rospy.Publisher("joint_states", JointState, queue_size=5)
        world.robot.use_eyes(self._look)
        self._let_time_pass()
        Thread(target=self._publish_always, name="publisher", daemon=True).start()
        self._services = (
            rospy.Service("inject_fault", InjectFault, self._inject),
            rospy.Service("reset_world", ResetWorld, self._reset),
            rospy.Service("snapshot", Snapshot, self._snapshot),
        )
        self._server = ActionServer(f"robots/{world.robot.name}/execute", ExecuteCommandAction, self._execute).start()

    def _let_time_pass(self) -> None:
        """Begin to step the physics while nobody moves."""
        self._world.simulation.start_idling()

    def _frames(self) -> Dict[str, Tuple[Pose, float]]:
        """The frames that are published as children of the world."""
        return self._world.frames()

    def _spoil(self) -> None:
        """Begin with the noise that was asked for; what else was injected is over."""
        rospy.set_param("~faults", [
            {"fault": fault.kind, "target": fault.target, "magnitude": list(fault.magnitude), "count": fault.count}
            for fault in self._world.scene.faults])
        if self._sigma > 0.0:
            self._make("place_offset", "", (self._sigma,), 0)

    def _make(self, kind: str, target: str, magnitude: Sequence[float], count: int) -> str:
        """Inject a fault and write it where reports read what was injected."""
        said = self._world.inject(kind, target, magnitude, count)
        entry = {"fault": kind, "target": target, "magnitude": [float(value) for value in magnitude], "count": count}
        rospy.set_param("~faults", [*rospy.get_param("~faults", []), entry])
        return said

    def _look(self) -> WorldState:
        self._publish()
        self._eyes.world_changed()
        return self._eyes.observe(Deadline(LOOK_LIMIT))

    def _execute(self, goal: Goal) -> ExecuteCommandResult:
        command = command_from_msg(goal.message.command)
        limit = goal.message.time_limit if goal.message.time_limit > 0.0 else command.time_limit
        self._busy = True
        try:
            outcome = self._world.robot.execute(
                command, Deadline(limit), goal.cancel, lambda phase, done: goal.feedback(
                    ExecuteCommandFeedback(phase, done)))
        finally:
            self._busy = False
        self._publish()
        return ExecuteCommandResult(outcome_to_msg(outcome))

    def _inject(self, request: InjectFaultRequest) -> InjectFaultResponse:
        try:
            return InjectFaultResponse(
                True, self._make(request.kind, request.target, request.magnitude, request.count))
        except HicrispError as error:
            return InjectFaultResponse(False, str(error))

    def _reset(self, request: ResetWorldRequest) -> ResetWorldResponse:
        try:
            scene = load_scene(config_file("scenes", request.scene), request.seed) if request.scene else None
            self._world.reset(scene, request.seed)
        except HicrispError as error:
            return ResetWorldResponse(False, str(error))
        self._spoil()
        self._camera.forget()
        self._publish()
        rospy.set_param("~seed", int(request.seed))  # Whoever writes a result reads here which layout it was.
        return ResetWorldResponse(True, f"scene {self._world.scene.name} with seed {request.seed}")

    def _snapshot(self, request: SnapshotRequest) -> SnapshotResponse:
        image = CompressedImage()
        image.header.stamp = rospy.Time.from_sec(self._world.time)
        try:
            if request.since > 0.0:
                image.format, image.data = "webp", self._camera.animation(request.since, _ANIMATION_LIMIT)
            else:
                image.format, image.data = "jpeg", self._camera.jpeg(_STILL_LIMIT)
        except (HicrispError, FutureTimeout) as error:
            return SnapshotResponse(ok=False, message=str(error) or "the picture took too long")
        return SnapshotResponse(ok=True, image=image)

    def _publish_always(self) -> None:
        while not rospy.is_shutdown():
            self._publish()
            time.sleep(_TICK if self._busy else _IDLE_TICK)

    def _publish(self) -> None:
        """Clock first, so that nobody sees a pose from the future."""
        with self._publishing:
            snapshot = self._world.simulation.snapshot
            self._camera.remember(snapshot)
            now = rospy.Time.from_sec(snapshot.time)
            self._clock.publish(Clock(now))
            frames = self._frames()
            self._tf.publish(TFMessage([
                _transform(name, pose, rospy.Time.from_sec(stamp)) for name, (pose, stamp) in frames.items()
                if all(math.isfinite(value) for value in pose.position)]))
            joints = JointState(name=list(_JOINTS), position=list(snapshot.positions[: len(_JOINTS)]))
            joints.header.stamp = now
            self._joints.publish(joints)


def _transform(name: str, pose: Pose, stamp: rospy.Time) -> TransformStamped:
    message = TransformStamped(child_frame_id=name)
    message.header.frame_id, message.header.stamp = "world", stamp
    message.transform.translation = Vector3(*pose.position)
    message.transform.rotation = pose_to_msg(pose).orientation
    return message
