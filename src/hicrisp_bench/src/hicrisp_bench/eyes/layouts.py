"""Random layouts: the scenes' own, and of fixed scenes one with everything at random places, some stacked."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Dict, List, Mapping

from hicrisp_core.model import WorldObject
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.layout import RandomSpot, draw_layout, standing

_SPOT = RandomSpot((0.30, -0.40, 0.64, 0.40), 0.02, (0.36, 0.68))
_STACKED = 0.35
"""Part of the boxes that stand on others."""
_IN_BOWL = 0.3
"""How often a box lies in a bowl."""
_TOWER = 4
"""Boxes on each other, at most."""
_OFFSET = 0.006
"""How far off the middle of the one below a stacked box stands, metres."""


def layout(config: Path, name: str, seed: int) -> Scene:
    """A scene with a random layout of its things; the same seed gives the same."""
    file = config / "scenes" / f"{name}.yaml"
    scene = load_scene(file, seed)
    own = any(thing.pose != load_scene(file, seed + 1).objects[thing.name].pose for thing in scene.things)
    return scene if own else arranged(scene, seed)


def arranged(scene: Scene, seed: int) -> Scene:
    """The scene with all things at random places, some of its boxes on others or in a bowl."""
    dice = random.Random(f"eyes {scene.name} {seed}")
    boxes = [thing for thing in scene.things if thing.form.boxy]
    dice.shuffle(boxes)
    upper = boxes[:round(_STACKED * len(boxes))]
    lower = [thing for thing in scene.things if thing not in upper]
    bare = {name: replace(thing, pose=None) if thing.movable else thing
            for name, thing in scene.objects.items()}
    placed = draw_layout({name: thing for name, thing in bare.items()
                          if not thing.movable or thing.name in {each.name for each in lower}},
                         {thing.name: _SPOT for thing in lower}, seed)
    if placed is None:
        return scene
    _stack(upper, placed, dice)
    return replace(scene, objects={name: placed[name] for name in scene.objects}, seed=seed)


def _stack(upper: List[WorldObject], placed: Dict[str, WorldObject], dice: random.Random) -> None:
    towers = [[thing] for thing in placed.values() if thing.movable and thing.form.boxy]
    bowls = [thing for thing in placed.values() if thing.form.hollow]
    for thing in upper:
        if bowls and dice.random() < _IN_BOWL:
            bowl = bowls.pop(dice.randrange(len(bowls)))
            placed[thing.name] = _put(thing, bowl, BOWL_WALL - bowl.size[2], dice)
            continue
        tower = dice.choice([each for each in towers if len(each) < _TOWER])
        placed[thing.name] = _put(thing, tower[-1], 0.0, dice)
        tower.append(placed[thing.name])


def _put(thing: WorldObject, below: WorldObject, sunk: float, dice: random.Random) -> WorldObject:
    """On the top of another thing, or as much below it as it is hollow, metres."""
    if below.pose is None:
        raise ValueError(f"{below.name} has no place")
    x, y, z = below.pose.position
    return standing(thing, x + dice.uniform(-_OFFSET, _OFFSET), y + dice.uniform(-_OFFSET, _OFFSET),
                    dice.uniform(-3.14, 3.14), z + below.size[2] / 2.0 + sunk)


def differently_coloured(things: Mapping[str, WorldObject], one: str, other: str) -> bool:
    """Whether two things can be told apart by their paint."""
    first, second = (things[name].attributes.get("colour") for name in (one, other))
    return first != second
