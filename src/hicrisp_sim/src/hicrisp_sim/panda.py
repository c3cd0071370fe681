"""The Panda as a MuJoCo specification, from the URDF, the SRDF and the meshes of ``example-robot-data``."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Tuple

import mujoco
from hicrisp_core.errors import ConfigError

ARM_JOINTS: Tuple[str, ...] = tuple(f"panda_joint{i}" for i in range(1, 8))
FINGER_JOINTS: Tuple[str, ...] = ("panda_finger_joint1", "panda_finger_joint2")
FRAMES: Tuple[str, ...] = (*(f"panda_link{i}" for i in range(9)), "panda_hand", "panda_leftfinger",
                           "panda_rightfinger", "panda_hand_tcp")
TOOL = "panda_hand_tcp"
HAND = "panda_hand"
FINGERS: Tuple[str, ...] = ("panda_leftfinger", "panda_rightfinger")
MAX_OPENING = 0.08
"""Metres between the opened fingers."""
VELOCITY_LIMITS = (2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61)
"""Joint speed limits of the datasheet, rad/s."""
ACCELERATION_LIMITS = (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0)
"""Joint acceleration limits of the datasheet, rad/s^2."""
EFFORT_LIMITS = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)
"""Joint torque limits of the datasheet, Nm."""

_STIFFNESS = (4500.0, 4500.0, 3500.0, 3500.0, 2000.0, 2000.0, 2000.0)
DAMPING_TIME = 0.1
"""Damping over stiffness of the joint controllers, seconds."""
_FINGER_STIFFNESS, _FINGER_DAMPING = 2000.0, 60.0
_PAD_SOLREF, _PAD_SOLIMP = [0.004, 1.0], [0.95, 0.99, 0.001, 0.5, 2.0]
"""Hard contacts: MuJoCo's constraints leave out the acceleration of the hand's own rotation, and soft ones
creep.
"""
_DESCRIPTION = Path("cmeel.prefix/share/example-robot-data/robots/panda_description")
_LIGHT, _DARK = (0.93, 0.93, 0.94, 1.0), (0.22, 0.23, 0.25, 1.0)
_DARK_LINKS = (HAND, *FINGERS, "panda_link5")


def description_folder() -> Path:
    """Where ``example-robot-data`` keeps the Panda.

    Raises:
        ConfigError: when the package is not installed.
    """
    for entry in sys.path:
        if (Path(entry) / _DESCRIPTION).is_dir():
            return Path(entry) / _DESCRIPTION
    raise ConfigError("the Panda's description is missing; install the Python package example-robot-data")


def panda_spec() -> mujoco.MjSpec:
    """The arm at the world's origin, without actuators, controllers or anything around it.

    The visual meshes are left out: MuJoCo cannot read them.
    """
    folder = description_folder()
    urdf = (folder / "urdf" / "panda.urdf").read_text(encoding="utf-8")
    urdf = re.sub(r"<visual>.*?</visual>", "", urdf, flags=re.DOTALL)
    urdf = re.sub(r"package://[^\"]*/meshes/collision/", "", urdf)
    compiler = (f'<mujoco><compiler meshdir="{folder / "meshes" / "collision"}" fusestatic="false" '
                'discardvisual="false" balanceinertia="true"/></mujoco>')
    spec = mujoco.MjSpec.from_string(urdf.replace("</robot>", f"{compiler}</robot>"))
    for body in spec.bodies:
        for number, geom in enumerate(body.geoms):
            geom.name = f"{body.name}/{number}"
            geom.rgba = _DARK if body.name in _DARK_LINKS else _LIGHT
            geom.group = 2
    spec.body(TOOL).add_site(name=TOOL, size=[0.005] * 3, group=4)
    return spec


def exclude_disabled_pairs(spec: mujoco.MjSpec) -> None:
    """Leave out the link pairs that the SRDF says never collide."""
    srdf = ElementTree.parse(description_folder() / "srdf" / "panda.srdf")
    for pair in srdf.getroot().iter("disable_collisions"):
        spec.add_exclude(bodyname1=pair.get("link1"), bodyname2=pair.get("link2"))


def add_controllers(spec: mujoco.MjSpec) -> None:
    """Stiff position control with gravity compensation, as the real arm has; fingers that press with a set
    force.
    """
    for body in spec.bodies:
        if body.name.startswith("panda_"):
            body.gravcomp = 1.0
    for name, stiffness, effort in zip(ARM_JOINTS, _STIFFNESS, EFFORT_LIMITS):
        joint = spec.joint(name)
        joint.armature = 0.1
        actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_position(kp=stiffness, kv=stiffness * DAMPING_TIME)
        actuator.forcerange = [-effort, effort]
    for name in FINGER_JOINTS:
        spec.joint(name).armature = 0.1
        actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_position(kp=_FINGER_STIFFNESS, kv=_FINGER_DAMPING)
        actuator.forcerange = [-70.0, 70.0]
    for finger in FINGERS:
        pad = spec.geom(f"{finger}/3")  # The rubber tip of the URDF.
        pad.friction, pad.condim, pad.priority = [1.3, 0.02, 0.0002], 4, 1
        pad.solref, pad.solimp = _PAD_SOLREF, _PAD_SOLIMP
        pad.rgba = [0.08, 0.08, 0.09, 1.0]
