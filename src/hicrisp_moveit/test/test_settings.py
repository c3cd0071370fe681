"""The robot files say what is valid when they are wrong."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Mapping

import pytest
import yaml
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


def arm_file(folder: Path, **sections: Mapping[str, Any]) -> Path:
    """The file of an arm with two joints, with further keys in some sections."""
    moveit = {"group": "arm", "hand_group": "hand", "tool_link": "flange", "hand_links": ["palm"],
              "rest": [0.0, 0.5]}
    told = {"name": "a", "moveit": moveit, "gripper": {"fingers": ["left", "right"]}}
    told.update({name: {**told.get(name, {}), **keys} for name, keys in sections.items()})
    file = folder / "robot.yaml"
    file.write_text(yaml.safe_dump(told))
    return file


@pytest.mark.parametrize(("sections", "words"), [
    ({"moveit": {"grupp": "x"}}, "grupp"),
    ({"moveit": {"velocity": 1.5}}, "moveit.velocity: at most 1"),
    ({"moveit": {"rest": [0.0, math.nan]}}, "finite"),
    ({"moveit": {"tcp": [0.0]}}, "tcp: a list of 6 values"),
    ({"gripper": {"kind": "suction"}}, "gripper_command"),
    ({"gripper": {"fingers": ["knuckle"]}}, r"knuckle: write 'opening'.*\[\[0.0, 0.085\], \[0.8, 0.0\]\]"),
    ({"gripper": {"opening": [[0.0, 0.085]]}}, "two or more rows"),
    ({"gripper": {"opening": [[0.0, 0.085], [0.4, 0.0], [0.8, 0.02]]}}, "only grow or only shrink"),
    ({"gripper": {"opening": [[0.0, 0.05], [0.8, 0.0]]}}, "max_opening is 0.08 m, and 'opening' ends at 0.05 m"),
    ({"gripper": {"opening": [[0.0, 0.08], [0.8, 0.0]], "position": 10.0}}, "leave it out beside 'opening'"),
    ({"franka": {"collision_forces": [1.0]}}, "collision_forces"),
])
def test_a_wrong_value_is_named_with_what_would_be_right(
    tmp_path: Path, sections: Mapping[str, Mapping[str, Any]], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        load_arm_file(arm_file(tmp_path, **sections))


@pytest.mark.parametrize(("text", "words"), [
    ("moveit: {}\ngripper: {}", "the key 'name' is missing"),
    ("name: a\nmoveit: {hand_group: hand}\ngripper: {fingers: [left]}", "moveit: the key 'group' is missing"),
])
def test_an_arm_is_not_taken_for_a_panda(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "robot.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=words):
        load_arm_file(file)


def test_the_tool_centre_point_turns_as_urdf_does(tmp_path: Path) -> None:
    file = arm_file(tmp_path, moveit={"tcp": [0.0, 0.0, 0.1, 0.0, 0.0, -0.785398]})
    pose = load_arm_file(file).moveit.tcp_pose
    assert pose.position == (0.0, 0.0, 0.1)
    assert pose.yaw == pytest.approx(-math.pi / 4.0, abs=1e-5)


def test_a_table_of_openings_is_read_both_ways_and_two_sliding_fingers_need_none(tmp_path: Path) -> None:
    rows = [[0.0, 0.085], [0.4, 0.05], [0.8, 0.0]]
    turning = load_arm_file(arm_file(tmp_path, gripper={"fingers": ["knuckle"], "opening": rows})).gripper
    for position, opening in (*rows, (0.2, 0.0675)):
        assert turning.opening_at([position]) == pytest.approx(opening)
        assert turning.joint_at(opening) == pytest.approx(position)
    sliding = load_arm_file(arm_file(tmp_path)).gripper
    assert sliding.opening_at([0.02, 0.03]) == pytest.approx(0.05)
    assert sliding.joint_at(0.05) == pytest.approx(0.025)
