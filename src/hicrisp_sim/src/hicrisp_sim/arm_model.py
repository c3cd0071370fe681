"""An arm as a MuJoCo specification, from its URDF, SRDF and meshes and what the robot's file says of them."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, Optional, Sequence, Tuple, Union

import mujoco
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.robot.description import RobotBody, body_of, prefix_of
from hicrisp_core.scene.scene import Stand

from hicrisp_sim.mujoco_poses import placement, w_first
from hicrisp_sim.settings import ArmModel, ArmSettings, load_settings

_FINGER_STIFFNESS, _FINGER_DAMPING = 2000.0, 60.0
_ARMATURE = 0.1
_PAD_SOLREF, _PAD_SOLIMP = [0.004, 1.0], [0.95, 0.99, 0.001, 0.5, 2.0]
"""Hard contacts: MuJoCo's constraints leave out the acceleration of the hand's own rotation, and soft ones creep."""
_LIGHT, _DARK, _RUBBER = (0.93, 0.93, 0.94, 1.0), (0.22, 0.23, 0.25, 1.0), [0.08, 0.08, 0.09, 1.0]


@dataclass(frozen=True)
class ArmDescription:
    """One arm as its files describe it.

    Args:
        settings: the section ``embedded_arm`` of the robot's file.
        body: the robot's body: its hand and its frames.
        folder: where its URDF, SRDF and meshes are.
        urdf: the text of its URDF.
        before: what stands before the names of its links and joints in a world, where it has the body of another.
        base: where it stands, world frame.
    """

    settings: ArmSettings
    body: RobotBody
    folder: Path
    urdf: str
    before: str = ""
    base: Pose = Pose((0.0, 0.0, 0.0))

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def model(self) -> ArmModel:
        return self.settings.model

    @property
    def joints(self) -> Tuple[str, ...]:
        """The arm's joints, from the stand to the hand."""
        return tuple(self.before + joint for joint in self.model.joints)

    @property
    def finger_joints(self) -> Tuple[str, ...]:
        """The joints of its fingers."""
        return tuple(self.before + joint for joint in self.model.fingers)

    @property
    def hand(self) -> str:
        """The link that carries the fingers and what is grasped."""
        return self.before + self.model.hand

    @property
    def stand(self) -> Tuple[str, ...]:
        """The links near the stand."""
        return tuple(self.before + link for link in self.model.stand)

    @property
    def dof(self) -> int:
        """Number of joints of arm and fingers."""
        return len(self.model.joints) + len(self.model.fingers)

    @property
    def opening(self) -> float:
        """Greatest distance between the fingers, metres."""
        return self.body.gripper.opening

    @property
    def tool(self) -> str:
        """The link of the tool centre point."""
        return frames_of(self.settings.name, self.body).frames[0]

    @property
    def fingers(self) -> Tuple[str, ...]:
        """The links of the fingers."""
        return frames_of(self.settings.name, self.body).frames[1:]

    @property
    def hand_links(self) -> Tuple[str, ...]:
        """The links that may touch a grasped object."""
        return (self.hand, *self.fingers)

    def links(self) -> Tuple[str, ...]:
        """Return every link in the order of the URDF.

        Returns:
            Names of the links.
        """
        return tuple(self.before + str(link.get("name")) for link in ElementTree.fromstring(self.urdf).findall("link"))

    def parents(self) -> Dict[str, str]:
        """Return the parent link of each link but the root, by the links' names."""
        joints = ElementTree.fromstring(self.urdf).findall("joint")
        ends = ((joint.find("child"), joint.find("parent")) for joint in joints)
        return {self.before + str(child.get("link")): self.before + str(parent.get("link")) for child, parent in ends
                if child is not None and parent is not None}

    def shown(self) -> str:
        """Return the URDF with the names of this world and the whole paths of its meshes, which viewers read although
        no ROS package holds them.
        """
        def whole(told: "re.Match[str]") -> str:
            found = (folder / told[1] for folder in (self.folder, *self.folder.parents))
            return next((f'filename="file://{file}"' for file in found if file.is_file()), told[0])

        found = re.sub(r'filename="package://[^"/]*/([^"]*)"', whole, self.urdf)
        return re.sub(r'(<(?:link|joint)\s+name="|\b(?:link|joint)=")', rf"\g<1>{self.before}", found)

    def spec(self, world: Optional[mujoco.MjSpec] = None) -> mujoco.MjSpec:
        """Return the arm where it stands, without actuators, controllers or surroundings.

        Visual meshes are omitted: MuJoCo cannot read all of them.

        Args:
            world: the specification that gets the arm besides what it has; a new one by default.

        Returns:
            The model specification.

        Raises:
            ConfigError: when the URDF and the robot's file do not fit, with what the URDF has.
        """
        urdf = re.sub(r"<visual>.*?</visual>", "", self.urdf, flags=re.DOTALL)
        urdf = re.sub(r"(filename=\")[^\"]*/", r"\1", urdf)
        compiler = (f'<mujoco><compiler meshdir="{self.folder / self.model.meshes}" fusestatic="false" '
                    'discardvisual="false" balanceinertia="true"/></mujoco>')
        alone = mujoco.MjSpec.from_string(urdf.replace("</robot>", f"{compiler}</robot>"))
        spec = alone
        if world is not None or self.before:
            spec = world or mujoco.MjSpec()
            spec.attach(alone, frame=spec.worldbody.add_frame(**placement(self.base)), prefix=self.before)
        elif self.base.position != (0.0, 0.0, 0.0) or self.base.yaw:
            stand = spec.body(self.links()[0])
            stand.pos, stand.quat = self.base.position, w_first(self.base.orientation)
        self._check(spec)
        for link in self.links():
            for number, geom in enumerate(spec.body(link).geoms):
                geom.name = f"{link}/{number}"
                geom.rgba = _DARK if link in (*self.hand_links, *self._dark) else _LIGHT
                geom.group = 2
        spec.body(self.tool).add_site(name=self.tool, size=[0.005] * 3, group=4)
        return spec

    @property
    def _dark(self) -> Tuple[str, ...]:
        return tuple(self.before + link for link in self.model.dark)

    def _check(self, spec: mujoco.MjSpec) -> None:
        names = {self.before + str(joint.get("name")) for joint in ElementTree.fromstring(self.urdf).iter("joint")}
        there = [joint.name for joint in spec.joints if joint.name in names]
        if there != [*self.joints, *self.finger_joints]:
            listed = ", ".join((*self.joints, *self.finger_joints))
            raise ConfigError(f"the joints of {self.settings.name} are {', '.join(there)}, and its file "
                              f"lists {listed}: name them all, from the stand to the fingers")
        turning = [joint.name for joint in spec.joints
                   if joint.name in self.finger_joints and joint.type != mujoco.mjtJoint.mjJNT_SLIDE]
        if turning:
            raise ConfigError(f"the finger joint {turning[0]} of {self.settings.name} turns: the embedded world moves "
                              "fingers that slide alone; run this arm behind MoveIt, or describe sliding fingers")
        links = self.links()
        for link in (self.tool, *self.hand_links, *self.stand, *self._dark):
            if link not in links:
                raise ConfigError(f"{self.settings.name} has no link '{link}'; its links: {', '.join(links)}")

    def exclude_disabled_pairs(self, spec: mujoco.MjSpec) -> None:
        """Exclude the link pairs that the SRDF declares never to collide.

        Args:
            spec: the MuJoCo model under construction.
        """
        srdf = ElementTree.parse(self.folder / self.model.srdf)
        for pair in srdf.getroot().iter("disable_collisions"):
            one, other = (f"{self.before}{pair.get(key)}" for key in ("link1", "link2"))
            spec.add_exclude(bodyname1=one, bodyname2=other)

    def add_controllers(self, spec: mujoco.MjSpec) -> None:
        """Add stiff position control with gravity compensation, as the real arm has, and force-controlled fingers.

        Args:
            spec: the MuJoCo model under construction.
        """
        model = self.model
        for link in self.links():
            spec.body(link).gravcomp = 1.0
        for name, stiffness, effort in zip(self.joints, model.stiffness, model.effort):
            _drive(spec, name, stiffness, stiffness * model.damping_time, effort)
        for name in self.finger_joints:
            _drive(spec, name, _FINGER_STIFFNESS, _FINGER_DAMPING, model.grip)
        for finger in self.fingers:
            pad = spec.geom(f"{finger}/{model.pad}")
            pad.friction, pad.condim, pad.priority = [1.3, 0.02, 0.0002], 4, 1
            pad.solref, pad.solimp = _PAD_SOLREF, _PAD_SOLIMP
            pad.rgba = _RUBBER


def shown(arms: Sequence[ArmDescription]) -> str:
    """Return the arms of a world as one URDF for viewers.

    Args:
        arms: at least one.

    Returns:
        The URDF; the first links of several arms are fixed to the link ``world``, where each stands.
    """
    if len(arms) == 1:
        return arms[0].shown()
    whole = ElementTree.fromstring('<robot name="arms"><link name="world"/></robot>')
    for arm in arms:
        parents = arm.parents()
        joint = ElementTree.SubElement(whole, "joint", name=f"{arm.name}_stand", type="fixed")
        ElementTree.SubElement(joint, "parent", link="world")
        ElementTree.SubElement(joint, "child", link=next(link for link in arm.links() if link not in parents))
        ElementTree.SubElement(joint, "origin", xyz=" ".join(map(str, arm.base.position)), rpy=f"0 0 {arm.base.yaw}")
        whole.extend(list(ElementTree.fromstring(arm.shown())))
    return ElementTree.tostring(whole, encoding="unicode")


def load_description(file: Union[str, Path], name: str = "", stand: Optional[Stand] = None) -> ArmDescription:
    """Load the arm that a robot's file describes.

    Args:
        file: the robot's YAML file.
        name: what it is called in its world; as in the file by default.
        stand: where it stands there; at the world's origin by default.

    Returns:
        The description.

    Raises:
        ConfigError: with file, line, key and what is valid; also when the URDF is not installed.
    """
    settings = load_settings(file)
    told = settings.model.folder
    folder = next((parent / told for parent in (Path(file).resolve().parent, *map(Path, sys.path))
                   if (parent / told).is_dir()), None)
    if folder is None:
        raise ConfigError(f"the description '{told}' is neither beside {file} nor among the Python packages; "
                          "install the package that holds it, or correct 'folder' in the robot's file")
    try:
        urdf = (folder / settings.model.urdf).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{settings.name}: {folder / settings.model.urdf} cannot be read: "
                          f"{error.strerror}; correct urdf in {file}") from error
    name, body = name or settings.name, body_of(file, settings.name)
    stand = stand or Stand(name, Pose((0.0, 0.0, 0.0)))
    return ArmDescription(replace(settings, name=name), body.standing(name, stand), folder, urdf,
                          prefix_of(name, stand), stand.pose)


def _drive(spec: mujoco.MjSpec, joint: str, stiffness: float, damping: float, effort: float) -> None:
    spec.joint(joint).armature = _ARMATURE
    actuator = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_position(kp=stiffness, kv=damping)
    actuator.forcerange = [-effort, effort]
