"""Random tasks against the limits: none is passed, and one that is passed is seen."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from hicrisp_bench.agv.truth import moment_of
from hicrisp_bench.limits.suite import SCENES, ArmWatch, BaseWatch, LimitsTrial, trials_of
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_euler
from hicrisp_core.robot.safety import SafetyLimits
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv import AgvWorld
from hicrisp_sim.embedded import EmbeddedWorld

CONFIG = Path(__file__).resolve().parents[3] / "config"
DOWN = from_euler(3.141592653589793, 0.0, 0.0)


@pytest.mark.parametrize(("scene", "policy", "seed"), [
    ("tabletop", "open_loop", 5), ("bowl", "copal_bl", 6), ("agv_zone", "repair", 7),
    ("lab", "hierarchical", 10), ("sorting", "llm_p", 11)])
def test_a_random_task_passes_no_limit(scene: str, policy: str, seed: int) -> None:
    result = LimitsTrial(CONFIG, scene, policy, seed).run()
    assert result["commands"] > 0
    assert result["broken"] == {}


def test_a_tool_outside_the_box_is_seen() -> None:
    world = EmbeddedWorld("tabletop")
    watch = ArmWatch(world)
    world.pass_time(0.1)
    assert watch.broken == {}
    world.arm.safety = SafetyLimits((0.0, 0.2, 0.0), (0.8, 0.6, 0.8))
    world.pass_time(0.1)
    assert watch.broken["workspace box, m"] > 0.15


def test_a_base_over_a_zone_is_seen() -> None:
    world = AgvWorld("agv_zone")
    watch = BaseWatch(world.base, world.settings, world.scene)
    zone = world.scene.zones[0]
    watch._track.follow(replace(moment_of(world.base), pose=Pose((*zone.corners[0], 0.0))))
    assert watch.broken["no-go zone"] == 1.0


def test_a_motion_keeps_the_tool_in_the_box_on_its_way_too() -> None:
    world = EmbeddedWorld("tabletop")
    limits = SafetyLimits((0.2, -0.7, 0.02), (0.8, 0.7, 0.62))
    arm = type(world.arm)(world.simulation, world.scene, world.description, 0, limits)
    for y in (0.45, -0.45, 0.45):
        motion = arm.plan_to(Pose((0.4, y, 0.3), DOWN), Deadline(120.0))
        places = [arm.kinematics.tool_position(np.array(row)) for row in motion.positions]
        assert all(limits.hold(place) for place in places[1:])
        assert arm.follow(motion, Deadline(120.0), Event()).ok


def test_scenes_and_policies_take_turns_and_every_task_has_a_seed_of_its_own() -> None:
    options = Namespace(config=CONFIG, tasks=2 * len(SCENES) + 2, scenes=list(SCENES),
                        policies=["hicrisp", "repair"], seed=100)
    trials = trials_of(options)
    assert [trial.seed for trial in trials] == list(range(100, 102 + 2 * len(SCENES)))
    assert {(trial.scene, trial.policy) for trial in trials} == {
        (scene, policy) for scene in SCENES for policy in ("hicrisp", "repair")}
