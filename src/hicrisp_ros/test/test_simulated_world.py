"""What a simulated world tells of itself: what was made to go wrong, and which layout it is."""

from __future__ import annotations

from typing import List, Sequence, Tuple

import pytest
import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import Scene, SceneFault, load_scene
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.scene_change import SceneFollower
from hicrisp_ros.simulated_world import Resets, begin_faults, injected

from hicrisp_msgs.srv import (
    HoldTasks,
    HoldTasksRequest,
    HoldTasksResponse,
    InjectFaultRequest,
    ResetWorldRequest,
    ResetWorldResponse,
)

SLIP = InjectFaultRequest("slip", "box", [1], 2)
TOLD = {"fault": "slip", "target": "box", "magnitude": [1.0], "count": 2}


def slips(kind: str, target: str, magnitude: Sequence[float], count: int) -> str:
    return f"{target}: {kind} {count} times"


def refuses(kind: str, target: str, magnitude: Sequence[float], count: int) -> str:
    raise ConfigError(f"there is no '{target}'")


def test_what_was_injected_is_told_after_what_the_scene_begins_with(ros: None) -> None:
    begin_faults([SceneFault("sensor_noise", "", (0.5,))])
    answer = injected(SLIP, slips)
    assert (answer.ok, answer.message) == (True, "box: slip 2 times")
    assert rospy.get_param("~faults") == [
        {"fault": "sensor_noise", "target": "", "magnitude": [0.5], "count": 0}, TOLD]


def test_what_was_refused_is_not_told(ros: None) -> None:
    begin_faults(())
    answer = injected(SLIP, refuses)
    assert (answer.ok, answer.message) == (False, "there is no 'box'")
    assert rospy.get_param("~faults") == []


def test_a_new_beginning_ends_what_was_injected(ros: None) -> None:
    injected(SLIP, slips)
    begin_faults(())
    assert rospy.get_param("~faults") == []


class World:
    """Begins again as it is told, and remembers with what."""

    def __init__(self, name: str, seed: int) -> None:
        self.begun: List[Tuple[str, int]] = []
        self.problems: Tuple[str, ...] = ()
        self.resets = Resets(load_scene(name, seed), self.begin)

    def begin(self, scene: Scene, seed: int) -> Sequence[str]:
        assert scene.seed == seed
        self.begun.append((scene.name, seed))
        return self.problems

    def ask(self, scene: str = "", seed: int = 0) -> ResetWorldResponse:
        return self.resets.answer(ResetWorldRequest(scene, seed))


@pytest.fixture
def world(ros: None) -> World:
    return World("tabletop", 3)


def test_a_reset_without_a_seed_keeps_the_layout_of_the_launch(world: World) -> None:
    answers = [world.ask(), world.ask(seed=7), world.ask(), world.ask(seed=ResetWorldRequest.SEED_ZERO)]
    assert world.begun == [("tabletop", 3), ("tabletop", 7), ("tabletop", 3), ("tabletop", 0)]
    assert answers[1].message == "scene tabletop with seed 7"
    assert rospy.get_param("~seed") == 0
    assert "no seed -5" in world.ask(seed=-5).message


def test_a_reset_without_a_scene_keeps_the_one_that_there_is_by_now(world: World) -> None:
    world.ask("stack", 2)
    world.ask(seed=4)
    assert world.begun == [("stack", 2), ("stack", 4)]


@pytest.mark.parametrize(("scene", "wrong"), [
    ("agv", "world: arena instead of embedded"),
    ("lab", "robots: agv (radius 0.18 m, tray tray), panda instead of panda"),
    ("barman", "domain: kitchen instead of tabletop")])
def test_a_scene_of_another_kind_is_refused_with_those_that_fit(world: World, scene: str, wrong: str) -> None:
    answer = world.ask(scene)
    assert not answer.ok
    assert wrong in answer.message
    assert "stack, tabletop" in answer.message
    assert f"launch again with scene:={scene}" in answer.message
    assert world.begun == []


def test_a_scene_that_there_is_not_is_refused_with_those_that_there_are(world: World) -> None:
    answer = world.ask("nowhere")
    assert (answer.ok, world.begun) == (False, [])
    assert "tabletop" in answer.message


def test_what_did_not_go_well_is_told(world: World) -> None:
    world.problems = ("panda did not stop",)
    answer = world.ask()
    assert (answer.ok, answer.message) == (False, "scene tabletop with seed 3; panda did not stop")


def test_every_node_follows_to_another_scene_and_one_that_cannot_is_named(world: World) -> None:
    followed: List[str] = []
    refusal = ""

    def follow(configuration: Configuration) -> None:
        if refusal:
            raise ConfigError(refusal)
        followed.append(configuration.scene.name)

    other = f"{rospy.get_namespace()}absent/scene"
    rospy.set_param(other, "tabletop")
    follower = SceneFollower(follow)
    try:
        assert world.ask("stack", 5).ok
        assert (followed, rospy.get_param(other)) == (["stack"], "stack")
        assert world.ask(seed=6).ok
        assert followed == ["stack"], "another layout of the same scene is nobody else's business"
        refusal = "it has no eyes for bowls"
        answer = world.ask("bowl")
        assert (answer.ok, answer.message) == (
            False,
            f"scene bowl with seed 3; {rospy.get_name().lstrip('/')} did not follow: it has no eyes for "
            "bowls")
    finally:
        follower.stop()
        rospy.delete_param(other)


def test_a_node_that_remembers_forgets_at_every_reset_of_the_same_scene(world: World) -> None:
    heard: List[str] = []
    follower = SceneFollower(lambda found: heard.append(found.scene.name), lambda: heard.append("forget"))
    try:
        assert world.ask().ok
        assert world.ask(seed=9).ok
        assert world.ask("stack", 5).ok
        assert heard == ["forget", "forget", "stack"]
    finally:
        follower.stop()


def test_no_world_is_reset_under_a_task(world: World) -> None:
    asked: List[bool] = []
    running = "task 7 is running: cancel it first"

    def hold(request: HoldTasksRequest) -> HoldTasksResponse:
        asked.append(request.hold)
        return HoldTasksResponse(not running, running)

    supervisor = rospy.Service("hold_tasks", HoldTasks, hold)
    try:
        answer = world.ask()
        assert (answer.ok, answer.message, world.begun) == (False, running, [])
        running = ""
        assert world.ask().ok
        assert asked == [True, True, False]
    finally:
        supervisor.shutdown()


def test_a_node_reads_the_scene_of_its_namespace_unless_it_has_its_own() -> None:
    own, shared = f"{rospy.get_name()}/scene", rospy.resolve_name("scene")
    before = {name: rospy.get_param(name) for name in (own, shared) if rospy.has_param(name)}
    try:
        rospy.set_param(shared, "stack")
        if rospy.has_param(own):
            rospy.delete_param(own)
        assert load_configuration().scene.name == "stack"
        rospy.set_param(own, "bowl")
        assert load_configuration().scene.name == "bowl"
    finally:
        for name in (own, shared):
            if rospy.has_param(name):
                rospy.delete_param(name)
        for name, value in before.items():
            rospy.set_param(name, value)
