"""The two MuJoCo models of a scene: the physics, and the planner's picture of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Sequence

import mujoco
import numpy as np
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import rotate
from hicrisp_core.model.joint import SLIDE, Joint
from hicrisp_core.scene import Scene
from hicrisp_core.scene.tags import MODULES, Tag, load_tags, tags_of
from hicrisp_core.scene.undescribed import Ware

from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.cuts import add_layers
from hicrisp_sim.mujoco_poses import placement
from hicrisp_sim.scenery import add_scenery
from hicrisp_sim.things import add_geometry
from hicrisp_sim.threads import add_threads
from hicrisp_sim.wares import add_ware

_PIXELS = 16
"""Of the texture for each of a tag's squares."""
_PLATE = 0.0001
"""Half the thickness of a plate, metres."""


def add_tags(spec: mujoco.MjSpec, scene: Scene) -> None:
    """Add the tags of a scene's objects, and the markers on robot and table.

    Args:
        spec: the MuJoCo model under construction.
        scene: the initial objects, robots and facts, as its file describes them.

    Raises:
        ConfigError: for an object that is too small for any, for a marker on what is not there, and for a
            number that is there twice.
    """
    worn = tags_of(scene) if scene.tags else ()
    for tag in worn:
        _add(spec.body(tag.thing), spec, tag)
    markers = load_tags(scene.markers, beside=scene.source or None) if scene.markers else ()
    links = {body.name: body for body in spec.bodies}
    for tag in markers:
        if tag.number in {other.number for other in worn}:
            raise ConfigError(f"the tag {tag.number} is worn by an object and stands in {scene.markers} too; "
                              "give the marker another number")
        if tag.thing == scene.table.name and scene.table.pose is not None:
            _add(spec.worldbody, spec, replace(tag, pose=scene.table.pose.compose(tag.pose)))
        elif tag.thing in links:
            _add(links[tag.thing], spec, tag)
        else:
            raise ConfigError(f"the tag {tag.number} is on '{tag.thing}', which is not there; there are: "
                              f"{scene.table.name}, {', '.join(name for name in links if name != 'world')}")


def _add(body: mujoco.MjsBody, spec: mujoco.MjSpec, tag: Tag) -> None:
    name = f"tag_{tag.number}"
    picture = picture_of(tag.number)
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=picture.shape[1],
                               height=picture.shape[0], nchannel=3)
    texture.data = np.repeat(picture[:, :, None], 3, axis=2).tobytes()
    material = spec.add_material(name=name, specular=0.0, shininess=0.0)
    textures = list(material.textures)
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
    material.textures = textures
    half = tag.whole / 2.0
    body.add_geom(name=f"{tag.thing}/{name}", type=mujoco.mjtGeom.mjGEOM_BOX, material=name,
                  size=[half, half, _PLATE], mass=0.0, contype=0, conaffinity=0, group=1, **placement(tag.pose))


def picture_of(number: int) -> np.ndarray:
    """Return the image of a tag with its white margin.

    Args:
        number: of the tag in the family.

    Returns:
        Array (height, width) of uint8, top row first.
    """
    import cv2  # Most worlds wear no tags.

    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    black = cv2.aruco.generateImageMarker(family, number, MODULES * _PIXELS)
    return np.pad(np.asarray(black, np.uint8), _PIXELS, constant_values=255)


TIMESTEP = 0.002
"""Seconds of one physics step."""
CARRIED = "carried/"
"""Prefix of the planner's bodies that move with the hand."""
ROBOT, THING, DISTAL, PROXIMAL = 1, 2, 4, 8
"""The planner's collision bits: the robot; what all of it keeps clear of; what its hand may touch; its
base links.
"""
_RUNS, _DAMPS = (0.15, 1.5), (0.3, 4.0)
"""Friction and damping of a hinge (Nm, Nm s/rad) and of a slide (N, N s/m)."""
_STATIC_SOLREF, _STATIC_SOLIMP = [0.004, 1.0], [0.9995, 0.9999, 0.001, 0.5, 2.0]
"""Of the friction in joints: stiff, so that what holds fast does not creep."""
_ARM = 16
"""The physics' collision bit of the first arm; that of each further one is twice as large."""


def physics_model(scene: Scene, arms: Sequence[ArmDescription]) -> mujoco.MjModel:
    """Compile the physics: free bodies, friction and controllers. The links of one arm do not collide with each other,
    those of different arms do.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        arms: descriptions of the arms, at least one.

    Returns:
        The model.
    """
    return physics_spec(scene, arms).compile()


def physics_spec(scene: Scene, arms: Sequence[ArmDescription]) -> mujoco.MjSpec:
    """Return the physics before compilation, without the obstacles of an arena.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        arms: descriptions of the arms, at least one.

    Returns:
        The model specification.
    """
    spec = arms[0].spec()
    for arm in arms[1:]:
        arm.spec(spec)
    spec.modelname = scene.name
    option = spec.option
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10.0
    for number, arm in enumerate(arms):
        later = (_ARM << len(arms)) - (_ARM << number + 1)
        for link in arm.links():
            for geom in spec.body(link).geoms:
                geom.contype, geom.conaffinity = ROBOT | _ARM << number, THING | later
        arm.add_controllers(spec)
    add_scenery(spec, scene)
    for item in (*scene.things, *scene.unknown):
        if scene.arena is not None and item.name in scene.arena.unknown:
            continue
        body = spec.worldbody.add_body(name=item.name, **placement(item.pose or Pose((0.0, 0.0, -1.0))))
        if item.movable:
            body.add_freejoint(name=item.name)
        elif item.joint is not None:
            _hang(spec, body, item.joint)
        if isinstance(item, Ware):
            add_ware(spec, body, item, THING, ROBOT | THING)
        else:
            add_geometry(body, item, scene.masses.get(item.name, 0.15), THING, ROBOT | THING)
    add_layers(spec, scene, THING, ROBOT | THING)
    add_threads(spec, scene, THING, ROBOT | THING)
    _add_fixtures(spec, scene)
    add_tags(spec, scene)
    return spec


def _add_fixtures(spec: mujoco.MjSpec, scene: Scene) -> None:
    """Add what is fixed to the table, and the parts that hang on it."""
    parts = [item for item in scene.objects.values() if item.joint is not None]
    for name in {part.joint.fixture for part in parts if part.joint is not None}:
        fixture = scene.objects[name]
        if fixture.pose is not None:
            add_geometry(spec.worldbody.add_body(name=name, **placement(fixture.pose)), fixture, 1.0, THING,
                         ROBOT | THING)
    for part in parts:
        if part.joint is not None:
            body = spec.worldbody.add_body(name=part.name, **placement(part.joint.home))
            _hang(spec, body, part.joint)
            add_geometry(body, part, scene.masses.get(part.name, 0.15), THING, ROBOT | THING)


def _hang(spec: mujoco.MjSpec, body: Any, joint: Joint) -> None:
    """Let a body move as its joint says, whatever its fixture."""
    slides, turn = joint.kind == SLIDE, joint.home.inverse()
    least, most = joint.reach if slides or not spec.compiler.degree else map(math.degrees, joint.reach)
    body.add_joint(
        name=body.name, type=mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE,
        axis=list(rotate(turn.orientation, joint.axis)), pos=list(turn.apply(joint.point)), range=[least, most],
        limited=mujoco.mjtLimited.mjLIMITED_TRUE, frictionloss=_RUNS[slides], damping=_DAMPS[slides],
        solref_friction=_STATIC_SOLREF, solimp_friction=_STATIC_SOLIMP)
    spec.add_exclude(bodyname1=body.name, bodyname2=joint.fixture)


def planning_model(
    scene: Scene, arm: ArmDescription, margin: float, others: Sequence[ArmDescription] = ()
) -> mujoco.MjModel:
    """Compile the planner's model: objects at observed poses with a safety margin.

    Each object exists twice: as an obstacle with a free pose (a mocap body) and, disabled, as a part of the
    hand, so that carried objects take part in collision checks without extra joints.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        arm: description of the arm.
        margin: distance to keep from objects and other arms, metres.
        others: the other arms, which are obstacles; their joints come after those of the arm.

    Returns:
        The model.
    """
    spec = arm.spec()
    spec.modelname = f"{scene.name} planning"
    for link in arm.links():
        for geom in spec.body(link).geoms:
            geom.contype = ROBOT | (PROXIMAL if link in arm.stand else 0)
            geom.conaffinity = ROBOT | THING | (0 if link in arm.hand_links else DISTAL)
    arm.exclude_disabled_pairs(spec)
    for other in others:
        other.spec(spec)
        for link in other.links():
            for geom in spec.body(link).geoms:
                geom.contype, geom.conaffinity, geom.margin = THING | DISTAL, 0, margin
    for item in scene.objects.values():
        body = spec.worldbody.add_body(name=item.name, mocap=True,
                                       **placement(item.pose or Pose((0.0, 0.0, -5.0))))
        add_geometry(body, item, 0.1, THING | DISTAL, 0)
        if item.movable:
            carried = spec.body(arm.hand).add_body(name=CARRIED + item.name)
            add_geometry(carried, item, 0.1, 0, THING | PROXIMAL, CARRIED + item.name)
    for name in scene.objects:
        for geom in spec.body(name).geoms:
            geom.margin = margin
    model = spec.compile()
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)  # One contact is enough to refuse.
    return model
