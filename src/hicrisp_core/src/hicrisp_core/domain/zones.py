"""The zones of a domain: things of the type that it says no base may enter."""

from __future__ import annotations

from typing import Iterable, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import KeepOut, WorldObject
from hicrisp_core.model.keep_out import zone


def is_zone(domain: Domain, thing: WorldObject) -> bool:
    """Check whether bases must keep out of an object's area.

    Args:
        domain: types, predicates and actions of the application.
        thing: an object or area of the world.

    Returns:
        Whether its type is the domain's forbidden type.
    """
    return bool(domain.roles.forbidden) and domain.is_a(thing.type, domain.roles.forbidden)


def zones_of(domain: Domain, things: Iterable[WorldObject]) -> Tuple[KeepOut, ...]:
    """Collect the zones that bases must keep out of.

    Args:
        domain: types, predicates and actions of the application.
        things: objects and areas of the world.

    Returns:
        Zones with a known pose, sorted by name; metres in the world frame.
    """
    found = (zone(thing) for thing in sorted(things, key=lambda thing: thing.name) if is_zone(domain, thing))
    return tuple(each for each in found if each is not None)
