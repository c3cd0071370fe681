"""Objects that only the simulator knows of: files of ``config/worlds``, drawn by seed and put on a scene's table."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
from pydantic import PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass as pydantic_dataclass

from hicrisp_core.config.files import config_file
from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Vector, WorldObject
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cabinet import CabinetEntry, drawn_cabinet
from hicrisp_core.scene.colours import COLOURS, Colour
from hicrisp_core.scene.forms import FORMS, Piece, scaled
from hicrisp_core.scene.layout import RandomSpot, draw_layout
from hicrisp_core.scene.table import Size

_BOARD = 400.0
"""Density of what a cabinet is made of, kg/m3."""
_CLEAR = 0.25
"""Opacity of what is transparent."""


@pydantic_dataclass(frozen=True, config=STRICT)
class WareEntry:
    """An object that may stand there.

    Args:
        form: one of ``forms.FORMS``.
        size: extents along its own axes as it stands, metres.
        density: of its material, kg/m3.
        paints: sets of colours for its parts, of which one is drawn.
        transparent: whether depth cameras see through it.
        nouns: what a judge accepts as its name.
    """

    form: str
    size: Size
    density: PositiveFloat
    paints: Tuple[Tuple[str, ...], ...]
    transparent: bool = False
    nouns: Tuple[str, ...] = ()


@pydantic_dataclass(frozen=True, config=STRICT)
class WaresFile:
    """A file of ``config/worlds``.

    Args:
        number: how many of the objects are drawn, at least and at most.
        spot: where they are put by chance.
        objects: which there are, by name.
        cabinet: one that stands beside them; ``None`` for none.
    """

    number: Tuple[PositiveInt, PositiveInt]
    spot: RandomSpot
    objects: Mapping[str, WareEntry]
    cabinet: Optional[CabinetEntry] = None


@dataclass(frozen=True)
class Ware(WorldObject):
    """An object with the pieces that it is made of.

    Args:
        pieces: in its frame, whose origin is the middle of its bounding box as it stands.
        paints: red, green, blue and opacity of its paints.
        density: of its material, kg/m3.
        nouns: what a judge accepts as its name.
    """

    pieces: Tuple[Piece, ...] = field(default=(), repr=False, compare=False)
    paints: Tuple[Colour, ...] = ()
    density: float = 1000.0
    nouns: Tuple[str, ...] = ()

    @property
    def transparent(self) -> bool:
        """Whether depth cameras see through it."""
        return any(opacity < 1.0 for *_, opacity in self.paints)

    @property
    def corners(self) -> np.ndarray:
        """Corners of all pieces where it is, array (n, 3), world frame; its own frame without a pose."""
        corners = np.concatenate([piece.corners for piece in self.pieces])
        return corners if self.pose is None else corners @ np.array(self.pose.axes) + self.pose.position

    @property
    def middle(self) -> Vector:
        """Middle of the room that it takes where it is, world frame, metres."""
        x, y, z = ((self.corners.min(axis=0) + self.corners.max(axis=0)) / 2.0).tolist()
        return x, y, z


def with_undescribed(scene: Scene, seed: int) -> Scene:
    """Put on a scene's table what its file leaves to the simulator.

    Args:
        scene: as other nodes have it.
        seed: draws which objects, their colours and their places.

    Returns:
        The scene with these objects among its ``unknown``.

    Raises:
        ConfigError: with file, line, key and what is valid; also if no layout has room for them.
    """
    if not scene.undescribed:
        return scene
    path = config_file("worlds", scene.undescribed, beside=scene.source or None)
    values, positions = read_yaml(path)
    told = read_settings(WaresFile, values, positions)
    for name, entry in told.objects.items():
        at: Tuple[Any, ...] = ("objects", name)
        if entry.form not in FORMS:
            raise positions.error((*at, "form"), f"'{entry.form}' is not one of: {', '.join(FORMS)}")
        unpainted = {colour for paints in entry.paints for colour in paints} - set(COLOURS)
        if unpainted:
            raise positions.error((*at, "paints"), f"'{min(unpainted)}' is not one of: {', '.join(COLOURS)}")
        if name in scene.objects or name in scene.robots:
            raise positions.error(at, f"the name '{name}' is taken by the scene")
    dice = random.Random(f"{scene.undescribed} {seed}")
    most = min(told.number[1], len(told.objects))
    drawn = dice.sample(sorted(told.objects), dice.randint(min(told.number[0], most), most))
    wares = {name: _ware(name, told.objects[name], dice) for name in drawn}
    fittings = _fittings(told.cabinet, dice) if told.cabinet is not None else {}
    placed = draw_layout({**scene.objects, **fittings, **wares}, dict.fromkeys(wares, told.spot), seed)
    if placed is None:
        raise ConfigError(f"{path}: no random layout was found for {', '.join(wares)} with seed {seed}; make 'spot' "
                          "wider")
    others = (item for item in scene.unknown if not isinstance(item, Ware))
    return replace(scene, unknown=(*others, *fittings.values(), *(placed[name] for name in wares)))


def _fittings(entry: CabinetEntry, dice: random.Random) -> Dict[str, Ware]:
    paints = dice.choice(entry.paints)
    return {each.name: Ware(each.name, "", "box", each.size, {}, each.pose, movable=False, joint=each.joint,
                            pieces=each.pieces, paints=tuple(COLOURS[colour] for colour in paints), density=_BOARD)
            for each in drawn_cabinet(entry, dice)}


def _ware(name: str, entry: WareEntry, dice: random.Random) -> Ware:
    paints = dice.choice(entry.paints)
    rgba = tuple((*COLOURS[colour][:3], _CLEAR if entry.transparent else 1.0) for colour in paints)
    return Ware(name, "", "box", entry.size, {"colour": paints[0]}, pieces=scaled(FORMS[entry.form](), entry.size),
                paints=rgba, density=entry.density, nouns=entry.nouns)


def wares_of(scene: Scene) -> List[Ware]:
    """Return the objects that only the simulator knows of a scene, without its furniture."""
    return [item for item in scene.unknown if isinstance(item, Ware) and item.movable]


def fittings_of(scene: Scene) -> List[Ware]:
    """Return the case of a scene's cabinet and its parts, of which only the simulator knows."""
    return [item for item in scene.unknown if isinstance(item, Ware) and not item.movable]
