"""An arm and a base in one physics: what the tray carries, what moves at once, and whose failure stops
whom.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.executive.executive import Executive
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Task
from hicrisp_core.model.geometry import distance
from hicrisp_core.policy.policy import Policy
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.robot.drive_goals import drive_space_of
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.lab.world import LabWorld
from hicrisp_sim.lockstep import Lockstep
from lasting import LONG
from waiting import PATIENCE

DOMAIN = load_domain(config_file("domains", "lab"))
LADDER = Policy("test", autonomy="full")
_MOVES = 0.02
"""Speed above which a robot counts as moving: m/s of the base, rad/s of the fastest joint of the arm."""


class Lab:
    """A lab with an executive, and a record of what moved when."""

    def __init__(self, policy: Policy = LADDER, seed: int = 0) -> None:
        self.world = LabWorld("lab", seed)
        self.cancel = Event()
        self.events: List[Dict[str, Any]] = []
        self.together = 0.0
        """Seconds of the simulated clock in which both robots moved."""
        self.at_dock: List[Tuple[float, float]] = []
        self._last = self.world.time
        self.world.base.followers.append(self._watch)
        space = replace(drive_space_of(self.world.scene), first_reached=self.world.base.first_reached)
        self.executive: Executive = RunFactory(
            DOMAIN, policy, drive=space, bodies=bodies_of(self.world.scene)).executive(
            self.world.robots, self.world, self.events.append, self.cancel)

    def _watch(self) -> None:
        simulation = self.world.lab
        arm = float(np.abs(simulation.arms["panda"].velocities).max())
        if arm > _MOVES and simulation.bodies["agv"].speed > _MOVES:
            self.together += simulation.time - self._last
        self._last = simulation.time

    def run(self, text: str) -> Any:
        return self.executive.run(Task(text))

    def when(self, kind: str, robot: str, act: Callable[[], object]) -> None:
        """Do something once, when a robot's first event of a kind is told."""
        def listener(event: Dict[str, Any]) -> None:
            if event["kind"] == kind and event.get("robot") == robot and not done:
                done.append(True)
                act()

        done: List[bool] = []
        tell = self.events.append
        self.executive._on_event = lambda event: (tell(event), listener(event))

    def pose(self, name: str) -> Any:
        return self.world.frames()[name][0]


@pytest.fixture(scope="module")
def delivered() -> Lab:
    """The lab after a box was taken to area 2 and back."""
    lab = Lab()
    lab.result = lab.run("load the box onto the AGV, bring it to area 2 and back")
    return lab


def test_a_box_is_taken_to_an_area_and_back(delivered: Lab) -> None:
    assert delivered.result.success, delivered.result.message
    assert not delivered.result.failures
    seen = delivered.world.observe(Deadline(1.0))
    assert seen.holds("on", "box", "tray")
    assert seen.holds("docked", "agv", "dock")


def test_the_arm_and_the_base_move_at_the_same_time(delivered: Lab) -> None:
    assert delivered.together > 1.0


@LONG
def test_what_is_on_the_tray_rides_along_by_friction_and_does_not_slip() -> None:
    lab = Lab()
    assert lab.run("put the box on the AGV").success
    before = lab.pose("tray").inverse().compose(lab.pose("box"))
    assert lab.run("go to area 2, then area 1").success
    after = lab.pose("tray").inverse().compose(lab.pose("box"))
    assert distance(lab.pose("box").position, (2.1, 0.2, 0.025)) < 0.35
    assert distance(before.position, after.position) < 0.01


@LONG
def test_a_box_comes_back_to_the_table_while_others_were_stacked() -> None:
    lab = Lab()
    result = lab.run("take the box to area 1 and back to the table, and meanwhile stack the red box on the "
                     "blue box")
    assert result.success, result.message
    seen = lab.world.observe(Deadline(1.0))
    assert seen.holds("on", "box", "table")
    assert seen.holds("on", "red_box", "blue_box")
    assert lab.together > 1.0


@LONG
@LONG
def test_two_boxes_find_room_on_the_tray() -> None:
    lab = Lab()
    result = lab.run("load the box and the red box onto the AGV")
    assert result.success, result.message
    seen = lab.world.observe(Deadline(1.0))
    assert seen.holds("on", "box", "tray")
    assert seen.holds("on", "red_box", "tray")


def test_a_base_that_fails_leaves_the_arm_to_finish_what_does_not_need_it() -> None:
    lab = Lab(Policy("test", rungs=(), autonomy="full"))
    lab.when("command", "agv", lambda: lab.world.inject("scan_stops", magnitude=(1.0,)))
    result = lab.run("bring the box to area 2 and meanwhile stack the red box on the blue box, then go to area 1")
    assert not result.success
    assert "no data has come from lidar" in result.message
    assert result.given_up == ("dock at dock",)
    assert "pick up box" in result.done
    assert "load box onto tray" in result.not_begun
    assert lab.world.base.body.speed < _MOVES


def test_a_base_that_fails_on_its_way_leaves_the_stack_of_the_arm_standing() -> None:
    lab = Lab(Policy("test", rungs=(), autonomy="full"))
    lab.when("command", "agv", lambda: lab.world.inject("scan_stops", magnitude=(1.0,)))
    result = lab.run("go to area 1 and stack the red box on the blue box")
    assert result.done == ("pick up red box", "place red box on blue box")
    assert result.given_up == ("go to area 1",)
    assert lab.world.observe(Deadline(1.0)).holds("on", "red_box", "blue_box")


def test_a_cancel_stops_both_robots() -> None:
    lab = Lab()

    def soon() -> None:
        moment = lab.world.time + 1.0
        lab.world.simulation.at(moment, lab.cancel.set)

    lab.when("command", "agv", soon)
    result = lab.run("bring the box to area 2")
    assert result.canceled
    assert "not known to stand" not in result.message
    assert lab.world.base.body.speed < _MOVES
    assert float(np.abs(lab.world.arm.joints.velocities).max()) < _MOVES


def test_the_world_is_put_back() -> None:
    lab = Lab()
    assert lab.run("put the box on the AGV").success
    lab.world.reset()
    seen = lab.world.observe(Deadline(1.0))
    assert seen.holds("on", "box", "table")
    assert not seen.holds("docked", "agv", "dock")


def test_a_scene_needs_an_arm_and_a_floor_below_the_table(tmp_path: Path) -> None:
    from hicrisp_core.errors import ConfigError

    text = config_file("scenes", "lab").read_text()
    for old, new, why in (("panda: {kind: arm}", "", "at least one arm was expected"),
                          ("floor: -0.25", "floor: 0.1", "lower"),
                          ("tray: tray}", "tray: box}", "stands for two objects")):
        folder = tmp_path / "scenes"
        folder.mkdir(exist_ok=True)
        (folder / "bad.yaml").write_text(text.replace(old, new))
        with pytest.raises(ConfigError, match=why):
            load_scene(folder / "bad.yaml")


def test_two_movers_share_every_period() -> None:
    lockstep, passed = Lockstep(), []
    both = Event()

    def move() -> None:
        with lockstep.member():
            both.wait(PATIENCE)
            for _ in range(50):
                lockstep.period(lambda: passed.append(1))

    others = [Thread(target=move) for _ in range(2)]
    for other in others:
        other.start()
    both.set()
    for other in others:
        other.join(PATIENCE)
    assert 50 <= len(passed) <= 100
    with lockstep.member():
        lockstep.period(lambda: passed.append(1))  # Who left is not waited for.


def test_the_true_state_holds_the_facts_of_both_robots():
    world = LabWorld("lab")
    seen, true = world.observe(Deadline(5.0)), world.true_state()
    assert true.relations == seen.relations
    assert {name for name, robot in true.robots.items() if robot.pose is not None} == {"panda", "agv"}
