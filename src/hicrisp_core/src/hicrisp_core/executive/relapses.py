"""What does not last: what was found gone at the end of a task, how often, where it is, what was tried."""

from __future__ import annotations

from collections import Counter
from typing import Counter as Counts
from typing import Dict, Iterable, List, Mapping

from hicrisp_core.domain.saying import joined, sentence
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import GoalWords
from hicrisp_core.model import Command, WorldState
from hicrisp_core.model.goal import Holds, Statement, facts_in

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
