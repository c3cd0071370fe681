"""Two arms as the hands of CoPAL's robot: its commands become motions, and its facts are what is seen of the bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Callable, Collection, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import mujoco
from hicrisp_core.detector.fact_tests import holding
from hicrisp_core.domain.checker import check
from hicrisp_core.domain.conditions import number_text
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import told
from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Relation, Status, WorldObject, WorldState
from hicrisp_core.model.geometry import Planar
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.liquids import CONTAINS, LEVEL, VOLUME
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.model.task import Value
from hicrisp_core.ports.robot import Progress
from hicrisp_core.robot.skills_shake import STROKE, STROKES
from hicrisp_core.scene import Scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.liquids import MARK

from hicrisp_bench.barman.counter import HANDS, MEETINGS, SHAKER, SUPPLIES, TABLE, ingredient_of, lay_out

MEASURE = 20.0
"""Millilitres of what the recorded plans count in, at most."""
_NEAR, _ROOM, _OVER = 0.07, 0.02, 0.02
"""How near a spot something stands that is at its place, how far apart what stands is, and how far above a vessel's rim
a piece in it may be; metres."""
_TALL = 0.12
"""How tall something is at least that is handed over: two hands hold it above each other, metres."""
_ROOMY = 0.2
"""Metres around a spot without anything, where the hand of either arm gets at what is put down."""
_SQUEEZED = 0.005
"""How much wider than what they hold the fingers are, metres."""
_TRACE = 1.0
"""Millilitres below which a drink does not have an ingredient."""
_SECONDS, _PATIENCE, _LONGEST_WAIT = 180.0, 900.0, 30.0
"""Limits of a motion on the robot's clock, of a command in wall time, and of a wait on the robot's clock."""
_SEEN = ("at", "holding", CONTAINS, LEVEL, VOLUME, SUPPLIES, "powered", "closed", "has_door", "in_the_way")
DONE = Outcome(Status.SUCCESS)


class Strokes:
    """Counts from the physics how often a body turns back after a way up or down.

    Args:
        height: of the body now, metres.
        least: length of a way that counts, metres.
    """

    def __init__(self, height: Callable[[], float], least: float) -> None:
        self._height, self._least = height, least
        self._low = self._high = height()
        self._up = True
        self.count = 0

    def look(self) -> None:
        """Follow the body; called after each control period."""
        z = self._height()
        self._low, self._high = min(self._low, z), max(self._high, z)
        if (self._high - z if self._up else z - self._low) >= self._least:
            self.count, self._up, self._low, self._high = self.count + 1, not self._up, z, z


def _other(hand: str) -> str:
    return HANDS[1 - HANDS.index(hand)]


def _reaches(seen: WorldState, hand: str, spot: Planar) -> bool:
    reach = seen.robots[hand].reach
    return reach is None or reach.holds((*spot, 0.0))


@dataclass(frozen=True)
class Call:
    """A command that is carried out, with what it was called with."""

    command: Command
    deadline: Deadline
    cancel: Event
    progress: Optional[Progress]

    def name(self, parameter: str) -> str:
        return str(self.command.arguments.get(parameter, ""))


class TwoHands:
    """Robot and observer in one, as the symbolic bar is: its actions are what the arms can do of them.

    What the arms do not manage fails with their reason. An arm that is in the other's way leaves and keeps what it
    holds. There is no door, no cap and no switch: the arms shake what stands at the shaker.

    Args:
        domain: the kitchen's actions.
        state: the kitchen's first facts.
        names: what is needed of it.
        seed: of the layout and of the arms' planners.
        measure: millilitres of a unit of the plan's amounts; ``None`` for what plans here count in.
    """

    measure = MEASURE
    """Millilitres of what its plans count in."""

    def __init__(
        self, config: Path, domain: Domain, state: WorldState, names: Collection[str], seed: int,
        measure: Optional[float] = None,
    ) -> None:
        self._measure = self.measure if measure is None else measure
        scene, self._spots = self._laid_out(config, state, names, seed)
        self.name = "robot"
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
        self._moved: FrozenSet[str] = frozenset()
        """The arms that are not at rest."""
        for robot in self.world.arm_robots:
            robot.use_eyes(self._look)

    @staticmethod
    def _laid_out(
        config: Path, state: WorldState, names: Collection[str], seed: int
    ) -> Tuple[Scene, Dict[str, List[Planar]]]:
        return lay_out(config, state, names, seed)

    def capabilities(self) -> Sequence[str]:
        """Return every action of the kitchen."""
        return tuple(self._domain.actions)

    def observe(self, deadline: Deadline) -> WorldState:
        """Return the kitchen's facts as they are seen.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            The world without poses.
        """
        seen = self.world.observe(deadline)
        return self._state(seen, {fact for fact in seen.relations if fact.predicate == CONTAINS})

    def served(self) -> WorldState:
        """Return the facts with what the vessels truly hold; for judges."""
        liquids = self.world.simulation.liquids
        return self._state(self.world.true_state(), {
            Relation(vessel, CONTAINS, what) for vessel in self._vessels
            for what, amount in liquids.contents(vessel).items() if amount > self._least(vessel)})

    def _least(self, vessel: str) -> float:
        """Return how many millilitres of something a vessel at least has in it that counts as containing it."""
        del vessel
        return _TRACE

    @property
    def lost(self) -> float:
        """Millilitres that no vessel caught."""
        return self.world.simulation.liquids.lost

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Carry out a command with the arms.

        Args:
            command: an action of the kitchen.
            deadline: not used; it is for facts, and arms take longer.
            cancel: event that stops the call when it is set.
            progress: called with the phases of each motion.

        Returns:
            What the arms report; PRECONDITION if a fact is missing.
        """
        refusal = check(self._domain, command, self.observe(deadline))
        if refusal is not None:
            return Outcome(Status.PRECONDITION, told(refusal, self._domain))
        call = Call(command, Deadline(_PATIENCE), cancel, progress)
        work = self._works().get(command.action)
        return work(call) if work is not None else Outcome.because(
            CauseKind.UNKNOWN, Status.EXECUTION, f"the arms have nothing here to {command.action} with")

    def _works(self) -> Mapping[str, Callable[[Call], Outcome]]:
        return {
            "get": self._get, "put": lambda call: self._put(call, call.name("place")),
            "set_aside": lambda call: self._put(call, TABLE), "pour": self._pour, "tip_into": self._tip_into,
            "put_into": lambda call: self._put_into(call, call.name("vessel")), "wait": self._wait,
            "switch_on": self._switch_on, "switch_off": self._switch_off, "gaze": lambda _: DONE,
            "finger_push": lambda call: (self._switch_off if self._shaken else self._switch_on)(call)}

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop both arms.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            The first arm's outcome that is no success, or SUCCESS.
        """
        return next((outcome for outcome in [robot.stop(deadline) for robot in self.world.arm_robots]
                     if not outcome.ok), DONE)

    def reset(self) -> None:
        """Do nothing: no state remains between commands."""

    def _do(
        self, call: Call, hand: str, action: str, item: str, to: Optional[Pose] = None, **more: Value
    ) -> Outcome:
        """Let an arm do something; where it finds no motion and the other one is not at rest, that leaves first."""
        outcome, other = self._tell(call, hand, action, item, to, **more), _other(hand)
        if outcome.status is Status.PLANNING and other in self._moved:
            away = self._tell(call, other, "home", "")
            self._moved -= {other}
            if away.ok:
                outcome = self._tell(call, hand, action, item, to, **more)
        return outcome

    def _tell(
        self, call: Call, hand: str, action: str, item: str, to: Optional[Pose] = None, **more: Value
    ) -> Outcome:
        self._moved |= {hand}
        wanted = Command(action, {"robot": hand, "item": item, **more}, hand, target=to, time_limit=_SECONDS)
        return self.world.robots[hand].execute(wanted, call.deadline, call.cancel, call.progress)

    def _get(self, call: Call) -> Outcome:
        item, hand = self._body(call.name("item")), call.name("hand")
        if item not in self._home:
            return Outcome.because(CauseKind.NO_GRASP, Status.PLANNING,
                                   f"Cannot pick up the {item}: no hand can take hold of it", item)
        holder = self._holder(item)
        if holder == hand:
            return DONE
        if holder and self._handed(call, item, hand).ok:
            return DONE
        dish = dict(self._inside(self.world.look().objects)).get(item, "")
        held = item if holder else dish if self._holder(dish) else ""  # No hand takes a piece out of another one.
        passed = self._put(call, TABLE, held) if held else DONE
        outcome = self._do(call, hand, "pick", item) if passed.ok else passed
        if outcome.status is Status.PLANNING and not holder and not self._held(_other(hand)):
            return self._passed(call, item, hand, outcome)
        return outcome

    def _passed(self, call: Call, item: str, hand: str, why: Outcome) -> Outcome:
        """Let the other arm hand something over, or put it at a roomy spot where this one takes it."""
        by, seen = _other(hand), self._look()
        spots = [spot for place in (TABLE, *self._spots) for spot in self._free(place, item, seen)
                 if _reaches(seen, hand, spot) and _reaches(seen, by, spot)]
        standing = [each.pose.position[:2] for each in seen.objects.values() if each.movable and each.pose is not None]
        if seen.objects[item].size[2] >= _TALL and self._do(call, by, "pick", item).ok \
                and self._handed(call, item, hand).ok:
            return DONE
        for spot in dict.fromkeys(spots):
            if any(math.dist(spot, each) < _ROOMY for each in standing):
                continue
            if self._holder(item) != by and not self._do(call, by, "pick", item).ok:
                return why
            put = self._do(call, by, "put_down", item, Pose((*spot, self._height(TABLE, seen.objects[item]))))
            outcome = self._do(call, hand, "pick", item) if put.ok else put
            if outcome.status is not Status.PLANNING:
                return outcome
            if self._holder(item):
                return why
        return why

    def _put(self, call: Call, place: str, item: str = "", pass_on: bool = True) -> Outcome:
        """Put something down at a place; where its hand cannot, by way of the counter and the other hand."""
        if place in self._dishes:
            return self._put_into(call, place)
        item, seen = item or self._body(call.name("item")), self._look()
        hand, outcome = self._holder(item), Outcome(Status.PLANNING, f"there is no room at the {place}")
        free = list(self._free(place, item, seen))
        for spot in free:
            if _reaches(seen, hand, spot):
                outcome = self._do(call, hand, "put_down", item,
                                   Pose((*spot, self._height(place, seen.objects[item]))))
                if outcome.status is not Status.PLANNING:
                    return outcome
        if not free or not pass_on or place == TABLE or self._held(_other(hand)):
            return outcome
        taken = self._handed(call, item, _other(hand))
        if not taken.ok:
            passed = self._put(call, TABLE, item)
            taken = self._do(call, _other(hand), "pick", item) if passed.ok else passed
        return self._put(call, place, item, False) if taken.ok else taken

    def _handed(self, call: Call, item: str, to: str) -> Outcome:
        """Hand something over in the air: both hands are at it before the first one lets go."""
        by, outcome = _other(to), Outcome(Status.PLANNING, f"the {item} is too low for two hands")
        for spot in MEETINGS if self._look().objects[item].size[2] >= _TALL else ():
            outcome = self._tell(call, by, "offer", item, Pose(spot))
            outcome = self._tell(call, to, "take", item) if outcome.ok else outcome
            if outcome.ok:
                return self._tell(call, by, "release", item)
        return outcome

    def _height(self, place: str, item: WorldObject) -> float:
        """Return how high the middle of something is that stands at a place, metres."""
        del place
        return item.size[2] / 2.0

    def _held(self, hand: str) -> bool:
        return any(fact.subject == hand for fact in self._holdings())

    def _put_into(self, call: Call, vessel: str) -> Outcome:
        item, seen = self._body(call.name("item")), self._look().objects
        pose = seen[vessel].pose
        if pose is None:
            return Outcome.because(CauseKind.NOT_SEEN, Status.PLANNING, f"the {vessel} is not in sight", vessel)
        rim = Pose((*pose.position[:2], vertical_span(seen[vessel], pose)[1] + seen[item].size[2] / 2.0))
        return self._do(call, self._holder(item), "put_down", item, rim)

    def _pour(self, call: Call) -> Outcome:
        """Pour some measures; the mix, once it is made, is tipped out whole."""
        source, amount = call.name("source"), call.command.arguments.get("amount", 1.0)
        measures = math.inf if self._objects[source].type == "mixing_container" else float(amount)
        whole = next(float(fact.object) for fact in self.world.scene.facts
                     if (fact.subject, fact.predicate) == (source, VOLUME))
        wanted = measures * self._measure
        return self._do(call, self._holder(source), "pour", source, into=call.name("target"),
                        amount=whole if wanted >= whole else MARK * max(1, round(wanted / MARK)))

    def _tip_into(self, call: Call) -> Outcome:
        bowl = call.name("bowl")
        return self._do(call, self._holder(bowl), "pour", bowl, into=call.name("vessel"), amount=self._measure)

    def _switch_on(self, call: Call) -> Outcome:
        """Shake by hand what stands at the shaker, and count the strokes of the body."""
        vessel = next((name for name in self._vessels if self._objects[name].type == "mixing_container"), "")
        state, holder = self.observe(call.deadline), self._holder(vessel)
        if call.name("device") != SHAKER or not (holder or state.holds("at", vessel, SHAKER)):
            return Outcome(Status.EXECUTION, f"there is nothing to shake at the {call.name('device')}")
        free = [hand for hand in HANDS if not self._held(hand)]
        if not (holder or free):
            return Outcome.because(CauseKind.HAND_FULL, Status.PRECONDITION, "both hands are full", vessel)
        outcome, hand = DONE, holder
        for hand in [holder] if holder else free:
            outcome = DONE if holder else self._do(call, hand, "pick", vessel)
            if outcome.ok:
                break
        if not outcome.ok:
            return outcome
        simulation = self.world.simulation
        strokes = Strokes(lambda: float(simulation.data.body(vessel).xpos[2]), 0.8 * STROKE)
        simulation.listeners.append(strokes.look)
        outcome = self._do(call, hand, "shake", vessel)
        simulation.listeners.remove(strokes.look)
        if outcome.ok and not holder:
            outcome = self._put(call, SHAKER, vessel)
        self._shaken = outcome.ok and strokes.count >= STROKES - 1
        if outcome.ok and not self._shaken:
            return Outcome(Status.EXECUTION, f"the {vessel} turned back {strokes.count} times")
        return outcome

    def _switch_off(self, call: Call) -> Outcome:
        self._shaken = False
        return DONE

    def _wait(self, call: Call) -> Outcome:
        seconds = call.command.arguments.get("seconds", 1.0)
        self.world.pass_time(min(_LONGEST_WAIT, float(seconds)))
        return DONE

    def _body(self, item: str) -> str:
        """Return what of the kitchen's item a hand holds or can take: a piece that is in no vessel first."""
        bodies = [body for body, piece in self._pieces.items() if piece == item]
        inside = dict(self._inside(self.world.look().objects)) if bodies else {}
        return min(bodies, key=lambda body: (not self._holder(body), inside.get(body) in self._vessels), default=item)

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
        """Yield the spots of a place where nothing stands, those first that are near where something stood at first."""
        standing = [(each.pose.position[:2], _ROOM + (each.size[0] + seen.objects[item].size[0]) / 2.0)
                    for each in seen.objects.values()
                    if each.movable and each.pose is not None and each.name not in (item, *self._pieces)]
        for spot in sorted(self._spots.get(place, ()), key=lambda spot: math.dist(spot, self._home[item])):
            if all(math.dist(spot, middle) > room for middle, room in standing):
                yield spot

    def _look(self) -> WorldState:
        """Return what the arms see: not the pieces that are in a vessel, or in a dish in a hand."""
        seen = self.world.look()
        hidden = self._hidden(seen.objects)
        return replace(seen, objects={name: replace(item, pose=None) if name in hidden else item
                                      for name, item in seen.objects.items()})

    def _hidden(self, objects: Mapping[str, WorldObject]) -> Set[str]:
        covers = self._deep | {fact.object for fact in self._holdings()}
        return {piece for piece, around in self._inside(objects) if around in covers}

    @property
    def _deep(self) -> FrozenSet[str]:
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
                x, y, z = item.pose.inverse().apply(at.position)
                if math.hypot(x, y) < item.size[0] / 2.0 and abs(z) < item.size[2] / 2.0 + _OVER:
                    yield piece, vessel

    def _state(self, seen: WorldState, contents: Set[Relation]) -> WorldState:
        """Return the kitchen's facts: those of the bodies as they are seen, the others as they began."""
        bodies, held = self._home.keys() - self._pieces.keys(), self._holdings()
        in_hand = {fact.object for fact in held}
        inside = {piece: around for piece, around in self._inside(seen.objects) if piece not in in_hand}
        facts = {fact for fact in self._first.relations if fact.subject in self._objects and fact.subject not in bodies
                 and (fact.predicate not in _SEEN or fact.predicate == "at")}
        facts |= {Relation(self._pieces[piece], "at", TABLE) for piece in self._pieces.keys() - in_hand - inside.keys()}
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
