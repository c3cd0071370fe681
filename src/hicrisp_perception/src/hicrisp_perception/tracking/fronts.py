"""Fronts of drawers and doors that no scene describes: where they are now, and how they move, once they were pulled."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Callable, Dict, Mapping, Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, Track, Uncertainty, Vector, Visibility, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.joint import SLIDE, SWING, Joint

from hicrisp_perception.shapes.evidence import render, weigh
from hicrisp_perception.shapes.fronts import ON_PLANE, THICK, Case, Front, cases_in, upright_plane
from hicrisp_perception.shapes.segments import Ground, raised
from hicrisp_perception.shapes.shape_models import lie_at
from hicrisp_perception.tracking.grip import ObservedHand
from hicrisp_perception.tracking.joint_fit import motion_of
from hicrisp_perception.tracking.looks import local

_LOOKS = {SLIDE: "drawer", SWING: "door"}
"""Types by which a front is called: by how it moved, and before that by its handle."""
_OFF_MIDDLE = 0.25
"""Share of its width by which a handle is off the middle of what is taken for a door."""
_OPENS = {SLIDE: 0.15, SWING: math.radians(75.0)}
"""How far it is opened, metres and radians: nobody sees where it stops."""
_YOUNG = 3
"""Pictures in which it is measured again."""
_PIERCED = 0.6
"""Share of what would show of a case that shows what is behind it, from which on there is none."""
_AROUND, _SEEN, _MOST_OF_IT, _TURNS = 0.04, 0.12, 0.4, math.radians(25.0)
"""Metres before and behind a front in which it is looked for, least share of its pixels and of what is seen there, and
greatest change of yaw.
"""
_AT_BAR, _WIDER, _THINNER, _LETS_GO = 0.02, 0.012, 0.4, 0.004
"""Metres from a bar to the tool that holds it, and by how much the fingers are farther apart than it is thick, at most;
share of its thickness at least; and opening of the fingers that lets go, metres.
"""
_STEP = 0.004
"""Metres between two places of a path."""
_RAGGED, _WALLS = 0.012, 0.02
"""Metres around what is known of it that show it, and thickness of a drawer's walls with these."""
_RIM = np.ones((7, 7), np.uint8)
"""Pixels around what shows it that may, too."""
_EXACTNESS = Uncertainty(0.003, 0.003, math.radians(1.0))


@dataclass(frozen=True)
class _Part:
    """A front as it is known.

    Args:
        front: as it was seen shut.
        joint: its home is the front's pose.
        pose: of the front now, world frame.
        path: poses of the front with their positions at its handle, a step apart.
        turned: whether its plane was seen at each of these, which tells its turn.
        grip: the hand that holds it, its opening then, and the handle in the tool's frame.
    """

    front: Front
    joint: Joint
    pose: Pose
    stamp: float
    visibility: Visibility
    path: Tuple[Pose, ...]
    turned: Tuple[bool, ...] = (True,)
    grip: Optional[Tuple[str, float, Pose]] = None


class Fronts:
    """Keeps cases and their fronts by stable names; a case is taken to stay where it is.

    Args:
        new_name: returns a name for an unknown object.
    """

    def __init__(self, new_name: Callable[[], str]) -> None:
        self._new_name = new_name
        self._cases: Dict[str, Tuple[Case, int]] = {}
        """With the number of pictures by which it was measured."""
        self._parts: Dict[str, _Part] = {}
        self._stamp = 0.0

    @property
    def tracks(self) -> Tuple[Track, ...]:
        """Tracks of the cases and their fronts."""
        cases = [Track(name, case.pose, _EXACTNESS, self._stamp, unknown=WorldObject(
            name, "", "box", case.size, pose=case.pose, movable=False)) for name, (case, _) in self._cases.items()]
        items = [(part, self._item(name, part)) for name, part in self._parts.items()]
        return (*cases, *(Track(item.name, item.pose, _EXACTNESS, part.stamp, part.visibility, item)
                          for part, item in items if item.pose is not None))

    def _item(self, name: str, part: _Part) -> WorldObject:
        """Return a front with its joint; what slides is a drawer as deep as its case."""
        joint, handle = part.joint, part.front.handle
        swings = joint.kind == SWING or joint.guessed and abs(
            handle.pose.position[1]) > _OFF_MIDDLE * part.front.size[1]
        item = WorldObject(name, _LOOKS[SWING if swings else SLIDE], "box", part.front.size, pose=part.pose,
                           movable=False, joint=joint)
        if joint.guessed or joint.kind == SWING:
            return item
        deep = self._cases[joint.fixture][0].size[0]
        back = Pose(((THICK - deep) / 2.0, 0.0, 0.0))
        joint = replace(joint, home=joint.home.compose(back), handle=back.inverse().compose(handle.pose))
        return replace(item, shape="tray", size=(deep, *part.front.size[1:]), pose=part.pose.compose(back), joint=joint)

    def look(self, ground: Ground, claimed: np.ndarray, hands: Mapping[str, ObservedHand]) -> None:
        """Follow the fronts through a picture, find new ones, and claim the pixels that show them.

        Args:
            claimed: pixels that known objects account for, added to.
            hands: tool pose and opening of each hand by name.
        """
        self._stamp = ground.view.stamp
        points = np.concatenate([np.zeros((0, 3), np.float32), *(
            ground.points(part, ground.things[part] & (ground.depth[part] > 0.0)) for part in ground.parts)])
        for name, part in self._parts.items():
            self._parts[name] = _followed(part, points, hands, self._stamp)
        for name in [name for name in self._cases if self._is_none(name, ground)]:
            del self._cases[name]
            self._parts = {each: part for each, part in self._parts.items() if part.joint.fixture != name}
        settled = {name for name, (_, looks) in self._cases.items() if looks >= _YOUNG}
        for name in settled:
            self._claim(name, ground, claimed)
        for found in cases_in(ground, claimed):
            self._welcome(found)
        for name in sorted(set(self._cases) - settled):
            self._claim(name, ground, claimed)

    def _is_none(self, name: str, ground: Ground) -> bool:
        """Check whether what was taken for a case is not there; of an open one its inside shows."""
        case, _ = self._cases[name]
        if any(part.path[1:] or part.grip is not None for part in self._parts.values() if part.joint.fixture == name):
            return False
        item = WorldObject(name, "", "box", case.size, pose=case.pose)
        rendering = render(lie_at(item, case.pose)[0], case.pose, ground)
        return rendering is not None and weigh(rendering, ground).pierced > _PIERCED

    def _welcome(self, found: Case) -> None:
        """Take in a case, or what is better seen of one that is hardly known."""
        name = next((name for name, (case, _) in self._cases.items() if math.dist(
            case.pose.position, found.pose.position) < max(case.size) / 2.0), "") or self._new_name()
        before, looks = self._cases.get(name, (found, 0))
        known = {each: part for each, part in self._parts.items() if part.joint.fixture == name}
        moved = any(part.path[1:] for part in known.values())
        better = sum(each.pixels for each in found.fronts) >= sum(each.pixels for each in before.fronts)
        self._cases[name] = (found if better and not moved else before, looks + 1)
        if moved or not better:
            return
        for front in found.fronts:
            own = next((each for each, part in known.items() if math.dist(
                part.front.pose.position, front.pose.position) < front.size[1] / 2.0), "") or self._new_name()
            joint = Joint(SLIDE, name, front.pose, front.pose.axes[0], front.pose.position, (0.0, _OPENS[SLIDE]),
                          front.handle.pose, front.handle.bar, guessed=True)
            self._parts[own] = _Part(front, joint, front.pose, self._stamp, Visibility.VISIBLE,
                                     (replace(front.pose, position=front.pose.apply(front.handle.pose.position)),))

    def _claim(self, name: str, ground: Ground, claimed: np.ndarray) -> None:
        case, _ = self._cases[name]
        parts = [part for part in self._parts.values() if part.joint.fixture == name]
        for window in ground.parts:
            measured = (ground.depth[window] > 0.0) & ~ground.robot[window]
            points = ground.points(window, measured)
            own = _inside(points, case.pose, np.array(case.size) / 2.0 + _RAGGED)
            for part in parts:
                own |= self._shows(points, part)
            shown = np.zeros(measured.shape, np.uint8)
            shown[measured] = own & (points[:, 2] > _RAGGED / 2.0)
            # At its edges depth is missing, or between it and what is behind.
            rim = cv2.dilate(shown, _RIM) > 0
            claimed[window] |= (shown > 0) | rim & (~measured | raised(ground, window))

    def _shows(self, points: np.ndarray, part: _Part) -> np.ndarray:
        """Return which points are on a front, on its handle, or on the walls of the drawer behind it."""
        size, handle = np.array(part.front.size) / 2.0, part.front.handle
        thick, long = handle.bar
        own = _inside(points, part.pose, size + _RAGGED)
        post = Pose((handle.pose.position[0] / 2.0, *handle.pose.position[1:]))
        own |= _inside(points, part.pose.compose(post), np.array([handle.pose.position[0] / 2.0 + thick + _RAGGED, *(
            [long / 2.0 + _WALLS] * 2)]))
        item = self._item("", part)
        if item.shape == "tray" and item.pose is not None:
            outer = np.array(item.size) / 2.0
            hollow = _inside(points, item.pose.shifted((0.0, 0.0, _WALLS)), outer - (_WALLS, _WALLS, 0.0))
            own |= _inside(points, item.pose, outer + _RAGGED) & ~hollow
        return own


def _inside(points: np.ndarray, pose: Pose, half: np.ndarray) -> np.ndarray:
    found: np.ndarray = (np.abs(local(points, pose)) < half).all(axis=1)
    return found


def _followed(part: _Part, points: np.ndarray, hands: Mapping[str, ObservedHand], stamp: float) -> _Part:
    """Return a front as a picture and the hand at its handle show it."""
    part = _held(part, hands)
    handle, joint, pose, at = part.front.handle.pose, part.joint, part.pose, None
    if part.grip is not None and part.grip[0] in hands:
        at = hands[part.grip[0]].tool.compose(part.grip[2]).position
        expected = pose if joint.guessed else joint.moved(joint.home, _position(joint, at, handle))
        pose = _with_handle(expected, handle, at)
    elif joint.kind == SLIDE:  # A plane shows nothing along itself: it is taken to come straight out.
        out = joint.home.seen(pose.position)[0]
        pose = replace(joint.home.compose(Pose((out, 0.0, 0.0))), orientation=pose.orientation)
    seen = _on_plane(part, pose, points, at)
    if seen is None and at is None:
        return replace(part, visibility=Visibility.HIDDEN)
    pose = seen or pose
    place = pose.apply(handle.position)
    if math.dist(place, part.path[-1].position) > _STEP:
        part = replace(part, path=(*part.path, Pose(place, pose.orientation)), turned=(*part.turned, seen is not None))
        part = replace(part, joint=_estimated(part))
    if not part.joint.guessed:
        pose = part.joint.moved(part.joint.home, part.joint.position(pose))
    return replace(part, pose=pose, stamp=stamp, visibility=Visibility.VISIBLE)


def _with_handle(pose: Pose, handle: Pose, at: Vector) -> Pose:
    """Return an upright pose shifted in the plane so that its handle is at a place."""
    x, y, _ = pose.apply(handle.position)
    return pose.shifted((at[0] - x, at[1] - y, 0.0))


def _position(joint: Joint, at: Vector, handle: Pose) -> float:
    """Return the position of a joint by where a handle is."""
    begin = joint.home.compose(handle).position
    if joint.kind == SLIDE:
        return sum(along * (a - b) for along, a, b in zip(joint.axis, at, begin))
    (ax, ay), (bx, by) = ((each[0] - joint.point[0], each[1] - joint.point[1]) for each in (at, begin))
    return joint.axis[2] * math.atan2(bx * ay - by * ax, bx * ax + by * ay)


def _held(part: _Part, hands: Mapping[str, ObservedHand]) -> _Part:
    """Notice which hand holds the handle."""
    thick, long = part.front.handle.bar
    if part.grip is not None:
        hand = hands.get(part.grip[0])
        gone = hand is not None and not _THINNER * thick < hand.opening < part.grip[1] + _LETS_GO
        return replace(part, grip=None) if gone else part
    bar = part.pose.compose(part.front.handle.pose)
    for hand in hands.values():
        x, y, z = bar.seen(hand.tool.position)
        if math.hypot(x, y) < _AT_BAR and abs(z) < long / 2.0 + _AT_BAR and (
                _THINNER * thick < hand.opening < thick + _WIDER):
            return replace(part, grip=(hand.name, hand.opening, hand.tool.inverse().compose(bar)))
    return part


def _on_plane(part: _Part, pose: Pose, points: np.ndarray, at: Optional[Vector]) -> Optional[Pose]:
    """Return the pose of a front near an expected one, as its plane shows it; ``None`` if too little of it is seen. A
    plane shows nothing along itself: there its handle is where the hand has it, if one does.
    """
    seen = local(points, pose)
    _, width, height = part.front.size
    near = points[(np.abs(seen[:, 0]) < _AROUND) & (np.abs(seen[:, 1]) < width / 2.0)
                  & (np.abs(seen[:, 2]) < height / 2.0 - ON_PLANE)]
    plane = upright_plane(near)
    if plane is None:
        return None
    yaw, offset = plane
    if math.cos(yaw - pose.yaw) < 0.0:
        yaw, offset = yaw + math.pi, -offset
    normal = (math.cos(yaw), math.sin(yaw))
    on = np.abs(near[:, :2] @ np.array(normal) - offset) < ON_PLANE
    if np.count_nonzero(on) < max(_SEEN * part.front.pixels, _MOST_OF_IT * len(near)) or abs(
            math.remainder(yaw - pose.yaw, math.tau)) > _TURNS:
        return None
    turned = replace(pose, orientation=from_yaw(yaw))
    if at is not None:
        turned = _with_handle(turned, part.front.handle.pose, at)
    x, y, _ = turned.position
    out = offset - THICK / 2.0 - normal[0] * x - normal[1] * y
    return turned.shifted((out * normal[0], out * normal[1], 0.0))


def _estimated(part: _Part) -> Joint:
    """Return the joint by the path of the handle, which begins where that was seen shut."""
    motion = motion_of(part.path, part.turned)
    if motion is None:
        return part.joint
    return replace(part.joint, kind=motion.kind, axis=motion.axis, point=motion.point,
                   reach=(0.0, _OPENS[motion.kind]), guessed=False)
