"""The perception detector: first the action, then the state (HiCRISP, section III-A.2). It trusts no driver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple

from hicrisp_core.detector.motion import stopped_by, with_the_way
from hicrisp_core.detector.relations import see
from hicrisp_core.domain.effects import expected_facts, names_of
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Command, Feedback, Level, Outcome, Relation, Status, Vector, Verdict, WorldState
from hicrisp_core.model.geometry import conjugate, distance, rotate

_FINAL = (Status.SAFETY, Status.CANCELED, Status.LOST, Status.INVALID)
"""Outcomes that end a command whatever is seen afterwards."""
_BROKE_OFF = (Status.EXECUTION, Status.TIMEOUT)
"""Outcomes of a motion that something may have stopped on its way."""
_DISTURBED = 0.02
"""Metres from which on a thing that nobody was to move counts as moved."""


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
        """Compare what is seen with what the command should have made, and say what was seen on its way.

        An outcome is a claim: success needs the facts to be seen, and a claimed failure is overruled when
        every fact is seen.
        """
        verdict = self._compared(command, before, after, outcome)
        if outcome.status in _BROKE_OFF:
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
        if not wrong:
            if outcome.ok or self._has_effects(command):
                note = "" if outcome.ok else f"the driver reported {outcome.status.value}, but the result is seen"
                return Verdict(None, deviation, note)
            return Verdict(self._claimed(command, after, outcome, deviation))
        action_failure = self._action_failure(command, after, outcome, deviation)
        return Verdict(action_failure or self._state_failure(command, before, after, wrong, deviation), deviation)

    def _places(self, command: Command) -> bool:
        """Whether the command's target is where its item shall be, and not where a base shall stand."""
        action = self.domain.actions.get(command.action)
        return action is not None and (action.target is None or action.places)

    def _has_effects(self, command: Command) -> bool:
        return any(expected_facts(self.domain, command))

    def _wrong_facts(self, command: Command, after: WorldState) -> List[Tuple[Relation, bool, str]]:
        """The facts that are not as they should be: (fact, should hold, measured)."""
        made, removed = expected_facts(self.domain, command)
        wrong = []
        for facts, wanted in ((removed, False), (made, True)):
            for fact in facts:
                holds, measured = see(self.domain, fact, after)
                if holds != wanted:
                    wrong.append((fact, wanted, measured))
        return wrong

    def _unseen(self, command: Command, after: WorldState) -> Optional[Feedback]:
        for name in names_of(command).values():
            thing = after.objects.get(name)
            if thing is None or not thing.movable:
                continue
            if thing.pose_age <= self.pose_age_limit:
                continue
            if thing.pose is None:
                return Feedback(Level.HIGH, "not_seen", f"The {_said(name)} is not seen.",
                                f"No pose of {name} has arrived.", "Look for it, or bring it back into view.")
            return Feedback(Level.HIGH, "stale_pose",
                            f"The {_said(name)} {thing.sight}.",
                            f"Poses older than {self.pose_age_limit:.1f} s do not count.",
                            "Check the source of the poses.")
        return None

    def _claimed(
        self, command: Command, after: WorldState, outcome: Outcome, deviation: Optional[Vector]
    ) -> Feedback:
        kind = outcome.status.value if not outcome.ok else "no_effect"
        blockers = tuple(name for name in outcome.blockers if self._may_be_moved(name, command, after))
        suggestion = f"Move the {' or the '.join(map(_said, blockers))} away first." if blockers else ""
        return Feedback(Level.LOW, kind, f"Could not {self.domain.describe(command)}.", _sentence(outcome.message),
                        suggestion, deviation, blockers=blockers, cause=outcome.cause)

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
            return Feedback(
                Level.LOW, "not_grasped", f"The {_said(held.object)} is not in the gripper of {held.subject}.",
                f"It is {seen.measured}.", f"Pick up {held.object} again.")
        if held in removed and seen.holds:
            return Feedback(Level.LOW, "not_released", f"The {_said(held.object)} is still in the gripper of "
                            f"{held.subject}.", f"It is {seen.measured}.", f"Place {held.object} again.", deviation)
        return None

    def _state_failure(
        self, command: Command, before: WorldState, after: WorldState, wrong: List[Tuple[Relation, bool, str]],
        deviation: Optional[Vector],
    ) -> Feedback:
        """HIGH failures: the command ran, but a fact is not as it should be."""
        fact, wanted, measured = wrong[0]
        kind = f"not_{fact.predicate}" if wanted else fact.predicate
        sentence = self.domain.fact_text(
            Relation(f"the {_said(fact.subject)}", fact.predicate, f"the {_said(fact.object)}"), denied=wanted)
        item = self.domain.item(command)
        reason = f"The {_said(fact.subject)} is {measured}" if measured else ""
        if reason and deviation is not None:
            off = (deviation[0] ** 2 + deviation[1] ** 2) ** 0.5
            reason += f"; the {_said(item)} is {100 * off:.1f} cm from where it should be"
        moved = _moved(fact.object, before, after)
        if moved > _DISTURBED:
            reason += f"; the {_said(fact.object)} was moved by {100 * moved:.1f} cm"
        suggestion = f"Pick up {item} and {self.domain.describe(command)} again." if item else ""
        return Feedback(Level.HIGH, kind, f"{sentence[:1].upper()}{sentence[1:]}.", _sentence(reason), suggestion,
                        deviation)

    def _deviation(self, command: Command, after: WorldState) -> Optional[Vector]:
        """Measured minus target position of the item, in the frame of the goal (the target pose's axes), metres.

        Only what was let go has been placed: an item that is still in a hand tells nothing.
        """
        item = after.objects.get(self.domain.item(command))
        if command.target is None or item is None or item.pose is None or \
                self.domain.roles.is_held(after, item.name):
            return None
        off = tuple(a - b for a, b in zip(item.pose.position, command.target.position))
        return rotate(conjugate(command.target.orientation), (off[0], off[1], off[2]))

    def _may_be_moved(self, name: str, command: Command, world: WorldState) -> bool:
        """Whether what a driver says is in the way is something that can be put elsewhere, and not what it works on."""
        thing = world.objects.get(name)
        return thing is not None and thing.movable and name != self.domain.item(command)


def _moved(name: str, before: WorldState, after: WorldState) -> float:
    """How far a thing went between two observations, metres; 0 where it was not seen in both."""
    was, is_ = before.objects.get(name), after.objects.get(name)
    if was is None or is_ is None or was.pose is None or is_.pose is None:
        return 0.0
    return distance(was.pose.position, is_.pose.position)


def _said(name: str) -> str:
    return name.replace("_", " ")


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text.endswith(".") else f"{text[:1].upper()}{text[1:]}."
