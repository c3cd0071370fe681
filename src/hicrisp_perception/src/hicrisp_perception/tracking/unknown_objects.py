"""Objects that no scene holds: what stands on the table and is explained by nothing that is known."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Container, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.track import DOUBT, Track, Uncertainty, Visibility
from hicrisp_core.robot.gripper import Gripper

from hicrisp_perception.shapes.evidence import cover, evidence_at
from hicrisp_perception.shapes.relief import shape_of
from hicrisp_perception.shapes.segments import Ground, Window
from hicrisp_perception.tracking.boxes import AT_TOOL, NEAR_HAND, ON_TABLE, UnknownObject, boxes_in, seen_as
from hicrisp_perception.tracking.grip import ObservedHand
from hicrisp_perception.tracking.in_hand import moved_in_hand

PREFIX = "unknown_"
_EDGE = 0.016
"""Thickness of what may be a wall of something larger, metres."""
_REMEMBERED = 60.0
"""Seconds for which what is gone is known if it comes back."""
_AT_HELD = 0.04
"""How far from a held object what is a piece of it may seem to be, metres."""
_THERE = 0.025
"""How far from its middle that of what is seen of it beside a robot may be, metres."""
_SAME, _FAR = 0.05, 0.4
"""Metres that an unknown object may have moved between two pictures and be the same, also if only a part of it is seen,
and if all of it looks the same."""
_PARTLY, _ALIKE = 1.0, 0.15
"""By how much it may be smaller then, as a share of its longest side."""
_GROWS, _TINT = 0.03, 60.0
"""By how much it may be larger, metres, and how much its colour may differ, of 255."""
_STANDS, _MOVED, _OPEN = 0.15, 0.5, 0.25
"""Share of its outline that shows an object at least where others hide it, of the open part that shows others, and of
the outline that is open in a hand."""
_THERE_STILL, _EMPTY = 0.4, 0.7
"""Share of the open part of its place in a hand that shows what is behind it: at most while it is there, and at least
once it fell.
"""
_ENOUGH = 0.06
"""Share of its outline that must be open to view before it tells where an object is."""
_EXACT = 0.012
"""How far from its middle that of what stands still may seem to be, metres."""
_CLEARLY = 0.25
"""Share of the open part of an object that another place must explain better: edges of what is before it are mixed."""
_STEPS = (0.015, 0.005)
"""Between the places that are tried for an object beside where it was, metres."""
_YOUNG = 3
"""Pictures in which its shape is measured anew."""
_SHRINKS = 0.75
"""Share of each of its extents that what is seen of an object has at least if it is all of it."""
_UPRIGHT = 0.2
"""Tilt up to which what was let go stands as it was seen, radians."""
_EXACTNESS = Uncertainty(0.006, 0.004, math.radians(5.0))


class UnknownObjects:
    """Keeps unknown objects by stable names.

    Args:
        hand: the gripper that may take them; without one they are boxes.
    """

    def __init__(self, hand: Optional[Gripper] = None) -> None:
        self._hand = hand
        self._named: Dict[str, UnknownObject] = {}
        self._new: List[UnknownObject] = []
        self._in_hand: Set[str] = set()
        """Those that were seen in a hand, and nowhere else since."""
        self._missing: Set[str] = set()
        """Those that should be in a hand, and were never seen there."""
        self._count = 0

    @property
    def tracks(self) -> Tuple[Track, ...]:
        """Tracks of the certain ones."""
        return tuple(Track(name, pose, _EXACTNESS, known.stamp, known.visibility, replace(item, pose=pose))
                     for name, known in self._named.items() for item, pose in (self._shape(name),))

    @property
    def shapes(self) -> Dict[str, Tuple[WorldObject, Pose]]:
        """Those that are not gone as objects with their poses."""
        return {name: self._shape(name) for name, known in self._named.items()
                if known.visibility is not Visibility.GONE}

    def _shape(self, name: str) -> Tuple[WorldObject, Pose]:
        known = self._named[name]
        doubt = {DOUBT: "may be two objects that touch"} if known.doubtful else {}
        if self._hand is None:
            return WorldObject(name, "", "box", known.size, doubt, movable=False), known.pose
        found = shape_of(known.relief, self._hand)
        return (WorldObject(name, "", found.name, found.size, doubt, movable=False, own_form=found.form),
                known.pose.compose(found.foot))

    def new_name(self) -> str:
        """Return the next name for what no scene holds."""
        self._count += 1
        return f"{PREFIX}{self._count}"

    def put(self, name: str, pose: Pose, stamp: float, visibility: Visibility) -> None:
        """Set the pose of an unknown object that is or was in a hand.

        Args:
            name: the object; other names are ignored.
            pose: world frame.
            stamp: of the image, seconds.
            visibility: its state.
        """
        if name in self._named:
            known = self._named[name]
            foot = Pose((0.0, 0.0, 0.0)) if self._hand is None else shape_of(known.relief, self._hand).foot
            known = replace(known, pose=pose.compose(foot.inverse()), stamp=stamp, visibility=visibility)
            if visibility is not Visibility.HELD and known.bottom < ON_TABLE / 2.0 and known.pose.tilt < _UPRIGHT:
                known = replace(known, pose=known.pose.shifted((0.0, 0.0, -known.bottom)))  # It was let go there.
            self._named[name] = known

    def fell(self, name: str, ground: Ground, firm: bool = False) -> bool:
        """Check whether a picture shows that an object is no longer where a hand holds it. What was never seen there,
        as glass or what is thin, is not missed; ``look`` may find it elsewhere.

        Args:
            name: of what the hand holds.
            ground: the current image, split into table and objects.
            firm: whether the fingers would have closed further without it: it may only have turned between them.

        Returns:
            True if it was seen in the hand before, and now shows what is behind it; its place is unknown then.
        """
        known = self._named[name]
        self._missing.discard(name)
        shown = evidence_at(seen_as(known), known.pose, ground, np.zeros_like(ground.things))
        if shown is None or shown.seen + shown.through < _OPEN * shown.whole or not _in_picture(known, ground):
            return False
        if shown.pierced < _THERE_STILL:
            if known.bottom > ON_TABLE:  # What still stands between the fingers may turn there once it is lifted.
                self._in_hand.add(name)
        elif shown.pierced > _EMPTY and name in self._in_hand and not firm:
            self._named[name] = replace(known, visibility=Visibility.GONE)
            return True
        elif shown.pierced > _EMPTY:
            self._missing.add(name)
        return False

    def moved(self, name: str, tool: Pose, ground: Ground) -> Optional[Pose]:
        """Return where what a hand lifted is seen in it, if that is not where it is thought to be.

        Args:
            name: of what the hand holds.
            tool: of the hand, world frame.
            ground: the current image, split into table and objects.

        Returns:
            World frame.
        """
        known, (item, pose) = self._named[name], self._shape(name)
        if known.bottom < ON_TABLE or item.form.rim:  # What hangs from its rim leans there.
            return None
        moved = moved_in_hand(seen_as(known), known.pose, tool, ground)
        return moved.compose(pose) if moved is not None else None

    def look(
        self,
        ground: Ground,
        claimed: np.ndarray,
        hands: Mapping[str, ObservedHand],
        held: Container[str] = (),
        undecided: Sequence[Window] = (),
    ) -> Set[str]:
        """Follow them through a picture.

        Args:
            claimed: pixels that known objects account for; those of what stands still or is held are added.
            held: the names of those that hands hold.
            undecided: the parts of the picture in which an object may be that is known, and was not found yet.

        Returns:
            Names of those that are seen to stand elsewhere than in the hand that should hold them.
        """
        stamp = ground.view.stamp
        moved: Dict[str, UnknownObject] = {}
        for name, known in self._named.items():
            if name in held:
                cover(claimed, seen_as(known), known.pose, ground)
                continue
            there = known.looks > _YOUNG and known.patch.whole and known.visibility is not Visibility.GONE
            shown = known.patch.shown_in(ground) if there else None
            if shown is not None:
                claimed[known.patch.window] |= shown
                self._named[name] = replace(known, stamp=stamp, looks=known.looks + 1, visibility=Visibility.VISIBLE)
            else:
                moved[name] = known
        free = boxes_in(ground, claimed, hands, stamp)
        again = matched(moved, free, self._in_hand)  # What was gone is found again, too.
        rest = [each for each in free if each not in again.values()  # What hangs at a hand did not fall out of it.
                and not any(each.holds(hand.tool.position, NEAR_HAND) for hand in hands.values())]
        missing = {name: self._named[name] for name in self._missing if name in held}
        fallen = {name: each for name, each in matched(missing, rest).items()
                  if max(each.size) > _SHRINKS * max(missing[name].size)}  # It is no mere piece of what hangs askew.
        again.update(fallen)
        moved.update((name, self._named[name]) for name in fallen)
        for name, known in moved.items():
            if name in again:
                free.remove(again[name])
                self._named[name] = joined = _joined(known, again[name])
                away = _apart(known, again[name])
                if joined.pose == known.pose and away > _EXACT:  # Only a part of it shows.
                    # Of what is large an edge shows farther from its middle than it may have been moved.
                    beside = away < _SAME or known.holds(again[name].pose.position, _EXACT)
                    near = joined if beside else replace(joined, pose=_standing(joined, again[name]))
                    self._named[name] = replace(joined, pose=_best_place(near, ground, claimed))
            elif known.looks <= _YOUNG and any(known.patch.part_of(other.patch) for other in again.values()):
                del self._named[name]  # It was a piece of what is seen whole now.
            elif known.visibility is not Visibility.GONE:
                taken = any(known.holds(hand.tool.position, AT_TOOL) for hand in hands.values())
                known = known if taken else replace(known, pose=_best_place(known, ground, claimed))
                found = _lost(known, ground, claimed, taken)
                seen = stamp if found is Visibility.VISIBLE else known.stamp
                self._named[name] = replace(known, stamp=seen, visibility=found)
            elif stamp - known.stamp > _REMEMBERED:
                del self._named[name]
        self._in_hand -= {name for name, known in self._named.items() if known.visibility is Visibility.VISIBLE}
        self._welcome([each for each in free if not each.patch.claimed(claimed)], ground, held, undecided)
        return set(fallen)

    def _welcome(self, found: Sequence[UnknownObject], ground: Ground, held: Container[str],
                 undecided: Sequence[Window]) -> None:
        """Name what is seen for the first time; what is small has to be seen twice."""
        candidates: List[UnknownObject] = []
        for each in found:
            if any(_crumb(each, known) or name in held and _beside(each, known)
                   for name, known in self._named.items() if known.visibility is not Visibility.GONE):
                continue
            column, row = ground.view.rays.project(np.array(each.pose.position))
            if any(rows.start <= row < rows.stop and columns.start <= column < columns.stop
                   for rows, columns in undecided):
                continue
            before = next((other for other in self._new if _cost(other, each, _SAME) is not None), None)
            joined = each if before is None else _joined(before, each)
            if joined.certain:
                self._named[self.new_name()] = joined
            else:
                candidates.append(joined)
        self._new = candidates


def _in_picture(known: UnknownObject, ground: Ground) -> bool:
    """Check whether a picture is large enough to show the whole box around an object."""
    corners = [known.pose.compose(Pose((x, y, z))).position
               for x, y, z in product(*((-side / 2.0, side / 2.0) for side in known.size))]
    height, width = ground.view.shape
    return all(0.0 <= column < width and 0.0 <= row < height
               for column, row in ground.view.rays.project(np.array(corners)))


def _lost(known: UnknownObject, ground: Ground, claimed: np.ndarray, taken: bool) -> Visibility:
    """Return whether an object whose picture changed is still seen where it was, beside or below another one, or is
    hidden or gone; what it accounts for is claimed. A hand that takes it may hide and move it.
    """
    item = seen_as(known)
    box = WorldObject("", "", "box", known.size)  # What was moved a little is not gone: its walls are thin.
    shown, around = (evidence_at(each, known.pose, ground, claimed) for each in (item, box))
    if shown is not None and shown.visible > _STANDS and shown.pierced < _MOVED:
        cover(claimed, item, known.pose, ground)
        return Visibility.VISIBLE
    gone = not taken and shown is not None and around is not None and shown.absent and around.absent
    return Visibility.GONE if gone else Visibility.HIDDEN


def _standing(known: UnknownObject, part: UnknownObject) -> Pose:
    """Return the pose of an object of which a part shows where it fell."""
    x, y, _ = part.pose.position
    return replace(known.pose, position=(x, y, part.bottom + known.size[2] / 2.0))


def _best_place(known: UnknownObject, ground: Ground, claimed: np.ndarray) -> Pose:
    """Return the pose near its place at which an object explains the picture best: what others hide in part may have
    been put down or pushed a little beside where it is thought to be. Where nothing speaks against its place, too
    little of that is open to view, or no more of it shows anywhere, it stays.
    """
    item = seen_as(known)

    def at(pose: Pose) -> Tuple[int, int, int]:
        shown = evidence_at(item, pose, ground, claimed)
        return (0, 1, 1) if shown is None else (shown.seen, shown.through, shown.whole)

    best, (seen, through, whole) = known.pose, at(known.pose)
    if not through or seen + through < _ENOUGH * whole:
        return known.pose
    least, most, enough = seen, seen - through, max(0.0, seen - through + _CLEARLY * (seen + through))
    for step in _STEPS:
        for pose in [best.shifted((step * x, step * y, 0.0)) for x in range(-2, 3) for y in range(-2, 3) if x or y]:
            seen, through, _ = at(pose)
            if seen >= least and seen - through > most:
                best, most = pose, seen - through
    return best if most > enough else known.pose


def matched(known: Mapping[str, UnknownObject], found: Sequence[UnknownObject], carried: Container[str] = ()
            ) -> Dict[str, UnknownObject]:
    """Find objects again: where they were, or else what looks the same farther away.

    Args:
        known: objects by name, as they were.
        found: objects in the current image.
        carried: names of those that hands carried, and may have lost anywhere on the way.

    Returns:
        Those that were found, by name.
    """
    again: Dict[str, UnknownObject] = {}
    there = {name: each for name, each in known.items() if each.visibility is not Visibility.GONE}
    # What was let go and rolled is taken for gone, and may be seen in part where it came to rest, as in a bowl.
    for some, reach, alike in ((there, _SAME, _PARTLY), (known, _SAME, _PARTLY), (known, _FAR, _ALIKE)):
        pairs = [(cost, name, other) for name, each in some.items() for other in found
                 if name not in again and other not in again.values()
                 for cost in (_cost(each, other, math.inf if reach == _FAR and name in carried else reach, alike),)
                 if cost is not None]
        for _, name, other in sorted(pairs, key=lambda pair: pair[0]):
            if name not in again and other not in again.values():
                again[name] = other
    return again


def _cost(known: UnknownObject, other: UnknownObject, reach: float, alike: float = _PARTLY) -> Optional[float]:
    """Return how far an object is from being another one, metres; ``None`` if it is not: what is seen of an object in
    part is smaller.
    """
    away = math.dist(known.pose.position[:2], other.pose.position[:2])
    within = known.patch.part_of(other.patch)
    differ = [now - before for before, now in zip(sorted(known.size), sorted(other.size))]
    if away > max(reach, 0.5 * max(*known.size[:2], *other.size[:2])) or (
            known.patch.differs(other.patch) > _TINT) or (
            max(differ) > _GROWS and not within or -min(differ) > alike * max(known.size)):
        return None
    return away + sum(map(abs, differ))


def _crumb(found: UnknownObject, known: UnknownObject) -> bool:
    """Check whether what is seen is a piece of a known object: within its box, and of its colour or a mere edge."""
    x, y, z = known.pose.seen(found.pose.position)
    length, width, height = known.size
    return (abs(x) < length / 2.0 and abs(y) < width / 2.0 and z + found.size[2] / 2.0 < height / 2.0 + ON_TABLE / 2.0
            and (min(found.size) < _EDGE or known.patch.differs(found.patch) < _TINT))


def _beside(found: UnknownObject, held: UnknownObject) -> bool:
    """Check whether what is seen may be a piece of what a hand holds, whose pose is not exact."""
    return held.holds(found.pose.position, max(found.size) / 2.0 + _AT_HELD) and held.bottom > _AT_HELD / 2.0


def _apart(before: UnknownObject, now: UnknownObject) -> float:
    return math.dist(before.pose.position, now.pose.position)


def _joined(before: UnknownObject, now: UnknownObject) -> UnknownObject:
    """Return the newer box, unless less of the object is visible at the same place, or the robot is before it now."""
    if before.patch.whole and not now.patch.whole:
        there = _apart(before, now) < _THERE
        return replace(before, stamp=now.stamp, visibility=Visibility.VISIBLE if there else Visibility.HIDDEN)
    moved = _apart(before, now) > _EXACT
    all_of_it = all(own > _SHRINKS * other for own, other in zip(sorted(now.size), sorted(before.size)))
    larger = now.size[0] * now.size[1] * now.size[2] > 0.8 * math.prod(before.size)
    box = now if larger or (moved and all_of_it and now.pixels > 0.7 * before.pixels) else before
    still = not moved and 0.8 < math.prod(now.size) / math.prod(before.size) < 1.25
    shape = before if still and before.pixels >= now.pixels else box
    return replace(shape, stamp=now.stamp, looks=before.looks + 1, pixels=max(before.pixels, now.pixels)
                   if shape is before else now.pixels, visibility=Visibility.VISIBLE)
