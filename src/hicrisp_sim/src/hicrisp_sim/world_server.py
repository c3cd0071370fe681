"""A table's door: clock, TF, joint states, the driver, faults, reset and pictures."""

from __future__ import annotations

import math
from functools import partial
from threading import Lock
from typing import Dict, FrozenSet, List, Mapping, Optional, Sequence, Set, Tuple

import rospy
from geometry_msgs.msg import TransformStamped
from hicrisp_core.model import Pose, Relation, WorldState
from hicrisp_core.scene import Scene, SceneFault
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.conversions import WORLD
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.frames import MovingFrames, StaticFrames
from hicrisp_ros.ports.observer import TopicObserver
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.robot_server import carry_out
from hicrisp_ros.simulated_world import Resets, WorldClock, add_fault, begin_faults, injected
from hicrisp_ros.supervisor_watch import SupervisorWatch
from hicrisp_ros.wall_clock import WallTimer
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.msg import ExecuteCommandAction, ExecuteCommandResult
from hicrisp_msgs.msg import WorldState as WorldStateMsg
from hicrisp_msgs.srv import InjectFault, ResetWorld, Snapshot
from hicrisp_sim.arm_model import shown
from hicrisp_sim.camera import SceneCamera
from hicrisp_sim.camera_server import CameraServer
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.faulty_robot import FaultyRobot
from hicrisp_sim.pose_faults import POSE_KINDS, PoseFaults
from hicrisp_sim.simulation import Snapshot as Moment

_TICK, _IDLE_TICK = 0.01, 0.04
"""Wall seconds between two publications, while the arm carries out a command and while it does not."""
LOOK_LIMIT = 3.0


class WorldServer:
    """Serves an embedded world. Its driver plans in what the detector publishes, never in the physics' own truth.

    Args:
        sigma: standard deviation of an offset on every placement, metres; a reset does not end it.
        by_camera: whether the camera's pictures say where objects are, in place of the simulation itself, which then
            publishes the frames of the robot alone.
        static: the frames of this node that stay where they are.
    """

    def __init__(self, world: EmbeddedWorld, eyes: TopicObserver, sigma: float = 0.0,
                 by_camera: bool = False, static: Optional[StaticFrames] = None) -> None:
        self._world = world
        self._eyes = eyes
        self._by_camera = by_camera
        self._parents = {link: parent for arm in world.descriptions for link, parent in arm.parents().items()}
        rospy.set_param("robot_description", shown(world.descriptions))
        self._joint_names = [joint for arm in world.descriptions for joint in (*arm.joints, *arm.finger_joints)]
        self._sigma = sigma
        self._pose_faults = PoseFaults()
        self._resets = Resets(world.scene, self._reset)
        self._spoil()
        self._camera = SceneCamera(world.simulation)
        self._publishing = Lock()
        self._busy: Set[str] = set()
        """The arms that carry out a command, or wait for their turn."""
        self._clock = WorldClock(world.simulation.follow)
        self._tf = MovingFrames()
        self._joints = Publisher("joint_states", JointState, queue_size=5)
        self._told_measured: FrozenSet[Relation] = frozenset()
        self._measured = Publisher("measured", WorldStateMsg, queue_size=1, latch=True)
        self._truth = Publisher("ground_truth", TFMessage, queue_size=1)  # For judges and the memory.
        self._depth_camera = CameraServer(world, static or StaticFrames(), self._announce)
        for robot in world.arm_robots:
            robot.use_eyes(self._look)
        self._let_time_pass()
        self._timer = WallTimer(_TICK, self._publish_in_time, "publisher")
        self._services = (
            rospy.Service("inject_fault", InjectFault, lambda request: injected(request, self._inject)),
            rospy.Service("reset_world", ResetWorld, self._resets.answer),
            rospy.Service("snapshot", Snapshot, self._camera.answer),
        )
        self._watch = SupervisorWatch()
        self._servers = tuple(
            ActionServer(f"robots/{robot.name}/execute", ExecuteCommandAction, partial(self._execute, robot)).start()
            for robot in world.arm_robots)

    def _let_time_pass(self) -> None:
        """Start stepping the physics while nothing moves."""
        self._world.simulation.start_idling()

    def _frames(self, snapshot: Moment) -> Dict[str, Tuple[Pose, float]]:
        """Return the frames that are published as children of the world."""
        frames = self._world.frames(snapshot)
        if not self._by_camera:
            return frames
        known = self._world.scene.objects  # Doors and drawers report where they stand themselves.
        return {name: found for name, found in frames.items() if name not in known or known[name].joint}

    def _inject(self, kind: str, target: str, magnitude: Sequence[float], count: int) -> str:
        if kind not in POSE_KINDS:
            return self._world.inject(kind, target, magnitude, count)
        return self._pose_faults.inject(kind, target, magnitude, count,
                                        self._frames(self._world.simulation.snapshot))

    def _spoil(self) -> None:
        """Begin with the noise that was asked for; what else was injected is over."""
        begin_faults(self._world.scene.faults)
        if self._sigma > 0.0:
            self._world.inject("place_offset", "", (self._sigma,))
            add_fault(SceneFault("place_offset", "", (self._sigma,)))

    def _look(self) -> WorldState:
        self._publish()
        # Pictures are few: one from after the last motion will do. Poses come many times in that time.
        self._eyes.world_changed(
            self._world.simulation.moved_at if self._by_camera else None)
        return self._eyes.observe(Deadline(LOOK_LIMIT))

    def _execute(self, robot: FaultyRobot, goal: Goal) -> ExecuteCommandResult:
        self._busy.add(robot.name)
        try:
            result = carry_out(robot, goal, self._watch)
        finally:
            self._busy.discard(robot.name)
        self._publish()
        return result

    def _reset(self, scene: Scene, seed: int) -> Sequence[str]:
        with self._depth_camera.paused():
            self._world.reset(scene, seed)
        self._pose_faults.clear()
        self._spoil()
        self._camera.forget()
        self._publish()
        return ()

    def _publish_in_time(self) -> float:
        self._publish()
        return _TICK if self._busy else _IDLE_TICK

    def _publish(self) -> None:
        """Publish the clock first, so that no pose is stamped in the future."""
        with self._publishing:
            snapshot = self._world.simulation.snapshot
            self._camera.remember(snapshot)
            now = rospy.Time.from_sec(snapshot.time)
            self._clock.tell(snapshot.time)
            self._tf.tell(self._told(snapshot))
            measured = self._world.simulation.measured()
            if measured != self._told_measured:
                self._told_measured = measured
                self._measured.publish(WORLD.to_msg(WorldState(relations=measured, stamp=snapshot.time)))
            joints = JointState(name=self._joint_names,
                                position=list(snapshot.positions[: len(self._joint_names)]))
            joints.header.stamp = now
            self._joints.publish(joints)
            if self._truth.get_num_connections() > 0:
                self._truth.publish(TFMessage(_transforms(self._world.true_frames(), {})))

    def _announce(self, snapshot: Moment) -> None:
        """Publish the frames of a picture's moment; the clock is not behind it, and never goes back."""
        self._publish()
        self._tf.tell(self._told(snapshot))

    def _told(self, snapshot: Moment) -> List[TransformStamped]:
        """Return the frames of a moment as they are published, with the active faults."""
        frames, spoilt = self._frames(snapshot), self._pose_faults.spoilt
        sound = {name: found for name, found in frames.items() if name not in spoilt}
        told = self._pose_faults.told({name: frames[name] for name in spoilt if name in frames})
        return _transforms(sound, self._parents) + [
            transform_to_msg(self._pose_faults.parent(name), name, pose, rospy.Time.from_sec(stamp))
            for name, (pose, stamp) in told.items()]


def _transforms(frames: Dict[str, Tuple[Pose, float]], parents: Mapping[str, str]) -> List[TransformStamped]:
    """Return frames as transforms from their parents, or from the world; one that is nowhere is left out."""
    found: List[TransformStamped] = []
    for name, (pose, stamp) in frames.items():
        parent = parents.get(name, "world")
        if parent in frames:
            pose = frames[parent][0].inverse().compose(pose)
        else:
            parent = "world"
        if all(math.isfinite(value) for value in pose.position):
            found.append(transform_to_msg(parent, name, pose, rospy.Time.from_sec(stamp)))
    return found
