"""One layout: a table with its objects and a camera, pictures that are taken and looked at, and what was seen,
compared with the truth.
"""

from __future__ import annotations

import math
import random
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping

import cv2
import numpy as np
from hicrisp_core.model import Picture, Pose, Track, Visibility, WorldObject
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.layout import RandomSpot, draw_layout, standing
from hicrisp_perception.shapes.shape_models import cast, lies_of
from hicrisp_perception.view import Rays
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.rgbd import bodies_seen

from hicrisp_perception import SceneTracker

_SPOT = RandomSpot((0.30, -0.40, 0.64, 0.40), 0.02, (0.36, 0.68))
_STACKED = 0.35
"""Part of the boxes that stand on others."""
_IN_BOWL = 0.3
"""How often a box lies in a bowl."""
_TOWER = 4
"""Boxes on each other, at most."""
_OFFSET = 0.006
"""How far off the middle of the one below a stacked box stands, metres."""
_SETTLING = 0.4
"""Simulated seconds in which what was put on the table comes to rest."""
SHAPES, TAGS = "shapes", "tags"
METHODS = (TAGS, SHAPES)
_HALF = 0.5
_NEAR = 0.03
"""Metres from where an object is, in which it counts as found there."""
_LIKE = 0.0025


def layout(config: Path, name: str, seed: int) -> Scene:
    """A scene with a random layout of its objects; the same seed gives the same."""
    file = config / "scenes" / f"{name}.yaml"
    scene = load_scene(file, seed)
    own = any(item.pose != load_scene(file, seed + 1).objects[item.name].pose for item in scene.things)
    return scene if own else arranged(scene, seed)


def arranged(scene: Scene, seed: int) -> Scene:
    """The scene with all objects at random places, some of its boxes on others or in a bowl."""
    dice = random.Random(f"eyes {scene.name} {seed}")
    boxes = [item for item in scene.things if item.form.boxy]
    dice.shuffle(boxes)
    upper = boxes[:round(_STACKED * len(boxes))]
    lower = [item for item in scene.things if item not in upper]
    bare = {name: replace(item, pose=None) if item.movable else item for name, item in scene.objects.items()}
    placed = draw_layout({name: item for name, item in bare.items()
                          if not item.movable or item.name in {each.name for each in lower}},
                         {item.name: _SPOT for item in lower}, seed)
    if placed is None:
        return scene
    _stack(upper, placed, dice)
    return replace(scene, objects={name: placed[name] for name in scene.objects}, seed=seed)


def _stack(upper: List[WorldObject], placed: Dict[str, WorldObject], dice: random.Random) -> None:
    towers = [[item] for item in placed.values() if item.movable and item.form.boxy]
    bowls = [item for item in placed.values() if item.form.hollow]
    for item in upper:
        if bowls and dice.random() < _IN_BOWL:
            bowl = bowls.pop(dice.randrange(len(bowls)))
            placed[item.name] = _put(item, bowl, BOWL_WALL - bowl.size[2], dice)
            continue
        tower = dice.choice([each for each in towers if len(each) < _TOWER])
        placed[item.name] = _put(item, tower[-1], 0.0, dice)
        tower.append(placed[item.name])


def _put(item: WorldObject, below: WorldObject, sunk: float, dice: random.Random) -> WorldObject:
    """On the top of another object, or as much below it as it is hollow, metres."""
    if below.pose is None:
        raise ValueError(f"{below.name} has no place")
    x, y, z = below.pose.position
    return standing(item, x + dice.uniform(-_OFFSET, _OFFSET), y + dice.uniform(-_OFFSET, _OFFSET),
                    dice.uniform(-3.14, 3.14), z + below.size[2] / 2.0 + sunk)


def differently_coloured(objects: Mapping[str, WorldObject], one: str, other: str) -> bool:
    """Whether two objects can be told apart by their paint."""
    first, second = (objects[name].attributes.get("colour") for name in (one, other))
    return first != second


def visible_parts(world: EmbeddedWorld, picture: Picture, truth: Mapping[str, Pose]) -> Dict[str, float]:
    """The part of each object's outline that nothing hides, 0 to 1."""
    bodies = bodies_seen(world.simulation.snapshot, picture)
    rays = Rays(picture.lens, picture.camera)
    every = rays.part((slice(None), slice(None)))
    found: Dict[str, float] = {}
    for item in world.scene.things:
        seen = int(np.count_nonzero(bodies == world.simulation.model.body(item.name).id))
        alone = np.isfinite(cast(lies_of(item)[0], truth[item.name], rays.origin, every))
        found[item.name] = seen / max(1, int(np.count_nonzero(alone)))
    return found


@dataclass(frozen=True)
class EyesTrial:
    """What one layout is looked at with.

    Args:
        method: ``tags`` where the objects wear some, which are used beside the shapes; ``shapes`` without.
        pictures: how many are looked at; poses are judged after the first.
    """

    config: Path
    scene: str
    method: str
    seed: int
    pictures: int = 3

    def key(self) -> str:
        """What tells a layout from the others of the suite."""
        return f"{self.scene}, {self.method}, {self.seed}"

    def run(self) -> Dict[str, Any]:
        """What was found, how exactly, and how long a picture took."""
        cv2.setNumThreads(1)
        scene = replace(layout(self.config, self.scene, self.seed), tags=self.method == TAGS)
        sight = SceneTracker(scene)
        milliseconds: List[float] = []
        first: Dict[str, Track] = {}
        with closing(EmbeddedWorld(scene, self.seed)) as world:
            world.pass_time(_SETTLING - world.time)
            robot, truth = world.robot_frames(), {name: pose for name, (pose, _) in world.true_frames().items()}
            for number in range(self.pictures):
                picture = world.camera.take()
                if picture is None:
                    continue
                began = time.thread_time()
                tracks = sight.look(picture, robot)
                milliseconds.append(1000.0 * (time.thread_time() - began))
                if number == 0:
                    first = {track.name: track for track in tracks}
                    visible = visible_parts(world, picture, truth)
        objects = {item.name: item for item in scene.things}
        return {"seed": self.seed, "ms": milliseconds, **judged(first, objects, truth, visible)}


def judged(tracks: Mapping[str, Track], objects: Mapping[str, WorldObject], truth: Mapping[str, Pose],
           visible: Mapping[str, float]) -> Dict[str, Any]:
    """Found, confused and exact: what is at least half visible counts as to be found."""
    expected = [name for name, part in visible.items() if part >= _HALF]
    seen = {name: track for name, track in tracks.items()
            if track.visibility is Visibility.VISIBLE and track.unknown is None}
    at = {name: _where(seen[name].pose, name, objects, truth) for name in seen}
    found = [name for name in expected if name in at and not differently_coloured(objects, name, at[name])
             and _near(seen[name].pose, truth[at[name]])]
    confused = [name for name in seen if differently_coloured(objects, name, at[name])
                and not _near(seen[name].pose, truth[name])]
    position = [1000.0 * math.dist(seen[name].pose.position, truth[at[name]].position) for name in found]
    yaw = [math.degrees(_turned(objects[name], seen[name].pose, truth[at[name]])) for name in found
           if not objects[name].form.round]
    unknown = [name for name, track in tracks.items() if track.unknown is not None]
    return {"expected": len(expected), "found": len(found), "confused": confused, "position_mm": position,
            "yaw_deg": yaw, "missed": sorted(set(expected) - set(found)), "unknown": len(unknown)}


def _where(pose: Pose, name: str, objects: Mapping[str, WorldObject], truth: Mapping[str, Pose]) -> str:
    """The object that truly is where one was seen; of those that look the same any will do."""
    alike = [other for other in objects if not differently_coloured(objects, name, other)
             and objects[other].shape == objects[name].shape and objects[other].size == objects[name].size]
    best = min(alike, key=lambda other: math.dist(pose.position, truth[other].position))
    if _near(pose, truth[best]):
        return best
    return min(truth, key=lambda other: math.dist(pose.position, truth[other].position))


def _near(pose: Pose, other: Pose) -> bool:
    return planar_distance(pose.position, other.position) < _NEAR and abs(pose.position[2] - other.position[2]) < _NEAR


def _turned(item: WorldObject, pose: Pose, other: Pose) -> float:
    """The angle between two yaws of an object that looks the same after a half or a quarter turn, radians."""
    period = math.pi / 2.0 if abs(item.size[0] - item.size[1]) < _LIKE else math.pi
    turn = (pose.yaw - other.yaw) % period
    return min(turn, period - turn)
