"""The zones of a domain: objects of the type that it says no base may enter."""

from __future__ import annotations

from typing import Iterable, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import KeepOut, WorldObject
from hicrisp_core.model.keep_out import zone


def is_zone(domain: Domain, item: WorldObject) -> bool:
    """Whether no base may enter an object's ground."""
    return bool(domain.roles.forbidden) and domain.is_a(item.type, domain.roles.forbidden)


def zones_of(domain: Domain, objects: Iterable[WorldObject]) -> Tuple[KeepOut, ...]:
    """The zones among some objects, by name, as far as it is known where they lie."""
    found = (zone(item) for item in sorted(objects, key=lambda item: item.name) if is_zone(domain, item))
    return tuple(each for each in found if each is not None)
