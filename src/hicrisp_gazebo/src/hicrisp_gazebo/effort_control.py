"""An arm for Gazebo without Franka's own hardware plugin: every joint by effort, with the stock
interface.
"""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from hicrisp_core.errors import ConfigError

from hicrisp_gazebo.sdf import surface_element
from hicrisp_gazebo.surface import FINGER

_CONTROL = "libgazebo_ros_control.so"
_INTERFACE = "hardware_interface/EffortJointInterface"
_CONTACTS = 10
"""Contacts of a finger with one thing, at most: ODE's cost grows with them."""
_DAMPING = 0.1
"""Of the fingers' joints, N s/m, at least: without it they tremble on what they hold."""


def for_effort_control(urdf: str, prefix: str) -> str:
    """The text of a URDF made ready for the stock hardware interface.

    Franka's transmissions and plugin are taken out, each joint that moves gets an effort interface, gravity
    does not pull at the links (the real arm compensates it), and the fingers get a surface that holds a
    grasp. The second finger mimics the first no longer: Gazebo ignores that, and a controller drives both.

    Args:
        prefix: with which the names of the arm's joints begin.

    Raises:
        ConfigError: when the text is no URDF of that arm.
    """
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError as error:
        raise ConfigError(f"the robot's description is no XML: {error}") from error
    moving = [joint for joint in robot.findall("joint")
              if joint.get("type") in ("revolute", "prismatic", "continuous")]
    if not any(str(joint.get("name")).startswith(prefix) for joint in moving):
        raise ConfigError(f"the robot's description has no joints whose names begin with '{prefix}'")
    for joint in moving:
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    for element in [*robot.findall("transmission"), *robot.findall("gazebo")]:
        robot.remove(element)
    for joint in moving:
        _add_transmission(robot, str(joint.get("name")))
        if joint.get("type") == "prismatic":
            dynamics = joint.find("dynamics")
            if dynamics is None:
                dynamics = SubElement(joint, "dynamics")
            dynamics.set("damping", f"{max(_DAMPING, float(dynamics.get('damping', 0.0))):g}")
    # All of them: fixed ones are made one, and a single one with gravity wins.
    for link in robot.findall("link"):
        SubElement(SubElement(robot, "gazebo", reference=str(link.get("name"))),
                   "turnGravityOff").text = "true"
    for finger in [joint.find("child") for joint in moving if joint.get("type") == "prismatic"]:
        if finger is None:
            continue
        collision = SubElement(SubElement(robot, "gazebo", reference=str(finger.get("link"))), "collision")
        SubElement(collision, "max_contacts").text = str(_CONTACTS)
        collision.append(surface_element(FINGER))
    plugin = SubElement(SubElement(robot, "gazebo"), "plugin", name="control", filename=_CONTROL)
    SubElement(plugin, "robotNamespace").text = "/"
    SubElement(plugin, "robotSimType").text = "gazebo_ros_control/DefaultRobotHWSim"
    return ElementTree.tostring(robot, encoding="unicode")


def _add_transmission(robot: Element, joint: str) -> None:
    transmission = SubElement(robot, "transmission", name=f"{joint}_transmission")
    SubElement(transmission, "type").text = "transmission_interface/SimpleTransmission"
    SubElement(SubElement(transmission, "joint", name=joint), "hardwareInterface").text = _INTERFACE
    actuator = SubElement(transmission, "actuator", name=f"{joint}_motor")
    SubElement(actuator, "hardwareInterface").text = _INTERFACE
    SubElement(actuator, "mechanicalReduction").text = "1"
