"""The other nodes over ROS: poses as TF, the map, the gripper of two fingers."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, Thread
from typing import Iterator, List

import numpy as np
import pytest
import rospy
from geometry_msgs.msg import Pose, Twist
from hicrisp_core.scene import load_scene
from hicrisp_gazebo.gripper_node import FingerGripper
from hicrisp_gazebo.map_node import ArenaMaps, MapServer, grid_of
from hicrisp_gazebo.poses_node import Poses
from hicrisp_ros.action_client import ActionClient, CallStatus, Limits
from hicrisp_ros.config_files import load_configuration
from hicrisp_ros.tf_world import TfWorld
from nav_msgs.msg import OccupancyGrid
from nav_msgs.srv import GetMap
from reference_gazebo import ReferenceGazebo
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from trajectory_msgs.msg import JointTrajectory
from waiting import PATIENCE, until

from hicrisp_msgs.srv import LoadScene


@pytest.fixture
def gazebo(ros: None) -> Iterator[ReferenceGazebo]:
    running = ReferenceGazebo()
    pose = Pose()
    pose.position.x, pose.orientation.w = 0.5, 1.0
    for name in ("box", "agv", "scenery", "undescribed_1", "undescribed_2-2"):
        running.models[name] = ("", pose, Twist())
    yield running
    running.stop()


@pytest.fixture
def eyes(gazebo: ReferenceGazebo) -> Iterator[Poses]:
    poses = Poses(50.0, 0.0, 1, ("scenery", "agv"))
    yield poses
    poses.stop()


def test_things_are_frames_of_their_names_in_the_world(eyes: Poses) -> None:
    tf = TfWorld()
    seen = until(lambda: tf.frames(["box"]), "frame of the box")
    assert seen["box"][0].position == (0.5, 0.0, 0.0)
    assert not tf.frames(["agv", "scenery", "undescribed_1", "undescribed_2"])


def test_a_thing_whose_model_was_spawned_again_keeps_its_frame(gazebo: ReferenceGazebo, eyes: Poses) -> None:
    tf = TfWorld()
    until(lambda: tf.frames(["box"]), "frame of the box")
    with gazebo.lock:
        sdf, pose, twist = gazebo.models.pop("box")
        gazebo.models["box-2"] = (sdf, Pose(pose.position.__class__(0.8, 0.0, 0.0), pose.orientation), twist)
    until(lambda: tf.frames(["box"])["box"][0].position[0] == 0.8, "frame of the new box")


def test_a_thousand_states_a_second_become_fifty_poses(gazebo: ReferenceGazebo, eyes: Poses) -> None:
    tf = TfWorld()
    until(lambda: tf.frames(["box"]), "frame of the box")
    before, states = tf.count, gazebo.published
    until(lambda: tf.count >= before + 40, "forty poses")
    assert gazebo.published - states > 1.5 * (tf.count - before)
    with gazebo.lock:
        gazebo.models["box"][1].position.x = 0.7
    until(lambda: tf.frames(["box"])["box"][0].position[0] == 0.7, "the newest pose")


def test_noise_is_as_wide_as_it_is_injected(gazebo: ReferenceGazebo, eyes: Poses) -> None:
    tf = TfWorld()
    until(lambda: tf.frames(["box"]), "frame of the box")
    noise = rospy.Publisher("pose_noise", Float64, queue_size=1, latch=True)
    noise.publish(Float64(0.01))
    until(lambda: tf.frames(["box"])["box"][0].position[1] != 0.0, "scattered pose")
    seen: List[float] = []
    for _ in range(60):
        count = tf.count
        until(lambda: tf.count > count, "pose")  # noqa: B023
        seen.append(tf.frames(["box"])["box"][0].position[1])
    assert 0.005 < float(np.std(seen)) < 0.02
    noise.publish(Float64(0.0))
    until(lambda: tf.frames(["box"])["box"][0].position[1] == 0.0, "exact pose")
    noise.unregister()


def test_the_map_is_there_for_whoever_comes_late(ros: None) -> None:
    scene = load_scene("agv", 1)
    assert scene.arena is not None
    server = MapServer(grid_of(scene.arena, 0.05), "map", "/map", "/static_map")
    said = rospy.wait_for_message("/map", OccupancyGrid, PATIENCE)
    assert len(said.data) == said.info.width * said.info.height
    assert said.header.frame_id == "map"
    rospy.wait_for_service("/static_map", PATIENCE)
    assert rospy.ServiceProxy("/static_map", GetMap)().map.data == said.data
    server.stop()


def test_the_maps_follow_the_scene_of_the_world(ros: None, tmp_path: Path) -> None:
    smaller = tmp_path / "smaller.yaml"
    text = Path(load_scene("agv", 1).source).read_text(encoding="utf-8")
    smaller.write_text(text.replace("origin: [1.0, 0.5], size: [3.0, 2.0]",
                                    "origin: [1.0, 0.5], size: [3.0, 2.2]"))
    rospy.set_param("~scene", "agv")
    rospy.set_param("~seed", 1)
    maps = ArenaMaps(load_configuration(), 0.05, "map")
    before = rospy.wait_for_message("/map", OccupancyGrid, 5.0)
    answer = rospy.ServiceProxy("~load_scene", LoadScene)(str(smaller), 1)
    assert answer.ok, answer.message
    after = rospy.wait_for_message("/map", OccupancyGrid, 5.0)
    assert (after.info.width, after.info.height - before.info.height) == (before.info.width, 4)
    answer = rospy.ServiceProxy("~load_scene", LoadScene)("tabletop", 1)
    assert not answer.ok
    assert "has no arena" in answer.message
    assert rospy.get_param("~scene") == "agv", "who changes the scene writes it down, not who follows"
    maps.stop()


class Fingers:
    """Two fingers behind a trajectory controller, with something between them.

    ``turn`` makes them turn: then their joints are at 0 rad when they are open, and at 0.04 times it when shut.
    """

    def __init__(self, stop_at: float, turn: float = 0.0) -> None:
        self.goal = self.position = 0.04
        self._turn = turn
        self._stop_at = stop_at
        self._ended = False
        self._joints = rospy.Publisher("/joint_states", JointState, queue_size=1)
        self._command = rospy.Subscriber("/hand_controller/command", JointTrajectory, self._on_command,
                                         queue_size=1)
        self._thread = Thread(target=self._loop, daemon=True)
        self._thread.start()

    def _on_command(self, message: JointTrajectory) -> None:
        assert list(message.joint_names) == ["left", "right"]
        asked = message.points[-1].positions[0]
        self.goal = 0.04 - asked / self._turn if self._turn else asked

    def _loop(self) -> None:
        while not self._ended:
            step = max(-0.002, min(0.002, self.goal - self.position))
            self.position = max(self.position + step, min(self._stop_at, self.position))
            joint = self._turn * (0.04 - self.position) if self._turn else self.position
            state = JointState(name=["left", "right", "other"], position=[joint, joint, 1.0])
            state.header.stamp = rospy.Time.from_sec(time.time())
            self._joints.publish(state)
            time.sleep(0.02)

    def stop(self) -> None:
        self._ended = True
        self._thread.join()
        self._command.unregister()


@pytest.mark.parametrize(("goal", "stop_at", "status", "stalled", "position"), [
    (0.0, 0.025, CallStatus.SUCCEEDED, True, 0.025), (0.01, 0.0, CallStatus.SUCCEEDED, False, 0.01),
    (0.2, 0.0, CallStatus.ABORTED, False, 0.04)])
def test_the_hand_closes_until_it_holds_something(
    ros: None, goal: float, stop_at: float, status: CallStatus, stalled: bool, position: float
) -> None:
    from control_msgs.msg import GripperCommand, GripperCommandAction, GripperCommandGoal

    fingers = Fingers(stop_at)
    action = f"/hand_{round(1000 * goal)}"
    gripper = FingerGripper(["left", "right"], 0.04, 0.1, action)
    client = ActionClient(action, GripperCommandAction)
    assert client.wait_for_server(PATIENCE)
    until(lambda: gripper.position is not None, "sight of the fingers")
    reply = client.call(GripperCommandGoal(GripperCommand(goal, 10.0)), Limits(PATIENCE, PATIENCE, PATIENCE),
                        Event())
    assert reply.status is status, reply.message
    if status is CallStatus.SUCCEEDED:
        assert reply.result.stalled is stalled
        assert reply.result.reached_goal is not stalled
        assert reply.result.position == pytest.approx(position, abs=0.002)
    else:
        assert "0.04" in reply.message
    gripper.stop()
    fingers.stop()


def test_a_hand_that_closes_by_turning_up_closes_until_it_holds_something(ros: None) -> None:
    from control_msgs.msg import GripperCommand, GripperCommandAction, GripperCommandGoal

    fingers = Fingers(0.025, turn=20.0)
    gripper = FingerGripper(["left", "right"], 0.0, 1.6, "/knuckles", 0.8)
    client = ActionClient("/knuckles", GripperCommandAction)
    assert client.wait_for_server(PATIENCE)
    until(lambda: gripper.position is not None, "sight of the fingers")
    for goal, position in ((0.0, 0.0), (0.8, 0.3)):
        reply = client.call(GripperCommandGoal(GripperCommand(goal, 10.0)),
                            Limits(PATIENCE, PATIENCE, PATIENCE), Event())
        assert reply.status is CallStatus.SUCCEEDED, reply.message
        assert reply.result.position == pytest.approx(position, abs=0.02)
        assert reply.result.stalled is (goal != position)
    gripper.stop()
    fingers.stop()
