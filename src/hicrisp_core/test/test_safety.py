"""The safe workspace: what it lets through, and what a wrong file is told."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Event

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Command, Pose, Status
from hicrisp_core.robot.arm_robot import ArmRobot
from hicrisp_core.robot.safety import SafetyLimits, load_safety
from hicrisp_core.time.deadline import Deadline
from panda_body import HAND
from test_skills import BOX, SKILLS, ScriptedArm

LIMITS = SafetyLimits((0.0, -0.3, -0.02), (0.8, 0.3, 0.8))


def test_a_goal_outside_is_refused_with_the_box() -> None:
    refusal = LIMITS.refusal(Pose((0.5, 0.4, 0.2)))
    assert refusal is not None
    assert refusal.kind == "unreachable"
    assert "(0.500, 0.400, 0.200)" in refusal.message
    assert "y -0.3 to 0.3 m" in refusal.message
    assert LIMITS.refusal(Pose((0.5, 0.3, 0.2))) is None


@pytest.mark.parametrize("y", [0.45, float("nan")])
def test_the_arm_does_not_move_towards_a_place_outside(y: float) -> None:
    arm = ScriptedArm(BOX)
    robot = ArmRobot(arm, SKILLS, arm.observe, limits=LIMITS, hand=HAND)
    assert robot.execute(Command("pick", {"item": "box"}, "panda"), Deadline(5.0), Event()).ok
    where, goal = arm.pose, Pose((0.5, y, 0.025))
    outcome = robot.execute(Command("put_down", {"item": "box"}, "panda", goal, goal), Deadline(5.0), Event())
    assert outcome.status is (Status.INVALID if math.isnan(y) else Status.PLANNING)
    assert arm.pose == where
    assert arm.held == "box"


def test_the_projects_own_file_holds_the_space_in_front_of_the_arm() -> None:
    limits = load_safety(config_file(".", "safety"))
    assert limits.refusal(Pose((0.5, 0.0, 0.1))) is None
    assert limits.refusal(Pose((0.5, 0.0, -0.1))) is not None


@pytest.mark.parametrize(("text", "said"), [
    ("box: {}", "unknown key 'box'; valid are: workspace"),
    ("workspace: {low: [0, 0, 0]}", "the key 'high' is missing"),
    ("workspace:\n  low: [0, 0]\n  high: [1, 1, 1]",
     ":2: workspace.low: a list of 3 values was expected, got [0, 0]"),
    ("workspace:\n  low: [0, 0, .nan]\n  high: [1, 1, 1]", "workspace.low.2: a finite number was expected"),
    ("workspace:\n  low: [0, 2, 0]\n  high: [1, 1, 1]", "must be below"),
])
def test_a_wrong_file_is_told_where_and_what(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "safety.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match="safety.yaml:") as caught:
        load_safety(file)
    assert said in str(caught.value)
