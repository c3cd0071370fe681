"""Forms of everyday objects as convex pieces, each with the number of its paint; scaled by those who use them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, List, Mapping, Sequence, Tuple

import numpy as np

_AROUND, _STAVES = 24, 20
"""Corners of what was turned on a lathe, and pieces around a hollow."""
_FOOT = 0.9
"""Width of a hollow's floor, as a share of that of its wall's foot."""


@dataclass(frozen=True)
class Piece:
    """A convex part of an object.

    Args:
        corners: array (n, 3) of which it is the hull, in the object's frame, metres.
        paint: number of its paint.
        box: whether it is a box along the axes.
    """

    corners: np.ndarray
    paint: int = 0
    box: bool = False


Profile = Sequence[Tuple[float, float]]
"""Radius and height at some places, from the bottom up, metres."""


def scaled(pieces: Sequence[Piece], size: Sequence[float]) -> Tuple[Piece, ...]:
    """Fit pieces into a bounding box.

    Args:
        pieces: in any frame.
        size: of the box along its axes, metres.

    Returns:
        The pieces with the origin in the middle of the box.
    """
    corners = np.concatenate([piece.corners for piece in pieces])
    low, high = corners.min(axis=0), corners.max(axis=0)
    factor = np.asarray(size) / (high - low)
    return tuple(Piece((piece.corners - (low + high) / 2.0) * factor, piece.paint, piece.box) for piece in pieces)


def block(low: Sequence[float], high: Sequence[float], paint: int = 0) -> Piece:
    """Return a box along the axes.

    Args:
        low: its least corner, metres.
        high: its greatest corner.
        paint: number of its paint.

    Returns:
        The piece.
    """
    edges = np.array([low, high], float)
    return Piece(np.array([[edges[i, 0], edges[j, 1], edges[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]),
                 paint, True)


def rod(middle: Sequence[float], along: Sequence[float], thick: float, long: float, paint: int = 0) -> Piece:
    """Return a round bar.

    Args:
        middle: of the bar, metres.
        along: unit vector of its axis, which is one of the frame's axes.
        thick: its diameter, metres.
        long: its length.
        paint: number of its paint.

    Returns:
        The piece.
    """
    around = np.concatenate([_ring(thick / 2.0, end) for end in (-long / 2.0, long / 2.0)])
    return Piece(np.roll(around, int(np.argmax(along)) - 2, axis=1) + np.asarray(middle), paint)


def _ring(radius: float, height: float, number: int = _AROUND) -> np.ndarray:
    angles = np.arange(number) * math.tau / number
    return np.column_stack((radius * np.cos(angles), radius * np.sin(angles), np.full(number, height)))


def _turned(profile: Profile, paint: int = 0) -> Piece:
    return Piece(np.concatenate([_ring(*place) for place in profile]), paint)


def _hollow(profile: Profile, wall: float, floor: float, paint: int = 0) -> List[Piece]:
    """Return staves and a floor."""
    found = [_turned([(_FOOT * profile[0][0], profile[0][1]), (_FOOT * profile[0][0], profile[0][1] + floor)], paint)]
    for lower, upper in zip(profile, profile[1:]):
        for index in range(_STAVES):
            ends = (index * math.tau / _STAVES, (index + 1) * math.tau / _STAVES)
            found.append(Piece(np.array([
                (radius * math.cos(angle), radius * math.sin(angle), height) for outer, height in (lower, upper)
                for radius in (outer - wall, outer) for angle in ends]), paint))
    return found


def _bar(path: Sequence[Tuple[float, float, float]], sides: int, paints: Sequence[int]) -> List[Piece]:
    """Return round pieces along a path in the plane y = 0, each place with its x, z and radius."""
    places = np.array(path)
    ways = np.gradient(places[:, :2], axis=0)
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    rings = []
    for (x, z, radius), (along, up) in zip(places, ways):
        around = _ring(radius, 0.0, sides)
        rings.append(np.column_stack((x - around[:, 0] * up, around[:, 1], z + around[:, 0] * along)))
    return [Piece(np.concatenate(pair), paint) for *pair, paint in zip(rings, rings[1:], paints)]


def _arc(middle: Tuple[float, float], radius: float, ends: Tuple[float, float],
         thick: Sequence[float]) -> List[Tuple[float, float, float]]:
    angles = np.radians(np.linspace(*ends, len(thick)))
    return [(middle[0] + radius * math.cos(angle), middle[1] + radius * math.sin(angle), half)
            for angle, half in zip(angles, thick)]


def _lying(pieces: Sequence[Piece]) -> List[Piece]:
    """Return what stood in the plane y = 0 lying on the ground."""
    return [Piece(piece.corners[:, [0, 2, 1]] * (1.0, 1.0, -1.0), piece.paint) for piece in pieces]


def _mug() -> List[Piece]:
    handle = _arc((0.036, 0.048), 0.030, (-75.0, 75.0), [0.0055] * 7)
    return [*_hollow([(0.038, 0.0), (0.041, 0.012), (0.041, 0.092)], 0.004, 0.006), *_bar(handle, 8, [1] * 6)]


def _bottle() -> List[Piece]:
    return [_turned([(0.030, 0.0), (0.033, 0.004), (0.033, 0.050)]),
            _turned([(0.0332, 0.050), (0.0332, 0.115)], 1), _turned([(0.033, 0.115), (0.033, 0.125), (0.024, 0.153),
                                                                      (0.014, 0.170)]),
            _turned([(0.0135, 0.170), (0.0135, 0.197)]), _turned([(0.0155, 0.197), (0.0155, 0.215)], 2)]


def _screwdriver() -> List[Piece]:
    handle = [(0.0, 0.0, 0.012), (0.006, 0.0, 0.016), (0.070, 0.0, 0.016), (0.085, 0.0, 0.011), (0.095, 0.0, 0.013)]
    shaft = [(0.095, 0.0, 0.0035), (0.205, 0.0, 0.0035), (0.215, 0.0, 0.0025)]
    return [*_bar(handle, 8, (1, 0, 0, 1)), *_bar(shaft, 8, (2, 2))]


def _bowl() -> List[Piece]:
    return _hollow([(0.036, 0.0), (0.062, 0.018), (0.077, 0.042), (0.082, 0.062)], 0.004, 0.006)


def _glass() -> List[Piece]:
    return _hollow([(0.029, 0.0), (0.037, 0.105)], 0.003, 0.008)


def _lemon() -> List[Piece]:
    profile = [(0.004, -0.039), (0.008, -0.034), *((0.028 * math.cos(angle), 0.034 * math.sin(angle))
               for angle in np.linspace(-1.1, 1.1, 9)), (0.008, 0.034), (0.004, 0.039)]
    turned = _turned(profile)
    return [Piece(turned.corners[:, [2, 0, 1]])]


def _banana() -> List[Piece]:
    thick = [0.005, 0.006, 0.0155, 0.018, 0.018, 0.016, 0.011, 0.005]
    return _lying(_bar(_arc((0.0, 0.0), 0.105, (30.0, 150.0), thick), 12, (1, 0, 0, 0, 0, 0, 1)))


def _cards() -> List[Piece]:
    return [block((0.0, 0.0, 0.0), (0.076, 0.065, 0.022)), block((0.076, 0.0, 0.0), (0.092, 0.065, 0.022), 1)]


def _carton() -> List[Piece]:
    return [block((0.0, 0.0, 0.0), (0.095, 0.025, 0.075)), block((0.0, 0.025, 0.0), (0.095, 0.045, 0.075), 1),
            block((0.0, 0.045, 0.0), (0.095, 0.070, 0.075))]


def _cereal() -> List[Piece]:
    return [block((0.0, 0.0, 0.0), (0.155, 0.058, 0.060)), block((0.0, 0.0, 0.060), (0.155, 0.058, 0.145), 1),
            block((0.0, 0.0, 0.145), (0.155, 0.058, 0.185), 2), block((0.0, 0.0, 0.185), (0.155, 0.058, 0.215))]


FORMS: Mapping[str, Callable[[], List[Piece]]] = {
    "banana": _banana, "bottle": _bottle, "bowl": _bowl, "cards": _cards, "carton": _carton, "cereal": _cereal,
    "glass": _glass, "lemon": _lemon, "mug": _mug, "screwdriver": _screwdriver,
}
"""What objects can be, by name."""
