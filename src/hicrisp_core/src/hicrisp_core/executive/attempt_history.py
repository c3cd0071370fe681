"""What was tried: what the finished commands made, what is gone again, and what did not repair a failure."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Counter as Counts
from typing import Dict, FrozenSet, Iterable, List, Mapping, Optional, Set, Tuple

from hicrisp_core.detector.relations import see
from hicrisp_core.domain.saying import joined, sentence
from hicrisp_core.domain.schema import Domain, apply_action, names_of, type_test
from hicrisp_core.domain.wording import GoalWords, cause_text, described
from hicrisp_core.executive.attempt import Attempt
from hicrisp_core.model import CauseKind, Command, Feedback, FeedbackKind, Level, Relation, Unmet, WorldState
from hicrisp_core.model.goal import Holds, Statement, facts_in


class Achievements:
    """The commands that were carried out, in the order in which they ended, and what they made."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._commands: List[Command] = []
        self._left: Set[str] = set()

    def add(self, commands: Tuple[Command, ...]) -> None:
        """Add commands that were carried out.

        Args:
            commands: in the order in which they ended.
        """
        self._commands.extend(commands)

    def ended(self, robot: str, ok: bool) -> None:
        """Record the end of a robot's step; after an abandoned one, transient facts no longer count.

        Args:
            robot: name of the robot.
            ok: whether the step was carried out.
        """
        (self._left.discard if ok else self._left.add)(robot)

    def made(self, world: WorldState, more: Tuple[Command, ...] = ()) -> FrozenSet[Relation]:
        """Return the achieved facts that no later command undid.

        Args:
            more: commands that count as carried out last.

        Returns:
            The facts.
        """
        return frozenset(self._makers(world, more))

    def undone(self, world: WorldState) -> Optional[Tuple[Command, Feedback]]:
        """Find an achieved fact that no longer holds.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The command that achieves it again, with the feedback; ``None`` if all facts hold.
        """
        makers = self._makers(world)
        for fact in sorted(makers):
            maker = makers[fact]
            if self._passing(fact) and (maker.robot in self._left or maker is not self._last_of(maker.robot)):
                continue
            if not see(self._domain, fact, world).holds:
                return maker, Feedback(Level.HIGH, FeedbackKind.UNDONE, maker, subjects=(fact.subject,),
                                       unmet=(Unmet((fact,)),))
        return None

    def _makers(self, world: WorldState, more: Tuple[Command, ...] = ()) -> Dict[Relation, Command]:
        """Return each fact that was made and that no later command undid, with the command that made it."""
        facts: FrozenSet[Relation] = frozenset()
        maker: Dict[Relation, Command] = {}
        is_a = type_test(self._domain, world)
        for command in (*self._commands, *more):
            after = apply_action(self._domain.actions[command.action], names_of(command), facts, is_a)
            for fact in after - facts:
                maker[fact] = command
            facts = after
        return {fact: maker[fact] for fact in facts}

    def _last_of(self, robot: str) -> Optional[Command]:
        return next((command for command in reversed(self._commands) if command.robot == robot), None)

    def _passing(self, fact: Relation) -> bool:
        """Check whether a fact is only a means, as what a hand holds between two steps."""
        predicate = self._domain.predicates.get(fact.predicate)
        return predicate is not None and predicate.transient


_MOST = 6
"""How many different commands are named at most."""


class Relapses:
    """Keeps the looks at the end of a task that found something gone."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._words = GoalWords(domain)
        self._found: Counts[Statement] = Counter()
        self._places: Dict[Statement, str] = {}
        self._tried: Counts[str] = Counter()

    def found(self, gone: Iterable[Statement], world: WorldState) -> None:
        """Record that an observation at the end of the task found conditions lost.

        Args:
            gone: the lost conditions.
            world: observed objects, robots and facts; poses in the world frame.
        """
        for statement in gone:
            self._found[statement] += 1
            self._places[statement] = self._where(statement, world)

    def tried(self, commands: Iterable[Command]) -> None:
        """Record commands that were carried out after the first loss.

        Args:
            commands: commands that were carried out.
        """
        if self._found:
            self._tried.update(map(self._domain.describe, commands))

    def told(self) -> str:
        """Describe the losses in sentences.

        Returns:
            The text; empty without losses.
        """
        said: List[str] = []
        for statement, looks in self._found.most_common():
            place = self._places[statement]
            gone = f"{looks} looks found" if looks > 1 else "a look found"
            said.append(f"it does not last that {self._words.now(statement)}: {gone} it gone"
                        f"{f', and now {place}' if place else ''}")
        if self._tried:
            said.append(f"tried since then: {counted(self._tried)}")
        return " ".join(map(sentence, said))

    def _where(self, statement: Statement, world: WorldState) -> str:
        """Return the positions of a statement's objects."""
        roles = self._domain.roles
        placing = {roles.stands_on, roles.inside, roles.held} - {""}
        subjects = {fact.subject for fact in facts_in(statement)}
        facts = [fact for fact in sorted(world.relations) if fact.predicate in placing
                 and (fact.object if fact.predicate == roles.held else fact.subject) in subjects]
        return joined([self._words.now(Holds(fact)) for fact in facts], "and")


def counted(tried: Mapping[str, int]) -> str:
    """List items with their counts, the most frequent first.

    Args:
        tried: counts by description.

    Returns:
        The list in words; only the first few items.
    """
    ranked = sorted(tried.items(), key=lambda each: -each[1])
    named = [f"{said} ({count} times)" if count > 1 else said for said, count in ranked[:_MOST]]
    return "; ".join([*named, *(["and more"] if len(ranked) > _MOST else [])])


class Tried:
    """Keeps the attempts of one failed command that failed, its first one and all corrections."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._commands: Counts[str] = Counter()
        self._causes: Counts[str] = Counter()

    def failed(self, attempt: Attempt) -> None:
        """Record an attempt; a successful one is ignored.

        Args:
            attempt: command, outcome and verdict.
        """
        feedback = attempt.verdict.feedback
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
        said = [f"tried in vain: {counted(self._commands)}"]
        if self._causes:
            said.append(f"what ended it: {counted(self._causes)}")
        return " ".join(map(sentence, said))
