"""A scene in Gazebo over ROS: spawned, spoilt and put back, with Gazebo's own refusals on the way."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Iterator, List

import numpy as np
import pytest
import rospy
from actionlib_msgs.msg import GoalID, GoalStatusArray
from hicrisp_core.model import Command, Outcome, Pose, Status
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.scene.undescribed import with_undescribed
from hicrisp_gazebo.client import GazeboClient
from hicrisp_gazebo.depth_camera import EXACT
from hicrisp_gazebo.port import Refusal
from hicrisp_gazebo.scene_models import SCENERY
from hicrisp_gazebo.scene_node import SceneServer
from hicrisp_gazebo.world import GazeboError, GazeboWorld
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.conversions import COMMAND, OUTCOME
from reference_gazebo import DELETED_AGAIN, ReferenceGazebo
from sensor_msgs.msg import Image
from waiting import PATIENCE, until

from hicrisp_msgs.msg import (
    ExecuteCommandAction,
    ExecuteCommandActionGoal,
    ExecuteCommandFeedback,
    ExecuteCommandGoal,
    ExecuteCommandResult,
)
from hicrisp_msgs.srv import InjectFault, ResetWorld

AGV = Path(__file__).parents[1] / "models/agv/model.sdf"


@pytest.fixture
def gazebo(ros: None) -> Iterator[ReferenceGazebo]:
    running = ReferenceGazebo()
    yield running
    running.deaf = False
    running.stop()


class Driver:
    """A robot's driver that goes through a pick's phases when it is told to."""

    def __init__(self, name: str) -> None:
        self.commands: "list[str]" = []
        self.halted = 0
        self.phases: "tuple[str, ...]" = ()
        self._server = ActionServer(f"robots/{name}/execute", ExecuteCommandAction, self._execute).start()
        self._status = f"robots/{name}/execute/status"
        self._goals = rospy.Publisher(f"robots/{name}/execute/goal", ExecuteCommandActionGoal, queue_size=1)

    def send(self, command: Command) -> None:
        until(lambda: self._goals.get_num_connections() > 0,
              "connection to the driver and the scene, which share one")
        rospy.wait_for_message(self._status, GoalStatusArray,
                               PATIENCE)  # The scene shares this connection, too.
        goal = ExecuteCommandActionGoal(goal=ExecuteCommandGoal(COMMAND.to_msg(command), 30.0))
        goal.goal_id = GoalID(rospy.Time.from_sec(time.time()), f"{command.action}-{time.monotonic()}")
        self._goals.publish(goal)

    def _execute(self, goal: Goal) -> ExecuteCommandResult:
        self.commands.append(goal.message.command.action)
        for phase in self.phases:
            goal.feedback(ExecuteCommandFeedback(phase, 0.5))
        if goal.message.command.action != "home":
            while not goal.cancel.wait(0.05):  # The scene may hear of a phase before it hears of the command.
                goal.feedback(ExecuteCommandFeedback(("", *self.phases)[-1], 0.5))
            self.halted += 1
        return ExecuteCommandResult(OUTCOME.to_msg(Outcome(Status.SUCCESS)))

    def stop(self) -> None:
        self._server.stop()


@pytest.fixture
def table(gazebo: ReferenceGazebo) -> Iterator[SceneServer]:
    yield from serve("tabletop", 0)


@pytest.fixture
def arena(gazebo: ReferenceGazebo) -> Iterator[SceneServer]:
    yield from serve("agv", 1)


def serve(name: str, seed: int) -> Iterator[SceneServer]:
    server = SceneServer(load_scene(name, seed), seed, str(AGV), "home", "")
    yield server
    server.stop()


def inject(kind: str, target: str = "", magnitude: Any = (), count: int = 0) -> Any:
    rospy.wait_for_service("inject_fault", 5.0)
    return rospy.ServiceProxy("inject_fault", InjectFault)(kind, target, magnitude, count)


def reset(scene: str = "", seed: int = 0) -> Any:
    rospy.wait_for_service("reset_world", 5.0)
    return rospy.ServiceProxy("reset_world", ResetWorld)(scene, seed)


def expected(scene: str, seed: int, name: str) -> Any:
    pose = load_scene(scene, seed).objects[name].pose
    assert pose is not None
    return pytest.approx(pose.position, abs=1e-6)


def test_a_scene_is_spawned_where_it_says(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    assert list(gazebo.models) == [SCENERY, "box", "cylinder"]
    assert gazebo.at("box") == expected("tabletop", 0, "box")


def test_the_base_is_spawned_with_its_arena(gazebo: ReferenceGazebo, arena: SceneServer) -> None:
    assert gazebo.at("agv")[:2] == pytest.approx((1.40, 0.90))
    assert {f"obstacle_{number}" for number in range(1, 5)} < set(gazebo.models)


def test_a_reset_puts_everything_back_while_the_physics_stands(gazebo: ReferenceGazebo,
                                                               table: SceneServer) -> None:
    assert inject("object_moved", "box", [0.1]).ok
    assert gazebo.at("box") != expected("tabletop", 0, "box")
    gazebo.placed_while_running.clear()
    answer = reset(seed=0)
    assert answer.ok, answer.message
    assert gazebo.at("box") == expected("tabletop", 0, "box")
    assert gazebo.placed_while_running == []
    assert not gazebo.paused


def test_another_seed_is_another_layout_of_the_same_models(gazebo: ReferenceGazebo,
                                                           table: SceneServer) -> None:
    gazebo.calls.clear()
    assert reset(seed=7).ok
    assert gazebo.at("cylinder") == expected("tabletop", 7, "cylinder")
    assert not [call for call in gazebo.calls if call[0] == "spawn"]
    assert rospy.get_param("~seed") == 7


def test_objects_that_nobody_described_are_put_back_and_drawn_by_another_seed(gazebo: ReferenceGazebo) -> None:
    def drawn(seed: int) -> Any:
        items = with_undescribed(load_scene("workbench", seed), seed).unknown
        return {f"undescribed_{number}": pytest.approx(item.pose.position, abs=1e-6)
                for number, item in enumerate(items, 1) if item.pose is not None}

    for _ in serve("workbench", 3):
        assert {name: gazebo.at(name) for name in gazebo.things - {SCENERY}} == drawn(3)
        gazebo.models["undescribed_1"][1].position.x += 0.1
        assert reset(seed=3).ok
        assert {name: gazebo.at(name) for name in gazebo.things - {SCENERY}} == drawn(3)
        assert reset(seed=4).ok
        later(gazebo)
        assert {name: gazebo.at(name) for name in gazebo.things - {SCENERY}} == drawn(4)


def test_gazebos_exact_depth_is_measured_as_the_scenes_camera_measures(table: SceneServer) -> None:
    lens = load_camera("d435_fixed").lens
    exact = np.full((lens.height, lens.width), 0.9, np.float32)
    exact[:50], exact[200:300, 200:300] = np.nan, 0.8
    told: List[Image] = []
    source = rospy.Publisher(EXACT, Image, queue_size=1)
    measured = rospy.Subscriber("camera/aligned_depth_to_color/image_raw", Image, told.append)
    picture = Image(height=lens.height, width=lens.width, encoding="32FC1", step=4 * lens.width, data=exact.tobytes())
    picture.header.stamp, picture.header.frame_id = rospy.Time(7.0), "camera_color_optical_frame"
    until(lambda: source.publish(picture) or told, "measured depth")
    depth = np.frombuffer(told[0].data, "<f4").reshape(exact.shape)
    assert told[0].header.stamp == rospy.Time(7.0)
    assert told[0].header.frame_id == picture.header.frame_id
    assert not depth[:50].any()
    assert 0.0005 < np.std(depth[320:, 320:]) < 0.01
    assert np.mean(depth[210:290, 210:290]) == pytest.approx(0.8, abs=0.003)
    edge = depth[200:300, 190:200]
    assert np.mean(edge == 0.0) > 0.05, "holes beside what stands in front"
    source.unregister()
    measured.unregister()


def later(gazebo: ReferenceGazebo, seconds: float = 2.0 * DELETED_AGAIN) -> None:
    """Let the time pass after which Gazebo has deleted again whatever it deletes again."""
    published, end = gazebo.published, time.monotonic() + seconds
    until(lambda: time.monotonic() > end and gazebo.published > published, "second deletion")


def test_another_scene_takes_the_old_one_away(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    answer = reset("bowl", 2)
    assert answer.ok, answer.message
    later(gazebo)
    assert gazebo.things == {SCENERY, "bowl", "box", "cylinder"}
    assert gazebo.at("cylinder") == expected("bowl", 2, "cylinder")
    assert not reset("no_such_scene").ok
    answer = reset("agv")
    assert not answer.ok
    assert all(f" {name}," in answer.message for name in ("bowl", "clutter"))
    assert "launch again with scene:=agv" in answer.message
    assert gazebo.things == {SCENERY, "bowl", "box", "cylinder"}
    assert reset().ok
    assert gazebo.at("cylinder") == expected("bowl", 0,
                                             "cylinder"), "the scene stays, with the seed of the launch"


def test_no_model_is_lost_to_a_second_deletion_of_its_name(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    for scene in ("bowl", "tabletop", "bowl"):
        answer = reset(scene, 3)
        assert answer.ok, answer.message
    later(gazebo)
    assert gazebo.things == {SCENERY, "bowl", "box", "cylinder"}
    spawned = [name for call, name in gazebo.calls if call == "spawn"]
    assert len(spawned) == len(set(spawned))
    assert inject("shove", "bowl", [0.1, 0.1]).ok


def test_a_reset_that_leaves_the_world_in_pieces_says_so(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    gazebo.forgets = {"box"}
    answer = reset(seed=4)
    assert not answer.ok
    assert "Gazebo has no box" in answer.message
    gazebo.forgets = {SCENERY}
    answer = reset("bowl", 4)
    assert not answer.ok
    assert "Gazebo has no scenery" in answer.message
    gazebo.forgets = set()
    assert reset("tabletop", 4).ok


def test_what_falls_after_a_reset_is_told(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    gazebo.floorless = True
    answer = reset(seed=4)
    assert not answer.ok
    assert "has fallen by" in answer.message


def test_a_thing_that_vanished_comes_back(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    assert inject("vanish", "box").ok
    assert "box" not in gazebo.things
    assert "does not exist" in inject("vanish", "box").message
    assert reset(seed=0).ok
    later(gazebo)
    assert gazebo.at("box") == expected("tabletop", 0, "box")


def test_models_of_an_earlier_run_are_replaced(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    gazebo.calls.clear()
    table.stop()
    for server in serve("tabletop", 4):
        assert ("delete", "box") in gazebo.calls
        later(gazebo)
        assert gazebo.at("box") == expected("tabletop", 4, "box")
        assert server is not table


@pytest.mark.parametrize(("kind", "target", "magnitude", "told"), [
    ("earthquake", "", [], "object_moved"), ("object_moved", "lamp", [0.1], "box, cylinder"),
    ("object_moved", "box", [], "distance"), ("shove", "box", [0.1], "vx"),
    ("sensor_noise", "", [-0.1], "at least 0"),
    ("appear", "box", [1.0, 1.0], "there is no fault 'appear'")])
def test_a_fault_that_cannot_be_is_refused_with_what_can(
    table: SceneServer, kind: str, target: str, magnitude: Any, told: str
) -> None:
    answer = inject(kind, target, magnitude)
    assert not answer.ok
    assert told in answer.message
    assert rospy.get_param("~faults") == []


def test_the_same_seed_moves_a_thing_to_the_same_place(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    places = []
    for _ in range(2):
        assert reset(seed=3).ok
        assert inject("object_moved", "box", [0.1]).ok
        places.append(gazebo.at("box"))
    assert places[0] == places[1]
    assert rospy.get_param("~faults") == [{"fault": "object_moved", "target": "box", "magnitude": [0.1],
                                           "count": 0}]


def test_an_obstacle_appears_after_some_seconds(gazebo: ReferenceGazebo, arena: SceneServer) -> None:
    assert inject("appear", "obstacle_1", [2.0, 1.2, 0.3]).ok
    assert gazebo.at("obstacle_1")[0] != 2.0
    until(lambda: gazebo.at("obstacle_1")[:2] == (2.0, 1.2), "obstacle in the way")
    assert gazebo.at("obstacle_1")[2] == pytest.approx(0.2, abs=0.01)


def test_nothing_appears_where_the_robot_stands(gazebo: ReferenceGazebo, arena: SceneServer) -> None:
    before = gazebo.at("obstacle_1")
    answer = inject("appear", "obstacle_1", [1.5, 0.9])
    assert not answer.ok
    assert "agv is there; choose a place at least 0.46 m from its middle" in answer.message
    assert gazebo.at("obstacle_1") == before
    assert rospy.get_param("~faults") == []


def test_what_is_knocked_moves_on_from_where_it_is(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    before = gazebo.at("cylinder")
    assert inject("shove", "cylinder", [0.3, -0.2]).ok
    assert gazebo.at("cylinder") == before
    twist = gazebo.models["cylinder"][2].linear
    assert (twist.x, twist.y) == (0.3, -0.2)


def test_a_hand_moves_a_thing_just_before_the_robot_reaches_for_it(gazebo: ReferenceGazebo,
                                                                   table: SceneServer) -> None:
    driver = Driver("panda")
    driver.phases = ("look", "approach", "descend")
    assert inject("object_moved", "box", [0.1], count=1).ok
    before = gazebo.at("box")
    assert before == expected("tabletop", 0, "box")
    driver.send(Command("pick", {"item": "box"}, "panda"))
    until(lambda: gazebo.at("box") != before, "moved box")
    driver.stop()


def test_what_slips_falls_from_below_the_hand(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    driver = Driver("panda")
    driver.phases = ("transfer",)
    assert inject("slip", "box", [0.1], count=1).ok
    with gazebo.lock:
        sdf, pose, twist = gazebo.models["box"]
        pose.position.z = 0.30
    driver.send(Command("place_next_to", {"item": "box", "reference": "cylinder"}, "panda"))
    until(lambda: gazebo.at("box")[2] < 0.25, "box that fell")
    assert gazebo.at("box")[2] > 0.02
    driver.stop()


def test_the_goal_is_blocked_when_the_command_comes(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    driver = Driver("panda")
    assert inject("blocked_goal", "cylinder", count=1).ok
    goal = Pose((0.45, 0.0, 0.025))
    driver.send(Command("put_down", {"item": "box"}, "panda", goal, goal))
    until(lambda: gazebo.at("cylinder")[:2] == pytest.approx((0.45, 0.0), abs=0.04), "cylinder on the goal")
    driver.stop()


def test_robots_stand_and_arms_are_at_rest_before_things_are_put_back(
    gazebo: ReferenceGazebo, table: SceneServer
) -> None:
    driver = Driver("panda")
    driver.send(Command("pick", {"item": "box"}, "panda"))
    until(lambda: driver.commands == ["pick"], "running command")
    answer = reset(seed=1)
    assert answer.ok, answer.message
    assert driver.halted == 1
    assert driver.commands == ["pick", "home"]
    driver.stop()


def test_a_gazebo_that_is_silent_is_not_waited_for(gazebo: ReferenceGazebo) -> None:
    client = GazeboClient(patience=0.3, start_up=0.3)
    gazebo.deaf = True
    world = GazeboWorld(client, load_scene("tabletop", 0), 0, None, rospy.get_time, lambda sigma: None)
    with pytest.raises(GazeboError, match="did not make room for the scene"):
        world.begin()
    assert client.pose("box").refusal is Refusal.SILENT


def test_a_refusal_is_known_by_its_text(gazebo: ReferenceGazebo, table: SceneServer) -> None:
    client = GazeboClient()
    assert client.pose("lamp").refusal is Refusal.MISSING
    assert client.delete("lamp").refusal is Refusal.MISSING
    assert client.place("lamp", Pose((0.0, 0.0, 0.0))).refusal is Refusal.MISSING
    seen = client.pose("box")
    assert seen.pose is not None
    assert seen.pose.position == expected("tabletop", 0, "box")
