"""What is in a hand: by where its fingers closed, from there on by the hand's pose."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import Dict, Mapping, Optional, Tuple

import numpy as np
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import Vector

_AROUND = 0.008
"""How far outside an object the middle of the fingers may be, metres."""
_WIDER = 0.006
"""How much wider than an object fingers may be that hold it, metres: its pose is not known exactly."""
_NARROWER = 0.012
_LETS_GO = 0.003
"""Opening of the fingers beyond the narrowest of a grasp that lets go, metres: with little room, they open
by 8 mm.
"""
_CLOSES = 0.002
"""Closing of the fingers after they let go that may be another grasp, metres."""
_LOSES = 0.006
"""Closing of the fingers beyond that of the grasp at which the object is no longer between them, metres."""
_SAMPLES = 60
"""Places between the fingers at which it is looked for."""
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
    """

    hand: str
    pose: Pose
    opening: float


def extent_along(item: WorldObject, pose: Pose, direction: np.ndarray) -> float:
    """Return the width of an object along a direction.

    Args:
        item: the object with its shape and size.
        pose: of the object, world frame.
        direction: unit vector (3,), world frame.

    Returns:
        Metres.
    """
    own = np.array(pose.axes) @ direction
    half = np.array(item.size) / 2.0
    if item.form.round:
        return 2.0 * (half[0] * math.hypot(own[0], own[1]) + half[2] * abs(own[2]))
    return 2.0 * float(np.abs(own) @ half)


def grasped(hand: ObservedHand, item: WorldObject, pose: Pose) -> Optional[HeldObject]:
    """Return the grasp of a hand that is closed around an object.

    Args:
        hand: tool pose and opening of a hand.
        item: the object with its shape and size.
        pose: of the object, world frame.

    Returns:
        The grasp; ``None`` if it is not held.
    """
    middle = (np.array(hand.left) + np.array(hand.right)) / 2.0  # Fingers centre what they close on.
    if not item.form.held:
        return None
    if item.form.rim or item.form.walls or item.form.grips is not None:  # Not as wide everywhere.
        between = _between(hand, item, pose, middle)
        if between is None:
            return None
        width, shift = between
    else:
        x, y, z = (abs(value) - size / 2.0 for value, size in zip(pose.seen(hand.tool.position), item.size))
        if max(x, y, z) > _AROUND:
            return None
        width = extent_along(item, pose, hand.closing)
        shift = float((middle - np.array(pose.position)) @ hand.closing)
    if not -_NARROWER < hand.opening - width < _WIDER or abs(shift) > _AROUND + width / 4.0:
        return None
    dx, dy, dz = (float(value) for value in shift * hand.closing)
    return HeldObject(hand.name, hand.tool.inverse().compose(pose.shifted((dx, dy, dz))), hand.opening)


def _between(hand: ObservedHand, item: WorldObject, pose: Pose, middle: np.ndarray) -> Optional[Tuple[float, float]]:
    """Return how wide what is between the fingers is where they are, and how far from their middle its own is; ``None``
    where nothing is.
    """
    reach = (hand.opening + _NARROWER) / 2.0
    along = np.linspace(-reach, reach, _SAMPLES)
    ahead = np.array(hand.tool.axes[2])
    places = middle + along[:, None, None] * hand.closing + np.array([-_AROUND, 0.0, _AROUND])[:, None] * ahead
    within = np.zeros(places.shape[:2], bool)
    for solid in (item.form.grips or item.form.solids)(item.size):
        frame = pose.compose(solid.pose)
        own = np.abs((places - np.array(frame.position)) @ np.array(frame.axes).T)
        within |= (own <= np.array(solid.size) / 2.0).all(axis=2)
    filled = along[within.any(axis=1)]
    return (float(np.ptp(filled)), -float(filled.mean())) if len(filled) else None


def kept(grasp: HeldObject, hand: ObservedHand) -> bool:
    """Check whether a hand still holds what it grasped.

    Args:
        grasp: pose and opening at the time of the grasp.
        hand: tool pose and opening of a hand.

    Returns:
        True while the opening stays about the same.
    """
    return -_LOSES < hand.opening - grasp.opening < _LETS_GO


class Grips:
    """Which objects are in which hands."""

    def __init__(self) -> None:
        self.held: Dict[str, HeldObject] = {}
        self._widest: Dict[str, float] = {}
        """How far the hands that let something go were open at most since then."""

    def follow(self, hands: Mapping[str, ObservedHand], *seen: Mapping[str, Tuple[WorldObject, Pose]]
               ) -> Dict[str, Pose]:
        """Update which objects are held.

        Args:
            hands: tool pose and opening of each hand by name.
            *seen: objects and their poses by name that are not held; earlier mappings take precedence.

        Returns:
            Poses of the objects released just now.
        """
        released: Dict[str, Pose] = {}
        for name, grasp in list(self.held.items()):
            hand = hands.get(grasp.hand)
            if hand is None:
                continue
            if kept(grasp, hand):
                self.held[name] = replace(grasp, opening=min(grasp.opening, hand.opening))
                continue
            del self.held[name]
            released[name] = hand.tool.compose(grasp.pose)
            self._widest[hand.name] = hand.opening
        for hand in hands.values():
            if hand.name in self._widest:
                self._widest[hand.name] = max(self._widest[hand.name], hand.opening)
        for hand, some in product(hands.values(), seen):
            if self.held_by(hand) or not self.may_hold(hand):
                continue
            found = [(math.dist(hand.tool.position, pose.position), name, grasp)
                     for name, (item, pose) in some.items() if name not in self.held and name not in released
                     for grasp in (grasped(hand, item, pose),) if grasp is not None]
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

    def lose(self, name: str) -> None:
        """Register that an object is not held after all.

        Args:
            name: name of the object in the world.
        """
        self.held.pop(name, None)

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
