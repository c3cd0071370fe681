"""A scene as models of Gazebo: one for everything that stands still, one for each object that moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Optional
from xml.etree import ElementTree

from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.scene import Scene
from hicrisp_core.scene.colours import Colour, paint_of
from hicrisp_core.scene.scene import ROOM_FLOOR, TABLE

from hicrisp_gazebo import sdf, shapes
from hicrisp_gazebo.depth_camera import add_camera, camera_of, has_camera
from hicrisp_gazebo.inertia import Solid, inertia_of
from hicrisp_gazebo.surface import FURNITURE, OBSTACLE, THING

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
    return found


def thing_sdf(item: WorldObject, mass: Optional[float] = None) -> str:
    """The SDF of one object that moves.

    Args:
        mass: kilograms; by default its volume's in wood.
    """
    solids = shapes.solids_of(item)
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
        top, *rest = shapes.table(scene.table, _floor_of(scene))
        table = sdf.link(element, TABLE)
        sdf.add_solids(table, [top], _WOOD, FURNITURE)
        sdf.add_solids(table, rest, _STEEL, FURNITURE)
    if scene.arena is not None:
        sdf.add_solids(sdf.link(element, "walls"), shapes.walls(scene.arena), _WALL, FURNITURE)
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
