"""The perception detector: first the action, then the state (HiCRISP, section III-A.2). It trusts no
driver.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Iterator, List, NamedTuple, Optional, Tuple

from hicrisp_core.detector.motion import stopped_by, with_the_way
from hicrisp_core.detector.relations import is_measured, measure, see
from hicrisp_core.domain.checker import no_picture, not_seen, stamped_ahead
from hicrisp_core.domain.effects import expected_facts, names_of
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Outcome,
    Pose,
    Relation,
    Status,
    Vector,
    Verdict,
    WorldObject,
    WorldState,
)
from hicrisp_core.model.feedback import Feedback, FeedbackKind, Level, Measured, Unmet
from hicrisp_core.model.geometry import conjugate, distance, from_yaw, multiply, rotate
from hicrisp_core.model.track import EXACT, Uncertainty, Visibility

_FINAL = (Status.SAFETY, Status.CANCELED, Status.LOST, Status.INVALID)
"""Outcomes that end a command whatever is seen afterwards."""
_DISTURBED = 0.02
"""Distance at which an object that no command moves counts as moved, metres."""
SURE = 2.0
"""Standard deviations that a pose may be off while a verdict on a command must stay the same."""
STILL_SURE = 1.0
"""The same for a goal, whose facts were judged before when they were made."""
_DIRECTIONS = 8


class _Wrong(NamedTuple):
    """A fact that is not as it should be."""

    fact: Relation
    wanted: bool
    measured: Tuple[Measured, ...]


@dataclass(frozen=True)
class Detector:
    """Says whether a command worked, from what was observed before and after it.

    Args:
        domain: names the facts that a command should make.
        pose_age_limit: the oldest pose that counts as seen, seconds.
    """

    domain: Domain
    pose_age_limit: float = 1.0

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Compare the observed effects of a command with the expected ones.

        An outcome is a claim: success requires observed facts, and a claimed failure is overruled if every fact
        is observed.

        Args:
            command: the action with its arguments and constraints.
            before: world observed before the command.
            after: world observed after it.
            outcome: what the driver reports.

        Returns:
            The verdict, with feedback if the command failed, and with what was observed on its way.
        """
        verdict = self._compared(command, before, after, outcome)
        verdict = stopped_by(self.domain, command, after, verdict)
        return with_the_way(self.domain, command, before, after, verdict)

    def _compared(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        deviation = self._deviation(command, after) if self._places(command) else None
        if outcome.status in _FINAL:
            return Verdict(self._claimed(command, after, outcome, None))
        unseen = self._unseen(command, after)
        if unseen:
            return Verdict(unseen)
        wrong = self._wrong_facts(command, after)
        unsure = self._unsure(command, after, wrong, deviation) if outcome.ok or not wrong else None
        if unsure is not None:
            return Verdict(unsure, deviation)
        if not wrong:
            if outcome.ok or self._has_effects(command):
                note = ("" if outcome.ok else f"the driver reported {outcome.status.value}, but the result is seen")
                return Verdict(None, deviation, note)
            return Verdict(self._claimed(command, after, outcome, deviation))
        action_failure = self._action_failure(command, after, outcome, deviation)
        return Verdict(action_failure or self._state_failure(command, before, after, wrong, deviation), deviation)

    def _places(self, command: Command) -> bool:
        """Check whether the command's target is where its item shall be, and not where a base shall stand."""
        action = self.domain.actions.get(command.action)
        return action is not None and (action.target is None or action.places)

    def _has_effects(self, command: Command) -> bool:
        return any(expected_facts(self.domain, command))

    def _wrong_facts(self, command: Command, after: WorldState) -> List[_Wrong]:
        """Return the facts that are not as they should be."""
        made, removed = expected_facts(self.domain, command)
        wrong = []
        for facts, wanted in ((removed, False), (made, True)):
            for fact in facts:
                holds, measured = see(self.domain, fact, after)
                if holds != wanted:
                    wrong.append(_Wrong(fact, wanted, measured))
        return wrong

    def _unsure(
        self, command: Command, after: WorldState, wrong: List[_Wrong], deviation: Optional[Vector]
    ) -> Optional[Feedback]:
        """Return the feedback that the view does not show whether it worked; ``None`` if the view shows that it
        did, or
        that it did not.
        """
        made, removed = expected_facts(self.domain, command)
        causes = {fact: doubt_about(self.domain, fact, after) for fact in (*made, *removed)}
        if any(causes[each.fact] is None for each in wrong):
            return None
        doubtful = [(fact, cause) for fact, cause in causes.items() if cause is not None]
        if not doubtful:
            return None
        fact, cause = doubtful[0]
        return Feedback(
            Level.HIGH, FeedbackKind.CANNOT_TELL, command, subjects=cause.names, deviation=deviation,
            measured=see(self.domain, fact, after).measured, cause=cause,
            unmet=(Unmet((fact,), negated=fact not in made),))

    def _unseen(self, command: Command, after: WorldState) -> Optional[Feedback]:
        for name in names_of(command).values():
            thing = after.objects.get(name)
            if thing is None or not thing.movable:
                continue
            hidden = thing.visibility is Visibility.HIDDEN and not thing.lost
            gone = thing.visibility is Visibility.GONE
            if hidden or thing.pose_age <= self.pose_age_limit and not gone:
                continue
            if thing.pose is None or math.isinf(thing.pose_age):
                return not_seen(command, thing, after)
            ages = (Measured("pose_age", thing.pose_age, "s"), Measured("pose_age_limit", self.pose_age_limit, "s"))
            return Feedback(Level.HIGH, FeedbackKind.STALE_POSE, command, subjects=(name,), measured=ages,
                            cause=no_picture(after) or stamped_ahead(thing))
        return None

    def _claimed(self, command: Command, after: WorldState, outcome: Outcome, deviation: Optional[Vector]) -> Feedback:
        kind = FeedbackKind.NO_EFFECT if outcome.ok else FeedbackKind.of(outcome.status)
        blockers = tuple(name for name in outcome.blockers if self._may_be_moved(name, command, after))
        said = Cause(CauseKind.UNKNOWN, said=outcome.message) if outcome.message else None
        return Feedback(Level.LOW, kind, command, deviation=deviation, blockers=blockers, cause=outcome.cause or said)

    def _action_failure(
        self, command: Command, after: WorldState, outcome: Outcome, deviation: Optional[Vector]
    ) -> Optional[Feedback]:
        """LOW failures: the motion failed, the gripper does not hold what it should, or still holds it."""
        if not outcome.ok:
            return self._claimed(command, after, outcome, deviation)
        held = Relation(command.robot, self.domain.roles.held, self.domain.item(command))
        made, removed = expected_facts(self.domain, command)
        if held not in (*made, *removed):
            return None
        seen = see(self.domain, held, after)
        if held in made and not seen.holds:
            return Feedback(Level.LOW, FeedbackKind.NOT_GRASPED, command, subjects=(held.object,),
                            measured=seen.measured)
        if held in removed and seen.holds:
            return Feedback(Level.LOW, FeedbackKind.NOT_RELEASED, command, subjects=(held.object,),
                            measured=seen.measured, deviation=deviation)
        return None

    def _state_failure(
        self, command: Command, before: WorldState, after: WorldState, wrong: List[_Wrong], deviation: Optional[Vector],
    ) -> Feedback:
        """HIGH failures: the command ran, but facts are not as they should be; it is about the first of
        them.
        """
        fact, wanted, measured = wrong[0]
        if deviation is not None:
            off = Measured("off_target", math.hypot(*deviation[:2]), "m", self.domain.item(command))
            measured = (*measured, off)
        moved = _moved(fact.object, before, after)
        if moved > _DISTURBED:
            measured = (*measured, Measured("displaced", moved, "m", fact.object))
        return Feedback(
            Level.HIGH, FeedbackKind.NOT_MADE if wanted else FeedbackKind.NOT_REMOVED, command,
            subjects=tuple(name for name in (fact.subject, fact.object) if name), measured=measured,
            deviation=deviation, unmet=(Unmet((fact,), negated=not wanted), *self._instead(fact, wanted, after)))

    def _instead(self, fact: Relation, wanted: bool, after: WorldState) -> Tuple[Unmet, ...]:
        """Return where an object is that does not stand where it should: in a container."""
        roles = self.domain.roles
        if not wanted or fact.predicate != roles.stands_on:
            return ()
        return tuple(Unmet((each,), negated=True) for each in sorted(after.about(fact.subject))
                     if roles.inside and each.predicate == roles.inside and each.subject == fact.subject)

    def _deviation(self, command: Command, after: WorldState) -> Optional[Vector]:
        """Measured minus target position of the item, in the frame of the goal (the target pose's axes),
        metres.

        Only what was let go has been placed: an item that is still in a hand tells nothing.
        """
        item = after.objects.get(self.domain.item(command))
        if command.target is None or item is None or item.pose is None or \
                item.visibility is Visibility.HIDDEN or self.domain.roles.is_held(after, item.name):
            return None
        off = tuple(a - b for a, b in zip(item.pose.position, command.target.position))
        return rotate(conjugate(command.target.orientation), (off[0], off[1], off[2]))

    def _may_be_moved(self, name: str, command: Command, world: WorldState) -> bool:
        """Check whether the obstacle that a driver reports can be moved, and is not the handled object.
        """
        thing = world.objects.get(name)
        return thing is not None and thing.movable and name != self.domain.item(command)


def _moved(name: str, before: WorldState, after: WorldState) -> float:
    """Return how far an object moved between two observations, metres; 0 if it was not observed in both."""
    was, is_ = before.objects.get(name), after.objects.get(name)
    if was is None or is_ is None or was.pose is None or is_.pose is None:
        return 0.0
    return distance(was.pose.position, is_.pose.position)


def doubt_about(domain: Domain, fact: Relation, world: WorldState, sigmas: float = SURE) -> Optional[Cause]:
    """Return why the view does not show whether a fact holds.

    Args:
        domain: types, predicates and actions of the application.
        fact: the fact to check.
        world: observed objects, robots and facts; poses in the world frame.
        sigmas: assumed error of a pose in standard deviations.

    Returns:
        The cause; ``None`` if the view shows it, or no pose decides it.
    """
    if not is_measured(domain, fact):
        return None  # No pose decides it.
    things = [world.objects[name] for name in (fact.subject, fact.object) if name in world.objects]
    hidden = [thing for thing in things if thing.movable and thing.visibility is Visibility.HIDDEN]
    if hidden and not _borne(domain, fact, world, hidden):
        age = max(thing.pose_age for thing in hidden)
        return no_picture(world) or Cause(CauseKind.HIDDEN, tuple(thing.name for thing in hidden), age)
    vague = tuple(thing for thing in things if thing.uncertainty != EXACT and thing.pose is not None)
    seen = measure(domain, fact, world) if vague else None
    if seen is None:
        return None
    for variant in _variants(world, vague, sigmas):
        other = measure(domain, fact, variant)
        if other is not None and other.holds != seen.holds:
            return Cause(CauseKind.IMPRECISE, tuple(thing.name for thing in vague))
    return None


def _borne(domain: Domain, fact: Relation, world: WorldState, hidden: List[WorldObject]) -> bool:
    """Check whether a visible object's height implies that the hidden object supports it.
    """
    if fact.predicate != domain.roles.stands_on or [thing.name for thing in hidden] != [fact.object]:
        return False
    seen = measure(domain, fact, world)
    return seen is not None and seen.holds and not domain.roles.is_held(world, fact.subject)


def _variants(world: WorldState, vague: Tuple[WorldObject, ...], sigmas: float) -> Iterator[WorldState]:
    """Yield the world with one object where it may be as well, as seen from the other.

    What is not known of two objects adds up, so the first is moved by both.
    """
    first = vague[0]
    off = _together(vague)
    for number in range(_DIRECTIONS):
        angle = math.tau * number / _DIRECTIONS
        length = sigmas * off.position
        yield _shifted(world, first, (length * math.cos(angle), length * math.sin(angle), 0.0))
    for side in (-1.0, 1.0):
        yield _shifted(world, first, (0.0, 0.0, side * sigmas * off.height))
        for thing in vague:
            yield _turned(world, thing, side * sigmas * thing.uncertainty.yaw)


def _together(things: Tuple[WorldObject, ...]) -> Uncertainty:
    return Uncertainty(math.sqrt(sum(thing.uncertainty.position ** 2 for thing in things)),
                       math.sqrt(sum(thing.uncertainty.height ** 2 for thing in things)))


def _shifted(world: WorldState, thing: WorldObject, by: Tuple[float, float, float]) -> WorldState:
    assert thing.pose is not None
    return _with(world, replace(thing, pose=thing.pose.shifted(by)))


def _turned(world: WorldState, thing: WorldObject, by: float) -> WorldState:
    assert thing.pose is not None
    turned = multiply(from_yaw(by), thing.pose.orientation)
    return _with(world, replace(thing, pose=Pose(thing.pose.position, turned)))


def _with(world: WorldState, thing: WorldObject) -> WorldState:
    return replace(world, objects={**world.objects, thing.name: thing})
