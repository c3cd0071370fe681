"""A scene as models of Gazebo, made of solids: one for everything that stands still, one for each object that moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Dict, Optional, Tuple
from xml.etree import ElementTree

from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene import Scene
from hicrisp_core.scene.colours import Colour, paint_of
from hicrisp_core.scene.floor_plan import Arena, Wall
from hicrisp_core.scene.scene import PEDESTAL, PEDESTAL_WIDTH, ROOM_FLOOR, TABLE
from hicrisp_core.scene.undescribed import wares_of

from hicrisp_gazebo import sdf
from hicrisp_gazebo.depth_camera import add_camera, camera_of, has_camera
from hicrisp_gazebo.inertia import Solid, inertia_of
from hicrisp_gazebo.surface import FURNITURE, OBSTACLE, THING
from hicrisp_gazebo.wares import ware_sdf

SCENERY = "scenery"
"""Name of the model of everything that stands still."""
DENSITY = 600.0
"""Of objects whose mass the scene does not say, kg/m3: wood."""
LIFTED = 3.0
"""Mass up to which objects are made to be held, kg."""
_FLOOR_SIZE, _FLOOR_DEPTH = 12.0, 0.1
_STEEL: Colour = (0.35, 0.36, 0.38, 1.0)
_WOOD: Colour = (0.80, 0.70, 0.56, 1.0)
_TILES: Colour = (0.72, 0.73, 0.74, 1.0)
_WALL: Colour = (0.45, 0.47, 0.52, 1.0)
_PAINT: Colour = (0.35, 0.62, 0.45, 1.0)
_WORLD = Pose((0.0, 0.0, 0.0))
_LEG, _LEG_INSET = 0.05, 0.04


def solids_of(item: WorldObject) -> Tuple[Solid, ...]:
    """Return an object's solids, with the body's origin in the middle of its bounding box.

    Args:
        item: shape and size.

    Returns:
        The solids in the object's frame, metres.
    """
    return tuple(Solid(f"solid_{number}", solid.kind, solid.size, solid.pose)
                 for number, solid in enumerate(item.form.solids(item.size)))


def table(top: WorldObject, floor: float) -> Tuple[Solid, ...]:
    """Return a table's top (its first solid) with what carries it, and the pedestal of the arm.

    Args:
        top: the table; its pose is that of the top's middle, world frame.
        floor: height of the floor, metres.

    Returns:
        The solids in the world frame.
    """
    if top.pose is None:
        return ()
    x, y, z = top.pose.position
    high = z - top.size[2] / 2.0 - floor
    half_x, half_y = (size / 2.0 - _LEG_INSET for size in top.size[:2])
    legs = [Solid(f"leg_{number}", "box", (_LEG, _LEG, high),
                  Pose((x + side * half_x, y + end * half_y, floor + high / 2.0)))
            for number, (side, end) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1)))]
    pedestal = Solid("pedestal", "cylinder", (PEDESTAL_WIDTH, PEDESTAL_WIDTH, -floor),
                     Pose((*PEDESTAL, floor / 2.0)))
    return (Solid("top", "box", top.size, top.pose), *legs, pedestal)


def walls(arena: Arena) -> Tuple[Solid, ...]:
    """Return the walls around and inside an arena.

    Args:
        arena: its border and walls.

    Returns:
        The solids in the map frame.
    """
    every: Dict[str, Wall] = {**arena.border(), **arena.walls}
    found = []
    for name, wall in every.items():
        (ax, ay), (bx, by) = wall.start, wall.end
        middle = ((ax + bx) / 2.0, (ay + by) / 2.0, arena.floor + wall.height / 2.0)
        size = (math.dist(wall.start, wall.end) + wall.thickness, wall.thickness, wall.height)
        found.append(Solid(name, "box", size, Pose(middle, from_yaw(math.atan2(by - ay, bx - ax)))))
    return tuple(found)


@dataclass(frozen=True)
class Model:
    """What is spawned: a name, its SDF, and where it is at first in the world frame."""

    name: str
    sdf: str
    pose: Pose


def models_of(scene: Scene, namespace: str = "") -> Dict[str, Model]:
    """Every model of a scene by its name, without the robots; what stands still comes first.

    Args:
        namespace: of the camera's topics.

    Raises:
        ConfigError: when an object's name is taken.
    """
    if SCENERY in scene.objects:
        raise ConfigError(f"scene {scene.name}: the name '{SCENERY}' is taken; give the object another name")
    found = {SCENERY: Model(SCENERY, scenery(scene, namespace), _WORLD)}
    for item in scene.things:
        if item.pose is not None:
            found[item.name] = Model(item.name, thing_sdf(item, scene.masses.get(item.name)), item.pose)
    for ware in wares_of(scene):
        if ware.pose is not None:
            found[ware.name] = Model(ware.name, ware_sdf(ware), ware.pose)
    return found


def thing_sdf(item: WorldObject, mass: Optional[float] = None) -> str:
    """The SDF of one object that moves.

    Args:
        mass: kilograms; by default its volume's in wood.
    """
    solids = solids_of(item)
    weight = mass if mass is not None else DENSITY * sum(solid.volume for solid in solids)
    element = sdf.model(item.name)
    body = sdf.link(element, "link", inertia_of(solids, weight))
    sdf.add_solids(body, solids, paint_of(item), THING if weight <= LIFTED else OBSTACLE)
    return sdf.document(element)


def scenery(scene: Scene, namespace: str = "") -> str:
    """Return the SDF of what stands still: floor, table, walls, areas painted on the floor, a table's camera.

    Args:
        scene: the initial objects, table or arena.
        namespace: of the camera's topics.

    Returns:
        The text of an SDF file.
    """
    element = sdf.model(SCENERY, static=True)
    floor = sdf.link(element, "floor")
    x, y = 0.0, 0.0
    if scene.arena is not None:
        x, y = (low + extent / 2.0 for low, extent in zip(scene.arena.origin, scene.arena.size))
    tiles = Solid("floor", "box", (_FLOOR_SIZE, _FLOOR_SIZE, _FLOOR_DEPTH),
                  Pose((x, y, _floor_of(scene) - _FLOOR_DEPTH / 2.0)))
    sdf.add_solids(floor, [tiles], _TILES, FURNITURE)
    if TABLE in scene.objects:
        top, *rest = table(scene.table, _floor_of(scene))
        stand = sdf.link(element, TABLE)
        sdf.add_solids(stand, [top], _WOOD, FURNITURE)
        sdf.add_solids(stand, rest, _STEEL, FURNITURE)
    if scene.arena is not None:
        sdf.add_solids(sdf.link(element, "walls"), walls(scene.arena), _WALL, FURNITURE)
    paint = [Solid(item.name, "box", item.size, item.pose) for item in scene.objects.values()
             if item.form.ground and not item.form.solids(item.size) and item.pose is not None]
    if paint:
        sdf.add_solids(sdf.link(element, "paint"), paint, _PAINT, None)
    if has_camera(scene):
        add_camera(element, camera_of(scene), namespace)
    return sdf.document(element)


def world(empty: str, scene: Scene) -> str:
    """The text of a world file with a scene's models in it, for use without the nodes.

    Args:
        empty: the text of a world file without them.
    """
    text = []
    for model in models_of(scene).values():
        element = ElementTree.fromstring(model.sdf)[0]
        ElementTree.SubElement(element, "pose").text = sdf.pose_text(model.pose)
        text.append(ElementTree.tostring(element, encoding="unicode"))
    return empty.replace("</world>", "\n".join([*text, "</world>"]))


def _floor_of(scene: Scene) -> float:
    """Height of the floor in the world frame, metres."""
    return ROOM_FLOOR if scene.arena is None else scene.arena.floor
