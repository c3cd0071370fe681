"""Several bases in one arena: who gives way to whom, and that nobody touches anybody."""

from __future__ import annotations

import itertools
import math
from functools import partial
from pathlib import Path
from threading import Event
from typing import Dict, List, Optional, Sequence, Tuple

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Outcome, Pose, Status
from hicrisp_core.robot.turns import Turns
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import FleetWorld
from waiting import PATIENCE

DOORWAY = """walls:
  low: {from: [2.0, 0.0], to: [2.0, 1.15]}
  high: {from: [2.0, 1.85], to: [2.0, 3.0]}
"""
CORRIDOR = """walls:
  low: {from: [1.5, 1.15], to: [4.0, 1.15]}
  high: {from: [1.5, 1.85], to: [4.0, 1.85]}
"""
"""A dead end, as wide as one base."""


class Ground:
    """An arena with bases, followed at every step."""

    def __init__(self, folder: Path, starts: Sequence[Tuple[float, float]], more: str = "") -> None:
        robots = "".join(f"  agv_{number}: {{kind: base, type: agv, position: [{x}, {y}]}}\n"
                         for number, (x, y) in enumerate(starts, 1))
        file = folder / "test.yaml"
        areas = "  area_1: {position: [3.3, 1.5]}\n  area_2: {position: [0.6, 0.6]}\n"
        file.write_text("scene: test\nworld: arena\ndomain: agv\narena: {origin: [0, 0], size: [4, 3]}\nrobots:\n"
                        f"{robots}areas:\n{areas}{more}", encoding="utf-8")
        (folder / "domains").mkdir(exist_ok=True)
        self.world = FleetWorld(file)
        self.told: List[str] = []
        self.gap = math.inf
        self.touched: List[str] = []
        self.world.simulation.listeners.append(self._step)

    def _step(self) -> None:
        bodies = self.world.simulation.bodies.values()
        for one, other in itertools.combinations(bodies, 2):
            self.gap = min(self.gap, math.dist(one.pose.position[:2], other.pose.position[:2]) - 0.36)
        self.touched += [body.touching for body in bodies if body.touching]

    def go(self, goals: Dict[str, Optional[Tuple[float, float]]]) -> Dict[str, Outcome]:
        """Send bases to points at once; one without a point has nothing to do."""
        def act(name: str) -> Outcome:
            goal = goals[name]
            if goal is None:
                return Outcome(Status.SUCCESS)
            return self.world.bases[name].base.go_to(
                Pose((*goal, 0.0)), Deadline(PATIENCE), Event(), lambda phase, _: self.told.append(f"{name}: {phase}"))

        return self.world.together({name: partial(act, name) for name in goals})

    def spot(self, name: str) -> Tuple[float, float]:
        return self.world.simulation.bodies[name].pose.position[:2]

    @property
    def waits(self) -> List[str]:
        return [said for said in self.told if "wait for" in said]


def test_two_bases_that_change_rooms_through_one_doorway_give_way(tmp_path: Path) -> None:
    ground = Ground(tmp_path, [(0.6, 1.5), (3.4, 1.5)], DOORWAY)
    found = ground.go({"agv_1": (3.4, 1.5), "agv_2": (0.6, 1.5)})
    assert all(outcome.ok for outcome in found.values()), found
    assert ground.gap > 0.0
    assert not ground.touched
    assert any(said.startswith("agv_2: wait for agv_1 to pass") for said in ground.waits)  # At once: by name.
    assert not any(said.startswith("agv_1: wait for agv_2 to pass") for said in ground.waits)
    assert not [said for said in ground.told if "recovery" in said]


def test_a_base_without_a_task_makes_room_in_a_doorway(tmp_path: Path) -> None:
    ground = Ground(tmp_path, [(0.6, 1.5), (2.0, 1.5)], DOORWAY)
    assert ground.go({"agv_1": (3.4, 1.5), "agv_2": None})["agv_1"].ok
    assert ground.gap > 0.0
    assert math.dist(ground.spot("agv_1"), (3.4, 1.5)) < 0.1


def test_whoever_stands_in_a_dead_end_is_let_out_first(tmp_path: Path) -> None:
    ground = Ground(tmp_path, [(2.2, 1.5), (3.6, 1.5)], CORRIDOR)
    found = ground.go({"agv_1": (3.6, 1.5), "agv_2": (0.6, 2.4)})
    assert all(outcome.ok for outcome in found.values()), (found, ground.told)
    assert ground.gap > 0.0
    assert not ground.touched


def test_three_bases_that_change_places_in_a_round_touch_nobody(tmp_path: Path) -> None:
    spots = [(0.6, 0.6), (3.4, 0.6), (2.0, 2.4)]
    ground = Ground(tmp_path, spots)
    found = ground.go({f"agv_{number}": spots[number % 3] for number in (1, 2, 3)})
    assert all(outcome.ok for outcome in found.values()), found
    assert ground.gap > 0.0
    assert not ground.touched


def test_another_base_is_seen_by_the_lidar_and_is_no_obstacle_for_ever(tmp_path: Path) -> None:
    ground = Ground(tmp_path, [(0.6, 1.5), (1.6, 1.5)])
    own = ground.world.bases["agv_1"]
    scan = own.base.sense()
    assert scan is not None
    assert scan.ranges[len(scan.ranges) // 2] == pytest.approx(0.82, abs=0.03)  # Straight ahead.
    assert list(own.observe(Deadline(PATIENCE)).robots) == ["agv_1"]
    ground.go({"agv_1": (0.6, 2.4), "agv_2": (3.4, 0.6)})
    assert not [name for name in own.observe(Deadline(PATIENCE)).objects if name.startswith("seen")]


def test_who_shares_an_order_waits_before_the_area_for_its_turn(tmp_path: Path) -> None:
    ground = Ground(tmp_path, [(2.4, 0.5), (2.0, 2.4)])
    turns = ground.world.fleet.turns = Turns([("area_2", "agv_1"), ("area_1", "agv_2")])
    entered: List[float] = []
    body = ground.world.simulation.bodies["agv_2"]
    ground.world.simulation.listeners.append(
        lambda: entered.append(1.0) if body.pose.position[0] > 3.05 and turns.barred("agv_2") else None)

    def first() -> Outcome:
        outcome = ground.world.bases["agv_1"].base.go_to(Pose((0.6, 0.6, 0.0)), Deadline(PATIENCE), Event(),
                                                         lambda phase, _: None)
        turns.visited("agv_1", "area_2")
        return outcome

    def second() -> Outcome:
        return ground.world.bases["agv_2"].base.go_to(Pose((3.3, 1.5, 0.0)), Deadline(PATIENCE), Event(),
                                                      lambda phase, _: ground.told.append(phase))

    found = ground.world.together({"agv_1": first, "agv_2": second})
    assert all(outcome.ok for outcome in found.values())
    assert "wait for agv_1 to visit area 2" in ground.told
    assert not entered


def test_bases_that_start_in_each_other_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="agv_2 starts where agv_1 does"):
        Ground(tmp_path, [(0.6, 1.5), (0.8, 1.5)])


def test_the_scene_of_one_base_among_others_names_that_one_alone() -> None:
    scene = load_scene("agv_fleet")
    assert scene.alone("agv_2").robots == ("agv_2",)
    assert set(scene.alone("agv_2").arena.starts) == {"agv_1", "agv_2"}
    with pytest.raises(ConfigError, match="no robot 'agv_9'; its robots: agv_1, agv_2"):
        scene.alone("agv_9")
