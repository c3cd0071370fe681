"""What stands where, seen from above: the scene that was configured, and the world as it is seen now."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import KeepOut, Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import rotate
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.scene.scene import TABLE, Scene

Box = Tuple[float, float, float, float]
"""The least x and y, the greatest x and y; metres in the world frame."""
_MOST_FACTS = 60
_ROOM = 0.1
"""Metres around everything."""


def scene_section(scene: Scene, workspace: Optional[Box] = None) -> Dict[str, Any]:
    """Return what does not change while a scene is loaded.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        workspace: the ground over which the arm's tool may be, if known.

    Returns:
        JSON values of the section ``scene``; metres.
    """
    arena = scene.arena
    walls = {**arena.walls, **arena.border()} if arena is not None else {}
    return {
        "name": scene.name, "description": scene.description, "task": scene.task, "seed": scene.seed,
        "known": sorted(set(scene.objects) - (arena.unknown if arena is not None else set())),
        "flat": not scene.symbolic,
        "bounds": _bounds(scene, workspace), "workspace": workspace,
        "arms": [name for name in scene.robots if arena is None or name not in arena.starts],
        "bases": {name: {"radius": start.radius} for name, start in arena.starts.items()} if arena else {},
        "walls": [{"from": list(wall.start), "to": list(wall.end), "width": wall.thickness}
                  for wall in walls.values()],
        "zones": [_zone(zone) for zone in scene.zones],
    }


def camera_section(scene: Scene) -> Optional[Dict[str, Any]]:
    """Return where the scene's depth camera stands and looks.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        Ground positions in metres and the view's width in degrees; ``None`` for a camera on a robot.
    """
    try:
        camera = load_camera(scene.camera, scene.source or None)
    except HicrispError:
        return None  # Who looks through it says what is wrong with it.
    if camera.mounting.in_hand:
        return None
    pose, lens = camera.mounting.pose, camera.lens
    ahead = rotate(pose.orientation, (0.0, 0.0, 1.0))
    return {"at": list(pose.position[:2]), "ahead": list(ahead[:2]),
            "opening": round(2.0 * math.degrees(math.atan2(0.5 * lens.width, lens.fx)))}


def tolerance_section(domain: Domain) -> Dict[str, Dict[str, Any]]:
    """Return what each placing action makes, and how far off that may be.

    Args:
        domain: types, predicates and actions of the application.

    Returns:
        Fact and tolerance in millimetres by the action's name.
    """
    found: Dict[str, Dict[str, Any]] = {}
    for name, action in domain.actions.items():
        made = [effect.atom.predicate for effect in action.effects if not effect.removes and effect.when is None]
        judged = [each for each in made if each != domain.roles.held and domain.predicates[each].tolerance > 0.0]
        judged.sort(key=lambda each: each == domain.roles.stands_on)  # What it stands on says least of where.
        if judged and action.places:
            found[name] = {"fact": judged[0].replace("_", " "),
                           "mm": round(1000.0 * domain.predicates[judged[0]].tolerance)}
    return found


def world_section(world: WorldState, domain: Domain) -> Dict[str, Any]:
    """Return the observed world: objects, robots and facts in words.

    Args:
        world: observed objects, robots and facts; poses in the world frame.
        domain: types, predicates and actions of the application.

    Returns:
        JSON values of the section ``world``; metres and degrees in the world frame.
    """
    robots = [{"name": robot.name, "kind": robot.kind, **_place(robot.pose),
               "opening": None if robot.opening is None else round(robot.opening, 3)}
              for robot in world.robots.values()]
    return {"things": [_thing(thing) for thing in world.objects.values()], "robots": robots,
            "facts": sorted(domain.facts_text(world.relations))[:_MOST_FACTS]}


def _thing(thing: WorldObject) -> Dict[str, Any]:
    return {"name": thing.name, "type": thing.type, "shape": thing.shape,
            "size": [round(each, 4) for each in thing.size], "colour": thing.attributes.get("colour", ""),
            "movable": thing.movable, "lost": thing.lost, **_place(thing.pose)}


def _place(pose: Optional[Pose]) -> Dict[str, Any]:
    """To a millimetre and a degree, so that noise alone changes nothing; nothing for what was never seen."""
    if pose is None:
        return {"x": None, "y": None, "z": None, "yaw": None}
    x, y, z = pose.position
    qx, qy, qz, qw = pose.orientation
    yaw = math.degrees(math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz)))
    return {"x": round(x, 3), "y": round(y, 3), "z": round(z, 3), "yaw": round(yaw)}


def _zone(zone: KeepOut) -> Dict[str, Any]:
    return {"name": zone.name, "radius": zone.radius,
            "corners": [list(corner[:2]) for corner in zone.corners]}


def _bounds(scene: Scene, workspace: Optional[Box]) -> Optional[Box]:
    """A box around the arena, the table and all things."""
    points: List[Sequence[float]] = []
    if scene.arena is not None:
        (x, y), (width, depth) = scene.arena.origin, scene.arena.size
        points += [(x, y), (x + width, y + depth)]
    for thing in scene.objects.values():
        if thing.pose is not None:
            half = 0.5 * (math.hypot(*thing.size[:2]) if thing.name != TABLE else max(thing.size[:2]))
            x, y = thing.pose.position[:2]
            points += [(x - half, y - half), (x + half, y + half)]
    if workspace is not None and points:
        points.append((0.0, 0.0))  # The foot of the arm; its box may reach beyond the drawing.
    if not points:
        return None
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return min(xs) - _ROOM, min(ys) - _ROOM, max(xs) + _ROOM, max(ys) + _ROOM
