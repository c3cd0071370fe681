"""What stands where as JSON values, for those who draw it, and written down beside a run's events as it moves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.scene.scene import TABLE, Scene
from hicrisp_core.trace.plain import to_json

Box = Tuple[float, float, float, float]
"""The least x and y, the greatest x and y; metres in the world frame."""
_MOST_FACTS = 60
_ROOM = 0.1
"""Metres around everything."""
_MOVED, _TURNED = 0.005, 5.0
"""Metres and degrees that an object must be seen to move before it is written down again."""
_MOST_LINES = 5000


def scene_section(scene: Scene, workspace: Optional[Box] = None) -> Dict[str, Any]:
    """Return what does not change while a scene is loaded, as it is seen from above.

    Args:
        scene: the loaded scene.
        workspace: the ground over which the arm's tool may be, metres in the world frame, where it is known.

    Returns:
        JSON values; metres in the world frame.
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
        "zones": [{"name": zone.name, "radius": zone.radius,
                   "corners": [list(corner[:2]) for corner in zone.corners]} for zone in scene.zones],
    }


def world_section(world: WorldState, domain: Domain) -> Dict[str, Any]:
    """Return the world as it is seen now.

    Args:
        world: what was observed.
        domain: words its facts.

    Returns:
        JSON values of objects, robots and facts in words; metres and degrees in the world frame.
    """
    robots = [{"name": robot.name, "kind": robot.kind, **_place(robot.pose),
               "opening": None if robot.opening is None else round(robot.opening, 3)}
              for robot in world.robots.values()]
    things = [{"name": thing.name, "type": thing.type, "shape": thing.shape,
               "size": [round(each, 4) for each in thing.size], "colour": thing.attributes.get("colour", ""),
               "movable": thing.movable, "lost": thing.lost, **_place(thing.pose)}
              for thing in world.objects.values()]
    return {"things": things, "robots": robots,
            "facts": sorted(map(domain.fact_text, world.relations))[:_MOST_FACTS]}


def _place(pose: Optional[Pose]) -> Dict[str, Any]:
    """To a millimetre and a degree, so that noise alone changes nothing; nothing for what was never seen."""
    if pose is None:
        return {"x": None, "y": None, "z": None, "yaw": None}
    x, y, z = pose.position
    return {"x": round(x, 3), "y": round(y, 3), "z": round(z, 3), "yaw": round(math.degrees(pose.yaw))}


def _bounds(scene: Scene, workspace: Optional[Box]) -> Optional[Box]:
    """A box around the arena, the table and all objects."""
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


class SceneRecord:
    """Writes the scene once, and then what moved; a run that goes on for very long is written to its limit.

    Args:
        file: made when the scene is written.
    """

    def __init__(self, file: Path, scene: Scene, domain: Domain) -> None:
        self._file = file
        self._scene = scene
        self._domain = domain
        self._told: Dict[str, Dict[str, Any]] = {}
        self._lines = 0

    def see(self, t: float, world: WorldState) -> None:
        """Write what is elsewhere than it was when it was last written.

        Args:
            t: wall seconds since the task began.
            world: what is observed now.

        Raises:
            OSError: when it cannot be written.
        """
        if self._scene.symbolic:
            return
        section = world_section(world, self._domain)
        moved = {kind: [each for each in section[kind] if self._elsewhere(kind, each)]
                 for kind in ("things", "robots")}
        # What was seen before and is not an object any more, as what a lidar outlines, is nowhere now.
        there = {thing["name"] for thing in section["things"]}
        nowhere = [{**told, "x": None, "y": None, "z": None, "yaw": None} for key, told in self._told.items()
                   if key.startswith("thing") and told["name"] not in there and told["x"] is not None]
        self._told.update((f"things {told['name']}", told) for told in nowhere)
        moved["things"] += nowhere
        if not any(moved.values()) or self._lines >= _MOST_LINES:
            return
        with self._file.open("a", encoding="utf-8") as stream:
            if not self._lines:
                stream.write(to_json({"scene": scene_section(self._scene)}) + "\n")
            stream.write(to_json({"t": round(t, 2), **moved}) + "\n")
        self._lines += 1

    def _elsewhere(self, kind: str, now: Dict[str, Any]) -> bool:
        """Whether an object moved since it was written; it counts as written then."""
        key = f"{kind} {now['name']}"
        before = self._told.get(key)
        if before is not None and not _apart(before, now):
            return False
        self._told[key] = now
        return True


def _apart(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    if (before["x"] is None) is not (now["x"] is None):
        return True
    if now["x"] is None:
        return False
    turned = abs((now["yaw"] - before["yaw"] + 180.0) % 360.0 - 180.0)
    gone = math.dist([before[axis] for axis in "xyz"], [now[axis] for axis in "xyz"])
    return gone > _MOVED or turned > _TURNED
