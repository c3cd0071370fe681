"""What was measured of one object's shape, as text beside its shape's name: every node acts by the same form."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, Callable, Dict, Optional

from hicrisp_core.extensions import extensions
from hicrisp_core.model import Pose, Vector, WorldObject
from hicrisp_core.model.shapes import Grip, Handling, Shape, Solid, measured

_DIGITS = 6
_BY_SIZE = ("outline", "solids", "grips")
_KEPT = 1024
"""Forms that are kept each way: an object's stays the same from message to message."""


def known_shape(name: str) -> str:
    """Return the name of a known shape: by its bounding box for another one."""
    return name if name in extensions().shapes else "box"


def form_to_text(thing: Optional[WorldObject]) -> str:
    """Tell how the form of an object differs from the shape that has its name.

    Args:
        thing: the object, if there is one.

    Returns:
        JSON; empty if it does not differ.
    """
    if thing is None or thing.own_form is None:
        return ""
    return _text(thing.own_form, extensions().shapes.get(known_shape(thing.shape)), thing.size)


def form_from_text(shape: str, text: str) -> Shape:
    """Make the form of an object.

    Args:
        shape: name of its shape.
        text: how it differs from that, as :func:`form_to_text` tells it.

    Returns:
        The form; the shape by its name if the text cannot be read.
    """
    named: Shape = extensions().shapes.get(known_shape(shape))
    return _form(named, text) if text else named


@lru_cache(maxsize=_KEPT)
def _text(form: Shape, named: Shape, size: Vector) -> str:
    own = {each.name: getattr(form, each.name) for each in fields(Shape)
           if getattr(form, each.name) is not getattr(named, each.name)}
    said = {name: part(size) if name in _BY_SIZE and part is not None else part for name, part in own.items()}
    return json.dumps({name: _plain(part) for name, part in said.items()}) if said else ""


@lru_cache(maxsize=_KEPT)
def _form(named: Shape, text: str) -> Shape:
    try:
        return replace(named, **{name: _READ[name](part) for name, part in json.loads(text).items()})
    except (ValueError, TypeError, KeyError, AttributeError):
        return named


def _plain(part: Any) -> Any:
    if isinstance(part, Handling):
        return part.value
    if isinstance(part, Solid):
        return [part.kind, _plain(part.size), _plain(part.pose), _plain(part.share)]
    if isinstance(part, Grip):
        return [_plain(part.tool), _plain(part.width)]
    if isinstance(part, Pose):
        return _plain((*part.position, *part.orientation))
    if isinstance(part, tuple):
        return [_plain(each) for each in part]
    return round(part, _DIGITS) if isinstance(part, float) else part


def _vector(values: Any) -> Vector:
    x, y, z = map(float, values)
    return (x, y, z)


def _pose(values: Any) -> Pose:
    x, y, z, w = map(float, values[3:])
    return Pose(_vector(values[:3]), (x, y, z, w))


def _solids(said: Any) -> Any:
    return measured(tuple(
        Solid(str(kind), _vector(size), _pose(pose), float(share)) for kind, size, pose, share in said))


_READ: Dict[str, Callable[[Any], Any]] = {
    "outline": lambda said: measured(tuple((float(x), float(y)) for x, y in said)),
    "solids": _solids,
    "handling": Handling,
    **dict.fromkeys(("round", "hollow", "ground", "open", "blade"), bool),
    **dict.fromkeys(("friction", "dip"), float),
    "grips": lambda said: None if said is None else _solids(said),
    "walls": lambda said: tuple(Grip(_pose(tool), float(width)) for tool, width in said),
}
