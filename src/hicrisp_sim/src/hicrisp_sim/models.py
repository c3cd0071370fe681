"""The two MuJoCo models of a scene: the physics, and the planner's picture of it."""

from __future__ import annotations

import mujoco
from hicrisp_core.model import Pose
from hicrisp_core.scene import Scene

from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.mujoco_poses import placement
from hicrisp_sim.scenery import add_scenery
from hicrisp_sim.things import add_geometry
from hicrisp_sim.worn_tags import add_tags

TIMESTEP = 0.002
"""Seconds of one physics step."""
CARRIED = "carried/"
"""Prefix of the planner's bodies that move with the hand."""
ROBOT, THING, DISTAL, PROXIMAL = 1, 2, 4, 8
"""The planner's collision bits: the robot; what all of it keeps clear of; what its hand may touch; its
base links.
"""


def physics_model(scene: Scene, arm: ArmDescription) -> mujoco.MjModel:
    """Compile the physics: free bodies, friction and controllers. The robot's links do not collide with each
    other.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        arm: description of the arm.

    Returns:
        The model.
    """
    return physics_spec(scene, arm).compile()


def physics_spec(scene: Scene, arm: ArmDescription) -> mujoco.MjSpec:
    """Return the physics before compilation, without the obstacles of an arena.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        arm: description of the arm.

    Returns:
        The model specification.
    """
    spec = arm.spec()
    spec.modelname = scene.name
    option = spec.option
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10.0
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = ROBOT, THING
    arm.add_controllers(spec)
    add_scenery(spec, scene)
    for thing in (*scene.things, *scene.unknown):
        if scene.arena is not None and thing.name in scene.arena.unknown:
            continue
        body = spec.worldbody.add_body(name=thing.name, **placement(thing.pose or Pose((0.0, 0.0, -1.0))))
        body.add_freejoint(name=thing.name)
        add_geometry(body, thing, scene.masses.get(thing.name, 0.15), THING, ROBOT | THING)
    add_tags(spec, scene)
    return spec


def planning_model(scene: Scene, arm: ArmDescription, margin: float) -> mujoco.MjModel:
    """Compile the planner's model: objects at observed poses with a safety margin.

    Each object exists twice: as an obstacle with a free pose (a mocap body) and, disabled, as a part of the
    hand, so that carried objects take part in collision checks without extra joints.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        arm: description of the arm.
        margin: distance to keep from objects, metres.

    Returns:
        The model.
    """
    spec = arm.spec()
    spec.modelname = f"{scene.name} planning"
    for body in spec.bodies:
        for geom in body.geoms:
            geom.contype = ROBOT | (PROXIMAL if body.name in arm.model.stand else 0)
            geom.conaffinity = ROBOT | THING | (0 if body.name in arm.hand_links else DISTAL)
    arm.exclude_disabled_pairs(spec)
    for thing in scene.objects.values():
        body = spec.worldbody.add_body(name=thing.name, mocap=True,
                                       **placement(thing.pose or Pose((0.0, 0.0, -5.0))))
        add_geometry(body, thing, 0.1, THING | DISTAL, 0)
        if thing.movable:
            carried = spec.body(arm.model.hand).add_body(name=CARRIED + thing.name)
            add_geometry(carried, thing, 0.1, 0, THING | PROXIMAL, CARRIED + thing.name)
    for name in scene.objects:
        for geom in spec.body(name).geoms:
            geom.margin = margin
    model = spec.compile()
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)  # One contact is enough to refuse.
    return model
