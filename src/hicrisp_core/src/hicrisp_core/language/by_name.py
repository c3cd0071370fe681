"""What a request tells of things without their names, said with them, before anybody reads it."""

from __future__ import annotations

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.coloured_like import coloured_by_name
from hicrisp_core.language.describing import described_by_name
from hicrisp_core.language.located import named_by_where_it_is
from hicrisp_core.language.standing_out import named_by_place_and_size
from hicrisp_core.model import WorldState


def said_by_name(text: str, domain: Domain, world: WorldState) -> str:
    """The request with the names of things that it tells by size, place, use or kind, and of colours
    that it tells by what they are like, where those are clear.
    """
    text = coloured_by_name(text, world)
    for named in (named_by_place_and_size, named_by_where_it_is, described_by_name):
        text = named(text, domain, world)
    return text
