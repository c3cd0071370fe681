"""Objects that are known by their tags, laid exactly into the picture by their shapes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, List, Mapping, Optional, Tuple

import numpy as np
from hicrisp_core.model import WorldObject

from hicrisp_perception.shapes.contours import measure
from hicrisp_perception.shapes.evidence import render, weigh
from hicrisp_perception.shapes.fitting import ON_TABLE, Fit, settle
from hicrisp_perception.shapes.outline import OutlineFit
from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.shapes.shape_models import Lie, lie_at, lies_of, unit
from hicrisp_perception.tags.tag_fit import WORST, TagFit, depth_shift, yaw_of
from hicrisp_perception.tracking.in_hand import segment_about
from hicrisp_perception.view import matrix_of

_LEVEL = 1.3
"""Pixels by which corners may be off, in the mean, where an object stands: tags that are small look turned."""
_CLEAR = 0.7
"""Pixels below which no other way is tried."""
_AS_BEFORE = 0.15
"""Pixels by which the same tags may fit worse where an object was than they did there."""
_ROUNDS = 4
_SAME = 0.002
"""Metres of depth that are not worth another round."""
_SAME_YAW = 0.05
_SURE = 0.0015
"""Uncertainty below which tags are more reliable than an outline with tags in it, metres."""
_PIERCED = 0.5
_GATE = 8.0
_GOOD = 0.5
_AGREES = 0.012
"""Metres by which a shape may be off its tags and be the same object."""
_LEAST_POINTS = 30
_End = Tuple[Lie, OutlineFit, float]
"""A way to stand: where, and on which height, metres."""


def by_tags(found: Mapping[str, TagFit], objects: Mapping[str, WorldObject], ground: Ground, shapes: bool,
            before: Mapping[str, Fit]) -> Tuple[Dict[str, Fit], List[str]]:
    """Place the objects whose tags are visible.

    Args:
        found: tags by object name.
        objects: the scene's objects by name.
        ground: the current image, split into table and objects.
        shapes: whether outlines may correct the tags.
        before: last fits by name, if they are known.

    Returns:
        Fits by name, and warnings for the user.
    """
    fits: Dict[str, Fit] = {}
    warnings: List[str] = []
    for name, tags in found.items():
        if name not in objects:
            warnings.append(f"The tags {tags.numbers} are of {name}, which the scene does not hold; take "
                            "them out of their file, or add it to the scene.")
            continue
        own = _by_tags_alone(objects[name], tags, ground, before.get(name))
        if own is None:
            warnings.append(f"The tags {tags.numbers} of {name} do not fit together; measure where they are "
                            "on it and correct their file.")
            continue
        if own.evidence.pierced > _PIERCED:  # The picture shows something else there.
            continue
        sure = math.sqrt(float(np.linalg.eigvalsh(own.place.covariance[:2, :2]).max()))
        exact = _by_shape(objects[name], own, ground) if shapes and sure > _SURE else None
        fits[name] = exact or own
    return fits, warnings


def _by_tags_alone(item: WorldObject, tags: TagFit, ground: Ground, before: Optional[Fit]) -> Optional[Fit]:
    """Standing on one of its sides where its tags allow that, else as they are seen."""
    best: Optional[_End] = None
    clear = _CLEAR
    if before is not None:
        start = (before.place.x, before.place.y, before.place.yaw)
        best = (before.lie, *_standing(before.lie, start, tags, ground, before.bottom))
        if before.tags is not None and before.tags.numbers == tags.numbers:
            clear = max(_CLEAR, before.place.error + _AS_BEFORE)
    ends = [best] if best is not None else []
    for guess in () if _fits(best, clear) else tags.guesses:
        turn = matrix_of(guess)  # The way to lie that is the least tilted from how it seems to:
        lie = max(lies_of(item), key=lambda each: float((turn @ unit(each.turn).T)[2, 2]))
        for quarter in range(4):  # A small tag may seem turned by anything.
            if _fits(best, clear):
                break
            yaw = yaw_of(guess, lie) + quarter * math.pi / 2.0
            end = (lie, *_standing(lie, (guess.position[0], guess.position[1], yaw), tags, ground))
            if best is None or end[1].error < best[1].error:
                best = end
            if any(_alike(end, other) for other in ends):  # The other quarters lead there, too.
                break
            ends.append(end)
    if best is not None and best[1].error < _LEVEL:
        lie, place, bottom = best
        resting = abs(bottom) < ON_TABLE
        return _seen(lie, place, 0.0 if resting else bottom, resting, tags, ground)
    free = tags.free(ground.view)
    if free is None:
        return None
    lie, yaw = lie_at(item, free.pose)
    x, y, z = free.pose.position
    sunk = z - lie.height / 2.0 < -ON_TABLE
    if sunk and best is not None and best[1].error < WORST:  # Not into the table: a small tag looks turned.
        return _seen(*best, best[2] == 0.0, tags, ground)
    sure = free.uncertainty
    spread = np.diag([sure.position ** 2, sure.position ** 2, sure.yaw ** 2])
    place = OutlineFit(x, y, yaw, spread, free.error, len(tags.pixels))
    return _seen(lie, place, z - lie.height / 2.0, False, tags, ground)


def _fits(best: Optional[_End], clear: float) -> bool:
    """Check whether no other way to stand need be tried."""
    return best is not None and best[1].error < clear


def _alike(one: _End, other: _End) -> bool:
    """Check whether two ways to stand are the same but for where their fit stopped."""
    away = math.dist((one[1].x, one[1].y, one[2]), (other[1].x, other[1].y, other[2]))
    turn = math.remainder(one[1].yaw - other[1].yaw, math.tau)
    return one[0] == other[0] and away < 2.0 * _SAME and abs(turn) < _SAME_YAW


def _standing(lie: Lie, start: Tuple[float, float, float], tags: TagFit, ground: Ground, bottom: float = 0.0
              ) -> Tuple[OutlineFit, float]:
    """Return where it stands, and on which height, which the depth of its tags says.

    Args:
        bottom: the height to begin with, metres.
    """
    rays = ground.view.rays
    place = tags.standing(lie, start, bottom, rays)
    for _ in range(_ROUNDS):
        pose = lie.pose(place.x, place.y, bottom + lie.height / 2.0, place.yaw)
        shift = depth_shift(pose, tags.pairs, ground.view)
        middle = np.array(pose.position)
        fall = float((middle - rays.origin)[2]) / max(0.05, float(rays.depth_of(middle)))
        if shift is None or abs(shift) < _SAME or (
                abs(bottom + shift * fall) < ON_TABLE and bottom == 0.0):
            break
        bottom = max(0.0, bottom + shift * fall)
        bottom = 0.0 if bottom < ON_TABLE else bottom
        place = tags.standing(lie, (place.x, place.y, place.yaw), bottom, rays)
    return place, bottom


def _seen(lie: Lie, place: OutlineFit, bottom: float, resting: bool, tags: TagFit, ground: Ground
          ) -> Optional[Fit]:
    pose = lie.pose(place.x, place.y, bottom + lie.height / 2.0, place.yaw)
    rendering = render(lie, pose, ground)
    if rendering is None:
        return None
    return Fit(lie, place, bottom, resting, weigh(rendering, ground), 0.0, rendering, tags=tags)


def _by_shape(item: WorldObject, own: Fit, ground: Ground) -> Optional[Fit]:
    """Return the same with the visible outline; ``None`` if that is too short."""
    segment = segment_about(item, own.pose, ground)
    shown = measure(segment, ground, faces=False) if segment is not None else None
    if segment is None or shown is None:
        return None
    start = (own.place.x, own.place.y, own.place.yaw)
    exact = settle(own.lie, start, own.bottom, own.resting, segment, shown, ground, _GATE)
    if exact is None or exact.cost > _GOOD or exact.place.points < _LEAST_POINTS:
        return None
    if math.hypot(exact.place.x - start[0], exact.place.y - start[1]) > _AGREES:
        return None
    if own.lie.round:  # An outline does not show how a round object is turned; its tags do.
        exact = replace(exact, place=replace(exact.place, yaw=own.place.yaw))
    return replace(exact, tags=own.tags)
