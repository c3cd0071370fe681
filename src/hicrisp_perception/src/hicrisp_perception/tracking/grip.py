"""What is in a hand: by where its fingers closed, from there on by the hand's pose."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import Dict, Mapping, Optional, Tuple

import numpy as np
from hicrisp_core.model import Pose, Vector, WorldObject
from hicrisp_core.model.keep_out import grip_at, thinnest

_AROUND = 0.008
"""How far outside an object the middle of the fingers may be, metres."""
_AT_WALL = 0.02
"""How far they may be from where hands take a rim or a handle, metres."""
_WIDER = 0.006
"""How much wider than an object fingers may be that hold it, metres: its pose is not known exactly."""
_SLANTED = 0.014
"""How much wider they may be around a wall, which slants, and around what is known by sight alone."""
_NARROWER = 0.012
_LEAST = 0.001
"""How thin a wall may be, metres."""
_LETS_GO = 0.003
"""Opening of the fingers beyond the narrowest of a grasp that lets go, metres: with little room, they open
by 8 mm.
"""
_AT_PLACE, _STOPS = 0.01, 0.01
"""Metres within which a hand is at one place, and by which its fingers close there that then are around something."""
_FULLY, _HARDLY = 0.001, 0.0015
"""Metres by which fingers may seem less open that are fully open, and by which these close around what hardly fits."""
_CLOSES = 0.002
"""Closing of the fingers after they let go that may be another grasp, metres."""
LOSES = 0.006
"""Closing of the fingers beyond that of the grasp at which the object is no longer between them, metres."""
_CARRIED, _SETTLED, _THINNER = 0.03, 0.85, 0.5
"""Metres that fingers carry what they have closed on; the share of their opening to which they close no further then,
and to which they close at most around what turns between them.
"""
_BARELY = 0.3
"""How much narrower than it seems an undescribed object may be between the fingers, as a share of its least extent."""
_TRUST = 0.6
"""How much a look counts beside what was known of a grasp."""


@dataclass(frozen=True)
class ObservedHand:
    """A hand as its frames show it.

    Args:
        tool: the tool's frame.
        left, right: the fingers' positions, metres.
        apart: how far these are apart when the fingers meet, metres.
    """

    name: str
    tool: Pose
    left: Vector
    right: Vector
    apart: float = 0.0

    @property
    def opening(self) -> float:
        """Distance between the fingers, metres."""
        return max(0.0, math.dist(self.left, self.right) - self.apart)

    @property
    def closing(self) -> np.ndarray:
        """Unit vector from one finger to the other, world frame."""
        between = np.array(self.right) - np.array(self.left)
        length = float(np.linalg.norm(between))
        return between / length if length > 1e-6 else np.array(self.tool.axes[1])


@dataclass(frozen=True)
class HeldObject:
    """An object in a hand.

    Args:
        pose: of the object in the tool's frame.
        opening: of the fingers around it, the narrowest since they closed, metres.
        least: their opening at which it is no longer between them, metres.
        taken: where the tool was when they closed to that opening, metres; ``None`` if that is not known.
    """

    hand: str
    pose: Pose
    opening: float
    least: float
    taken: Optional[Vector] = None

    @property
    def firm(self) -> bool:
        """Whether the fingers would close on where it was, and tell so, if it fell."""
        return self.least > LOSES

    def after(self, hand: ObservedHand) -> HeldObject:
        """Return the grasp as a hand shows it that still has it: once it carried the object, its thickness is known."""
        if self.taken is None or hand.opening < _SETTLED * self.opening:
            return replace(self, opening=min(self.opening, hand.opening), taken=hand.tool.position)
        carried = math.dist(self.taken, hand.tool.position) > _CARRIED
        least = max(self.least, _THINNER * self.opening) if carried else self.least
        return replace(self, opening=min(self.opening, hand.opening), least=least)


def grasped(hand: ObservedHand, item: WorldObject, pose: Pose, exact: bool = True, stopped: bool = False
            ) -> Optional[HeldObject]:
    """Return the grasp of a hand that is closed around an object.

    Args:
        hand: tool pose and opening of a hand.
        item: the object with its shape and size.
        pose: of the object, world frame.
        exact: whether its shape is known; else it may be narrower.
        stopped: whether the fingers closed here and stopped: what they are around may be wider than was seen.

    Returns:
        The grasp; ``None`` if it is not held.
    """
    if not item.form.held:
        return None
    outside, width = grip_at(item, pose, hand.tool)
    thin = item.form.rim or bool(item.form.walls)
    middle = (np.array(hand.left) + np.array(hand.right)) / 2.0  # Fingers centre what they close on.
    shift = 0.0 if thin else float((middle - np.array(pose.position)) @ hand.closing)
    narrower, wider, least = _NARROWER, _WIDER, min(hand.opening, width) - LOSES
    if thin or not exact:  # How thick a wall is can hardly be seen.
        barely = _LEAST if exact else _BARELY * min(thinnest(item, width), *item.size)
        narrower, wider, least = width - barely, _SLANTED, min(barely, hand.opening - LOSES)
    wider = math.inf if stopped else wider
    if outside > (_AT_WALL if thin else _AROUND) or not -narrower < hand.opening - width < wider or (
            abs(shift) > _AROUND + width / 4.0):
        return None
    dx, dy, dz = (float(value) for value in shift * hand.closing)
    return HeldObject(hand.name, hand.tool.inverse().compose(pose.shifted((dx, dy, dz))), hand.opening, least)


def kept(grasp: HeldObject, hand: ObservedHand) -> bool:
    """Check whether a hand still holds what it grasped.

    Args:
        grasp: pose and opening at the time of the grasp.
        hand: tool pose and opening of a hand.

    Returns:
        True while the opening stays about the same.
    """
    return grasp.least < hand.opening < grasp.opening + _LETS_GO


class Grips:
    """Which objects are in which hands.

    Args:
        opening: of fingers that are fully open, metres; by default they never are.
    """

    def __init__(self, opening: float = math.inf) -> None:
        self._fully = opening - _FULLY
        self.held: Dict[str, HeldObject] = {}
        self._widest: Dict[str, float] = {}
        """How far the hands that let something go were open at most since then."""
        self._at: Dict[str, Tuple[Vector, float, float]] = {}
        """Where each hand is, and how far it was open there at most, and last."""

    def follow(self, hands: Mapping[str, ObservedHand], known: Mapping[str, Tuple[WorldObject, Pose]],
               unknown: Mapping[str, Tuple[WorldObject, Pose]] = MappingProxyType({})) -> Dict[str, Pose]:
        """Update which objects are held.

        Args:
            hands: tool pose and opening of each hand by name.
            known: objects and their poses by name that are not held; they take precedence.
            unknown: undescribed objects, which may be narrower than their box.

        Returns:
            Poses of the objects released just now.
        """
        released: Dict[str, Pose] = {}
        for name, grasp in list(self.held.items()):
            hand = hands.get(grasp.hand)
            if hand is None:
                continue
            if kept(grasp, hand) and hand.opening < max(self._fully, grasp.opening + _FULLY):
                self.held[name] = grasp.after(hand)
                continue
            del self.held[name]
            released[name] = hand.tool.compose(grasp.pose)
            self._widest[hand.name] = hand.opening
        for hand in hands.values():
            if hand.name in self._widest:
                self._widest[hand.name] = max(self._widest[hand.name], hand.opening)
        stops = {hand.name: self._stops(hand) for hand in hands.values()}
        for hand, (some, exact, stopped) in product(
                hands.values(), ((known, True, False), (unknown, False, False), (unknown, False, True))):
            if self.held_by(hand) or not self.may_hold(hand) or stopped and not stops[hand.name]:
                continue
            found = [(math.dist(hand.tool.position, pose.position), name, grasp)
                     for name, (item, pose) in some.items() if name not in self.held and name not in released
                     for grasp in (grasped(hand, item, pose, exact, stopped),) if grasp is not None]
            if found:
                _, name, grasp = min(found, key=lambda entry: entry[0])
                self.held[name] = grasp
        return released

    def may_hold(self, hand: ObservedHand) -> bool:
        """Check whether a hand may hold something: after a release its fingers surround the object until they retreat.

        Args:
            hand: tool pose and opening of a hand.

        Returns:
            True if its fingers are closed far enough.
        """
        return hand.opening < self._widest.get(hand.name, math.inf) - _CLOSES

    def _stops(self, hand: ObservedHand) -> bool:
        """Check whether a hand has closed where it is, and not on its way there."""
        here = hand.tool.position
        place, widest, last = self._at.get(hand.name, (here, hand.opening, hand.opening))
        if math.dist(place, here) > _AT_PLACE:
            place, widest = here, last
        widest = max(widest, hand.opening)
        self._at[hand.name] = place, widest, hand.opening
        return hand.opening < widest - (_HARDLY if widest > self._fully else _STOPS)

    def held_by(self, hand: ObservedHand) -> Tuple[str, ...]:
        """Return the objects that a hand holds.

        Args:
            hand: tool pose and opening of a hand.

        Returns:
            Their names.
        """
        return tuple(name for name, grasp in self.held.items() if grasp.hand == hand.name)

    def pose(self, name: str, hands: Mapping[str, ObservedHand]) -> Optional[Pose]:
        """Return the pose of a held object.

        Args:
            name: name of the object in the world.
            hands: tool pose and opening of each hand by name.

        Returns:
            World frame; ``None`` if its hand is not observed.
        """
        grasp = self.held[name]
        hand = hands.get(grasp.hand)
        return hand.tool.compose(grasp.pose) if hand is not None else None

    def lose(self, name: str, empty: bool = False) -> None:
        """Register that an object is not held after all.

        Args:
            name: name of the object in the world.
            empty: whether its hand holds nothing, until it closes again.
        """
        grasp = self.held.pop(name, None)
        if empty and grasp is not None:
            self._widest[grasp.hand] = grasp.opening

    def correct(self, name: str, hands: Mapping[str, ObservedHand], pose: Pose) -> None:
        """Move the grasp of a held object towards its observed pose.

        Args:
            name: name of the object in the world.
            hands: tool pose and opening of each hand by name.
            pose: observed pose, world frame.
        """
        grasp = self.held[name]
        hand = hands.get(grasp.hand)
        if hand is not None:
            seen = hand.tool.inverse().compose(pose)
            self.held[name] = replace(grasp, pose=grasp.pose.towards(seen, _TRUST))
