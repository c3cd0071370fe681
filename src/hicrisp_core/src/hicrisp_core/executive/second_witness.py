"""What a task asks its second witness, and what is known or in doubt since."""

from __future__ import annotations

from dataclasses import replace
from threading import RLock
from typing import Dict, Iterable, Optional, Tuple

from hicrisp_core.detector.witness import combined, is_asked, is_sure, is_witnessed, stated
from hicrisp_core.domain import Domain, words_of
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.goals.truth import ways_to_say
from hicrisp_core.model import Cause, CauseKind, Feedback, FeedbackKind, Pose, Relation, WorldState
from hicrisp_core.model.geometry import distance
from hicrisp_core.policy.policy import ALL, FAILURES, OFF
from hicrisp_core.ports.witness import Finding, Witness
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import Noted, Witnessed
from hicrisp_core.trace.explain import witness_words

TASK = "the task"
"""The moment before a task's first command; a robot's name stands for that before its latest one."""
_LIMIT = 60.0
"""Wall seconds for one question, whatever the model's own limit."""
_MOST = 12
"""Questions of one task."""
_SAME = 0.02
"""Metres by which objects and tools may have moved while a picture still shows the same."""

_NOT_ASKED = (FeedbackKind.CANCELED, FeedbackKind.SAFETY, FeedbackKind.LOST, FeedbackKind.SAID_BY_USER)
"""Failures of which no picture shows the reason."""

_Question = Tuple[Tuple[Relation, ...], Tuple[bool, ...], Dict[str, Optional[Pose]]]


class SecondWitness:
    """Asks about facts once for every different view; without an answer what is measured stands.

    Args:
        witness: looks at pictures; ``None`` if there is no such model.
        policy: the policy's ``witness``.
    """

    def __init__(self, witness: Optional[Witness], domain: Domain, policy: str, ledger: RunLog) -> None:
        self._witness, self._domain, self._policy, self._ledger = witness, domain, policy, ledger
        self._left = _MOST if witness is not None and policy != OFF else 0
        self._lock = RLock()
        self._answered: Dict[str, _Question] = {}
        self._known: Dict[Relation, bool] = {}
        """What only the witness tells, as it was told last."""
        self.doubts: Dict[Relation, Cause] = {}
        """Why nobody can tell of a fact whether it holds."""

    def witnessed(self, facts: Iterable[Relation]) -> Tuple[Relation, ...]:
        """Select the facts that nothing but the witness shows.

        Args:
            facts: the facts to check.

        Returns:
            Those that the domain leaves to the witness; none if nobody may be asked.
        """
        return tuple(fact for fact in facts if self._left and is_witnessed(self._domain, fact))

    @property
    def explains(self) -> bool:
        """Whether it is asked why commands failed."""
        return bool(self._left) and self._policy in (FAILURES, ALL)

    def explained(self, failed: Feedback, world: WorldState) -> Feedback:
        """Ask why a command failed that was carried out.

        Args:
            failed: what is known of it.
            world: as it was observed after it.

        Returns:
            The same, with the reason and the suggestion of the model.
        """
        command = failed.command
        if self._witness is None or command is None or not self.explains or failed.kind in _NOT_ASKED \
                or self._ledger.exhausted():
            return failed
        with self._lock:
            self._left -= 1
            words = words_of(failed, self._domain)
            named = (*map(str, command.arguments.values()), *failed.subjects)
            facts = (self._domain.fact_text(fact) for fact in sorted(world.relations)
                     if {fact.subject, fact.object} & set(named))
            told = (f"the command: {self._domain.describe(command)}", words.error, words.reason,
                    *(f"measured now: {fact}" for fact in facts))
            names = tuple(dict.fromkeys(name for name in named if name in world.objects))
            with self._ledger.thinking():
                found = self._witness.explain(command.robot, tuple(filter(None, told)), names,
                                              Deadline(min(_LIMIT, self._ledger.wall_left)))
            self._ledger.used(found.usage)
            if found.trouble:
                self._silent(found.trouble)
            return replace(failed, model_reason=found.reason, model_suggestion=found.suggestion)

    def keep(self, moment: str, world: WorldState) -> None:
        """Keep the picture that shows what it is like before something is done.

        Args:
            moment: ``TASK``, or the robot whose command follows.
            world: observed objects, robots and facts; poses in the world frame.
        """
        with self._lock:
            self._answered.pop(moment, None)
            if self._witness is not None and self._left and not self._witness.keep(moment, world):
                self._silent("it has no picture")

    def hear(self, facts: Iterable[Relation], world: WorldState, moment: str = TASK) -> None:
        """Ask about facts what the policy asks for, unless the last question saw the same.

        Args:
            facts: those that should hold, or should not.
            world: observed objects, robots and facts; poses in the world frame.
            moment: of the picture from before.
        """
        with self._lock:
            told = tuple(dict.fromkeys(facts))
            for fact in told:
                if is_sure(self._domain, fact, world):
                    self.doubts.pop(fact, None)
            asked = tuple(fact for fact in told if is_asked(self._domain, fact, world, self._policy))
            if self._witness is None or not asked or not self._left or self._ledger.exhausted():
                return
            names = tuple(dict.fromkeys(
                name for fact in asked for name in (fact.subject, fact.object) if name in world.objects))
            poses = {name: world.objects[name].pose for name in names}
            poses.update((name, robot.pose) for name, robot in world.robots.items())
            measured = tuple(self._holds(fact, world) for fact in asked)
            if moment in self._answered and _same(self._answered[moment], (asked, measured, poses)):
                return
            self._answered[moment] = asked, measured, poses
            self._left -= 1
            statements = [stated(self._domain, fact) for fact in asked]
            with self._ledger.thinking():
                found = self._witness.ask(moment, statements, names, Deadline(min(_LIMIT, self._ledger.wall_left)))
            self._ledger.used(found.usage)
            for fact in asked:
                self.doubts.pop(fact, None)
            if found.trouble:
                self._silent(found.trouble)
            for fact, statement, said in zip(asked, statements, found.said):
                self._take(fact, statement, said, world)

    def see(self, world: WorldState) -> WorldState:
        """Add what only the witness tells to an observation.

        Args:
            world: the observed world.

        Returns:
            The same world with other facts.
        """
        made = {fact for fact, holds in self._known.items() if holds}
        return world.with_relations((world.relations - set(self._known)) | made) if self._known else world

    def _holds(self, fact: Relation, world: WorldState) -> bool:
        return any(way in world.relations for way in ways_to_say(fact, self._domain))

    def _take(self, fact: Relation, statement: str, said: Finding, world: WorldState) -> None:
        measured = None if is_witnessed(self._domain, fact) else self._holds(fact, world)
        sure = is_sure(self._domain, fact, world)
        holds = combined(measured, sure, said.answer)
        told = Witnessed(statement=statement, answer=said.answer.value, why=said.why, measured=measured, sure=sure,
                         holds=holds)
        self._ledger.tell(told)
        if holds is None:
            names = tuple(name for name in (fact.subject, fact.object) if name in world.objects)
            # What a model read in a picture goes into the log, and into no other model's prompt.
            self.doubts[fact] = Cause(CauseKind.DISPUTED, names, said=witness_words(replace(told, why="")))
        elif measured is None:
            self._known[fact] = holds

    def _silent(self, why: str) -> None:
        """Ask nothing more in this task: what is slow or away must not hold up its end."""
        self._left = 0
        self._ledger.tell(Noted(text=f"the second witness gives no answer, so what is measured stands: {why}"))


def _same(one: _Question, other: _Question) -> bool:
    """Check whether two questions are the same, about what looks the same."""
    def still(name: str) -> bool:
        before, now = one[2].get(name), other[2][name]
        return before is now or before is not None and now is not None \
            and distance(before.position, now.position) <= _SAME

    return one[:2] == other[:2] and all(map(still, other[2]))
