"""Where an object is in a hand, by the picture: what it should look like there, and what is seen of it."""

from __future__ import annotations

import math
from typing import Iterator, Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw

from hicrisp_perception.shapes.contours import measure
from hicrisp_perception.shapes.evidence import Evidence, evidence_at, render, tolerance, weigh
from hicrisp_perception.shapes.fitting import NO_WORSE, Fit, settle, stand
from hicrisp_perception.shapes.segments import Ground, Segment
from hicrisp_perception.shapes.shape_models import lie_at, lies_of
from hicrisp_perception.tracking.grip import LOSES, HeldObject, ObservedHand
from hicrisp_perception.view import NEIGHBOURS, enlarged

_ROUNDS = 3
_GATE = 8.0
"""Pixels around where an object in a hand should be seen, in which its outline is looked for."""
_LEAST_SEEN = 60
_LEAST_OPEN = 0.2
"""Part of an object's outline that must be open to view before what is seen there denies it: rims are mixed."""
_LEAST_POINTS = 24
_PIERCED = 0.3
"""Part of an object that may show something else where it is held."""
_OPENING = 0.006
"""Metres by which the fingers' opening may differ from an object's width."""
_OPEN, _DENIED, _BETTER = 0.25, 0.12, 0.5
"""Share of its outline that is open to view, and of that which shows something else, at which an undescribed object is
looked for in a hand, and by which this must become less.
"""
_STEPS, _MOST = ((math.radians(12.0), 0.012), (math.radians(4.0), 0.004)), 4
"""By how much it is turned about the tool and shifted, radians and metres, and how often."""


def look_in_hand(item: WorldObject, expected: Pose, ground: Ground, family: Optional[int] = None
                 ) -> Tuple[Optional[Fit], Evidence]:
    """Return an object near where it is expected, tilted as expected; ``None`` if too little of it is seen.

    Args:
        family: its family of colours, if it is known.

    Returns:
        What was found, and what the picture shows where it is expected.
    """
    lie, yaw = lie_at(item, expected)
    first = render(lie, expected, ground)
    if first is None:
        return None, Evidence(0, 0, 0, 0.0, 0)
    shown = weigh(first, ground)
    pose, best = expected, None
    for _ in range(_ROUNDS):
        segment = segment_about(item, pose, ground, family)
        if segment is None or segment.pixels < _LEAST_SEEN:
            break
        measured = measure(segment, ground, faces=False)
        if measured is None or len(measured.contour) < _LEAST_POINTS:
            break
        x, y, z = pose.position
        best = settle(lie, (x, y, yaw), z - lie.height / 2.0, False, segment, measured, ground, _GATE)
        if best is None or best.place.points < _LEAST_POINTS:
            return None, shown
        pose = best.pose
        shift = _behind(best, ground)
        ray = np.array(pose.position) - ground.view.rays.origin
        dx, dy, dz = (float(value) for value in shift * ray / max(1e-6, float(
            ground.view.rays.depth_of(np.array(pose.position)))))
        pose = pose.shifted((dx, dy, dz))
        if abs(shift) < 5e-4:
            break
    if best is not None and weigh(best.rendering, ground).misfit > shown.misfit + NO_WORSE:
        # The hand leaves little of it open to view, and that outline fits better where the picture denies it.
        best = stand(best, expected, ground)
    return best, shown


def moved_in_hand(item: WorldObject, expected: Pose, tool: Pose, ground: Ground) -> Optional[Pose]:
    """Return where an undescribed object is that fingers have turned or shifted when they closed, or that has slipped.

    Args:
        item: the object as it was measured.
        expected: world frame.
        tool: of the hand that holds it, world frame.
        ground: the current image, split into table and objects.

    Returns:
        How it was moved, world frame; ``None`` where the picture shows it as expected, too little of it, or it nowhere.
    """
    nothing, here = np.zeros_like(ground.things), Pose(tool.position)
    first = evidence_at(item, expected, ground, nothing)
    if first is None or first.seen + first.through < _OPEN * first.whole or first.pierced < _DENIED:
        return None
    best, found = Pose((0.0, 0.0, 0.0)), first
    for turn, step in _STEPS:
        ways = [here.compose(Pose((0.0, 0.0, 0.0), from_yaw(side))).compose(here.inverse()) for side in (-turn, turn)]
        ways += [Pose(tuple(side * float(axis == number) for number in range(3)))  # type: ignore[arg-type]
                 for axis in range(3) for side in (-step, step)]
        for _ in range(_MOST):
            tried = [(way.compose(best), evidence_at(item, way.compose(best).compose(expected), ground, nothing))
                     for way in ways]
            shown = [(moved, each) for moved, each in tried if each is not None]
            moved, each = max(shown, key=lambda way: way[1].seen - way[1].through, default=(best, found))
            if each.seen - each.through <= found.seen - found.through:
                break
            best, found = moved, each
    better = found.seen > first.seen and found.pierced < _BETTER * first.pierced
    return best if better else None


def segment_about(item: WorldObject, pose: Pose, ground: Ground, family: Optional[int] = None
                  ) -> Optional[Segment]:
    """Return the pixels that may show an object at a pose.

    Args:
        item: the object with its shape and size.
        pose: world frame.
        ground: the current image, split into table and objects.
        family: its family of colours; ``None`` for any.

    Returns:
        The segment; ``None`` outside the image or without pixels.
    """
    lie, _ = lie_at(item, pose)
    rendering = render(lie, pose, ground)
    if rendering is None:
        return None
    rows, columns = rendering.window
    rim = int(_GATE)
    height, width = ground.view.shape
    window = (slice(max(0, rows.start - rim), min(height, rows.stop + rim)),
              slice(max(0, columns.start - rim), min(width, columns.stop + rim)))
    inside = np.zeros((window[0].stop - window[0].start, window[1].stop - window[1].start), np.uint8)
    top, left = rows.start - window[0].start, columns.start - window[1].start
    high, wide = rows.stop - rows.start, columns.stop - columns.start
    inside[top:top + high, left:left + wide] = enlarged(
        np.isfinite(rendering.depth), rendering.step, (high, wide))
    near = cv2.dilate(inside, NEIGHBOURS, iterations=rim) > 0
    depth = ground.depth[window]
    middle = float(ground.view.rays.depth_of(np.array(pose.position)))
    reach = lie.radius + lie.height / 2.0 + tolerance(ground, middle)
    mask = near & ground.things[window] & ((depth <= 0.0) | (np.abs(depth - middle) < reach))
    if family is not None:
        mask &= ground.family[window] == family
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    if count < 2:
        return None
    return Segment(window, labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])), family or 0)


def _behind(found: Fit, ground: Ground) -> float:
    """Return how much farther the object is seen than it was fitted, metres along the optical axis."""
    rendering = found.rendering
    measured = ground.depth[rendering.part]
    both = np.isfinite(rendering.depth) & (measured > 0.0) & ground.things[rendering.part]
    rest = measured[both] - rendering.depth[both]
    rest = rest[np.abs(rest) < 0.03]
    return float(np.median(rest)) if len(rest) >= 12 else 0.0


def likely_grasps(item: WorldObject, hand: ObservedHand) -> Iterator[Pose]:
    """Yield poses in which a hand could hold an object: closed around its width, the tool at its middle, upright.

    Args:
        item: the object with its shape and size.
        hand: tool pose and opening of a hand.

    Yields:
        Poses in the world frame.
    """
    middle = np.array(hand.tool.position)
    for lie in lies_of(item):
        if lie.shape.hollow:
            continue
        level = hand.closing.copy()
        level[2] = 0.0
        if float(np.linalg.norm(level)) < 0.5:
            continue
        heading = math.atan2(level[1], level[0])
        ways = [(lie.across[0], 0.0)] if lie.round else [(lie.across[0], 0.0),
                                                         (lie.across[1], -math.pi / 2.0)]
        for width, turn in ways:
            if abs(width - hand.opening) < _OPENING:
                x, y, z = middle
                yield lie.pose(x, y, z, heading + turn)


def regrasped(item: WorldObject, hand: ObservedHand, ground: Ground, family: Optional[int]) -> Optional[HeldObject]:
    """Return the grasp of an object that was taken while hidden, if the image shows it in the hand.

    Args:
        item: the object with its shape and size.
        hand: tool pose and opening of a hand.
        ground: the current image, split into table and objects.
        family: its family of colours; ``None`` for any.

    Returns:
        The grasp; ``None`` if it is not visible there.
    """
    best: Optional[Fit] = None
    for guess in likely_grasps(item, hand):
        found, _ = look_in_hand(item, guess, ground, family)
        if found is None or not between(found, item, hand):
            continue
        if best is None or found.cost < best.cost:
            best = found
    if best is None or best.evidence.seen < _LEAST_SEEN or best.evidence.pierced > _PIERCED:
        return None
    return HeldObject(hand.name, hand.tool.inverse().compose(best.pose), hand.opening, hand.opening - LOSES)


def between(found: Fit, item: WorldObject, hand: ObservedHand) -> bool:
    """Check whether the tool is inside an object as it was found.

    Args:
        found: fit of the object.
        item: the object with its shape and size.
        hand: tool pose and opening of a hand.

    Returns:
        True if it is inside the slightly larger bounding box.
    """
    inside = found.pose.seen(hand.tool.position)
    return all(abs(value) < size / 2.0 + 0.012 for value, size in zip(inside, item.size))


def confirms(found: Optional[Fit], shown: Evidence) -> Optional[bool]:
    """Check whether the image shows an object in the hand.

    Args:
        found: fit of the object; may be missing.
        shown: evidence at the expected pose.

    Returns:
        ``None`` if the image is inconclusive.
    """
    open_ = shown.seen + shown.through
    if open_ < _LEAST_SEEN:
        return None
    if found is not None and found.evidence.pierced < _PIERCED:
        return True
    return False if open_ > _LEAST_OPEN * shown.whole and shown.pierced > 0.6 else None

