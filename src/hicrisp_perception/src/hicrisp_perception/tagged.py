"""Things that are known by their tags, laid exactly into the picture by their shapes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, Mapping, Optional, Tuple

import numpy as np
from hicrisp_core.model import WorldObject

from hicrisp_perception.contours import measure
from hicrisp_perception.evidence import render, weigh
from hicrisp_perception.fitting import ON_TABLE, Fit, settle
from hicrisp_perception.forms import Lie, lie_at, lies_of
from hicrisp_perception.in_hand import segment_about
from hicrisp_perception.outline import Placement
from hicrisp_perception.segments import Ground
from hicrisp_perception.tags import TagFit, depth_shift

_LEVEL = 1.3
"""Pixels by which corners may be off, in the mean, where a thing stands: tags that are small look turned."""
_UPRIGHT = 0.2
_ROUNDS = 4
_SAME = 0.002
"""Metres of depth that are not worth another round."""
_SURE = 0.0015
"""Metres from which on tags say more than an outline with tags in it."""
_GATE = 8.0
_GOOD = 0.5
_AGREES = 0.012
"""Metres by which a shape may be off its tags and be the same thing."""
_LEAST_POINTS = 30


def by_tags(found: Mapping[str, TagFit], things: Mapping[str, WorldObject], ground: Ground, shapes: bool
            ) -> Dict[str, Fit]:
    """The things whose tags were seen.

    Args:
        shapes: whether their outlines may correct what the tags say.
    """
    fits: Dict[str, Fit] = {}
    for name, tags in found.items():
        if name not in things:
            continue
        own = _by_tags_alone(things[name], tags, ground)
        if own is None:
            continue
        sure = math.sqrt(float(np.linalg.eigvalsh(own.place.covariance[:2, :2]).max()))
        exact = _by_shape(things[name], own, ground) if shapes and sure > _SURE else None
        fits[name] = exact or own
    return fits


def _by_tags_alone(thing: WorldObject, tags: TagFit, ground: Ground) -> Optional[Fit]:
    """Standing on one of its sides where its tags allow that, else as they are seen."""
    best: Optional[Tuple[Lie, Placement, float]] = None
    for lie in lies_of(thing):
        place, bottom = _standing(lie, tags, ground)
        if best is None or place.error + _UPRIGHT < best[1].error:
            best = lie, place, bottom
    if best is not None and best[1].error < _LEVEL:
        lie, place, bottom = best
        return _seen(lie, place, 0.0 if abs(bottom) < ON_TABLE else bottom, abs(bottom) < ON_TABLE, tags,
                     ground)
    lie, yaw = lie_at(thing, tags.pose)
    x, y, z = tags.pose.position
    sure = tags.uncertainty
    spread = np.diag([sure.position ** 2, sure.position ** 2, sure.yaw ** 2])
    place = Placement(x, y, yaw, spread, tags.error, len(tags.pixels))
    return _seen(lie, place, z - lie.height / 2.0, False, tags, ground)


def _standing(lie: Lie, tags: TagFit, ground: Ground) -> Tuple[Placement, float]:
    """Where it stands, and on which height, which the depth of its tags says."""
    rays = ground.view.rays
    bottom = 0.0
    place = tags.standing(lie, bottom, rays)
    for _ in range(_ROUNDS):
        pose = lie.pose(place.x, place.y, bottom + lie.height / 2.0, place.yaw)
        shift = depth_shift(pose, tags.pairs, ground.view)
        if shift is None or abs(shift) < _SAME:
            break
        middle = np.array(pose.position)
        fall = float((middle - rays.origin)[2]) / max(0.05, float(rays.depth_of(middle)))
        bottom = max(0.0, bottom + shift * fall)
        place = tags.standing(lie, bottom, rays)
    if abs(bottom) < ON_TABLE and bottom != 0.0:
        place = tags.standing(lie, 0.0, rays)
    return place, bottom


def _seen(lie: Lie, place: Placement, bottom: float, resting: bool, tags: TagFit, ground: Ground
          ) -> Optional[Fit]:
    pose = lie.pose(place.x, place.y, bottom + lie.height / 2.0, place.yaw)
    rendering = render(lie, pose, ground)
    if rendering is None:
        return None
    return Fit(lie, place, bottom, resting, weigh(rendering, ground), 0.0, rendering, tags=tags)


def _by_shape(thing: WorldObject, own: Fit, ground: Ground) -> Optional[Fit]:
    """The same with the outline where it is seen; ``None`` where that says too little."""
    segment = segment_about(thing, own.pose, ground)
    shown = measure(segment, ground) if segment is not None else None
    if segment is None or shown is None:
        return None
    start = (own.place.x, own.place.y, own.place.yaw)
    exact = settle(own.lie, start, own.bottom, own.resting, segment, shown, ground, _GATE)
    if exact is None or exact.cost > _GOOD or exact.place.points < _LEAST_POINTS:
        return None
    if math.hypot(exact.place.x - start[0], exact.place.y - start[1]) > _AGREES:
        return None
    if own.lie.round:  # An outline does not show how a round thing is turned; its tags do.
        exact = replace(exact, place=replace(exact.place, yaw=own.place.yaw))
    return replace(exact, tags=own.tags)
