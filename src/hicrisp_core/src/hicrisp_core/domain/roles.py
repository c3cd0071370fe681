"""Roles: which of a domain's own words stand for what the code reasons about.

The code never asks for a predicate called ``holding``; it asks for the one that the domain says is ``held``.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, FrozenSet, Iterable, Mapping, Tuple, cast

from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT
from hicrisp_core.model import Relation, WorldState


@dataclass(frozen=True, config=STRICT)
class Roles:
    """A domain's words by role; empty for a role that nothing plays.

    Args:
        held: predicate (robot or hand, object): in the hand.
        stands_on: predicate (object, object): on top of, and moved with it.
        inside: predicate (object, container): in it, and moved with it.
        aboard: predicate (object, base): carried by the base.
        located: predicate (base, area): where a base is.
        docked: predicate (base, station).
        visited: predicate (base, area): was there during the task.
        waits_for: predicate (area, area): the second is to be visited first.
        not_due: predicate (area): the task asks for no visit now.
        touched: predicate (base): met something on its way.
        near_miss: predicate (base): passed something too closely.
        entered: predicate (base, zone): was where it must not be.
        item: name of the parameter that is the object an action handles.
        area: type of the places that a base visits.
        forbidden: type of the zones that no base may enter.
        surface: type of tables: many objects stand on one beside each other.
        tray: type of what a base carries objects on.
        obstacle: type of what stands in the way of a base.
    """

    held: str = ""
    stands_on: str = ""
    inside: str = ""
    aboard: str = ""
    located: str = ""
    docked: str = ""
    visited: str = ""
    waits_for: str = ""
    not_due: str = ""
    touched: str = ""
    near_miss: str = ""
    entered: str = ""
    item: str = "item"
    area: str = ""
    forbidden: str = ""
    surface: str = ""
    tray: str = ""
    obstacle: str = ""

    @property
    def drives(self) -> bool:
        """Whether bases drive to areas."""
        return bool(self.area and self.located)

    @property
    def arrivals(self) -> Tuple[str, ...]:
        """The predicates that a drive to a place makes true."""
        return tuple(filter(None, (self.visited, self.located, self.docked)))

    @property
    def carries(self) -> Tuple[str, ...]:
        """The predicates whose subject goes where its object goes."""
        return tuple(filter(None, (self.stands_on, self.inside, self.aboard)))

    def holders(self, relations: Iterable[Relation]) -> Mapping[str, str]:
        """What is in which hand: the robot's or hand's name by the object's."""
        return {fact.object: fact.subject for fact in relations if self.held and fact.predicate == self.held}

    def is_held(self, world: WorldState, name: str) -> bool:
        """Whether an object is in a hand."""
        return name in self.holders(world.relations)

    def riding(self, world: WorldState) -> FrozenSet[str]:
        """The objects that a base carries: they are in nobody's way."""
        return frozenset(fact.subject for fact in world.relations if self.aboard and fact.predicate == self.aboard)

    def upon(self, world: WorldState, name: str) -> FrozenSet[str]:
        """The objects that stand on an object."""
        return _subjects(world, self.stands_on, name)

    def within(self, world: WorldState, name: str) -> FrozenSet[str]:
        """The objects that are inside an object."""
        return _subjects(world, self.inside, name)


ROLE_NAMES = tuple(entry.name for entry in fields(cast(Any, Roles)))
TYPE_ROLES = ("area", "forbidden", "surface", "tray", "obstacle")
"""The roles that types play; one that a domain gives to none goes to the type of the role's own name."""
ITEM, TARGET, AMOUNT = PARAMETER_ROLES = ("item", "target", "amount")
"""The roles that parameters play; predicates play all others. One of the role's own name does so untold."""
PREDICATE_ROLES = tuple(name for name in ROLE_NAMES if name not in (*TYPE_ROLES, *PARAMETER_ROLES))


def _subjects(world: WorldState, predicate: str, object_: str) -> FrozenSet[str]:
    return frozenset(fact.subject for fact in world.relations
                     if predicate and fact.predicate == predicate and fact.object == object_)
