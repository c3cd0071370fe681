"""The shapes of objects: footprints, solids and how a gripper takes them; metres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from typing import Callable, Optional, Tuple, TypeVar

from hicrisp_core.model.geometry import Pose, Vector, from_yaw

BOWL_WALL = 0.006
"""Thickness of a bowl's wall and floor, metres."""
_STAVES = 20
"""Boxes that make the wall of a bowl."""
_POST = 0.018
"""Width of the post by which a board is held, and of a knife's handle, metres."""
_HANDLE, _BLADE, _FOOT = (0.06, 0.035), 0.002, 0.006
"""Length and height of a knife's handle, thickness of its blade and of its feet, metres."""
_CIRCLE = tuple((math.cos(math.tau * i / 48), math.sin(math.tau * i / 48)) for i in range(48))
Outline = Tuple[Tuple[float, float], ...]
"""Corners of a convex outline, counterclockwise, metres."""
_Part = TypeVar("_Part")


class Handling(Enum):
    """How a parallel gripper takes hold of a shape, and how often the shape looks the same as it turns."""

    SIDES = "sides"
    """By its level sides: along its own x, y or z."""
    ROUND = "round"
    """From any direction across its z axis."""
    RIM = "rim"
    """By its wall, from above: one finger inside, one outside."""
    NONE = "none"
    """Not at all."""


@dataclass(frozen=True)
class Solid:
    """One of the solids that a shape is made of.

    Args:
        kind: ``box``, or ``cylinder`` about its own z axis.
        size: extents along its own axes, metres; a cylinder's x and y are its diameter.
        pose: of its middle in the object's frame, whose origin is the middle of the object's bounding box.
        share: part of the object's mass; 0 where the volume decides.
    """

    kind: str
    size: Vector
    pose: Pose = Pose((0.0, 0.0, 0.0))
    share: float = 0.0

    @property
    def volume(self) -> float:
        """Cubic metres."""
        x, y, z = self.size
        return x * y * z * (math.pi / 4.0 if self.kind == "cylinder" else 1.0)


@dataclass(frozen=True)
class Grip:
    """Where fingers fit around a part of an object that is wider than the hand: a wall, a bar or a knob.

    Args:
        tool: the tool centre point in the object's frame, whose fingers close along its y axis.
        width: of the part between them, metres.
    """

    tool: Pose
    width: float

    @property
    def leans(self) -> bool:
        """Whether the hand is neither level nor points straight down while the object stands: it pinches a rim."""
        return 0.3 < -self.tool.axes[2][2] < 0.99


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape of objects; ``size`` is always the extents of the object's bounding box, metres.

    Args:
        outline: the footprint of an upright object in its own frame, from its size.
        solids: what it is made of, from its size; none for what is no obstacle.
        handling: how a hand takes it.
        round: whether it is as wide in every direction while it stands.
        hollow: whether objects go into it.
        ground: whether it is furniture or a place, on which objects stand and which is in nobody's way.
        open: whether liquid goes in and out at its top, from which a hand keeps away while it stands.
        friction: of its surface; of two that touch, the rougher one counts.
        blade: whether its first solid cuts.
        grips: from its size, the boxes by which hands take it where it has parts for that.
        walls: where hands take it, as it stands, that are too small for its sides.
        dip: how far below its top something on it may stand, as on a plate, metres.
        profile: heights above its bottom, ascending, and how wide a round object is up to each, metres; as wide as its
            bounding box by default.
    """

    outline: Callable[[Vector], Outline]
    solids: Callable[[Vector], Tuple[Solid, ...]]
    handling: Handling = Handling.SIDES
    round: bool = False
    hollow: bool = False
    ground: bool = False
    open: bool = False
    friction: float = 0.7
    blade: bool = False
    grips: Optional[Callable[[Vector], Tuple[Solid, ...]]] = None
    walls: Tuple[Grip, ...] = ()
    dip: float = 0.0
    profile: Tuple[Tuple[float, float], ...] = ()

    @property
    def held(self) -> bool:
        """Whether a hand can have it at all."""
        return self.handling is not Handling.NONE or self.grips is not None or bool(self.walls)

    @property
    def boxy(self) -> bool:
        """Whether hands take it by its sides."""
        return self.handling is Handling.SIDES

    @property
    def pinched(self) -> bool:
        """Whether hands pinch its rim, from which it hangs."""
        return any(grip.leans for grip in self.walls)

    @property
    def walled(self) -> bool:
        """Whether it is made of straight walls with room between them."""
        return self.handling is Handling.NONE and not (self.round or self.ground)

    @property
    def rod(self) -> bool:
        """Whether hands take it from any direction across its axis."""
        return self.handling is Handling.ROUND

    @property
    def rim(self) -> bool:
        """Whether hands take it by its wall."""
        return self.handling is Handling.RIM


def shares(solids: Tuple[Solid, ...]) -> Tuple[float, ...]:
    """Distribute the mass over solids.

    Args:
        solids: the parts of one object.

    Returns:
        The share of each, 0 to 1.
    """
    whole = sum(solid.volume for solid in solids) or 1.0
    return tuple(solid.share or solid.volume / whole for solid in solids)


def measured(part: _Part) -> Callable[[Vector], _Part]:
    """Make the part of a shape that was measured with one object, whose size it has.

    Args:
        part: its outline, solids or grips.

    Returns:
        The part for a shape.
    """
    return partial(_measured, part)


def _measured(part: _Part, size: Vector) -> _Part:
    del size  # It has been measured with it.
    return part


def rectangle(size: Vector) -> Outline:
    """Return the outline of the bounding box.

    Args:
        size: x, y, z, metres.

    Returns:
        Corners in the object's frame, metres, counter-clockwise.
    """
    x, y = size[0] / 2.0, size[1] / 2.0
    return ((-x, -y), (x, -y), (x, y), (-x, y))


@lru_cache(maxsize=64)
def circle(size: Vector) -> Outline:
    """Return the outline of a circle as wide as the bounding box.

    Args:
        size: x, y, z, metres.

    Returns:
        Points in the object's frame, metres, counter-clockwise.
    """
    radius = size[0] / 2.0
    return tuple((radius * cosine, radius * sine) for cosine, sine in _CIRCLE)


def one_box(size: Vector) -> Tuple[Solid, ...]:
    """Return the bounding box as the only solid.

    Args:
        size: x, y, z, metres.

    Returns:
        One box.
    """
    return (Solid("box", size),)


def _one_cylinder(size: Vector) -> Tuple[Solid, ...]:
    return (Solid("cylinder", size),)


def _bowl(size: Vector) -> Tuple[Solid, ...]:
    """A disc with a ring of flat staves on it; open at the top. Only the floor stands: fewer contacts."""
    radius, height, half = size[0] / 2.0, size[2], BOWL_WALL / 2.0
    floor = Solid("cylinder", (2.0 * radius - BOWL_WALL, 2.0 * radius - BOWL_WALL, BOWL_WALL),
                  Pose((0.0, 0.0, half - height / 2.0)), 0.5)
    wall, width = radius - half, 2.0 * radius * math.tan(math.pi / _STAVES)
    staves = [Solid("box", (BOWL_WALL, width, height - half),
                    Pose((wall * math.cos(angle), wall * math.sin(angle), half / 2.0), from_yaw(angle)), 0.5 / _STAVES)
              for angle in (math.tau * stave / _STAVES for stave in range(_STAVES))]
    return (floor, *staves)


def _walled(size: Vector, top: bool, front: bool) -> Tuple[Solid, ...]:
    """A box of walls; its front is at its greatest x."""
    x, y, z = size
    wall = BOWL_WALL
    plates = [((x, y, wall), (0.0, 0.0, (wall - z) / 2.0)), ((wall, y, z), ((wall - x) / 2.0, 0.0, 0.0)),
              *(((x, wall, z), (0.0, side * (y - wall) / 2.0, 0.0)) for side in (-1, 1))]
    plates += [((x, y, wall), (0.0, 0.0, (z - wall) / 2.0))] if top else []
    plates += [((wall, y, z), ((x - wall) / 2.0, 0.0, 0.0))] if front else []
    return tuple(Solid("box", extents, Pose(middle)) for extents, middle in plates)


def _post(size: Vector) -> Tuple[Solid, ...]:
    at = Pose(((size[0] - _POST) / 2.0, 0.0, BOWL_WALL / 2.0))
    return (Solid("box", (_POST, _POST, size[2] - BOWL_WALL), at, 0.1),)


def _board(size: Vector) -> Tuple[Solid, ...]:
    """A flat board; a post stands where its x is greatest."""
    x, y, z = size
    return (Solid("box", (x, y, BOWL_WALL), Pose((0.0, 0.0, (BOWL_WALL - z) / 2.0)), 0.9), *_post(size))


def _handle(size: Vector) -> Tuple[Solid, ...]:
    return (Solid("box", (_POST, _HANDLE[0], _HANDLE[1]), Pose((0.0, 0.0, (size[2] - _HANDLE[1]) / 2.0)), 0.5),)


def _knife(size: Vector) -> Tuple[Solid, ...]:
    """A blade across x under a handle, with a foot at either end on which it stands."""
    x, y, z = size
    blade = Solid("box", (_BLADE, y - 2.0 * _FOOT, z - _HANDLE[1]), Pose((0.0, 0.0, -_HANDLE[1] / 2.0)), 0.3)
    ends = [side * (y - _FOOT) / 2.0 for side in (-1.0, 1.0)]
    feet = [Solid("box", (x, _FOOT, 2.0 * _FOOT), Pose((0.0, end, _FOOT - z / 2.0)), 0.05) for end in ends]
    sides = [Solid("box", (_FOOT, _FOOT, z - _HANDLE[1]), Pose((0.0, end, -_HANDLE[1] / 2.0)), 0.05) for end in ends]
    return (blade, *_handle(size), *feet, *sides)


def _nothing(size: Vector) -> Tuple[Solid, ...]:
    del size  # However large it is, nobody bumps into it.
    return ()


SHAPES = {
    "box": Shape(rectangle, one_box),
    "cylinder": Shape(circle, _one_cylinder, Handling.ROUND, round=True),
    "bowl": Shape(circle, _bowl, Handling.NONE, round=True, hollow=True),
    "surface": Shape(rectangle, one_box, Handling.NONE, ground=True),
    "region": Shape(rectangle, _nothing, Handling.NONE, ground=True),
    "vessel": Shape(circle, _one_cylinder, Handling.ROUND, round=True, open=True),
    # Room between the walls of another object.
    "compartment": Shape(rectangle, _nothing, Handling.NONE, hollow=True, ground=True),
    # A cupboard without its door, open where its x is greatest, and a drawer.
    "case": Shape(rectangle, partial(_walled, top=True, front=False), Handling.NONE),
    "tray": Shape(rectangle, partial(_walled, top=False, front=True), Handling.NONE, hollow=True),
    "tumbler": Shape(circle, _bowl, Handling.ROUND, round=True, open=True, friction=0.2),
    "dish": Shape(circle, _bowl, Handling.RIM, round=True, hollow=True, friction=0.2),
    "ice": Shape(rectangle, one_box, friction=0.2),
    "board": Shape(rectangle, _board, hollow=True, grips=_post),
    "knife": Shape(rectangle, _knife, friction=0.2, blade=True, grips=_handle),
    "dough": Shape(circle, _one_cylinder, Handling.NONE, round=True, open=True, friction=0.9),
}
"""The workspace's own shapes by name."""
