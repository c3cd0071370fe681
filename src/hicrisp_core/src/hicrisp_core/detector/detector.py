"""The perception detector: first the action, then the state (HiCRISP, section III-A.2). It trusts no
driver.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Iterator, Mapping, Optional, Sequence, Tuple

from hicrisp_core.detector.motion import stopped_by, with_the_way
from hicrisp_core.detector.relations import is_measured, measure, see
from hicrisp_core.domain import Domain, expected_facts, names_of
from hicrisp_core.domain.checker import no_picture, not_seen, stamped_ahead
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
from hicrisp_core.model.track import EXACT, Visibility
from hicrisp_core.ports.kinds import Seen

_FINAL = (Status.SAFETY, Status.CANCELED, Status.LOST, Status.INVALID)
"""Outcomes that end a command whatever is seen afterwards."""
_DISTURBED = 0.02
"""Distance at which an object that no command moves counts as moved, metres."""
SURE = 2.0
"""Standard deviations that a pose may be off while a verdict on a command must stay the same."""
STILL_SURE = 1.0
"""The same for a goal, whose facts were judged before when they were made."""
_DIRECTIONS = 8


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
        action = self.domain.actions.get(command.action)
        # A target is where the item shall be, unless it is where a base shall stand.
        placed = action is not None and (action.target is None or action.places)
        item = after.objects.get(self.domain.item(command))
        deviation: Optional[Vector] = None  # In the frame of the goal (the target pose's axes), metres.
        # Only what was let go has been placed: an item that is still in a hand tells nothing.
        if placed and command.target is not None and item is not None and item.pose is not None \
                and item.visibility is not Visibility.HIDDEN and not self.domain.roles.is_held(after, item.name):
            off = tuple(a - b for a, b in zip(item.pose.position, command.target.position))
            deviation = rotate(conjugate(command.target.orientation), (off[0], off[1], off[2]))
        if outcome.status in _FINAL:
            return Verdict(self._claimed(command, after, outcome, None))
        unseen = self._unseen(command, after)
        if unseen:
            return Verdict(unseen)
        made, removed = expected_facts(self.domain, command)
        seen = {fact: see(self.domain, fact, after) for fact in (*removed, *made)}
        wrong = [fact for fact, found in seen.items() if found.holds != (fact in made)]
        unsure = self._unsure(command, after, made, seen, wrong, deviation) if outcome.ok or not wrong else None
        if unsure is not None:
            return Verdict(unsure, deviation)
        if not wrong:
            if outcome.ok or seen:
                note = ("" if outcome.ok else f"the driver reported {outcome.status.value}, but the result is seen")
                return Verdict(None, deviation, note)
            return Verdict(self._claimed(command, after, outcome, deviation))
        action_failure = self._action_failure(command, after, outcome, made, seen, deviation)
        if action_failure is None:
            fact = wrong[0]
            action_failure = self._state_failure(command, before, after, fact, fact in made, seen[fact], deviation)
        return Verdict(action_failure, deviation)

    def _unsure(
        self, command: Command, after: WorldState, made: Tuple[Relation, ...], seen: Mapping[Relation, Seen],
        wrong: Sequence[Relation], deviation: Optional[Vector],
    ) -> Optional[Feedback]:
        """Return the feedback that the view does not show whether it worked; ``None`` if the view shows that it
        did, or that it did not.
        """
        causes = {fact: doubt_about(self.domain, fact, after) for fact in (*made, *seen)}
        doubtful = [(fact, cause) for fact, cause in causes.items() if cause is not None]
        if not doubtful or any(causes[fact] is None for fact in wrong):
            return None
        fact, cause = doubtful[0]
        return Feedback(
            Level.HIGH, FeedbackKind.CANNOT_TELL, command, subjects=cause.names, deviation=deviation,
            measured=seen[fact].measured, cause=cause, unmet=(Unmet((fact,), negated=fact not in made),))

    def _unseen(self, command: Command, after: WorldState) -> Optional[Feedback]:
        for name in names_of(command).values():
            item = after.part(name) or after.objects.get(name)
            if item is None or not item.moves:
                continue
            hidden = item.visibility is Visibility.HIDDEN and not item.lost
            gone = item.visibility is Visibility.GONE
            if hidden or item.pose_age <= self.pose_age_limit and not gone:
                continue
            if item.pose is None or math.isinf(item.pose_age):
                return not_seen(command, item, after)
            ages = (Measured("pose_age", item.pose_age, "s"), Measured("pose_age_limit", self.pose_age_limit, "s"))
            return Feedback(Level.HIGH, FeedbackKind.STALE_POSE, command, subjects=(name,), measured=ages,
                            cause=no_picture(after) or stamped_ahead(item))
        return None

    def _claimed(self, command: Command, after: WorldState, outcome: Outcome, deviation: Optional[Vector]) -> Feedback:
        kind = FeedbackKind.NO_EFFECT if outcome.ok else FeedbackKind.of(outcome.status)
        blockers = tuple(name for name in outcome.blockers if name not in (self.domain.item(command), command.robot)
                         and (name in after.robots or name in after.objects and after.objects[name].moves))
        said = Cause(CauseKind.UNKNOWN, said=outcome.message) if outcome.message else None
        return Feedback(Level.LOW, kind, command, deviation=deviation, blockers=blockers, cause=outcome.cause or said)

    def _action_failure(
        self, command: Command, after: WorldState, outcome: Outcome, made: Tuple[Relation, ...],
        seen: Mapping[Relation, Seen], deviation: Optional[Vector],
    ) -> Optional[Feedback]:
        """LOW failures: the motion failed, the gripper does not hold what it should, or still holds it."""
        if not outcome.ok:
            return self._claimed(command, after, outcome, deviation)
        held = Relation(command.robot, self.domain.roles.held, self.domain.item(command))
        if held not in seen or seen[held].holds == (held in made):
            return None
        if held in made:
            return Feedback(Level.LOW, FeedbackKind.NOT_GRASPED, command, subjects=(held.object,),
                            measured=seen[held].measured)
        return Feedback(Level.LOW, FeedbackKind.NOT_RELEASED, command, subjects=(held.object,),
                        measured=seen[held].measured, deviation=deviation)

    def _state_failure(
        self, command: Command, before: WorldState, after: WorldState, fact: Relation, wanted: bool, seen: Seen,
        deviation: Optional[Vector],
    ) -> Feedback:
        """HIGH failures: the command ran, but a fact is not as it should be."""
        measured = seen.measured
        if deviation is not None:
            off = Measured("off_target", math.hypot(*deviation[:2]), "m", self.domain.item(command))
            measured = (*measured, off)
        was, is_ = (world.objects[fact.object].pose if fact.object in world.objects else None
                    for world in (before, after))
        moved = distance(was.position, is_.position) if was is not None and is_ is not None else 0.0
        if moved > _DISTURBED:
            measured = (*measured, Measured("displaced", moved, "m", fact.object))
        roles, instead = self.domain.roles, []
        if wanted and roles.inside and fact.predicate == roles.stands_on:  # It may be in a container.
            instead = [Unmet((each,), negated=True) for each in after.about(fact.subject)
                       if each.predicate == roles.inside]
        return Feedback(
            Level.HIGH, FeedbackKind.NOT_MADE if wanted else FeedbackKind.NOT_REMOVED, command,
            subjects=tuple(name for name in (fact.subject, fact.object) if name), measured=measured,
            deviation=deviation, unmet=(Unmet((fact,), negated=not wanted), *instead))


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
    objects = [world.objects[name] for name in (fact.subject, fact.object) if name in world.objects]
    hidden = [item for item in objects if item.movable and item.visibility is Visibility.HIDDEN]
    borne = None
    if fact.predicate == domain.roles.stands_on and [item.name for item in hidden] == [fact.object]:
        borne = measure(domain, fact, world)  # A visible object's height may imply what supports it.
    if hidden and (borne is None or not borne.holds or domain.roles.is_held(world, fact.subject)):
        age = max(item.pose_age for item in hidden)
        return no_picture(world) or Cause(CauseKind.HIDDEN, tuple(item.name for item in hidden), age)
    vague = tuple(item for item in objects if item.uncertainty != EXACT and item.pose is not None)
    seen = measure(domain, fact, world) if vague else None
    if seen is None:
        return None
    for item in _variants(vague, sigmas):
        other = measure(domain, fact, replace(world, objects={**world.objects, item.name: item}))
        if other is not None and other.holds != seen.holds:
            return Cause(CauseKind.IMPRECISE, tuple(item.name for item in vague))
    return None


def _variants(vague: Tuple[WorldObject, ...], sigmas: float) -> Iterator[WorldObject]:
    """Yield one object where it may be as well, as seen from the other.

    What is not known of two objects adds up, so the first is moved by both.
    """
    first = vague[0]
    length, height = (sigmas * math.sqrt(sum(each ** 2 for each in off)) for off in zip(
        *((item.uncertainty.position, item.uncertainty.height) for item in vague)))
    around = (math.tau * number / _DIRECTIONS for number in range(_DIRECTIONS))
    offsets = [(length * math.cos(angle), length * math.sin(angle), 0.0) for angle in around]
    for offset in (*offsets, (0.0, 0.0, -height), (0.0, 0.0, height)):
        if first.pose is not None:
            yield first.at(first.pose.shifted(offset))
    for item in vague:
        for side in (-sigmas, sigmas):
            if item.pose is not None:
                turned = multiply(from_yaw(side * item.uncertainty.yaw), item.pose.orientation)
                yield item.at(Pose(item.pose.position, turned))
