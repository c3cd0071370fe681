"""Pictures drawn with rays: known things at known places, with a depth camera's noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import facing, from_yaw
from hicrisp_core.model.picture import Lens, Picture
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.colours import paint_of
from hicrisp_perception.shapes.segments import Ground, Sorter
from hicrisp_perception.shapes.shape_models import cast, lies_of
from hicrisp_perception.view import Rays, View

LENS = Lens(640, 480, 615.0, 615.0, 319.5, 239.5)
CAMERA = facing((1.05, 0.0, 0.88), (0.42, 0.0, 0.02))
WOOD = (0.80, 0.70, 0.56)
_SIDE = (0.62, 0.78)


def box(name: str, colour: str = "red", size: Tuple[float, float, float] = (0.05, 0.05, 0.05)) -> WorldObject:
    return WorldObject(name, "box", "box", size, {"colour": colour})


def cylinder(name: str, colour: str = "blue", size: Tuple[float, float, float] = (0.06, 0.06, 0.09)
             ) -> WorldObject:
    return WorldObject(name, "cylinder", "cylinder", size, {"colour": colour})


def bowl(name: str = "bowl", colour: str = "grey") -> WorldObject:
    return WorldObject(name, "bowl", "bowl", (0.15, 0.15, 0.055), {"colour": colour})


def scene_of(*things: WorldObject) -> Scene:
    """A table with things of which nobody says where they are."""
    empty = load_scene("tabletop", 0)
    named = {each.name: each for each in things}
    return replace(empty, name="drawn", objects={"table": empty.table, **named},
                   masses={name: 0.1 for name in named})


def at(x: float, y: float, z: float, yaw: float = 0.0) -> Pose:
    return Pose((x, y, z), from_yaw(yaw))


def draw(things: Sequence[Tuple[WorldObject, Pose]], seed: int = 0, light: float = 1.0, noise: float = 0.0015,
         camera: Pose = CAMERA, stamp: float = 0.0) -> Picture:
    """A picture of things on the table; the depth scatters by ``noise`` at a metre."""
    dice = np.random.default_rng(seed)
    rays = Rays(LENS, camera)
    directions = rays.part((slice(None), slice(None)))
    depth = (-rays.origin[2] / np.minimum(directions[2], -1e-3)).astype(np.float32)
    colour = np.tile(np.array(WOOD, np.float32), (depth.size, 1))
    x, y = (directions[axis] * depth + rays.origin[axis] for axis in range(2))
    off = (x < 0.1) | (x > 0.9) | (np.abs(y) > 0.6)
    depth[off], colour[off] = depth[off] + 0.6, (0.6, 0.62, 0.65)
    for thing, pose in things:
        found = cast(lies_of(thing)[0], pose, rays.origin, directions)
        nearer = found < depth
        depth[nearer] = found[nearer]
        hit = directions[:, nearer] * found[nearer] + rays.origin[:, None]
        own = np.array(pose.axes) @ (hit - np.array(pose.position)[:, None])
        level = np.abs(own[2] - thing.size[2] / 2.0) < 1e-4
        turned = np.abs(own[0]) > np.abs(own[1])
        shade = np.where(level, 1.0, np.where(turned, *_SIDE))
        colour[nearer] = shade[:, None] * np.array(paint_of(thing)[:3], np.float32)
    shape = (LENS.height, LENS.width)
    depth = depth.reshape(shape) * (1.0 + noise * dice.standard_normal(shape).astype(np.float32)
                                    * depth.reshape(shape))
    seen = np.clip(255.0 * light * colour.reshape(*shape, 3), 0.0, 255.0) + dice.normal(0.0, 1.5, (*shape, 3))
    return Picture(stamp, LENS, np.clip(seen, 0, 255).astype(np.uint8), depth.astype(np.float32), camera)


def ground_of(picture: Picture, scene: Optional[Scene] = None) -> Ground:
    """The picture sorted into table and things, without a robot."""
    rays = Rays(picture.lens, picture.camera)
    view = View(picture.stamp, picture.colour, picture.depth, rays)
    return Sorter((scene or scene_of()).table).ground(view, np.zeros(view.shape, bool))


