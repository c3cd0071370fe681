"""The zones of a domain: things of the type that it says no base may enter."""

from __future__ import annotations

from typing import Iterable, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import KeepOut, WorldObject
from hicrisp_core.model.keep_out import zone


def is_zone(domain: Domain, thing: WorldObject) -> bool:
    """Whether no base may enter a thing's ground."""
    return bool(domain.roles.forbidden) and domain.is_a(thing.type, domain.roles.forbidden)


def zones_of(domain: Domain, things: Iterable[WorldObject]) -> Tuple[KeepOut, ...]:
    """The zones among some things, by name, as far as it is known where they lie."""
    found = (zone(thing) for thing in sorted(things, key=lambda thing: thing.name) if is_zone(domain, thing))
    return tuple(each for each in found if each is not None)
