"""Two arms that make a pizza: toppings onto a dough on a board, and the board into an oven, whose door they open."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Callable, Collection, Dict, FrozenSet, List, Mapping, Set, Tuple

from hicrisp_core.model import CauseKind, Outcome, Pose, Relation, Status, WorldObject, WorldState
from hicrisp_core.model.geometry import Planar
from hicrisp_core.model.joint import within
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.liquids import VOLUME
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.model.world import inside_of
from hicrisp_core.scene import Scene, load_scene

from hicrisp_bench.barman.counter import HANDS, SUPPLIES, TABLE, contents_of, fill_dishes, filled
from hicrisp_bench.barman.hands import Call, TwoHands

_SPREAD = 0.5
"""Part of what a dough takes that must be on it: a sauce lies four millimetres deep, and has to cover half of it."""
_OUT, _AROUND, _APART = 0.048, 6, 0.034
"""Where toppings lie: metres from the dough's middle, how many around it, and metres between two of them."""
_OVEN, _SHELF = "oven", "shelf"
_TOPPINGS = tuple((0.47 + x, y) for x in (-0.17, 0.0, 0.17) for y in (-0.14, -0.30))
_BOTTLES = tuple((0.47 + x, y) for x in (-0.30, -0.10, 0.10, 0.30) for y in (-0.43, -0.53))
_JITTER = 0.01
"""Where toppings and bottles stand by chance, and how far beside that they may."""
_SHAKERS = ("switch_on", "switch_off", "finger_push")
_STANDS, _HIGH = 0.02, 0.06
"""How high above the counter a board stands at most, and what lies on it above its middle, metres."""


def lay_out_kitchen(
    config: Path, state: WorldState, names: Collection[str], seed: int
) -> Tuple[Scene, Dict[str, List[Planar]]]:
    """Lay toppings and bottles beside the board and the oven of the kitchen's counter.

    Args:
        config: the folder with the scene ``counters/pizza``.
        state: the kitchen's first facts, which say where bottles stand.
        names: of what is needed; what the kitchen does not know is left out.
        seed: draws the places.

    Returns:
        The scene, and the spots of each place where something can stand.
    """
    dice = Random(f"kitchen {seed}")
    base = load_scene(config / "scenes" / "counters" / "pizza.yaml", seed)
    dishes = {fact.subject: fact.object for fact in sorted(state.relations)
              if fact.predicate == SUPPLIES and fact.object in names}
    kinds = {name: item.type for name, item in sorted(state.objects.items())
             if name in (*dishes, *dishes.values()) or name in names and item.type == "bottle"}
    bottles = [name for name, kind in kinds.items() if kind == "bottle"]
    toppings, stands = ([(x + dice.uniform(-_JITTER, _JITTER), y + dice.uniform(-_JITTER, _JITTER))
                         for x, y in dice.sample(spots, len(spots))] for spots in (_TOPPINGS, _BOTTLES))
    where: Dict[str, Planar] = dict(zip(bottles, stands))
    at = {fact.subject: fact.object for fact in state.relations if fact.predicate == "at"}
    places: Dict[str, List[Planar]] = {_OVEN: [], TABLE: [], _SHELF: []}
    for name, item in base.objects.items():
        place = name if name == _OVEN else at.get(name)
        if place in places and item.pose is not None:
            places[place].append((item.pose.position[0], item.pose.position[1]))
    for name, spot in where.items():
        places[at[name]].append(spot)
    places[TABLE] += [*stands[len(bottles):], *toppings]
    fill_dishes(kinds, where, dishes, toppings)
    return filled(base, kinds, where, contents_of(state)), places


class Kitchen(TwoHands):
    """The hands in a kitchen with an oven. What lies on a board goes where the board goes, by friction alone."""

    laid_out = staticmethod(lay_out_kitchen)

    def works(self) -> Mapping[str, Callable[[Call], Outcome]]:
        """See ``TwoHands``."""
        usual = super().works()
        return {**{action: work for action, work in usual.items() if action not in _SHAKERS},
                "open": self._door, "close": self._door}

    def least(self, vessel: str) -> float:
        """See ``Bodies``."""
        return _SPREAD * next(float(fact.object) for fact in self.world.scene.facts
                              if (fact.subject, fact.predicate) == (vessel, VOLUME))

    def _door(self, call: Call) -> Outcome:
        """Open or close something with the first hand that can; one that holds something puts it down meanwhile."""
        thing, asked = call.name("thing"), call.name("hand")
        hands = sorted((asked,) if asked in HANDS else HANDS, key=lambda hand: bool(self._held(hand)))
        outcome = Outcome.because(CauseKind.OUT_OF_REACH, Status.PLANNING, "no hand can do that", thing)
        for hand in hands:
            outcome = self._meanwhile(call, hand, partial(self._do, call, hand, call.command.action, thing))
            if outcome.status is not Status.PLANNING:
                break
        return outcome

    def put_into(self, call: Call, vessel: str) -> Outcome:
        """Lay a topping on the dough, beside those that are there."""
        item, seen = self._bodies(call.name("item"))[0], self._look().objects
        pose, best = seen[vessel].pose, Outcome(Status.PLANNING, f"there is no room on the {vessel}")
        if vessel in self._dishes or pose is None:
            return super().put_into(call, vessel)
        height = vertical_span(seen[vessel], pose)[1] + seen[item].size[2] / 2.0
        lying = [seen[name].pose for name in self._pieces if name != item]
        for number in range(_AROUND):
            angle = math.tau * number / _AROUND
            x, y, _ = pose.apply((_OUT * math.cos(angle), _OUT * math.sin(angle), 0.0))
            if all(other is None or math.dist((x, y), other.position[:2]) > _APART for other in lying):
                best = self._do(call, self._holder(item), "put_down", item, Pose((x, y, height)))
                if best.status is not Status.PLANNING:
                    break
        return best

    def _aboard(self, objects: Mapping[str, WorldObject]) -> Dict[str, str]:
        """Return the board by the name of what lies on it."""
        return {name: board for board in self._boards for name in self._home.keys() - {board}
                for pose, at in ((objects[board].pose, objects[name].pose),) if pose is not None and at is not None
                and within((*objects[board].size[:2], 2.0 * _HIGH), pose, at.position)}

    @property
    def _boards(self) -> List[str]:
        return [item.name for item in self.world.scene.things if item.form.grips is not None]

    def hidden(self, objects: Mapping[str, WorldObject]) -> Set[str]:
        """Return what is in a dish in a hand, or lies on a board that is taken, carried or put down."""
        moved = {board for board in self._boards for pose in (objects[board].pose,) if board == self.handled
                 or pose is not None and vertical_span(objects[board], pose)[0] > _STANDS}
        return super().hidden(objects) | {name for name, board in self._aboard(objects).items() if board in moved}

    deep: FrozenSet[str] = frozenset()

    def height(self, place: str, item: WorldObject) -> float:
        """See ``Bodies``."""
        return super().height(place, item) + (BOWL_WALL if place in self._fixtures else 0.0)

    @property
    def _fixtures(self) -> Dict[str, str]:
        """The part of each fixture that opens and closes it."""
        return {item.joint.fixture: item.name for item in self.world.scene.objects.values() if item.joint is not None}

    def facts(self, seen: WorldState, contents: Set[Relation]) -> WorldState:
        """Return the kitchen's facts: also which door is closed, and what is on the board and in the oven."""
        state, objects = super().facts(seen, contents), seen.objects
        aboard, inside = self._aboard(objects), inside_of(objects, shut=False)
        there = {name: place for name, place in (*inside.items(), *aboard.items()) if name not in self._pieces}
        facts = {fact for fact in state.relations if fact.predicate != "at" or fact.subject not in there}
        facts |= {Relation(name, "at", place) for found in (inside, aboard) for name, place in found.items()
                  if name in there}
        facts |= {fact for fact in self._first.relations if fact.predicate == "powered"}
        for fixture, door in self._fixtures.items():
            part = objects[door]
            facts |= {Relation(fixture, "has_door")}
            if part.shut:
                facts.add(Relation(fixture, "closed"))
        return replace(state, relations=frozenset(facts))
