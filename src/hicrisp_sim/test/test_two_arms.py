"""Two arms at one counter: each is a robot of its own, keeps clear of the other, and passes on what that one takes."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from typing import Any, Dict, List, Set, Tuple

import pytest
from acting import LIMIT, pointing_down
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.checker import check
from hicrisp_core.domain.wording import words_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.executive.run_log import TaskResult
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Command, Status, Task
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.arm_model import shown
from hicrisp_sim.embedded import EmbeddedWorld
from waiting import PATIENCE

LEFT, RIGHT = "left_arm", "right_arm"


class Bar:
    """The bar with an executive, and a record of which arms touched each other."""

    def __init__(self, seed: int = 0) -> None:
        self.world = EmbeddedWorld("bar", seed)
        self.events: List[Dict[str, Any]] = []
        self.touched: Set[Tuple[str, str]] = set()
        self.world.simulation.listeners.append(self._watch)

    def _watch(self) -> None:
        simulation = self.world.simulation
        for one, other in simulation.data.contact.geom:
            names = [simulation.model.geom(int(geom)).name.split("/")[0] for geom in (one, other)]
            if names[0] != names[1] and set(names) <= {LEFT, RIGHT}:
                self.touched.add((names[0], names[1]))

    def run(self, text: str) -> TaskResult:
        parts = RunFactory(self.world.domain, load_policy(config_file("policies", "hierarchical")),
                           bodies=bodies_of(self.world.scene))
        return parts.executive(self.world.robots, self.world, self.events.append).run(Task(text))

    @property
    def commands(self) -> List[str]:
        return [event["command"] for event in self.events if event["kind"] == "command"]


@pytest.fixture
def bar() -> Bar:
    return Bar()


def test_each_arm_is_sent_for_what_it_reaches(bar: Bar) -> None:
    assert bar.run("put the lime in the bowl and the gin bottle next to the shaker").success
    assert {command.split(",")[0] for command in bar.commands if "lime" in command} == {
        f"pick({RIGHT}", f"place_in({RIGHT}"}
    assert {command.split(",")[0] for command in bar.commands if "gin" in command} == {
        f"pick({LEFT}", f"place_next_to({LEFT}"}
    seen = bar.world.observe(Deadline(LIMIT))
    assert seen.holds("in", "lime", "bowl")
    assert seen.holds("next_to", "gin_bottle", "shaker")


def test_what_one_arm_does_not_reach_is_passed_on(bar: Bar) -> None:
    result = bar.run("put the gin bottle next to the glass")
    assert result.success, result.message
    assert bar.commands[:2] == [f"pick({LEFT}, gin_bottle)", f"pass_on({LEFT}, gin_bottle, {RIGHT})"]
    assert bar.world.observe(Deadline(LIMIT)).holds("next_to", "gin_bottle", "glass")
    assert not bar.touched


def test_an_arm_that_is_in_the_way_leaves(bar: Bar) -> None:
    result = bar.run("put the lime on the rum bottle")
    assert result.success, result.message
    assert bar.commands[:2] == [f"pick({RIGHT}, lime)", f"pass_on({RIGHT}, lime, {LEFT})"]
    assert f"home({RIGHT})" in bar.commands
    assert not bar.touched


def test_an_arm_that_does_not_reach_is_refused_with_the_one_that_does(bar: Bar) -> None:
    refused = check(bar.world.domain, Command("pick", {"robot": LEFT, "item": "glass"}, LEFT),
                    bar.world.observe(Deadline(LIMIT)))
    assert refused is not None
    assert words_of(refused, bar.world.domain).reason == "Left arm does not reach glass, right arm does."


def test_a_motion_is_planned_around_the_other_arm_where_it_is_now(bar: Bar) -> None:
    left, right = bar.world.arms
    between = pointing_down(0.42, 0.0, 0.25)

    def go(arm: Any) -> Any:
        arm.sync(bar.world.look())
        return arm.plan_to(between, Deadline(LIMIT))

    there = go(right)
    assert isinstance(there, Trajectory)
    assert right.follow(there, Deadline(LIMIT), Event()).ok
    blocked = go(left)
    assert isinstance(blocked, MotionFailure)
    assert blocked.blockers == (RIGHT,)
    assert bar.world.robots[RIGHT].execute(Command("home", {"robot": RIGHT}, RIGHT), Deadline(LIMIT), Event()).ok
    assert isinstance(go(left), Trajectory)


def test_arms_take_turns_and_one_that_waits_can_be_stopped(bar: Bar) -> None:
    left, right = bar.world.robots[LEFT], bar.world.robots[RIGHT]
    began, ended = Event(), []

    def wait() -> None:
        ended.append(right.execute(Command("home", {"robot": RIGHT}, RIGHT), Deadline(PATIENCE), Event()))

    def progress(phase: str, fraction: float) -> None:
        if not began.is_set():
            began.set()
            waiting.start()
            while not ended:  # Its turn does not come while this command is under way.
                right.stop(Deadline(PATIENCE))

    waiting = Thread(target=wait)
    assert left.execute(Command("home", {"robot": LEFT}, LEFT), Deadline(PATIENCE), Event(), progress).ok
    waiting.join(PATIENCE)
    assert [outcome.status for outcome in ended] == [Status.CANCELED]


def test_an_arm_is_held_to_the_workspace_before_its_own_stand(bar: Bar) -> None:
    beyond = pointing_down(0.4, -0.5, 0.3)
    refused = bar.world.robots[LEFT].execute(
        Command("move_tool", {}, LEFT, target=beyond), Deadline(LIMIT), Event())
    assert refused.status is Status.PLANNING
    assert "outside the safe workspace" in refused.message
    assert bar.world.robots[RIGHT].execute(
        Command("move_tool", {}, RIGHT, target=beyond), Deadline(LIMIT), Event()).ok


def test_the_links_of_both_arms_have_names_and_places_of_their_own(bar: Bar) -> None:
    frames = bar.world.frames()
    for name, y in ((LEFT, 0.38), (RIGHT, -0.38)):
        assert frames[f"{name}/panda_link0"][0].position == pytest.approx((0.0, y, 0.0))
    told = shown(bar.world.descriptions)
    assert all(f'link name="{name}/panda_hand"' in told for name in (LEFT, RIGHT))
    assert 'link="world"' in told


def test_the_world_is_put_back(bar: Bar) -> None:
    before = bar.world.frames()["lime"][0]
    assert bar.run("put the lime in the bowl").success
    bar.world.reset()
    assert bar.world.frames()["lime"][0].position == pytest.approx(before.position, abs=1e-3)
    assert bar.world.arms[1].joints.positions == pytest.approx(bar.world.descriptions[1].settings.rest, abs=1e-2)


@pytest.mark.parametrize(("old", "new", "why"), [
    ("{kind: arm, type: panda, position: [0.0, 0.38]}", "{kind: base, position: [0.0, 0.38]}", "arms alone"),
    ("{kind: arm, type: panda, position: [0.0, 0.38]}", "{kind: arm, radius: 0.2}", "no 'radius'"),
    ("{kind: arm, type: panda, position: [0.0, 0.38]}", "{kind: arm, type: panda, postion: [0.0, 0.38]}", "position"),
])
def test_a_robot_with_a_wrong_key_is_refused_with_its_line(tmp_path: Path, old: str, new: str, why: str) -> None:
    (tmp_path / "scenes").mkdir()
    text = config_file("scenes", "bar").read_text()
    assert old in text
    (tmp_path / "scenes/bad.yaml").write_text(text.replace(old, new))
    with pytest.raises(ConfigError, match=why) as refused:
        load_scene(tmp_path / "scenes/bad.yaml")
    assert "bad.yaml:" in str(refused.value)
