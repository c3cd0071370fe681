"""What was tried: what the finished commands made, what did not last, and what did not repair a failure."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Counter as Counts
from typing import Dict, FrozenSet, Iterable, List, Mapping, Optional, Set, Tuple

from hicrisp_core.detector.relations import see
from hicrisp_core.domain import Domain, GoalWords, described, joined, names_of, sentence, type_test
from hicrisp_core.domain.effects import apply_action
from hicrisp_core.domain.wording import cause_text
from hicrisp_core.executive.attempt import Attempt
from hicrisp_core.executive.observation import out_of_sight
from hicrisp_core.model import CauseKind, Command, Feedback, FeedbackKind, Level, Relation, Unmet, WorldState
from hicrisp_core.model.correction import TriedCommand
from hicrisp_core.model.goal import Holds, Statement, facts_in

_MOST = 6
"""How many different commands are named at most."""


class AttemptHistory:
    """The commands that were carried out for a goal, in the order in which they ended, what they made, and what of
    the goal was found gone at the end.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._words = GoalWords(domain)
        self._commands: List[Command] = []
        self._left: Set[str] = set()
        """The robots whose last step was given up."""
        self._gone: Counts[Statement] = Counter()
        self._places: Dict[Statement, str] = {}
        self._since: Counts[str] = Counter()
        """What was carried out since the first loss."""

    def carried_out(self, commands: Tuple[Command, ...]) -> None:
        """Add commands that were carried out.

        Args:
            commands: in the order in which they ended.
        """
        self._commands.extend(commands)
        if self._gone:
            self._since.update(map(self._domain.describe, commands))

    def ended(self, robot: str, ok: bool) -> None:
        """Record the end of a robot's step; after an abandoned one, transient facts no longer count.

        Args:
            robot: name of the robot.
            ok: whether the step was carried out.
        """
        (self._left.discard if ok else self._left.add)(robot)

    def made(self, world: WorldState, more: Tuple[Command, ...] = ()) -> Dict[Relation, Command]:
        """Return the achieved facts that no later command undid, each with the command that made it.

        Args:
            world: names the types of the objects.
            more: commands that count as carried out last.

        Returns:
            The commands by fact.
        """
        facts: FrozenSet[Relation] = frozenset()
        maker: Dict[Relation, Command] = {}
        is_a = type_test(self._domain, world)
        for command in (*self._commands, *more):
            after = apply_action(self._domain.actions[command.action], names_of(command), facts, is_a)
            maker.update(dict.fromkeys(after - facts, command))
            facts = after
        return {fact: maker[fact] for fact in facts}

    def undone(self, world: WorldState) -> Optional[Tuple[Command, Feedback]]:
        """Find an achieved fact that no longer holds.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The command that achieves it again, with the feedback; ``None`` if all facts hold.
        """
        last = {command.robot: command for command in self._commands}
        for fact, maker in sorted(self.made(world).items(), key=lambda each: each[0]):
            predicate = self._domain.predicates.get(fact.predicate)
            if predicate is not None and predicate.transient and (
                    maker.robot in self._left or maker is not last[maker.robot]):
                continue  # It was only a means, as what a hand holds between two steps.
            if not see(self._domain, fact, world).holds:
                return maker, Feedback(Level.HIGH, FeedbackKind.UNDONE, maker, subjects=(fact.subject,),
                                       unmet=(Unmet((fact,)),))
        return None

    def lost(self, gone: Iterable[Statement], world: WorldState) -> None:
        """Record that an observation at the end of the task found conditions lost.

        Args:
            gone: the lost conditions.
            world: observed objects, robots and facts; poses in the world frame.
        """
        roles = self._domain.roles
        placing = {roles.stands_on, roles.inside, roles.held} - {""}
        for statement in gone:
            subjects = {fact.subject for fact in facts_in(statement)}
            places = [fact for fact in sorted(world.relations) if fact.predicate in placing
                      and (fact.object if fact.predicate == roles.held else fact.subject) in subjects]
            self._gone[statement] += 1
            self._places[statement] = joined([self._words.now(Holds(fact)) for fact in places], "and")

    def unseen(self, world: WorldState) -> Tuple[str, ...]:
        """Return the objects of an achieved fact that does not hold, as far as the camera does not show them.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            Their names.
        """
        undone = self.undone(world)
        return out_of_sight(world, undone[1].subjects) if undone is not None else ()

    def explained(self, reason: str) -> str:
        """Add to the reason why a task was abandoned what did not last.

        Args:
            reason: a clause or a sentence.

        Returns:
            The sentences; empty without a reason.
        """
        if not reason:
            return reason
        said = [reason]
        for statement, looks in self._gone.most_common():
            place = self._places[statement]
            gone = f"{looks} looks found" if looks > 1 else "a look found"
            said.append(f"it does not last that {self._words.now(statement)}: {gone} it gone"
                        f"{f', and now {place}' if place else ''}")
        if self._since:
            said.append(f"tried since then: {_counted(self._since)}")
        return " ".join(map(sentence, said))


class Tried:
    """Keeps the attempts of one failed command: its first one, its corrections and its retries."""

    def __init__(self, domain: Domain) -> None:
        self.attempts: List[TriedCommand] = []
        """The attempts in their order."""
        self._domain = domain
        self._commands: Counts[str] = Counter()
        self._causes: Counts[str] = Counter()

    def add(self, attempt: Attempt) -> None:
        """Record an attempt.

        Args:
            attempt: command, outcome and verdict.
        """
        feedback = attempt.verdict.feedback
        self.attempts.append(TriedCommand(attempt.command, feedback))
        if feedback is None:
            return
        self._commands[described(self._domain, attempt.command)] += 1
        if feedback.cause is not None and feedback.cause.kind is not CauseKind.UNKNOWN:
            alike = replace(feedback.cause, seconds=None, metres=None)  # 38 and 39 s are one cause.
            self._causes[cause_text(alike)] += 1

    def told(self) -> str:
        """Describe the failed attempts in sentences.

        Returns:
            The text; empty if nothing was tried after the first failure.
        """
        if sum(self._commands.values()) < 2:
            return ""
        said = [f"tried in vain: {_counted(self._commands)}"]
        if self._causes:
            said.append(f"what ended it: {_counted(self._causes)}")
        return " ".join(map(sentence, said))


def _counted(tried: Mapping[str, int]) -> str:
    """List items with their counts, the most frequent first; only the first few items."""
    ranked = sorted(tried.items(), key=lambda each: -each[1])
    named = [f"{said} ({count} times)" if count > 1 else said for said, count in ranked[:_MOST]]
    return "; ".join([*named, *(["and more"] if len(ranked) > _MOST else [])])
