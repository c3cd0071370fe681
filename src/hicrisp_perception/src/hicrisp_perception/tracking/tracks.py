"""What is known of each object from picture to picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Container, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Pose, Track, Uncertainty, Visibility, WorldObject

from hicrisp_perception.shapes.evidence import evidence_at
from hicrisp_perception.shapes.findings import Findings, PastFindings
from hicrisp_perception.shapes.fitting import Fit
from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.shapes.support import fallen

_MOST = 8
"""Pictures of what stands still that are averaged."""
_STILL = 0.004
"""Metres by which what stands still may seem to have moved."""
_TURNED = math.radians(4.0)
_LEAST = 0.0007
"""What does not go away by looking often, metres: the lens, the camera's pose."""
_MOTLEY = 3.0
"""How much less is known of an object with tags of which none can be read: they take the paint from its outline."""
_LEAST_YAW = math.radians(0.3)
_LEAST_HEIGHT = 0.0008
_UNSEEN_HEIGHT = 0.003
"""Uncertainty of a measured height without a known support, metres."""
_IN_HAND = 0.008
"""Uncertainty of where an object is between fingers at most, metres."""
_IN_VIEW = 0.8
"""Visible share of an unoccluded object: rims are mixed."""
_SAME_PLACE = 0.5
"""Part of an object that is seen where it was, by which it is still there."""


@dataclass(frozen=True)
class Known:
    """An object as the last pictures showed it.

    Args:
        fit: the last measurement; ``None`` for what was in a hand.
        looks: how many pictures of it the pose is made of.
        sure: whether it was seen in full view since it is known by its name.
    """

    pose: Pose
    uncertainty: Uncertainty
    stamp: float
    visibility: Visibility
    fit: Optional[Fit] = None
    looks: int = 1
    sure: bool = False


class Tracks:
    """The objects of a scene as they were seen."""

    def __init__(self, objects: Mapping[str, WorldObject]) -> None:
        self._things = objects
        self._known: Dict[str, Known] = {}

    @property
    def all(self) -> Tuple[Track, ...]:
        """One track for each object that was ever detected."""
        return tuple(Track(name, known.pose, known.uncertainty, known.stamp, known.visibility)
                     for name, known in self._known.items())

    @property
    def poses(self) -> Dict[str, Pose]:
        """Poses of the objects that are not known to be gone."""
        return {name: known.pose for name, known in self._known.items()
                if known.visibility is not Visibility.GONE}

    @property
    def standing(self) -> Dict[str, Fit]:
        """Fits of the objects that the last image showed standing."""
        return {name: known.fit for name, known in self._known.items()
                if known.fit is not None and known.visibility is Visibility.VISIBLE}

    def memory(self, held: Container[str]) -> PastFindings:
        """Return what is known about the objects that are neither held nor gone.

        Args:
            held: names of the held objects.

        Returns:
            Their fits and poses.
        """
        there = {name: known for name, known in self._known.items()
                 if name not in held and known.visibility is not Visibility.GONE}
        return PastFindings({name: known.fit for name, known in there.items() if known.fit is not None},
                      {name: known.pose for name, known in there.items() if known.fit is None},
                      frozenset(name for name, known in there.items() if known.sure))

    def put(self, name: str, pose: Pose, stamp: float, visibility: Visibility) -> None:
        """Set the pose of an object that is or was in a hand.

        Args:
            name: name of the object in the world.
            pose: world frame.
            stamp: of the image, seconds.
            visibility: its state.
        """
        before = self._known.get(name)
        uncertainty = before.uncertainty if before is not None else Uncertainty(0.004, 0.004, 0.05)
        if visibility is Visibility.HELD:  # Fingers that close on it show where it is.
            uncertainty = replace(uncertainty, position=min(uncertainty.position, _IN_HAND))
        self._known[name] = Known(pose, uncertainty, stamp, visibility, sure=before is not None and before.sure)

    def look(self, ground: Ground, found: Findings, in_hands: Mapping[str, Pose], stamp: float,
             fixtures: Sequence[Tuple[WorldObject, Pose]] = ()) -> None:
        """Update the tracks from an image.

        Args:
            ground: the current image, split into table and objects.
            found: fits of the image.
            in_hands: poses of the held objects, world frame.
            stamp: of the image, seconds.
            fixtures: on which objects may stand, with their poses, world frame.
        """
        for name in self._things:
            before = self._known.get(name)
            if name in in_hands:
                self.put(name, in_hands[name], stamp, Visibility.HELD)
            elif before is not None and name in found.kept:
                self._known[name] = replace(before, stamp=stamp)
            elif name in found.fits:
                self._known[name] = measured(found.fits[name], ground, before, stamp)
            elif before is not None:
                self._known[name] = self._missed(name, before, ground, found, stamp, fixtures)

    @property
    def hidden(self) -> Dict[str, Pose]:
        """Poses of the objects that the last image may not have shown though they are there."""
        return {name: known.pose for name, known in self._known.items() if known.visibility is Visibility.HIDDEN}

    def shown(self, found: Findings, ground: Ground, stamp: float) -> None:
        """Update the tracks of what another camera's image shows.

        Args:
            found: fits of the image.
            ground: the image, split into table and objects.
            stamp: of the image, seconds.
        """
        self._known.update({name: measured(fit, ground, self._known[name], stamp) for name, fit in found.fits.items()})

    def _missed(self, name: str, before: Known, ground: Ground, found: Findings, stamp: float,
                fixtures: Sequence[Tuple[WorldObject, Pose]]) -> Known:
        item = self._things[name]
        shown = evidence_at(item, before.pose, ground, found.by_others(name))
        if shown is None:
            return replace(before, visibility=Visibility.HIDDEN)
        gone = before.visibility is Visibility.GONE
        if not gone and shown.pierced < 0.2 and shown.visible > _SAME_PLACE:
            return replace(before, visibility=Visibility.VISIBLE, stamp=stamp)
        gone = gone or (shown.absent and name not in found.there)
        if gone and before.fit is None and before.visibility is Visibility.HIDDEN:  # It was let go, and fell.
            lower = fallen(item, before.pose, [
                *fixtures, *((self._things[other], known.pose) for other, known in self._known.items()
                             if other != name and known.visibility not in (Visibility.GONE, Visibility.HELD))])
            if before.pose.position[2] - lower.position[2] > _STILL:
                return self._missed(name, replace(before, pose=lower), ground, found, stamp, fixtures)
        return replace(before, visibility=Visibility.GONE if gone else Visibility.HIDDEN)


def measured(fit: Fit, ground: Ground, before: Optional[Known], stamp: float) -> Known:
    """Combine the measurement of an object with earlier ones while it stands still.

    Args:
        fit: its fit in this image.
        ground: the current image, split into table and objects.
        before: its earlier state; may be missing.
        stamp: of the image, seconds.

    Returns:
        The new state.
    """
    old = before.fit if before is not None and before.visibility is Visibility.VISIBLE else None
    yaw = _yaw(fit, before)
    now = np.array([fit.place.x, fit.place.y, fit.middle, yaw])
    own = uncertainty_of(fit, ground)
    looks = 1
    if before is not None and old is not None and old.lie == fit.lie:
        then = np.array([*before.pose.position, old.place.yaw])
        if math.dist(now[:3], then[:3]) < max(_STILL, 2.0 * own.position) and abs(now[3] - then[3]) < max(
                _TURNED, 2.0 * own.yaw):
            looks = min(before.looks + 1, _MOST)
            now = then + (now - then) / looks
    x, y, z, yaw = (float(value) for value in now)
    place = replace(fit.place, x=x, y=y, yaw=yaw)
    fused = replace(fit, place=place, bottom=z - fit.lie.height / 2.0)
    sure = fit.evidence.visible > _IN_VIEW or (
        before is not None and before.sure and before.visibility is not Visibility.GONE)
    part = 1.0 / math.sqrt(looks)  # Several looks at what stands still say more, but not endlessly.
    less = Uncertainty(max(_LEAST, own.position * part), max(_LEAST_HEIGHT, own.height * part),
                       max(_LEAST_YAW, own.yaw * part) if own.yaw else 0.0)
    return Known(fused.pose, less, stamp, Visibility.VISIBLE, fused, looks, sure)


def _yaw(fit: Fit, before: Optional[Known]) -> float:
    """Return the equivalent yaw nearest to the one reported before."""
    known = before.fit if before is not None else None
    last = known.place.yaw if known is not None and known.lie == fit.lie else 0.0
    if fit.lie.round:
        return last
    turns = round((last - fit.place.yaw) / fit.lie.period)
    return float(fit.place.yaw + turns * fit.lie.period)


def uncertainty_of(fit: Fit, ground: Ground) -> Uncertainty:
    """Estimate the uncertainty of a fit from its outline points and the knowledge about its height.

    Args:
        fit: place and evidence of a shape.
        ground: the current image, split into table and objects.

    Returns:
        Standard deviations of position, height (m) and yaw (rad).
    """
    poor = 1.0 + 2.0 * max(0.0, fit.cost - 0.3)
    if fit.tags is None and fit.segment is not None and fit.segment.uncut:
        poor *= _MOTLEY
    position = math.sqrt(max(0.0, float(np.linalg.eigvalsh(fit.place.covariance[:2, :2]).max()))) * poor
    height = _LEAST_HEIGHT if fit.resting else _UNSEEN_HEIGHT
    # Seen from above at an angle, what is higher is taken to be farther away.
    away = np.array(fit.pose.position) - ground.view.rays.origin
    slant = math.hypot(away[0], away[1]) / max(0.05, abs(float(away[2])))
    position = math.sqrt(position ** 2 + (height * slant) ** 2 + _LEAST ** 2)
    yaw = 0.0 if fit.lie.round else math.sqrt(max(0.0, float(fit.place.covariance[2, 2]))) * poor
    return Uncertainty(position, height, 0.0 if fit.lie.round else max(_LEAST_YAW, yaw))

