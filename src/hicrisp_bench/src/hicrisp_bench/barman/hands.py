"""Two arms as the hands of CoPAL's robot: its commands become motions, and its facts are what is seen of the bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Callable, FrozenSet, Iterator, Mapping, Optional, Sequence

from hicrisp_core.domain import check, told
from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Status, WorldState
from hicrisp_core.model.geometry import Planar, from_yaw, multiply
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.liquids import VOLUME
from hicrisp_core.model.task import Value
from hicrisp_core.ports.robot import MOVE_TOOL, Progress
from hicrisp_core.robot.skills_shake import STROKE, STROKES
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.liquids import MARK

from hicrisp_bench.barman.bodies import Bodies
from hicrisp_bench.barman.counter import HANDS, MEETINGS, SHAKER, TABLE

_TALL = 0.12
"""How tall something is at least that is handed over: two hands hold it above each other, metres."""
_ROOMY = 0.2
"""Metres around a spot without anything, where the hand of either arm gets at what is put down."""
_ASIDE, _WAIT, _YAWS, _WAYS = 0.40, 0.40, 8, 3
"""Where a hand waits with what it holds: metres from its arm's base and above it; how many directions it may point in
there, and how many of them are tried."""
_BESIDE = (math.pi / 2.0, math.pi / 3.0)
"""In which directions from its base, radians from straight ahead to either side."""
_SECONDS, _PATIENCE, _LONGEST_WAIT = 180.0, 900.0, 30.0
"""Limits of a motion on the robot's clock, of a command in wall time, and of a wait on the robot's clock."""
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


class TwoHands(Bodies):
    """Robot and observer in one, as the symbolic bar is: its actions are what the arms can do of them.

    What the arms do not manage fails with their reason. An arm that has poured, or is in the other's way,
    leaves and keeps what it holds. There is no door, no cap and no switch: the arms shake what stands at the shaker.
    """

    name = "robot"
    handled = ""
    """The body that an arm was told to move last."""
    _moved: FrozenSet[str] = frozenset()
    """The arms that do not stand clear."""

    def capabilities(self) -> Sequence[str]:
        """Return every action of the kitchen."""
        return tuple(self._domain.actions)

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
        work = self.works().get(command.action)
        return work(call) if work is not None else Outcome.because(
            CauseKind.UNKNOWN, Status.EXECUTION, f"the arms have nothing here to {command.action} with")

    def works(self) -> Mapping[str, Callable[[Call], Outcome]]:
        """Return what carries out each action that the arms can do, by the action's name."""
        return {
            "get": self._get, "put": lambda call: self._put(call, call.name("place")),
            "set_aside": lambda call: self._put(call, TABLE), "pour": self._pour, "tip_into": self._tip_into,
            "put_into": lambda call: self.put_into(call, call.name("vessel")), "wait": self._wait,
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

    def _do(self, call: Call, hand: str, action: str, item: str, to: Optional[Pose] = None, **more: Value) -> Outcome:
        """Let an arm do something; where it finds no motion and the other one does not stand clear, that leaves first.
        """
        outcome, other = self._tell(call, hand, action, item, to, **more), _other(hand)
        if outcome.status is Status.PLANNING and other in self._moved and self._stand_clear(call, other).ok:
            outcome = self._tell(call, hand, action, item, to, **more)
        return outcome

    def _tell(self, call: Call, hand: str, action: str, item: str, to: Optional[Pose] = None, **more: Value) -> Outcome:
        self._moved |= {hand}
        self.handled = item
        wanted = Command(action, {"robot": hand, "item": item, **more}, hand, target=to, time_limit=_SECONDS)
        return self.world.robots[hand].execute(wanted, call.deadline, call.cancel, call.progress)

    def _stand_clear(self, call: Call, hand: str) -> Outcome:
        """Let a hand wait at rest, or, with what it holds, beside its own arm, where the other arm does not reach."""
        outcome = Outcome(Status.PLANNING, "there is no motion to where it would wait")
        for goal in self._asides(hand) if self._held(hand) else ():
            outcome = self._tell(call, hand, MOVE_TOOL, "", goal)
            if outcome.status is not Status.PLANNING:
                break
        if outcome.status is Status.PLANNING:
            outcome = self._tell(call, hand, "home", "")
        self._moved -= {hand}
        return outcome

    def _asides(self, hand: str) -> Iterator[Pose]:
        """Yield tool poses beside an arm with what it holds as upright as now: on the side where the hand is first, and
        of one place those first in which the joints are far from their limits."""
        arm, base = dict(zip(self.world.robots, self.world.arms))[hand], self.world.scene.stands[hand].pose
        here = arm.tool_pose()
        near = math.copysign(1.0, base.seen(here.position)[1])
        for side, turn in ((side, turn) for side in (near, -near) for turn in _BESIDE):
            spot = base.apply((_ASIDE * math.cos(turn), side * _ASIDE * math.sin(turn), _WAIT))
            goals = [Pose(spot, multiply(from_yaw(math.tau * number / _YAWS), here.orientation))
                     for number in range(_YAWS)]
            margins = [(margin, -number) for number, margin in enumerate(map(arm.margin, goals)) if margin is not None]
            yield from (goals[-number] for _, number in sorted(margins, reverse=True)[:_WAYS])

    def _meanwhile(self, call: Call, hand: str, work: Callable[[], Outcome]) -> Outcome:
        """Do something that needs a hand empty, which puts down what it holds meanwhile and takes it up again."""
        held = self._held(hand)
        outcome = self._put(call, TABLE, held, False) if held else DONE
        if not outcome.ok:
            return outcome
        outcome = work()
        if held and not self._held(hand):
            self._do(call, hand, "pick", held)  # Where it cannot, it is seen to stand there.
        return outcome

    def _get(self, call: Call) -> Outcome:
        hand, bodies = call.name("hand"), self._bodies(call.name("item"))
        item, outcome = bodies[0], DONE
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
        for body in bodies if passed.ok else ():
            outcome = self._do(call, hand, "pick", body)
            if outcome.status is not Status.PLANNING:
                return outcome
        if passed.ok and not holder and not self._held(_other(hand)):
            return self._passed(call, item, hand, outcome)
        return outcome if passed.ok else passed

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
            put = self._do(call, by, "put_down", item, Pose((*spot, self.height(TABLE, seen.objects[item]))))
            outcome = self._do(call, hand, "pick", item) if put.ok else put
            if outcome.status is not Status.PLANNING:
                return outcome
            if self._holder(item):
                return why
        return why

    def _put(self, call: Call, place: str, item: str = "", pass_on: bool = True) -> Outcome:
        """Put something down at a place; where its hand cannot, by way of the counter and the other hand."""
        if place in self._dishes:
            return self.put_into(call, place)
        item, seen = item or self._bodies(call.name("item"))[0], self._look()
        hand, free = self._holder(item), list(self._free(place, item, seen))
        outcome = Outcome.because(
            CauseKind.OUT_OF_REACH, Status.PLANNING, f"the {hand} reaches no free spot of the {place}", item
        ) if free else Outcome(Status.PLANNING, f"there is no room at the {place}")
        for spot in free:
            if _reaches(seen, hand, spot):
                outcome = self._do(call, hand, "put_down", item, Pose((*spot, self.height(place, seen.objects[item]))))
                if outcome.status is not Status.PLANNING:
                    return outcome
        if not free or not pass_on or place == TABLE:
            return outcome
        return self._meanwhile(call, _other(hand), lambda: self._put_by(call, _other(hand), place, item))

    def _put_by(self, call: Call, hand: str, place: str, item: str) -> Outcome:
        """Put down with a hand what the other one holds."""
        taken = self._handed(call, item, hand)
        if not taken.ok:
            passed = self._put(call, TABLE, item)
            taken = self._do(call, hand, "pick", item) if passed.ok else passed
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

    def put_into(self, call: Call, vessel: str) -> Outcome:
        """Put what a hand holds into a vessel.

        Args:
            call: names the item.
            vessel: its name.

        Returns:
            What the arms report.
        """
        return self._over(call, vessel, partial(self._drop, call, self._bodies(call.name("item"))[0], vessel))

    def _drop(self, call: Call, item: str, vessel: str) -> Outcome:
        seen = self._look().objects
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
        return self._poured(call, source, call.name("target"),
                            whole if wanted >= whole else MARK * max(1, round(wanted / MARK)))

    def _tip_into(self, call: Call) -> Outcome:
        return self._poured(call, call.name("bowl"), call.name("vessel"), self._measure)

    def _poured(self, call: Call, source: str, into: str, amount: float) -> Outcome:
        """Pour, and leave the room above the vessel below to the other hand."""
        hand = self._holder(source)
        outcome = self._over(call, into, partial(self._do, call, hand, "pour", source, target=into, amount=amount))
        if outcome.ok:
            self._stand_clear(call, hand)  # Where it cannot, it waits there.
        return outcome

    def _over(self, call: Call, vessel: str, work: Callable[[], Outcome]) -> Outcome:
        """Do something with or above a vessel; a hand that holds it stays, or holds it out where there is more room."""
        holder = self._holder(vessel)
        self._moved -= {holder}
        outcome = work()
        for spot in MEETINGS if holder else ():
            if outcome.status is not Status.PLANNING:
                break
            offered = self._tell(call, holder, "offer", vessel, Pose(spot))
            self._moved -= {holder}
            outcome = work() if offered.ok else outcome
        self._moved |= {holder} if holder else set()
        return outcome

    def _switch_on(self, call: Call) -> Outcome:
        """Shake by hand what stands at the shaker, and count the strokes of the body."""
        vessel = next((name for name in self._vessels if self._objects[name].type == "mixing_container"), "")
        state, holder = self.observe(call.deadline), self._holder(vessel)
        if call.name("device") != SHAKER or not (holder or state.holds("at", vessel, SHAKER)):
            return Outcome(Status.EXECUTION, f"there is nothing to shake at the {call.name('device')}")
        if holder:
            return self._shake(call, holder, vessel)
        outcome = DONE
        for hand in sorted(HANDS, key=lambda hand: bool(self._held(hand))):
            outcome = self._meanwhile(call, hand, partial(self._shake, call, hand, vessel))
            if outcome.status is not Status.PLANNING or self._holder(vessel):
                break
        return outcome

    def _shake(self, call: Call, hand: str, vessel: str) -> Outcome:
        """Shake a vessel with a hand, which takes it for that unless it holds it already."""
        took = not self._holder(vessel)
        outcome = self._do(call, hand, "pick", vessel) if took else DONE
        if not outcome.ok:
            return outcome
        simulation = self.world.simulation
        strokes = Strokes(lambda: float(simulation.data.body(vessel).xpos[2]), 0.8 * STROKE)
        simulation.listeners.append(strokes.look)
        outcome = self._over(call, vessel, partial(self._do, call, hand, "shake", vessel))
        simulation.listeners.remove(strokes.look)
        if outcome.ok and took:
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
