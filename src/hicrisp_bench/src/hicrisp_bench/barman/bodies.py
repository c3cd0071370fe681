"""The bodies on a counter of two arms, and what is seen of them as the kitchen's facts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Collection, Dict, FrozenSet, Iterator, List, Mapping, Set, Tuple

import mujoco
from hicrisp_core.detector.fact_tests import holding
from hicrisp_core.domain.conditions import number_text
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Relation, WorldObject, WorldState
from hicrisp_core.model.geometry import Planar
from hicrisp_core.model.liquids import CONTAINS, LEVEL, VOLUME
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.scene import Scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.barman.counter import SHAKER, SUPPLIES, TABLE, ingredient_of, lay_out

MEASURE = 20.0
"""Millilitres of what the recorded plans count in, at most."""
_NEAR, _ROOM, _OVER = 0.07, 0.02, 0.02
"""How near a spot something stands that is at its place, how far apart what stands is, and how far above a vessel's rim
a piece in it may be; metres."""
_SQUEEZED = 0.005
"""How much wider than what they hold the fingers are, metres: less than the detector allows a camera, for these poses
are true.
"""
_TRACE = 1.0
"""Millilitres below which a drink does not have an ingredient."""
_SEEN = ("at", "holding", CONTAINS, LEVEL, VOLUME, SUPPLIES, "powered", "closed", "has_door", "in_the_way")


class Bodies:
    """The kitchen as bodies between two arms. What pieces are in a vessel, or in a dish in a hand, nobody sees.

    Args:
        config: the folder with scenes and robots.
        domain: the kitchen's actions.
        state: the kitchen's first facts.
        names: what is needed of it.
        seed: of the layout and of the arms' planners.
        measure: millilitres of a unit of the plan's amounts.
    """

    def __init__(
        self, config: Path, domain: Domain, state: WorldState, names: Collection[str], seed: int,
        measure: float = MEASURE,
    ) -> None:
        self._measure = measure
        scene, self._spots = self.laid_out(config, state, names, seed)
        self._domain = domain
        self.world = EmbeddedWorld(scene, seed)
        # What stands still costs nothing.
        self.world.simulation.model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        unbodied = {name: item for name, item in state.objects.items()
                    if item.type not in ("bottle", "glass", "mixing_container", "ingredient", "bowl")}
        self._vessels = frozenset(self.world.simulation.liquids.names)
        self._dishes = frozenset(item.name for item in scene.things if item.form.rim)
        self._home = {item.name: item.pose.position[:2] for item in scene.things if item.pose is not None}
        self._pieces = {name: ingredient_of(name) for name in self._home
                        if state.objects[ingredient_of(name)].type == "ingredient"}
        self._objects = {**unbodied, **{name: state.objects[name] for name in map(ingredient_of, self._home)}}
        self._first = state
        self._shaken = False
        """Whether the shaker counts as on."""
        self._taken: Set[str] = set()
        """What a hand has taken; of the rest it goes without saying that it is in its dish."""
        for robot in self.world.arm_robots:
            robot.use_eyes(self._look)

    @staticmethod
    def laid_out(
        config: Path, state: WorldState, names: Collection[str], seed: int
    ) -> Tuple[Scene, Dict[str, List[Planar]]]:
        """Lay out the counter.

        Args:
            config: the folder with scenes.
            state: the kitchen's first facts.
            names: what is needed of it.
            seed: draws the places.

        Returns:
            The scene, and the spots of each place where something can stand.
        """
        return lay_out(config, state, names, seed)

    def observe(self, deadline: Deadline) -> WorldState:
        """Return the kitchen's facts as they are seen.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            The world without poses.
        """
        seen = self.world.observe(deadline)
        return self.facts(seen, {fact for fact in seen.relations if fact.predicate == CONTAINS})

    def served(self) -> WorldState:
        """Return the facts with what the vessels truly hold; for judges."""
        liquids = self.world.simulation.liquids
        return self.facts(self.world.true_state(), {
            Relation(vessel, CONTAINS, what) for vessel in self._vessels
            for what, amount in liquids.contents(vessel).items() if amount > self.least(vessel)})

    def least(self, vessel: str) -> float:
        """Return how much of something a vessel has in it at least that counts as containing it.

        Args:
            vessel: its name.

        Returns:
            Millilitres.
        """
        del vessel
        return _TRACE

    @property
    def lost(self) -> float:
        """Millilitres that no vessel caught."""
        return self.world.simulation.liquids.lost

    def height(self, place: str, item: WorldObject) -> float:
        """Return how high the middle of something is that stands at a place.

        Args:
            place: its name.
            item: what stands there.

        Returns:
            Metres.
        """
        del place
        return item.size[2] / 2.0

    def _held(self, hand: str) -> str:
        """Return what is in a hand; empty if nothing is."""
        return next((fact.object for fact in self._holdings() if fact.subject == hand), "")

    def _bodies(self, item: str) -> List[str]:
        """Return what of the kitchen's item a hand holds or can take: pieces that are in no vessel, or else one."""
        pieces = [body for body, piece in self._pieces.items() if piece == item]
        inside = dict(self._inside(self.world.look().objects)) if pieces else {}
        ranks = {body: 0 if self._holder(body) else 2 if inside.get(body) in self._vessels else 1 for body in pieces}
        pieces.sort(key=ranks.__getitem__)
        return [body for body in pieces if ranks[body] < 2] or pieces[:1] or [item]

    def _holder(self, item: str) -> str:
        return next((fact.subject for fact in self._holdings() if fact.object == item), "")

    def _holdings(self) -> Set[Relation]:
        """Return what is in the hands: fingers that stand wider than what they are seen around are open."""
        seen, told = self.world.look(), self.world.domain.predicates["holding"]
        items = [(item, BOWL_WALL if name in self._dishes else item.grips[0].size[0])
                 for name, item in seen.objects.items() if name in self._home]
        return {Relation(hand, told.name, item.name) for hand, robot in seen.robots.items() for item, width in items
                if holding(told, robot, item, seen).holds and (robot.opening or 0.0) < width + _SQUEEZED}

    def _free(self, place: str, item: str, seen: WorldState) -> Iterator[Planar]:
        """Yield the spots of a place where nothing stands: those near where something stood at first come first, and
        those at which only others stood, which are theirs, come last."""
        standing = [(each.pose.position[:2], _ROOM + (each.size[0] + seen.objects[item].size[0]) / 2.0)
                    for each in seen.objects.values()
                    if each.movable and each.pose is not None and each.name not in (item, *self._pieces)]
        own = self._home[item]
        others = [home for home in self._home.values() if math.dist(home, own) > _NEAR]
        for spot in sorted(self._spots.get(place, ()), key=lambda spot: (
                any(math.dist(spot, home) < _NEAR for home in others), math.dist(spot, own))):
            if all(math.dist(spot, middle) > room for middle, room in standing):
                yield spot

    def _look(self) -> WorldState:
        """Return what the arms see: not the pieces that are in a vessel, or in a dish in a hand."""
        seen = self.world.look()
        hidden = self.hidden(seen.objects)
        return replace(seen, objects={name: replace(item, pose=None) if name in hidden else item
                                      for name, item in seen.objects.items()})

    def hidden(self, objects: Mapping[str, WorldObject]) -> Set[str]:
        """Return what the arms do not see.

        Args:
            objects: as they are.

        Returns:
            Names of objects that are in or on others.
        """
        covers = self.deep | {fact.object for fact in self._holdings()}
        return {piece for piece, around in self._inside(objects) if around in covers}

    @property
    def deep(self) -> FrozenSet[str]:
        """The vessels in which nobody sees a piece."""
        return self._vessels

    def _inside(self, objects: Mapping[str, WorldObject]) -> Iterator[Tuple[str, str]]:
        """Yield each piece that is in a vessel or dish, with that."""
        for piece in self._pieces:
            at = objects[piece].pose
            for vessel in self._vessels | self._dishes:
                item = objects[vessel]
                if at is None or item.pose is None:
                    continue
                x, y, z = item.pose.seen(at.position)
                if math.hypot(x, y) < item.size[0] / 2.0 and abs(z) < item.size[2] / 2.0 + _OVER:
                    yield piece, vessel

    def facts(self, seen: WorldState, contents: Set[Relation]) -> WorldState:
        """Return the kitchen's facts: those of the bodies as they are seen, the others as they began.

        Args:
            seen: the bodies.
            contents: what the vessels contain.

        Returns:
            The world without poses.
        """
        bodies, held = self._home.keys() - self._pieces.keys(), self._holdings()
        in_hand = {fact.object for fact in held}
        inside = {piece: around for piece, around in self._inside(seen.objects) if piece not in in_hand}
        facts = {fact for fact in self._first.relations if fact.subject in self._objects and fact.subject not in bodies
                 and (fact.predicate not in _SEEN or fact.predicate == "at")}
        taken = {self._pieces[piece] for piece in self._pieces.keys() & in_hand}
        self._taken |= taken
        there = {self._pieces[piece]: dish for piece, dish in inside.items()
                 if dish in self._dishes and self._pieces[piece] in self._taken}
        there.update((self._pieces[piece], TABLE) for piece in self._pieces.keys() - in_hand - inside.keys())
        facts |= {Relation(what, "at", place) for what, place in there.items() if what not in taken}
        facts |= {Relation(fact.subject, fact.predicate, number_text(round(float(fact.object) / self._measure, 2)))
                  for fact in seen.relations if fact.predicate in (LEVEL, VOLUME)}
        facts |= contents | {fact._replace(object=self._pieces.get(fact.object, fact.object)) for fact in held}
        facts |= {Relation(around, SUPPLIES if around in self._dishes else CONTAINS, self._pieces[piece])
                  for piece, around in inside.items()}
        facts |= {Relation(body, "at", self._place(seen.objects[body])) for body in bodies - in_hand}
        if self._shaken:
            facts.add(Relation(SHAKER, "powered"))
        return replace(self._first, objects=self._objects, relations=frozenset(facts), stamp=self.world.time)

    def _place(self, item: WorldObject) -> str:
        """Return the place near one of whose spots something stands."""
        near: List[Tuple[float, str]] = [(math.dist(spot, item.pose.position[:2]), place) for place, spots
                                         in self._spots.items() for spot in spots] if item.pose is not None else []
        distance, place = min(near, default=(math.inf, TABLE))
        return place if distance < _NEAR else TABLE
