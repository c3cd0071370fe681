"""AprilTags on the things of the embedded world: pictures on thin plates that nothing bumps into."""

from __future__ import annotations

import mujoco
import numpy as np
from hicrisp_core.scene import Scene
from hicrisp_core.scene.tags import MODULES, Tag, tags_of

from hicrisp_sim.mujoco_poses import placement

_PIXELS = 16
"""Of the texture for each of a tag's squares."""
_PLATE = 0.0001
"""Half the thickness of a plate, metres."""


def add_tags(spec: mujoco.MjSpec, scene: Scene) -> None:
    """Put the tags on the things of a scene that wears some.

    Raises:
        ConfigError: for a thing that is too small for any.
    """
    for tag in tags_of(scene) if scene.tags else ():
        _add(spec, tag)


def _add(spec: mujoco.MjSpec, tag: Tag) -> None:
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
    spec.body(tag.thing).add_geom(name=f"{tag.thing}/{name}", type=mujoco.mjtGeom.mjGEOM_BOX, material=name,
                                  size=[half, half, _PLATE], mass=0.0, contype=0, conaffinity=0, group=1,
                                  **placement(tag.pose))


def picture_of(number: int) -> np.ndarray:
    """A tag with its white margin, (height, width) uint8, its top first."""
    import cv2  # Most worlds wear no tags.

    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    black = cv2.aruco.generateImageMarker(family, number, MODULES * _PIXELS)
    return np.pad(np.asarray(black, np.uint8), _PIXELS, constant_values=255)
