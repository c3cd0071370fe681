"""Undescribed objects as an image shows them: their shapes, sizes, colours and poses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Picture, WorldObject
from hicrisp_core.model.keep_out import footprint
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.ports.observer import Frames
from hicrisp_core.robot.description import Capsule
from hicrisp_core.scene.colours import COLOURS
from shapely.geometry import Point

from hicrisp_perception.scene_scan.guessing import LEAST_HEIGHT, LEAST_PIXELS, filled, guesses_of
from hicrisp_perception.shapes.colour_model import LIGHTS, Likeness
from hicrisp_perception.shapes.contours import MeasuredSegment, measure
from hicrisp_perception.shapes.evidence import explained
from hicrisp_perception.shapes.segments import Segment, Sorter, segments_in
from hicrisp_perception.tracking.robot_body import robot_pixels
from hicrisp_perception.view import Rays, Straightener, View, check

_OFF_TABLE = 0.01
"""Height of the lowest visible point above which something may be hidden below, metres."""
_LEAST_CONTOUR = 8
_SMALL = 0.2
"""Part of an object's pixels below which a piece beside it may be a piece of it."""
_CRUMB = 0.6
"""Share of a segment explained by another object above which it belongs to that object."""
_BESIDE = 0.005
_NEAR = 0.015
"""How far an object's lowest point may seem to be from the top of what it stands on, metres."""
_PLAIN = 0.9
"""Error of an outline above which a shape is doubtful, pixels."""
_CLOSE = 1.25
"""Factor on the error within which another shape would do as well."""
_ALIKE = 0.25
"""Difference in the cost of two colours that cannot be told from each other."""
_HIDDEN, _SEEN_THROUGH = 0.85, 0.15
"""Shares of an outline: of the visible part of an object, and of what shows something else in its place."""
_LIGHT_CHANGE = 0.5
"""How much the logarithm of the light usually differs from an even one."""


class Doubts(NamedTuple):
    """What is not sure of an object.

    Args:
        shape: another shape that it may have; empty for none.
        fit: whether it fits no shape well.
        hidden: whether a part of it is hidden.
        colour: another colour that it may have; empty for none.
    """

    shape: str = ""
    fit: bool = False
    hidden: bool = False
    colour: str = ""


@dataclass(frozen=True)
class Described:
    """An object that was seen.

    Args:
        thing: with its pose; the name says its colour and shape.
        below: the name of what it stands on; empty for the table.
    """

    thing: WorldObject
    doubts: Doubts = Doubts()
    below: str = ""

    @property
    def sure(self) -> bool:
        """Whether the description has no doubts."""
        return self.doubts == Doubts()


def describe(pictures: Sequence[Picture], robots: Frames, table: WorldObject,
             links: Mapping[str, Tuple[Capsule, ...]]) -> List[Described]:
    """Detect and measure all objects on a table without knowing them.

    Args:
        pictures: images of the same static view; their depth is averaged.
        robots: pose and stamp of the robots' frames, world frame.
        table: bounds the region of interest; its top is the plane z = 0.
        links: for each frame the capsules around that link of a robot.

    Returns:
        The objects with their uncertainties.

    Raises:
        PictureError: when a picture's parts do not fit together.
    """
    view = _view(pictures)
    ground = Sorter(table).ground(view, robot_pixels(view.rays, view.depth, robots, links))
    shown: List[Tuple[Segment, MeasuredSegment, bool]] = []
    for piece in segments_in(ground):
        hollow = filled(piece, ground)
        segment = hollow or piece
        seen = measure(segment, ground) if segment.pixels >= LEAST_PIXELS else None
        if seen is not None and seen.high > LEAST_HEIGHT and len(seen.contour) >= _LEAST_CONTOUR:
            shown.append((segment, seen, hollow is not None))
    # What stands on the table comes first, for other objects stand on it; large pieces before their crumbs.
    shown.sort(key=lambda pair: (pair[1].low > _OFF_TABLE, -pair[0].pixels))
    colours = _colours([seen for _, seen, _ in shown])
    found: List[Described] = []
    stands: List[Optional[int]] = []
    pixels: List[int] = []
    claimed = np.zeros(view.shape, bool)
    for (segment, seen, hollow_), (colour, other) in zip(shown, colours):
        if np.count_nonzero(claimed[segment.window] & segment.mask) > _CRUMB * segment.pixels or (
                _is_crumb(segment, seen, found, pixels)):
            continue
        below = _below(seen, found)
        bottom = 0.0 if below is None else _floor(found[below].thing)
        guesses = guesses_of(segment, seen, hollow_, ground, bottom)
        if not guesses:
            continue
        best = guesses[0]
        name = f"{colour}_{best.shape}"
        item = WorldObject(name, best.shape, best.shape, best.size, {"colour": colour}, best.fit.pose)
        claimed[best.fit.rendering.window] |= explained(best.fit.rendering, ground)
        like = [guess.shape for guess in guesses[1:] if guess.error < _CLOSE * best.error]
        evidence = best.fit.evidence
        poor = best.error > _PLAIN or max(evidence.pierced, evidence.left) > _SEEN_THROUGH
        found.append(Described(item, Doubts(like[0] if like else "", poor, evidence.visible < _HIDDEN, other)))
        stands.append(below)
        pixels.append(segment.pixels)
    return numbered(found, stands)


def _view(pictures: Sequence[Picture]) -> View:
    """One picture with the depth of all of them: the middle of what was measured."""
    for picture in pictures:
        check(picture)
    straightener = Straightener(pictures[0].lens)
    every = [straightener.straighten(picture) for picture in pictures]
    depths = np.stack([np.where(np.isfinite(depth) & (depth > 0.0), depth, np.nan) for _, depth in every])
    ordered = np.sort(depths, axis=0)  # Its NaNs, which are no measurements, come last.
    half = np.maximum(np.count_nonzero(np.isfinite(ordered), axis=0) - 1, 0) // 2
    middle = np.nan_to_num(np.take_along_axis(ordered, half[None], axis=0)[0]).astype(np.float32)
    colour = np.median(np.stack([colour for colour, _ in every]), axis=0).astype(np.uint8)
    last = pictures[-1]
    return View(last.stamp, colour, middle, Rays(straightener.lens, last.camera))


def _colours(shown: Sequence[MeasuredSegment]) -> List[Tuple[str, str]]:
    """For each object its colour, and another one that it may have; in the light that suits all of them."""
    if not shown:
        return []
    names = list(COLOURS)
    likeness = Likeness([(seen.level, seen.other) for seen in shown], names)
    costs = [likeness.costs(float(light)) for light in LIGHTS]
    totals = [float(np.minimum(cost.min(axis=1), 1.5).sum()) + 0.5 * (math.log(light) / _LIGHT_CHANGE) ** 2
              for cost, light in zip(costs, LIGHTS)]
    best = costs[int(np.argmin(totals))]
    found = []
    for row in best:
        first, second = np.argsort(row)[:2]
        found.append((names[first], names[second] if row[second] - row[first] < _ALIKE else ""))
    return found


def _below(seen: MeasuredSegment, found: Sequence[Described]) -> Optional[int]:
    """Return the index of the object that carries another; ``None`` for the table."""
    middle = Point(float(np.median(seen.x)), float(np.median(seen.y)))
    for number, other in enumerate(found):
        pose = other.thing.pose
        if pose is None or not footprint(other.thing, pose).buffer(_BESIDE).contains(middle):
            continue
        if other.thing.form.hollow or (seen.low > _OFF_TABLE
                                       and abs(_floor(other.thing) - seen.low) < _NEAR):
            return number
    return None


def _floor(item: WorldObject) -> float:
    """Height on which objects stand that are on an object, or in it, metres."""
    if item.pose is None:
        return 0.0
    z, half = item.pose.position[2], item.size[2] / 2.0
    return z - half + BOWL_WALL if item.form.hollow else z + half


def _is_crumb(segment: Segment, seen: MeasuredSegment, found: Sequence[Described], pixels: Sequence[int]) -> bool:
    """Check whether a small piece belongs to an object that it is a part of by its place."""
    middle = Point(float(np.median(seen.x)), float(np.median(seen.y)))
    for other, size in zip(found, pixels):
        pose = other.thing.pose
        if pose is None or segment.pixels > _SMALL * size or other.thing.form.hollow:
            continue
        top = pose.position[2] + other.thing.size[2] / 2.0
        if footprint(other.thing, pose).buffer(2.0 * _BESIDE).contains(middle) and seen.high < top + _BESIDE:
            return True
    return False


def numbered(found: Sequence[Described], stands: Sequence[Optional[int]]) -> List[Described]:
    """Number objects that are called the same, from the robot's left, and say what each stands on.

    Args:
        found: the objects; several may have the same name.
        stands: for each the index of what it stands on; ``None`` for the table.

    Returns:
        The objects in their order, each with a name of its own.
    """
    def left(index: int) -> float:
        pose = found[index].thing.pose
        return -pose.position[1] if pose is not None else 0.0

    kinds: Dict[str, List[int]] = {}
    for index in sorted(range(len(found)), key=left):
        kinds.setdefault(found[index].thing.name, []).append(index)
    names = {index: name if len(same) == 1 else f"{name}_{number}"
             for name, same in kinds.items() for number, index in enumerate(same, 1)}
    return [replace(each, thing=replace(each.thing, name=names[index]),
                    below="" if below is None else names[below])
            for index, (each, below) in enumerate(zip(found, stands))]
