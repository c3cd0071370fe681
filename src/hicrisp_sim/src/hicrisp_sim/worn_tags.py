"""AprilTags on the objects of the embedded world: pictures on thin plates that nothing bumps into."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import Scene
from hicrisp_core.scene.tags import MODULES, Tag, load_tags, tags_of

from hicrisp_sim.mujoco_poses import placement

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
            raise ConfigError(f"the tag {tag.number} is worn by a thing and stands in {scene.markers} too; "
                              "give the "
                              "marker another number")
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
                                  size=[half, half, _PLATE], mass=0.0, contype=0, conaffinity=0, group=1,
                                  **placement(tag.pose))


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
