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
        held: predicate (robot or hand, thing): in the hand.
        stands_on: predicate (thing, thing): on top of, and moved with it.
        inside: predicate (thing, container): in it, and moved with it.
        aboard: predicate (thing, base): carried by the base.
        located: predicate (base, area): where a base is.
        docked: predicate (base, station).
        visited: predicate (base, area): was there during the task.
        waits_for: predicate (area, area): the second is to be visited first.
        not_due: predicate (area): the task asks for no visit now.
        touched: predicate (base): met something on its way.
        near_miss: predicate (base): passed something too closely.
        entered: predicate (base, zone): was where it must not be.
        item: name of the parameter that is the thing an action handles.
        area: type of the places that a base visits.
        forbidden: type of the zones that no base may enter.
        surface: type of tables: many things stand on one beside each other.
        tray: type of what a base carries things on.
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
    def carries(self) -> Tuple[str, ...]:
        """The predicates whose subject goes where its object goes."""
        return tuple(filter(None, (self.stands_on, self.inside, self.aboard)))

    def holders(self, relations: Iterable[Relation]) -> Mapping[str, str]:
        """Find what is in which hand.

        Args:
            relations: the facts of a state.

        Returns:
            Name of the robot or hand by the name of the object that it holds.
        """
        return {fact.object: fact.subject for fact in relations if self.held and fact.predicate == self.held}

    def is_held(self, world: WorldState, name: str) -> bool:
        """Check whether an object is in a hand.

        Args:
            world: observed objects, robots and facts; poses in the world frame.
            name: the object's name.

        Returns:
            Whether a fact says so.
        """
        return name in self.holders(world.relations)

    def riding(self, world: WorldState) -> FrozenSet[str]:
        """Find the objects that a base carries; they are not obstacles to others.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            Names of the objects aboard.
        """
        return frozenset(fact.subject for fact in world.relations if self.aboard and fact.predicate == self.aboard)

    def upon(self, world: WorldState, name: str) -> FrozenSet[str]:
        """Find the objects that stand on an object.

        Args:
            world: observed objects, robots and facts; poses in the world frame.
            name: the object below.

        Returns:
            Names of the objects directly on it.
        """
        return _subjects(world, self.stands_on, name)

    def within(self, world: WorldState, name: str) -> FrozenSet[str]:
        """Find the objects inside an object.

        Args:
            world: observed objects, robots and facts; poses in the world frame.
            name: the container.

        Returns:
            Names of the objects directly in it.
        """
        return _subjects(world, self.inside, name)


ROLE_NAMES = tuple(entry.name for entry in fields(cast(Any, Roles)))
TYPE_ROLES = ("area", "forbidden", "surface", "tray", "obstacle")
"""The roles that types play; one that a domain gives to none goes to the type of the role's own name."""
ITEM = "item"
PARAMETER_ROLES = (ITEM,)
"""The roles that parameters play; predicates play all others."""
PREDICATE_ROLES = tuple(name for name in ROLE_NAMES if name not in (*TYPE_ROLES, *PARAMETER_ROLES))


def _subjects(world: WorldState, predicate: str, object_: str) -> FrozenSet[str]:
    return frozenset(fact.subject for fact in world.relations
                     if predicate and fact.predicate == predicate and fact.object == object_)
