"""Deliveries as steps: the arm loads and unloads where the base docks, the base carries."""

from __future__ import annotations

from typing import Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.actions import arguments, of_skill
from hicrisp_core.language.builder import PlanBuilder
from hicrisp_core.language.goals import goal_of_relation
from hicrisp_core.language.intents import Delivery, NotUnderstood, Noun
from hicrisp_core.language.names import Names
from hicrisp_core.language.vocabulary import Vocabulary
from hicrisp_core.model import Relation, Step, WorldState
from hicrisp_core.ports.kinds import BASE

_PRONOUNS = ("it", "them")


class DeliveryPlanner:
    """Adds the steps of deliveries to those of a builder, one after another, on the builder's own world.

    Args:
        names: resolves the things; "it" is what the part before was about.
    """

    def __init__(self, domain: Domain, world: WorldState, names: Names, builder: PlanBuilder) -> None:
        self._domain = domain
        self._world = world
        self._names = names
        self._builder = builder
        self._known = Vocabulary.of(domain, world)
        self._cargo: Tuple[str, ...] = ()
        """What "it" is that comes back or is unloaded."""

    def plan(self, delivery: Delivery) -> None:
        """Add the steps of one part of a request.

        Raises:
            NotUnderstood: when a thing or a place is not there, or no way is found.
        """
        base = self._base(delivery.robot)
        if delivery.kind == "unload":
            self._unload(delivery.items, base)
        elif delivery.kind == "return" and not delivery.place:
            self._dock(base)
        elif delivery.kind == "return":
            self._to_table(delivery, base)
        else:
            self._load(delivery.items, base, means=delivery.kind == "carry")
            if delivery.kind == "carry":
                self._carry(delivery, base)

    def _load(self, items: Tuple[Noun, ...], base: str, means: bool) -> None:
        self._cargo = self._names.items(items) if items else self._carried(base)
        for item in self._cargo:
            self._achieve(self._domain.roles.aboard, item, base, means)

    def _carry(self, delivery: Delivery, base: str) -> None:
        area = delivery.place
        if delivery.elsewhere:
            here = {fact.object for fact in self._builder.world.about(base)
                    if fact.predicate == self._domain.roles.located}
            area = next((other for other in self._known.areas if other not in here), "")
        action = of_skill(self._domain, "carry_to")
        first, *others = (Step("", action.name, arguments(action, item, area), base) for item in self._cargo)
        self._builder.redo([first])
        self._builder.state(others)  # One drive takes all of it.

    def _to_table(self, delivery: Delivery, base: str) -> None:
        """A base alone comes back; what it carries, or what is named, comes down."""
        if delivery.items or self._cargo:
            self._unload(delivery.items, base, delivery.place)
        else:
            self._dock(base)

    def _unload(self, nouns: Tuple[Noun, ...], base: str, table: str = "") -> None:
        if not nouns:
            items = self._cargo if table else self._carried(base)
        elif nouns[0].count in _PRONOUNS and self._cargo:
            items = self._cargo
        else:
            items = self._names.items(nouns)
        for item in items:
            self._achieve(self._domain.roles.stands_on, item, table or self._known.tables[0])

    def _dock(self, base: str) -> None:
        if not self._known.stations:
            raise NotUnderstood(f"there is no station for {base} to return to")
        self._achieve(self._domain.roles.docked, base, self._known.stations[0])

    def _achieve(self, predicate: str, subject: str, object_: str, means: bool = False) -> None:
        self._builder.achieve(goal_of_relation(Relation(subject, predicate, object_)), means)

    def _carried(self, base: str) -> Tuple[str, ...]:
        """What a base carries by then."""
        world = self._builder.world
        aboard = tuple(fact.subject for fact in sorted(world.relations)
                       if fact.predicate == self._domain.roles.aboard and fact.object == base
                       and world.objects[fact.subject].movable)
        if not aboard:
            raise NotUnderstood(f"there is nothing aboard {base}")
        return aboard

    def _base(self, robot: str) -> str:
        """The base that is named, or the only one."""
        bases = [name for name, kind in sorted(self._known.robots.kinds.items()) if kind == BASE]
        if robot in bases:
            return robot
        if not bases:
            raise NotUnderstood("nothing here carries things")
        return bases[0]
