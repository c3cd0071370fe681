"""What makes a scene look like a place: table, floor, pedestal, lights and cameras."""

from __future__ import annotations

import mujoco
import numpy as np
from hicrisp_core.scene import Scene, SceneCamera
from hicrisp_core.scene.scene import PEDESTAL_WIDTH, ROOM_FLOOR

OVERVIEW = "overview"
DEFAULT_CAMERA = SceneCamera((1.50, -0.70, 0.86), (0.32, 0.03, 0.24), 44.0)
_STATIC = {"contype": 2, "conaffinity": 3}


def add_scenery(spec: mujoco.MjSpec, scene: Scene) -> None:
    """Add all static bodies; only table and floor collide.

    Args:
        spec: the MuJoCo model under construction.
        scene: the initial objects, robots and facts, as its file describes them.
    """
    floor = ROOM_FLOOR if scene.arena is None else scene.arena.floor
    _add_materials(spec)
    world = spec.worldbody
    table = scene.table
    if table.pose is not None:
        x, y, z = table.pose.position
        half = [size / 2.0 for size in table.size]
        world.add_geom(name=f"{table.name}/0", type=mujoco.mjtGeom.mjGEOM_BOX, size=half, pos=[x, y, z],
                       material="wood", friction=[0.7, 0.01, 0.001], **_STATIC)
        for side in (-1, 1):
            for end in (-1, 1):
                leg = [x + side * (half[0] - 0.04), y + end * (half[1] - 0.04), (floor - table.size[2]) / 2.0]
                world.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, pos=leg, material="steel", contype=0,
                               conaffinity=0,
                               size=[0.025, 0.025, (-floor - table.size[2]) / 2.0])
    world.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[4.0, 4.0, 0.1],
                   pos=[0.0, 0.0, floor],
                   material="floor", condim=6, friction=[0.7, 0.01, 0.005], **_STATIC)
    for pedestal in scene.pedestals:
        world.add_geom(type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[PEDESTAL_WIDTH / 2.0, -floor / 2.0, 0.0],
                       pos=[*pedestal, floor / 2.0],
                       material="steel", contype=0, conaffinity=0)
    _add_lights(spec)
    for name, camera in {OVERVIEW: DEFAULT_CAMERA, **scene.cameras}.items():
        world.add_camera(name=name, pos=list(camera.position), fovy=camera.opening,
                         quat=list(looking_at(np.array(camera.position), np.array(camera.target))))


def looking_at(position: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the orientation of a camera whose -z axis points at a target, with the world's z up.

    Args:
        position: of the camera, array (3,), metres.
        target: array (3,), metres.

    Returns:
        Quaternion (4,), w first.
    """
    back = (position - target) / np.linalg.norm(position - target)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= max(1e-9, float(np.linalg.norm(right)))
    matrix = np.column_stack([right, np.cross(back, right), back])
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, matrix.flatten())
    return quaternion


def _add_materials(spec: mujoco.MjSpec) -> None:
    spec.add_texture(name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
                     builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
                     rgb1=[0.86, 0.90, 0.95], rgb2=[0.55, 0.62, 0.70], width=128, height=128)
    spec.add_texture(name="tiles", type=mujoco.mjtTexture.mjTEXTURE_2D,
                     builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
                     rgb1=[0.62, 0.64, 0.67], rgb2=[0.60, 0.62, 0.65], width=128, height=128)
    spec.add_texture(name="grain", type=mujoco.mjtTexture.mjTEXTURE_2D,
                     builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
                     mark=mujoco.mjtMark.mjMARK_RANDOM, random=0.01, rgb1=[0.80, 0.70, 0.56],
                     rgb2=[0.80, 0.70, 0.56],
                     markrgb=[0.77, 0.66, 0.52], width=512, height=512)
    floor = spec.add_material(name="floor", texrepeat=[8.0, 8.0], reflectance=0.05)
    wood = spec.add_material(name="wood", texuniform=True, specular=0.2, shininess=0.3)
    for material, texture in ((floor, "tiles"), (wood, "grain")):
        textures = list(material.textures)
        textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
        material.textures = textures
    spec.add_material(name="steel", rgba=[0.35, 0.36, 0.38, 1.0], specular=0.4, shininess=0.5)


def _add_lights(spec: mujoco.MjSpec) -> None:
    spec.visual.headlight.ambient = [0.35, 0.35, 0.35]
    spec.visual.headlight.diffuse = [0.25, 0.25, 0.25]
    spec.visual.headlight.specular = [0.05, 0.05, 0.05]
    spec.visual.quality.shadowsize = 4096
    spec.visual.quality.offsamples = 4
    spec.visual.map.znear = 0.02
    spec.visual.map.shadowclip = 1.2
    spec.stat.extent, spec.stat.center = 1.0, [0.4, 0.0, 0.1]
    lamp = {"type": mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, "specular": [0.2, 0.2, 0.2]}
    spec.worldbody.add_light(name="key", pos=[1.0, -1.2, 2.2], dir=[-0.25, 0.75, -0.75], castshadow=True,
                             diffuse=[0.55, 0.54, 0.52], **lamp)
    spec.worldbody.add_light(name="fill", pos=[-0.6, 1.4, 1.8], dir=[0.4, -0.6, -0.7], castshadow=False,
                             diffuse=[0.20, 0.21, 0.23], **lamp)
