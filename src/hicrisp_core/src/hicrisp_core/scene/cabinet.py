"""A cabinet that only the simulator knows of: a drawer with a bar beside a door with a knob, drawn by seed."""

from __future__ import annotations

import math
import random
from typing import List, NamedTuple, Optional, Tuple

from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT
from hicrisp_core.model import Pose, Vector
from hicrisp_core.model.geometry import from_axes, from_yaw, rotate
from hicrisp_core.model.joint import SLIDE, SWING, Joint
from hicrisp_core.scene.forms import Piece, block, rod

Between = Tuple[float, float]
"""Least and greatest value that is drawn."""
CASE, DRAWER, DOOR = "case", "drawer", "door"
_PANEL, _WALL, _FLOOR, _RIM = 0.016, 0.006, 0.004, 0.02
"""Thickness of a front, of a drawer's walls and of its floor, and width of the frame around each front, metres."""
_STANDS_OFF, _POST = 0.042, 0.010
"""Distance of a bar's middle from its front, and thickness of what holds it, metres."""
_OUT, _SWINGS = 0.17, math.radians(100.0)
"""How far the drawer and the door open, metres and radians."""


@dataclass(frozen=True, config=STRICT)
class CabinetEntry:
    """Where a cabinet may stand, and how large it may be: metres and degrees, each drawn between two values.

    Args:
        away: of the middle of its front from the world's origin.
        bearing: direction from there, to which its back looks.
        turn: by how much it is turned from that about the vertical.
        widths: of the drawer's and the door's front.
        height: of both.
        depth: of the case behind them.
        paints: colours of case, fronts and handles, of which one set is drawn.
    """

    away: Between
    bearing: Between
    turn: Between
    widths: Between
    height: Between
    depth: Between
    paints: Tuple[Tuple[str, str, str], ...]


class Fitting(NamedTuple):
    """The case, or a part that hangs on it.

    Args:
        name: one of ``CASE``, ``DRAWER`` and ``DOOR``.
        pose: of its middle when closed, world frame.
        size: extents of its box without the handle, metres.
        pieces: in its frame, with the number of their paint; x is out of the front.
        joint: what it hangs on; ``None`` for the case.
    """

    name: str
    pose: Pose
    size: Vector
    pieces: Tuple[Piece, ...]
    joint: Optional[Joint] = None


def drawn_cabinet(entry: CabinetEntry, dice: random.Random) -> List[Fitting]:
    """Draw a cabinet that stands on the plane z = 0.

    Args:
        entry: what it may be.
        dice: the generator.

    Returns:
        The case, the drawer and the door.
    """
    bearing, away = math.radians(dice.uniform(*entry.bearing)), dice.uniform(*entry.away)
    out = from_yaw(bearing + math.pi + math.radians(dice.uniform(*entry.turn)))
    front = Pose((away * math.cos(bearing), away * math.sin(bearing), 0.0), out)
    widths, height, depth = [dice.uniform(*entry.widths) for _ in range(2)], dice.uniform(*entry.height), \
        dice.uniform(*entry.depth)
    order, side = dice.sample((DRAWER, DOOR), 2), dice.choice((-1.0, 1.0))
    whole, high = sum(widths) + 3.0 * _RIM, height + 2.0 * _RIM
    case = _case(front, whole, high, depth, widths)
    fittings, left = [case], -whole / 2.0 + _RIM
    for name, width in zip(order, widths):
        home = front.compose(Pose((_PANEL / 2.0, left + width / 2.0, high / 2.0)))
        fittings.append((_drawer if name == DRAWER else _door)(home, width, height, depth, side, dice))
        left += width + _RIM
    return fittings


def _case(front: Pose, width: float, high: float, depth: float, widths: List[float]) -> Fitting:
    """Return a box that is open behind its fronts."""
    x, y, z = depth / 2.0, width / 2.0, high / 2.0
    middle = -y + 1.5 * _RIM + widths[0]
    walls = [block((-x, -y, -z), (x, y, -z + _RIM)), block((-x, -y, z - _RIM), (x, y, z)),
             block((-x, -y, -z), (-x + _RIM, y, z)), *(block((-x, at - _RIM / 2.0, -z), (x, at + _RIM / 2.0, z))
                                                         for at in (-y + _RIM / 2.0, middle, y - _RIM / 2.0))]
    return Fitting(CASE, front.compose(Pose((-x, 0.0, z))), (depth, width, high), tuple(walls))


def _drawer(home: Pose, width: float, height: float, depth: float, _: float, dice: random.Random) -> Fitting:
    half, long = (_PANEL / 2.0, width / 2.0, height / 2.0), dice.uniform(0.08, min(0.13, width - 0.04))
    back, inner, low = -(depth - 1.5 * _RIM), width / 2.0 - 0.008, -half[2] + 0.006
    rim = half[2] - 0.02
    box = [block((back, -inner, low), (0.0, inner, low + _FLOOR)),
           block((back, -inner, low), (back + _WALL, inner, rim)),
           *(block((back, side - _WALL / 2.0, low), (0.0, side + _WALL / 2.0, rim)) for side in (-inner, inner))]
    at = (half[0] + _STANDS_OFF, 0.0, dice.uniform(0.0, height / 4.0))
    bar = rod(at, (0.0, 1.0, 0.0), 0.012, long, 2)
    posts = [rod((half[0] + _STANDS_OFF / 2.0, side * (long / 2.0 - _POST), at[2]), (1.0, 0.0, 0.0), _POST,
                 _STANDS_OFF, 2) for side in (-1.0, 1.0)]
    axis = rotate(home.orientation, (1.0, 0.0, 0.0))
    handle = Pose(at, from_axes((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    joint = Joint(SLIDE, CASE, home, axis, home.position, (0.0, _OUT), handle, (0.012, long))
    return Fitting(DRAWER, home, (_PANEL, width, height), (_panel(half), *box, bar, *posts), joint)


def _door(home: Pose, width: float, height: float, _: float, side: float, dice: random.Random) -> Fitting:
    half = (_PANEL / 2.0, width / 2.0, height / 2.0)
    at = (half[0] + _STANDS_OFF, -side * (half[1] - dice.uniform(0.03, 0.045)), dice.uniform(-0.02, height / 4.0))
    knob = rod(at, (0.0, 0.0, 1.0), 0.026, 0.028, 2)
    neck = rod((half[0] + _STANDS_OFF / 2.0, at[1], at[2]), (1.0, 0.0, 0.0), _POST, _STANDS_OFF, 2)
    joint = Joint(SWING, CASE, home, (0.0, 0.0, side), home.apply((-half[0], side * half[1], 0.0)), (0.0, _SWINGS),
                  Pose(at), (0.026, 0.028))
    return Fitting(DOOR, home, (_PANEL, width, height), (_panel(half), knob, neck), joint)


def _panel(half: Vector) -> Piece:
    return block((-half[0], -half[1], -half[2]), half, 1)
