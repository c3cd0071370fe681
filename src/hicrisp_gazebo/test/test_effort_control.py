"""The Panda's description is made ready for the stock hardware interface, and nothing of Franka's stays."""

from __future__ import annotations

from pathlib import Path
from typing import Dict
from xml.etree import ElementTree

import pytest
import yaml
from hicrisp_core.errors import ConfigError
from hicrisp_gazebo.franka import controllers, for_effort_control, use_franka

CONFIG = Path(__file__).parents[3] / "config/gazebo"
URDF = """<robot name="panda">
  <link name="world"/>
  <link name="panda_link0"><inertial><mass value="1"/></inertial></link>
  <link name="panda_link1"><inertial><mass value="1"/></inertial></link>
  <link name="panda_leftfinger"><inertial><mass value="0.01"/></inertial></link>
  <link name="panda_rightfinger"><inertial><mass value="0.01"/></inertial></link>
  <joint name="world_joint" type="fixed"><parent link="world"/><child link="panda_link0"/></joint>
  <joint name="panda_joint1" type="revolute"><parent link="panda_link0"/><child link="panda_link1"/></joint>
  <joint name="panda_finger_joint1" type="prismatic">
    <parent link="panda_link1"/><child link="panda_leftfinger"/>
    <dynamics damping="0.003"/></joint>
  <joint name="panda_finger_joint2" type="prismatic">
    <parent link="panda_link1"/><child link="panda_rightfinger"/>
    <mimic joint="panda_finger_joint1"/></joint>
  <transmission name="state"><type>franka_hw/FrankaStateInterface</type></transmission>
  <gazebo><plugin name="gazebo_ros_control" filename="libgazebo_ros_control.so">
    <robotSimType>franka_gazebo/FrankaHWSim</robotSimType></plugin></gazebo>
</robot>"""


@pytest.fixture(scope="module")
def robot() -> ElementTree.Element:
    return ElementTree.fromstring(for_effort_control(URDF, "panda_"))


def test_every_joint_that_moves_has_one_effort_interface(robot: ElementTree.Element) -> None:
    joints = [(entry, entry.find("joint")) for entry in robot.findall("transmission")]
    driven = {joint.get("name"): entry.findtext("joint/hardwareInterface")
              for entry, joint in joints if joint is not None}
    assert set(driven) == {"panda_joint1", "panda_finger_joint1", "panda_finger_joint2"}
    assert set(driven.values()) == {"hardware_interface/EffortJointInterface"}


def test_both_fingers_are_driven_and_damped(robot: ElementTree.Element) -> None:
    assert not list(robot.iter("mimic"))
    for finger in ("1", "2"):
        dynamics = robot.find(f"joint[@name='panda_finger_joint{finger}']/dynamics")
        assert dynamics is not None
        assert float(dynamics.get("damping", "0")) >= 0.1


def test_the_stock_plugin_is_the_only_one(robot: ElementTree.Element) -> None:
    assert [plugin.findtext("robotSimType") for plugin in robot.iter("plugin")] == [
        "gazebo_ros_control/DefaultRobotHWSim"]


def test_gravity_pulls_at_no_link_and_the_fingers_grip(robot: ElementTree.Element) -> None:
    floating = {entry.get("reference") for entry in robot.findall("gazebo")
                if entry.find("turnGravityOff") is not None}
    assert floating == {link.get("name") for link in robot.findall("link")}
    gripping = {entry.get("reference") for entry in robot.findall("gazebo")
                if float(entry.findtext("collision/surface/friction/ode/mu", "0")) > 1.0}
    assert gripping == {"panda_leftfinger", "panda_rightfinger"}


@pytest.mark.parametrize("text", ["<robot", "<robot name='other'><joint name='a' type='revolute'/></robot>"])
def test_what_is_no_panda_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="description"):
        for_effort_control(text, "panda_")


def test_franka_is_a_choice_of_three() -> None:
    assert use_franka("true")
    assert not use_franka("false")
    with pytest.raises(ConfigError, match="auto, true, false"):
        use_franka("maybe")
    assert "hand_controller" in controllers("false")
    assert "franka_gripper" in controllers("true")


def test_every_controller_that_is_started_has_its_settings() -> None:
    settings: Dict[str, object] = {}
    for file in ("panda_controllers.yaml", "franka_hardware.yaml"):
        settings.update(yaml.safe_load((CONFIG / file).read_text(encoding="utf-8")))
    assert {*controllers("true"), *controllers("false")} <= set(settings)
