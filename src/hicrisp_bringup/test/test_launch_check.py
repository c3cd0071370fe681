"""The check of launch files: what is broken is found, with file, line and what would be valid."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Dict, List

import pytest
from launch_check.commands import commands, compose_text, wrong
from launch_check.packages import Package, all_packages
from launch_check.rules import Checker

PART = """<launch>
  <arg name="speed" doc="m/s"/>
  <arg name="colour" default="red" doc="paint"/>
  <arg name="fixed" value="1" doc="not for others"/>
</launch>
"""
MANIFEST = "<package format='3'><name>ours</name><exec_depend>moveit_commander</exec_depend></package>"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A workspace with one package: two programs of which one is installed, a part to include, a file of
    parameters.
    """
    package = tmp_path / "src" / "ours"
    for folder in ("launch/include", "nodes", "config"):
        (package / folder).mkdir(parents=True)
    (package / "package.xml").write_text(MANIFEST)
    (package / "CMakeLists.txt").write_text("catkin_install_python(PROGRAMS nodes/driver\n  DESTINATION "
                                            "bin)\n")
    for name in ("driver", "forgotten"):
        program = package / "nodes" / name
        program.write_text("#!/bin/sh\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (package / "config" / "limits.yaml").write_text("speed: 1\n")
    (package / "launch" / "include" / "red_part.launch").write_text(PART)
    (tmp_path / "config" / "robots").mkdir(parents=True)
    (tmp_path / "config" / "robots" / "panda.yaml").write_text("")
    return tmp_path


@pytest.fixture
def packages(tree: Path) -> Dict[str, Package]:
    return all_packages(tree / "src")


def problems(tree: Path, text: str, documented: bool = True) -> List[str]:
    """What the check says of a launch file with this in it; its first line is line 2."""
    file = tree / "src" / "ours" / "launch" / "tried.launch"
    file.write_text(f"<launch>\n{text}\n</launch>\n")
    found = Checker(all_packages(tree / "src"), tree / "config").check(file, documented=documented).problems
    return [f"{Path(problem.file).name}:{problem.line}: {problem.message}" for problem in sorted(found)]


GOOD = """
<arg name="colour" default="red" doc="of the part"/>
<arg name="where" default="$(eval {'red': 'limits', 'blue': 'none'}[arg('colour')])" doc="limits or none"/>
<arg name="robot" default="panda" doc="robot file, or the name of one in config/robots"/>
<arg name="headless" default="true" doc="no window"/>
<include file="$(find ours)/launch/include/$(arg colour)_part.launch" if="$(arg headless)">
  <arg name="speed" value="$(eval 2 * 3)"/>
</include>
<node pkg="ours" type="driver" name="driver" unless="$(arg headless)">
  <rosparam command="load" file="$(find ours)/config/$(arg where).yaml"/>
</node>
<include file="$(find panda_moveit_config)/launch/franka_control.launch">
  <arg name="robot_ip" value="$(env ROBOT)"/>
  <arg name="load_gripper" value="true"/>
</include>
<param name="robot_description" command="$(find xacro)/xacro $(find franka_description)/robots/panda/panda.urdf.xacro hand:=true"/>
"""  # noqa: E501


def test_nothing_is_said_of_a_good_file(tree: Path) -> None:
    assert problems(tree, GOOD) == []


@pytest.mark.parametrize(("text", "line", "parts"), [
    ("<arg name='a' default='1'/>", 2, ["<arg name=\"a\"> has no doc"]),
    ("<arg name='a' default='1' value='2' doc='d'/>", 2, ["a default and a value"]),
    ("<nod pkg='ours'/>", 2, ["unknown tag <nod>", "group, include", "node"]),
    ("<node pkg='ours' type='driver' typ='' name='n'/>", 2, ["no attribute 'typ'", "pkg, type, name"]),
    ("<node pkg='ours' type='driver'/>", 2, ["<node> lacks the attribute 'name'"]),
    ("\n<node pkg='ours' type='drive' name='n'/>", 3,
     ["no executable 'drive'", "there are: driver, forgotten"]),
    ("<node pkg='ours' type='forgotten' name='n'/>", 2,
     ["does not install 'forgotten'", "catkin_install_python"]),
    ("<node pkg='move_base' type='movebase' name='n'/>", 2,
     ["no executable 'movebase'; there are: move_base"]),
    ("<node pkg='no_such' type='x' name='n'/>", 2,
     ["no package 'no_such'", "noetic_packages.yaml", "move_base"]),
    ("<param name='p' value='$(arg a)'/>", 2, ["$(arg a): no such <arg> above", "there are none"]),
    ("<param name='p' value='$(arg a)'/>\n<arg name='a' default='1' doc='d'/>", 2, ["no such <arg> above"]),
    ("<param name='p' value='$(eval arg(\"a\") + 1)'/>", 2, ["no such <arg> above"]),
    ("<param name='p' value='$(eval 1 / 0)'/>", 2, ["cannot be evaluated"]),
    ("<param name='p' value='-n $(eval 1 + 1)'/>", 2, ["only where it is the whole value"]),
    ("<param name='p' value='$(findd ours)'/>", 2, ["$(findd ours) is not understood", "arg, find, env"]),
    ("<group if='maybe'><param name='p' value='1'/></group>", 2, ["is 'maybe'; true or false was expected"]),
    ("<group unless='true'><node pkg='ours' type='drive' name='n'/></group>", 2, ["no executable 'drive'"]),
    ("<rosparam command='load' file='$(find ours)/config/limit.yaml'/>", 2,
     ["no file config/limit.yaml in ours", "config/limits.yaml"]),
    ("<node pkg='ours' type='driver' name='n' args='--map $(find ours)/maps/hall.yaml'/>", 2,
     ["no file maps/hall.yaml"]),
    ("<rosparam command='load' file='$(find franka_control)/config/default.yaml'/>", 2,
     ["no file config/default.yaml in franka_control", "config/default_controllers.yaml"]),
    ("<rosparam command='load' file='$(dirname)/none.yaml'/>", 2, ["no file launch/none.yaml in ours"]),
    ("<include file='$(find ours)/launch/include/blue_part.launch'/>", 2,
     ["blue_part.launch", "red_part.launch"]),
    ("<include file='$(find ours)/launch/include/red_part.launch'/>", 2,
     ["needs the argument 'speed'", "colour, speed"]),
    ("<include file='$(find ours)/launch/include/red_part.launch'>\n<arg name='speed' value='1'/>\n"
     "<arg name='color' value='1'/>\n</include>", 2, ["has no argument 'color'; it takes: colour, speed"]),
    ("<include file='$(find ours)/launch/include/red_part.launch'>\n<arg name='speed' value='1'/>\n"
     "<arg name='fixed' value='1'/>\n</include>", 2, ["a value of its own for 'fixed'"]),
    ("<include file='$(find gazebo_ros)/launch/empty_world.launch'>\n<arg name='world' value='1'/></include>",
     2,
     ["empty_world.launch has no argument 'world'", "world_name"]),
    ("<include file='$(find franka_control)/launch/franka_control.launch' pass_all_args='true'/>", 2,
     ["needs the argument 'robot_ip'"]),
    ("<arg name='robot' default='ur5' doc='the name of one in config/robots'/>", 2,
     ["no 'ur5' in config/robots; there are: panda"]),
])
def test_what_is_broken_is_named_with_its_line_and_what_is_valid(
    tree: Path, text: str, line: int, parts: List[str],
) -> None:
    found = problems(tree, text)
    assert len(found) == 1, found
    assert found[0].startswith(f"tried.launch:{line}: ")
    for part in parts:
        assert part in found[0]


def test_a_file_that_is_no_xml_is_told_by_its_line(tree: Path) -> None:
    found = problems(tree, "<node>\n<group>")
    assert len(found) == 1
    assert "this is no XML" in found[0]
    assert ":4:" in found[0]


def test_a_name_that_only_the_start_knows_stands_for_every_file_that_fits(tree: Path) -> None:
    arg = "<arg name='colour' doc='red'/>"
    part = ("<include file='$(find ours)/launch/include/$(arg colour)_{}.launch'>"
            "<arg name='speed' value='1'/></include>")
    assert problems(tree, arg + part.format("part")) == []
    assert "*_piece.launch" in problems(tree, arg + part.format("piece"))[0]


def test_a_fault_in_an_included_file_is_found_with_the_values_that_it_gets(tree: Path) -> None:
    (tree / "src/ours/launch/include/red_part.launch").write_text(
        "<launch>\n<arg name='speed'/>\n<rosparam file='$(find ours)/config/$(arg speed).yaml'/>\n</launch>")
    good = ("<include file='$(find ours)/launch/include/red_part.launch'>"
            "<arg name='speed' value='limits'/></include>")
    assert problems(tree, good, documented=False) == []
    found = problems(tree, good.replace("limits", "none"), documented=False)
    assert len(found) == 1
    assert found[0].startswith("red_part.launch:3: there is no file config/none.yaml")


def test_what_is_needed_follows_the_arguments(tree: Path, packages: Dict[str, Package]) -> None:
    file = tree / "src" / "ours" / "launch" / "tried.launch"
    file.write_text(f"<launch>{GOOD}</launch>")
    checker = Checker(packages)
    assert checker.check(file).packages == {"panda_moveit_config", "xacro", "franka_description"}
    needed = checker.check(file, {"headless": "false"}).packages
    assert needed == {"panda_moveit_config", "xacro", "franka_description", "ours", "moveit_commander"}


def test_a_command_in_a_document_is_compared_with_the_launch_file(tree: Path) -> None:
    folder = tree / "src/ours/launch/include"
    text = ("roslaunch hicrisp_bringup red_part.launch speed:=1\n"
            "`roslaunch hicrisp_bringup red_part.launch \\\n  color:=blue`\n"
            "roslaunch --wait hicrisp_bringup none.launch a:=b\n")
    found = list(commands("text.md", text))
    assert [command.arguments for command in found] == [["speed"], ["color"], ["a"]]
    assert wrong(found[0], folder) == []
    second = "\n".join(wrong(found[1], folder))
    assert "there is no argument 'color'; it takes: colour, speed" in second
    assert "the argument 'speed' is needed" in second
    assert "no launch file none.launch; there are: red_part.launch" in wrong(found[2], folder)[0]


def test_a_command_in_a_compose_file_has_the_values_of_its_variables(tmp_path: Path) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text("services:\n  sim:\n    command: [roslaunch, hicrisp_bringup, "
                    '"${WORLD:-red}_part.launch", "a:=${A:-1}"]\n')
    found = list(commands("", compose_text(file)))
    assert [(command.launch, command.arguments) for command in found] == [("red_part.launch", ["a"])]
