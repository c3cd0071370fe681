"""What stands on what: heights that follow from what is below are more exact than measured ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, Iterable, Iterator, Tuple

from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.robot.gripper import solids
from shapely.geometry import Point, Polygon

from hicrisp_perception.shapes.findings import Findings
from hicrisp_perception.shapes.fitting import Fit, settle
from hicrisp_perception.shapes.segments import Ground

_ROUNDED = 1e-6
"""Metres below the top of another object at which an object stands on it: sums are rounded."""
_NEAR = 0.015
"""Metres by which a bottom may seem to be off what it stands on."""
_EQUAL = 5e-4
_RESTS = 0.5
"""How much worse the picture may support that an object stands on what is below than that it hovers."""
_GATE = 6.0
_OVER = 0.15
"""Share of the smaller outline that overlaps the other if one object stands on another."""


def on_their_feet(found: Findings, ground: Ground) -> None:
    """Place each object on the table or on the object that carries it, from the lowest to the highest.

    Args:
        found: the fits, changed in place.
        ground: the current image, split into table and objects.
    """
    done: Dict[str, Fit] = {}
    # What is in a bowl stands as low as the bowl.
    for name, fit in sorted(found.fits.items(),
                            key=lambda entry: (round(entry[1].bottom, 2), not entry[1].lie.shape.hollow)):
        if name in found.kept:
            done[name] = fit
            continue
        # Nothing reaches into what is below it, so the highest of several counts.
        near = [height for height in _floors(fit, done) if abs(height - fit.bottom) < _NEAR]
        done[name] = _lowered(fit, max(near), ground) if near else replace(fit, resting=False)
    found.fits.update(done)


def fallen(item: WorldObject, pose: Pose, others: Iterable[Tuple[WorldObject, Pose]]) -> Pose:
    """Return where an object lies that fell straight down from a pose: on the highest of what was below it.

    Args:
        item: the object.
        pose: at which it was let go, world frame.
        others: the other objects with their poses; what stands among the walls of a container is below.

    Returns:
        Pose in the world frame.
    """
    shadow, bottom = footprint(item, pose), vertical_span(item, pose)[0]
    below = [vertical_span(part, at)[1] for other, there in others for part, at in solids(other, there)
             if footprint(part, at).intersects(shadow)]
    return pose.shifted((0.0, 0.0, max((top for top in below if top <= bottom + _ROUNDED), default=0.0) - bottom))


def _floors(fit: Fit, others: Dict[str, Fit]) -> Iterator[float]:
    yield 0.0
    shadow = _shadow(fit)
    for other in others.values():
        away = math.hypot(fit.place.x - other.place.x, fit.place.y - other.place.y)
        if away > fit.lie.radius + other.lie.radius:
            continue
        if other.lie.shape.hollow and other.lie.turn == (0.0, 0.0, 0.0, 1.0):
            if away < other.lie.radius - BOWL_WALL:
                yield other.bottom + BOWL_WALL
        else:
            below = _shadow(other)
            if shadow.intersection(below).area > _OVER * min(shadow.area, below.area):
                yield other.bottom + other.lie.height


def _shadow(fit: Fit) -> Polygon:
    """Return the object's outline on the ground."""
    place, (along, across) = fit.place, fit.lie.across
    if fit.lie.round:
        return Point(place.x, place.y).buffer(fit.lie.radius)
    cosine, sine = math.cos(place.yaw), math.sin(place.yaw)
    corners = [(a * along / 2.0, b * across / 2.0) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Polygon([(place.x + cosine * x - sine * y, place.y + sine * x + cosine * y) for x, y in corners])


def _lowered(fit: Fit, bottom: float, ground: Ground) -> Fit:
    """Return the same fit on another height: its outline is then seen elsewhere on the table."""
    if abs(bottom - fit.bottom) < _EQUAL:
        return replace(fit, bottom=bottom, resting=True)
    if fit.tags is not None and (fit.segment is None or fit.shown is None):
        place = fit.tags.standing(fit.lie, (fit.place.x, fit.place.y, fit.place.yaw), bottom,
                                  ground.view.rays)
        return replace(fit, place=place, bottom=bottom, resting=True)
    if fit.segment is None or fit.shown is None:
        return fit
    start: Tuple[float, float, float] = (fit.place.x, fit.place.y, fit.place.yaw)
    again = settle(fit.lie, start, bottom, True, fit.segment, fit.shown, ground, _GATE)
    if again is None or again.cost > fit.cost + _RESTS:
        return replace(fit, resting=False)
    return replace(again, tags=fit.tags)
