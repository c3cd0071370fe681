"""The robot files say what is valid when they are wrong."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError
from hicrisp_moveit.settings import load_arm_file


def test_the_files_of_the_workspace_are_read() -> None:
    moveit, franka = (load_arm_file(config_file("robots", name)) for name in ("panda_moveit", "panda_franka"))
    assert moveit.franka is None
    assert moveit.moveit.planner == "RRTConnect"
    assert franka.gripper.kind == "franka"
    assert franka.franka is not None
    assert franka.moveit.velocity == 0.1, "a real robot is slow until somebody says otherwise"
    assert franka.moveit.name("move_group") == "/move_group"


@pytest.mark.parametrize(("text", "words"), [
    ("name: a\nmoveit: {grupp: x}", "grupp"),
    ("name: a\nmoveit: {velocity: 1.5}", "moveit.velocity: at most 1"),
    ("name: a\nmoveit: {rest: [0.0, nan]}", "finite"),
    ("name: a\nmoveit: {tcp: [0.0]}", "tcp: a list of 6 values"),
    ("name: a\ngripper: {kind: suction}", "gripper_command"),
    ("name: a\nfranka: {collision_forces: [1.0]}", "collision_forces"),
    ("moveit: {}", "name"),
])
def test_a_wrong_value_is_named_with_what_would_be_right(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "robot.yaml"
    file.write_text(text.replace("nan", ".nan"))
    with pytest.raises(ConfigError, match=words):
        load_arm_file(file)


def test_the_tool_centre_point_turns_as_urdf_does(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    file.write_text("name: a\nmoveit: {tcp: [0.0, 0.0, 0.1, 0.0, 0.0, -0.785398]}\n")
    pose = load_arm_file(file).moveit.tcp_pose
    assert pose.position == (0.0, 0.0, 0.1)
    assert pose.yaw == pytest.approx(-math.pi / 4.0, abs=1e-5)
