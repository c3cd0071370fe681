"""From orders to steps, in their order, each by the planner of its kind."""

from __future__ import annotations

from itertools import groupby
from typing import Sequence

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.builder import PlanBuilder
from hicrisp_core.language.delivery_plans import DeliveryPlanner
from hicrisp_core.language.drive_plans import DrivePlanner
from hicrisp_core.language.intents import Delivery, Errand, Intent, Order
from hicrisp_core.language.names import Names
from hicrisp_core.model import WorldState


def add_steps(
    orders: Sequence[Order], builder: PlanBuilder, domain: Domain, world: WorldState, names: Names
) -> None:
    """Add the steps of all orders to those of a builder.

    Raises:
        NotUnderstood: when a thing is not there, a goal is impossible, or two orders contradict each other.
    """
    deliveries = DeliveryPlanner(domain, world, names, builder)
    drives = DrivePlanner(domain, world)
    for kind, alike in groupby(orders, type):
        run = list(alike)
        if kind is Intent:
            builder.build([order for order in run if isinstance(order, Intent)])
        for order in run:
            if isinstance(order, Delivery):
                deliveries.plan(order)
            elif isinstance(order, Errand):
                builder.redo(drives.steps(order))
    builder.notes += drives.notes
