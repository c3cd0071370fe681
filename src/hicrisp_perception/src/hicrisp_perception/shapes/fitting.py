"""A known shape laid into a segment: where it would lie, and how well the picture supports that."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Optional, Tuple

import numpy as np
from hicrisp_core.model.geometry import Pose
from hicrisp_core.model.shapes import BOWL_WALL

from hicrisp_perception.shapes.contours import MeasuredSegment
from hicrisp_perception.shapes.evidence import Evidence, Rendering, render, weigh
from hicrisp_perception.shapes.outline import OutlineFit, fit_outline
from hicrisp_perception.shapes.segments import Ground, Segment
from hicrisp_perception.shapes.shape_models import Lie
from hicrisp_perception.tags.tag_fit import TagFit

ON_TABLE = 0.012
"""Metres by which a bottom may seem to be off the table and yet stand on it."""
GOOD = 0.35
"""Cost below which no other fit is tried."""
POOR = 1.3
"""Cost above which a fit is rejected."""
_EXACT = 0.1
"""What a pixel counts by which an outline is off."""
_LOOSE = 0.3
NO_WORSE = 0.1
_BAD = 99.0
GATE = 6
"""Pixels around where an object was in which its outline is looked for first."""
_LEAST_OUTLINE = 24
Start = Tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Fit:
    """A shape laid into the picture.

    Args:
        bottom: height of its lowest point, metres.
        resting: whether that is the height of something that it stands on, and not only measured.
        cost: 0 for a perfect fit, about 1 for a poor one.
        segment, shown: what it was fitted to; none for what was found by its tags alone.
        tags: by which it is known.
    """

    lie: Lie
    place: OutlineFit
    bottom: float
    resting: bool
    evidence: Evidence
    cost: float
    rendering: Rendering
    segment: Optional[Segment] = None
    shown: Optional[MeasuredSegment] = None
    tags: Optional[TagFit] = None

    @property
    def middle(self) -> float:
        """Height of its middle, metres."""
        return self.bottom + self.lie.height / 2.0

    @property
    def floor(self) -> float:
        """Height of the support that it offers, on top or inside, metres."""
        return self.bottom + (BOWL_WALL if self.lie.shape.hollow else self.lie.height)

    @property
    def pose(self) -> Pose:
        """The object's pose."""
        return self.lie.pose(self.place.x, self.place.y, self.middle, self.place.yaw)

    @property
    def at(self) -> np.ndarray:
        """x, y, yaw."""
        return np.array([self.place.x, self.place.y, self.place.yaw])


def better(one: Optional[Fit], other: Optional[Fit]) -> Optional[Fit]:
    """Return the better of two fits: by evidence, then by outline.

    Args:
        one: a fit; may be missing.
        other: a fit; may be missing.

    Returns:
        The better one; ``None`` without any.
    """
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda each: each.cost + _EXACT * min(each.place.error, 4.0))


def stay(before: Fit, segment: Segment, shown: MeasuredSegment, ground: Ground) -> Optional[Fit]:
    """Fit a shape near its last pose, or exactly there if too little of its outline is visible.

    Args:
        before: the last fit.
        segment: connected pixels that may show one object.
        shown: heights, positions and contour of the segment.
        ground: the current image, split into table and objects.

    Returns:
        The fit; ``None`` outside the image.
    """
    return _about(before.lie, before.place, before.bottom, before.resting, segment, shown, ground)


def let_go(
    lie: Lie, pose: Pose, segment: Segment, shown: MeasuredSegment, ground: Ground, floors: Tuple[float, ...]
) -> Optional[Fit]:
    """Fit a shape near the pose at which a hand released it.

    Args:
        lie: shape and size with the side that it lies on.
        pose: world frame.
        segment: connected pixels that may show one object.
        shown: heights, positions and contour of the segment.
        ground: the current image, split into table and objects.
        floors: heights of possible supports, metres.

    Returns:
        The fit; ``None`` outside the image.
    """
    bottom = pose.position[2] - lie.height / 2.0
    near = min(floors, key=lambda floor: abs(floor - bottom))
    resting = abs(near - bottom) < ON_TABLE
    place = OutlineFit(*pose.position[:2], pose.yaw, np.diag([4e-6, 4e-6, 4e-3]), 0.0, 0)
    return _about(lie, place, near if resting else bottom, resting, segment, shown, ground)


def _about(lie: Lie, place: OutlineFit, bottom: float, resting: bool, segment: Segment, shown: MeasuredSegment,
           ground: Ground) -> Optional[Fit]:
    start = (place.x, place.y, place.yaw)
    again = settle(lie, start, bottom, resting, segment, shown, ground, GATE)
    enough = again is not None and again.place.points >= _LEAST_OUTLINE
    if enough or again is None:
        return again
    return _weighed(lie, replace(place, points=0), bottom, resting, segment, shown, ground)


def settle(lie: Lie, start: Start, bottom: float, resting: bool, segment: Segment, shown: MeasuredSegment,
           ground: Ground, first_gate: float = math.inf) -> Optional[Fit]:
    """Move a shape from a start to where its outline fits, and weigh the evidence.

    Args:
        lie: shape and size with the side that it lies on.
        start: x, y (m) and yaw (rad).
        bottom: height of its lowest point, metres.
        resting: whether this is the height of a support.
        segment: connected pixels that may show one object.
        shown: heights, positions and contour of the segment.
        ground: the current image, split into table and objects.
        first_gate: greatest distance of contour points in the first round, pixels.

    Returns:
        The fit; ``None`` outside the image.
    """
    middle = bottom + lie.height / 2.0
    place = fit_outline(lie, start, middle, shown.contour, ground.view.rays, first_gate)
    if not np.isfinite(place.covariance).all():
        place = OutlineFit(*start, np.diag([1e-4, 1e-4, 0.1]), _BAD, 0)
    return _weighed(lie, place, bottom, resting, segment, shown, ground)


def stand(found: Fit, pose: Pose, ground: Ground) -> Optional[Fit]:
    """Weigh the evidence for a shape exactly at a pose.

    Args:
        found: fit of the same shape elsewhere.
        pose: world frame.
        ground: the current image, split into table and objects.

    Returns:
        The fit; ``None`` without a segment.
    """
    if found.segment is None or found.shown is None:
        return None
    x, y, z = pose.position
    place = OutlineFit(x, y, pose.yaw, np.diag([1e-4, 1e-4, 0.1]), 0.0, 0)
    return _weighed(found.lie, place, z - found.lie.height / 2.0, False, found.segment, found.shown, ground)


def _weighed(lie: Lie, place: OutlineFit, bottom: float, resting: bool, segment: Segment, shown: MeasuredSegment,
             ground: Ground) -> Optional[Fit]:
    pose = lie.pose(place.x, place.y, bottom + lie.height / 2.0, place.yaw)
    rendering = render(lie, pose, ground, segment.window)
    if rendering is None:
        return None
    evidence = weigh(rendering, ground, segment)
    if evidence.seen == 0:
        return None
    blurred = min(1.0, 0.25 * max(0.0, min(place.error, 4.0) - 0.8))
    # Of two ways to lie in what is too large, the one that more of its outline agrees with.
    loose = 1.0 - place.points / max(1, len(shown.contour)) if place.points else 0.0
    cost = evidence.misfit + blurred + _LOOSE * loose
    return Fit(lie, place, bottom, resting, evidence, cost, rendering, segment, shown)
