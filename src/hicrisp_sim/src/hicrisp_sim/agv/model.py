"""The MuJoCo model of an arena: floor, walls, areas painted on the floor, obstacles that can be pushed,
the bases.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene import Scene
from hicrisp_core.scene.floor_plan import Arena, Start, Wall
from hicrisp_core.scene.lab import TRAY_EDGE, TRAY_HEIGHT

from hicrisp_sim.mujoco_poses import placement, w_first
from hicrisp_sim.scenery import OVERVIEW, looking_at
from hicrisp_sim.things import add_geometry

TIMESTEP = 0.004
WHEEL_RADIUS, TRACK = 0.05, 0.26
"""Of the driven wheels, metres; the track is the distance between them."""
WHEELS = ("left_wheel", "right_wheel")
CHASSIS = "chassis"
"""Of the parts of a base, whose names follow its own."""
_GROUND, _SOLID = 1, 2
"""Collision bits: what wheels and feet touch; what stands on the floor."""
ROBOT_GROUP, SOLID_GROUP, PAINT_GROUP, MAST_GROUP = 0, 1, 2, 3
"""Geom groups: lidars see the second and the fourth only."""
_CLEARANCE = 0.02
"""Height of the chassis above the floor, metres."""
_CHASSIS_HEIGHT = 0.16
_TRAY_THICKNESS = 0.015
_MAST_HEIGHT = 0.3
"""Up to which a base among others is as wide as its chassis, so that their lidars see it, metres."""


def arena_model(scene: Scene) -> mujoco.MjModel:
    """Compile the physics of an arena with its bases.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        The model.

    Raises:
        ValueError: if the scene has no arena.
    """
    arena = scene.arena
    if arena is None:
        raise ValueError(f"the scene '{scene.name}' has no arena")
    spec = mujoco.MjSpec()
    spec.modelname = scene.name
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # Obstacles at rest cost nothing.
    spec.option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    _add_floor(spec, arena)
    add_arena(spec, scene, arena)
    return spec.compile()


def add_arena(spec: mujoco.MjSpec, scene: Scene, arena: Arena) -> None:
    """Add walls, areas, the bases and the obstacles, without the floor.

    Args:
        spec: the MuJoCo model under construction.
        scene: the initial objects, robots and facts, as its file describes them.
        arena: the scene's arena.
    """
    for name, wall in {**arena.border(), **arena.walls}.items():
        _add_wall(spec, name, wall, arena.floor)
    for item in scene.objects.values():
        if item.pose is not None and item.form.ground and not item.form.solids(item.size):
            spec.worldbody.add_geom(name=f"area/{item.name}", type=mujoco.mjtGeom.mjGEOM_BOX, contype=0, conaffinity=0,
                                    size=[size / 2.0 for size in item.size], rgba=[0.35, 0.62, 0.45, 1.0],
                                    group=PAINT_GROUP, **placement(item.pose))
    for name, start in arena.starts.items():
        body = _add_base(spec, name, start)
        if len(arena.starts) > 1:
            body.add_geom(name=f"{name}/mast", type=mujoco.mjtGeom.mjGEOM_CYLINDER, mass=0.0, group=MAST_GROUP,
                          size=[start.radius, (_MAST_HEIGHT - _CLEARANCE) / 2.0, 0.0], contype=0, conaffinity=0,
                          pos=[0.0, 0.0, (_MAST_HEIGHT + _CLEARANCE) / 2.0], rgba=[0.85, 0.55, 0.15, 1.0])
    for item in scene.things:
        if item.pose is None or item.name not in arena.unknown:
            continue
        body = spec.worldbody.add_body(name=item.name, **placement(item.pose))
        body.add_freejoint(name=item.name)
        add_geometry(body, item, scene.masses.get(item.name, 8.0), _GROUND | _SOLID, _GROUND | _SOLID)
        for geom in body.geoms:
            geom.condim = 3


def _add_floor(spec: mujoco.MjSpec, arena: Arena) -> None:
    x, y = (low + extent / 2.0 for low, extent in zip(arena.origin, arena.size))
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, pos=[x, y, 0.0],
                            size=[6.0, 6.0, 0.1],
                            rgba=[0.72, 0.73, 0.74, 1.0], contype=_GROUND, conaffinity=_GROUND,
                            group=PAINT_GROUP,
                            friction=[1.0, 0.01, 0.001])
    far = 1.1 * max(arena.size)
    eye, target = [x, y - 0.45 * far, 1.1 * far], [x, y, 0.0]
    spec.worldbody.add_camera(name=OVERVIEW, pos=eye, fovy=45.0,
                              quat=list(looking_at(np.array(eye), np.array(target))))
    spec.worldbody.add_light(name="key", pos=[x - 1.0, y - 1.0, 4.0], dir=[0.25, 0.25, -0.9],
                             type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)


def _add_wall(spec: mujoco.MjSpec, name: str, wall: Wall, floor: float) -> None:
    (ax, ay), (bx, by) = wall.start, wall.end
    angle = math.atan2(by - ay, bx - ax)
    spec.worldbody.add_geom(
        name=f"wall/{name}", type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[(ax + bx) / 2.0, (ay + by) / 2.0, floor + wall.height / 2.0],
        size=[math.dist(wall.start, wall.end) / 2.0 + wall.thickness / 2.0, wall.thickness / 2.0,
              wall.height / 2.0],
        quat=w_first(from_yaw(angle)), rgba=[0.45, 0.47, 0.52, 1.0],
        contype=_SOLID, conaffinity=_SOLID, group=SOLID_GROUP)


def _add_base(spec: mujoco.MjSpec, base: str, start: Start) -> Any:
    """A round chassis on two driven wheels and two sliding feet, with a flat tray on a column where it has one."""
    yaw = start.pose.yaw
    body = spec.worldbody.add_body(name=base, pos=list(start.pose.position), quat=w_first(from_yaw(yaw)))
    body.add_freejoint(name=base)
    body.add_geom(name=f"{base}/{CHASSIS}", type=mujoco.mjtGeom.mjGEOM_CYLINDER, mass=12.0,
                  size=[start.radius, _CHASSIS_HEIGHT / 2.0, 0.0],
                  pos=[0.0, 0.0, _CLEARANCE + _CHASSIS_HEIGHT / 2.0],
                  contype=_SOLID, conaffinity=_SOLID, group=ROBOT_GROUP, rgba=[0.85, 0.55, 0.15, 1.0],
                  friction=[0.2, 0.005, 0.0001])
    if start.tray:
        _add_tray(body, base)
    for end in (-1.0, 1.0):
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.02, 0.0, 0.0], mass=0.2, group=ROBOT_GROUP,
                      condim=1,
                      pos=[end * 0.75 * start.radius, 0.0, 0.0202], contype=_GROUND, conaffinity=_GROUND,
                      priority=1)
    for side, name in ((1.0, f"{base}/{WHEELS[0]}"), (-1.0, f"{base}/{WHEELS[1]}")):
        wheel = body.add_body(name=name, pos=[0.0, side * TRACK / 2.0, WHEEL_RADIUS])
        wheel.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0], armature=0.002)
        wheel.add_geom(type=mujoco.mjtGeom.mjGEOM_ELLIPSOID, size=[WHEEL_RADIUS, 0.012, WHEEL_RADIUS],
                       mass=0.4,
                       contype=_GROUND, conaffinity=_GROUND, group=ROBOT_GROUP, friction=[1.2, 0.005, 0.0001])
        spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT,
                          gaintype=mujoco.mjtGain.mjGAIN_FIXED, biastype=mujoco.mjtBias.mjBIAS_AFFINE,
                          gainprm=[2.0] + [0.0] * 9, biasprm=[0.0, 0.0, -2.0] + [0.0] * 7,
                          forcerange=[-3.0, 3.0])
    return body


def _add_tray(body: Any, base: str) -> None:
    """A flat top with a rubber mat: what stands on it rides along by friction alone; soft contacts would creep."""
    below, half = _CLEARANCE + _CHASSIS_HEIGHT, TRAY_EDGE / 2.0
    body.add_geom(name=f"{base}/tray/column", type=mujoco.mjtGeom.mjGEOM_CYLINDER, mass=0.5, group=ROBOT_GROUP,
                  contype=0,
                  conaffinity=0, size=[0.06, (TRAY_HEIGHT - below) / 2.0, 0.0], rgba=[0.35, 0.36, 0.38, 1.0],
                  pos=[0.0, 0.0, (TRAY_HEIGHT + below) / 2.0 - _TRAY_THICKNESS])
    body.add_geom(name=f"{base}/tray/top", type=mujoco.mjtGeom.mjGEOM_BOX, mass=0.8, group=ROBOT_GROUP,
                  contype=_SOLID,
                  conaffinity=_GROUND | _SOLID, size=[half, half, _TRAY_THICKNESS / 2.0], condim=4,
                  priority=1,
                  friction=[1.0, 0.01, 0.001], solref=[0.004, 1.0], solimp=[0.95, 0.99, 0.001, 0.5, 2.0],
                  pos=[0.0, 0.0, TRAY_HEIGHT - _TRAY_THICKNESS / 2.0], rgba=[0.25, 0.27, 0.30, 1.0])
