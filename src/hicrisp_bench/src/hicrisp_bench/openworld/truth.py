"""What truly is on a table whose objects nobody described: what a camera was to find there, and what came of a task."""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Picture, Pose, Vector, WorldObject
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.scene.undescribed import Ware, wares_of
from hicrisp_perception.tracking.unknown_objects import PREFIX
from hicrisp_perception.view import Rays
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.rgbd import bodies_seen
from shapely.geometry import MultiPoint, Point

_NEAR = 0.03
"""Metres from where an object is, in which it counts as found there."""
HALF = 0.5
"""Part of an object that is to be visible if it is to be found."""
_NUMBERED = re.compile(r"_\d+$")
"""Of the second and further objects with a noun."""
_APART = 0.10
"""Least gap between what is to be put next to each other, metres."""
_STANDS, _FELL = 0.015, -0.02
"""Height of its lowest point up to which an object stands on the table, and below which it is on the floor, metres."""
_FITS = 0.62
"""Length of what a user puts into a bowl, as a share of the bowl's."""
BESIDE, INTO = "beside", "into"
TASKS = (BESIDE, INTO)


@dataclass(frozen=True)
class Asked:
    """What the user wants: an object next to another one, or into a bowl; in the judge's names.

    Args:
        kind: one of ``TASKS``.
    """

    kind: str
    item: str
    reference: str

    def __str__(self) -> str:
        return f"Put the {self.item} {'into' if self.kind == INTO else 'next to'} the {self.reference}"


def wares_now(world: EmbeddedWorld) -> Dict[str, Ware]:
    """Return the objects that no file describes, truly where they are.

    Args:
        world: the simulation.

    Returns:
        Objects by name.
    """
    frames = world.true_frames()
    return {item.name: replace(item, pose=frames[item.name][0]) for item in wares_of(world.scene)}


def visible_parts(world: EmbeddedWorld, picture: Picture, wares: Mapping[str, Ware]) -> Dict[str, float]:
    """Return the part of each object's outline that nothing hides.

    Args:
        world: the simulation.
        picture: of this moment.
        wares: the objects where they are.

    Returns:
        Shares from 0 to 1 by name.
    """
    model = world.simulation.model
    bodies = bodies_seen(world.simulation.snapshot, picture)
    rays = Rays(picture.lens, picture.camera)
    found: Dict[str, float] = {}
    for name, ware in wares.items():
        alone, ends = np.zeros(bodies.shape, np.uint8), np.cumsum([len(piece.corners) for piece in ware.pieces])
        for outline in np.split(np.rint(rays.project(ware.corners)).astype(np.int32), ends[:-1]):
            cv2.fillConvexPoly(alone, cv2.convexHull(outline), 1)
        found[name] = np.count_nonzero(bodies == model.body(name).id) / max(1, np.count_nonzero(alone))
    return found


def matched(wares: Mapping[str, Ware], tracks: Mapping[str, WorldObject]) -> Dict[str, str]:
    """Return which observed object a person would point at for each true one: the nearest first, and each once.

    Args:
        wares: the true objects.
        tracks: those that are observed, with their poses.

    Returns:
        Names of observed objects by those of true ones.
    """
    pairs = sorted((planar_distance(ware.middle, item.pose.position), name, track) for name, ware in wares.items()
                   for track, item in tracks.items() if item.pose is not None)
    found: Dict[str, str] = {}
    for away, name, track in pairs:
        if away <= max(_NEAR, max(wares[name].size[:2]) / 2.0) and name not in found and track not in found.values():
            found[name] = track
    return found


def seen(wares: Mapping[str, Ware], tracks: Mapping[str, WorldObject], visible: Mapping[str, float]) -> Dict[str, Any]:
    """Compare what is observed with what there is.

    Args:
        wares: the true objects.
        tracks: those that are observed, with their poses.
        visible: the part of each that nothing hides.

    Returns:
        JSON values: how many were to be found (at least half visible) and how many were, the same without transparent
        ones, errors in millimetres of those found, what was missed, how many were reported that are not there, and how
        many of those found have a right name, with the wrong names.
    """
    pairs = matched(wares, tracks)
    expected = [name for name, part in visible.items() if part >= HALF]
    at: Dict[str, Pose] = {name: pose for name, track in pairs.items() for pose in (tracks[track].pose,)
                           if pose is not None and _near(pose, wares[name])}
    found = [name for name in expected if name in at]
    opaque = [name for name in expected if not wares[name].transparent]
    nouns = {name: _NUMBERED.sub("", pairs[name]).replace("_", " ") for name in found}
    right = [name for name in found if nouns[name] in wares[name].nouns]
    wrong = [f"{name}: {nouns[name]}" for name in found if name not in right and not pairs[name].startswith(PREFIX)]
    return {"expected": len(expected), "found": len(found), "opaque": len(opaque),
            "found_opaque": len(set(opaque) & set(found)), "missed": sorted(set(expected) - set(found)),
            "position_mm": [1000.0 * math.dist(at[name].position, middle_of(wares[name])) for name in found],
            "size_mm": [1000.0 * _differs(tracks[pairs[name]], wares[name]) for name in found],
            "phantoms": len(set(tracks) - set(pairs.values())), "named_rightly": len(right), "wrong_names": wrong}


def _near(pose: Pose, ware: Ware) -> bool:
    middle = middle_of(ware)
    return planar_distance(pose.position, middle) < _NEAR and abs(pose.position[2] - middle[2]) < _NEAR


def middle_of(ware: Ware) -> Vector:
    """Return the middle of the smallest upright box around an object, which does not depend on how it is turned.

    Args:
        ware: where it is.

    Returns:
        World frame, metres.
    """
    (x, y), _, _ = cv2.minAreaRect(ware.corners[:, :2].astype(np.float32))
    return x, y, ware.middle[2]


def _differs(track: WorldObject, ware: Ware) -> float:
    """The greatest difference between lengths, widths and heights, metres."""
    corners = ware.corners
    level = sorted(cv2.minAreaRect(corners[:, :2].astype(np.float32))[1])
    true = (*level, float(np.ptp(corners[:, 2])))
    return max(abs(own - other) for own, other in zip((*sorted(track.size[:2]), track.size[2]), true))


def draw_task(wares: Mapping[str, Ware], seed: int, kinds: Sequence[str] = TASKS) -> Optional[Asked]:
    """Draw what a user may ask for; never for what a depth camera sees through.

    Args:
        wares: the true objects.
        seed: the same seed gives the same task.
        kinds: which of ``TASKS`` it may be.

    Returns:
        The task; ``None`` where the layout has none of these.
    """
    dice = random.Random(f"openworld {seed}")
    wares = {name: ware for name, ware in wares.items() if not ware.transparent}
    bowl = wares.get("bowl")
    small = [] if bowl is None else [name for name, ware in sorted(wares.items())
                                     if ware is not bowl and max(ware.size) <= _FITS * bowl.size[0]]
    apart = [(one, other) for one in sorted(wares) for other in sorted(wares)
             if one != other and _footprint(wares[one]).distance(_footprint(wares[other])) >= _APART]
    drawn = {INTO: (dice.choice(small), "bowl") if small else None, BESIDE: dice.choice(apart) if apart else None}
    possible = [kind for kind in kinds if drawn[kind] is not None]
    kind = dice.choice(possible) if possible else ""
    names: Optional[Tuple[str, str]] = drawn.get(kind)
    return None if names is None else Asked(kind, *names)


def done(asked: Asked, wares: Mapping[str, Ware], gap: float, held: Sequence[str] = ()) -> bool:
    """Judge the final arrangement: upright is not required.

    Args:
        asked: the task.
        wares: the true objects, at rest.
        gap: between what counts as next to each other at most, metres.
        held: names of objects that a robot touches.

    Returns:
        Whether it is as the user wanted it.
    """
    item, reference = wares[asked.item], wares[asked.reference]
    lowest, ground = float(item.corners[:, 2].min()), float(reference.corners[:, 2].min())
    if asked.item in held or min(lowest, ground) < _FELL:
        return False
    if asked.kind == INTO:
        rim = float(reference.corners[:, 2].max())
        return ground < lowest < rim and _footprint(reference).contains(Point(item.middle[:2]))
    return lowest < _STANDS and _footprint(item).distance(_footprint(reference)) <= gap


def _footprint(ware: Ware) -> Any:
    return MultiPoint(ware.corners[:, :2]).convex_hull


def held_by_robots(world: EmbeddedWorld) -> List[str]:
    """Return the names of the undescribed objects that a robot touches."""
    model, data = world.simulation.model, world.simulation.data
    own = {model.body(item.name).id: item.name for item in wares_of(world.scene)}
    robots = {model.body(link).id for arm in world.descriptions for link in arm.links()}
    pairs = model.geom_bodyid[np.asarray(data.contact.geom).reshape(-1, 2)].tolist()
    return sorted({own[one] for pair in pairs for one, other in (pair, pair[::-1]) if one in own and other in robots})
