"""Goals in words, by the domain's own texts."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Sequence, Tuple

from hicrisp_core.domain.saying import Spelling, joined, named, spoken
from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.model import Count, Goal, Holds, Not, Relation, Stage, Statement

_IS, _ENDS_UP, _END_UP = "{0} is ", "{0} ends up ", "{0} end up "
_Key = Tuple[str, str]


def goal_words(goal: Goal, domain: Domain) -> str:
    """Write what a goal asks for, as the end of "I understand: ...".

    Args:
        goal: stages, alternative and invariants.
        domain: types, predicates and actions of the application.

    Returns:
        A clause without capital and full stop.
    """
    words = GoalWords(domain)
    staged = words.staged(goal.stages)
    if goal.otherwise:
        staged += f"; otherwise {words.staged(goal.otherwise)}"
    return ", ".join(filter(None, (staged, words.kept(goal.invariants))))


class GoalWords:
    """Says statements in a domain's words.

    Args:
        say: how a name is said.
    """

    def __init__(self, domain: Domain, say: Spelling = spoken) -> None:
        self._domain = domain
        self._say = say

    def wanted(self, statements: Sequence[Statement]) -> str:
        """Statements as they shall be at the end; those that say the same of several objects together."""
        groups: Dict[_Key, List[str]] = {}
        said: List[Tuple[_Key, str]] = []
        for statement in statements:
            if not isinstance(statement, Holds):
                said.append((("", ""), self._single(statement)))
                continue
            key = (statement.fact.predicate, statement.fact.object)
            if key not in groups:
                said.append((key, ""))
            groups.setdefault(key, []).append(statement.fact.subject)
        return joined([text or self._several(groups[key], key) for key, text in said], "and")

    def staged(self, stages: Sequence[Stage]) -> str:
        """Write stages in their order, with their robots.

        Args:
            stages: the stages of a goal.

        Returns:
            ``first ..., then ..., and in the end ...``; empty without stages.
        """
        robots = {stage.robot for stage in stages}
        alone = robots.pop() if len(robots) == 1 else ""
        said = []
        for stage in stages:
            text = self.wanted(stage.conditions)
            if stage.robot and not alone:
                text = f"{text} ({named(stage.robot)} does it)"
            if stage.when:
                text = f"if {self.state(stage.when)}, {text}"
            said.append(f"{text} (if possible)" if stage.optional else text)
        told = said[0] if said else ""
        if len(said) > 1:
            told = f"first {', then '.join(said[:-1])}, and in the end {said[-1]}"
        return f"{told}; {named(alone)} does it" if alone else told

    def state(self, statements: Sequence[Statement]) -> str:
        """Write statements as they are now.

        Args:
            statements: conditions.

        Returns:
            A list in words.
        """
        return joined([self.now(each) for each in statements], "and")

    def kept(self, statements: Iterable[Statement]) -> str:
        """Write statements as they must be throughout the task.

        Args:
            statements: invariants.

        Returns:
            A list in words.
        """
        said = []
        for each in statements:
            fact = each.part.fact if isinstance(each, Not) and isinstance(each.part, Holds) else None
            predicate = self._domain.predicates.get(fact.predicate) if fact is not None else None
            if fact is not None and predicate is not None and predicate.avoid_text:
                said.append(self._fact(fact, lambda about: about.avoid_text))
            else:
                said.append(f"so that all the way {self.now(each)}")
        return joined(said, "and")

    def now(self, statement: Statement, denied: bool = False) -> str:
        """Write a statement as it is now, or its denial: "the fork is not left of the plate".

        Args:
            statement: a condition.
            denied: whether to write that it does not hold.

        Returns:
            A clause without capital and full stop.
        """
        if isinstance(statement, Holds):
            return self._fact(statement.fact, lambda each: each.not_text if denied else each.text)
        if isinstance(statement, Not):
            return self.now(statement.part, not denied)
        said = _counted(statement, [self.now(part) for part in statement.parts])
        return f"it is not so that {said}" if denied else said

    def _several(self, subjects: Sequence[str], key: _Key) -> str:
        predicate = self._domain.predicates.get(key[0])
        text = goal_text_of(predicate) if predicate is not None else ""
        if len(subjects) == 1 or not text.startswith(_ENDS_UP):
            return joined([self._fact(Relation(each, *key), goal_text_of) for each in subjects], "and")
        objects = joined([named(each, self._say) for each in subjects], "and")
        return text.replace(_ENDS_UP, _END_UP, 1).format(objects, named(key[1], self._say))

    def _single(self, statement: Statement) -> str:
        if isinstance(statement, Holds):
            return self._fact(statement.fact, goal_text_of)
        if isinstance(statement, Not):
            return self.now(statement)
        if statement.most is None and statement.least == len(statement.parts):
            return self.wanted(statement.parts)
        return _counted(statement, [self._single(part) for part in statement.parts])

    def _fact(self, fact: Relation, text: Callable[[Predicate], str]) -> str:
        predicate = self._domain.predicates.get(fact.predicate)
        if predicate is None:
            return str(Holds(fact))
        return text(predicate).format(named(fact.subject, self._say), named(fact.object, self._say))


def _counted(statement: Count, parts: List[str]) -> str:
    if statement.most is None and statement.least == len(statement.parts):
        return joined(parts, "and")
    if statement.most is None and statement.least == 1:
        return f"{'either ' if len(parts) > 1 else ''}{joined(parts, 'or')}"
    listed = "; ".join(parts)
    if statement.most is None:
        return f"at least {statement.least} of these hold: {listed}"
    if statement.most == 0:
        return f"none of these holds: {listed}"
    amount = f"exactly {statement.most}" if statement.least == statement.most else f"at most {statement.most}"
    return f"{amount} of these hold: {listed}"


def goal_text_of(predicate: Predicate) -> str:
    """Return the text of a fact at the end of a task.

    Args:
        predicate: a predicate of the domain.

    Returns:
        ``goal_text``, or ``text`` with "ends up" for "is".
    """
    if predicate.goal_text:
        return predicate.goal_text
    text = predicate.text
    return text.replace(_IS, _ENDS_UP, 1) if text.startswith(_IS) else text
