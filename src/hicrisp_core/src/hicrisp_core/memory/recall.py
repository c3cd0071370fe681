"""Earlier tasks that were like today's, as examples in today's names."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.typed import check_goal
from hicrisp_core.memory.entries import Example, Numbered
from hicrisp_core.memory.likeness import Likeness
from hicrisp_core.memory.names import mentioned, todays_names, without_names
from hicrisp_core.model import Step, Task, WorldState
from hicrisp_core.model.goal import Goal, Statement
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.model.remembered import Remembered

MOST = 3
"""Examples for one task."""
ALIKE = 0.3
"""Likeness from which an earlier request is taken for an example."""


def near_examples(
    task: Task, world: WorldState, known: Sequence[Numbered], domain: Domain, alike: Likeness
) -> Tuple[Remembered, ...]:
    """The examples that are most like a task, the most alike last, where a model heeds them most.

    What does not fit today's scene and domain is left out: a name without a thing for it, an action or a
    condition that there is not.
    """
    entries = [(each, each.entry) for each in known if isinstance(each.entry, Example)]
    scores = alike(without_names(task.text, world.types()), [
        without_names(entry.text, {name: thing.type for name, thing in entry.things.items()})
        for _, entry in entries])
    spoken = mentioned(task.text, world)
    best = sorted(zip(scores, range(len(entries))), key=lambda each: (-each[0], each[1]))
    found: List[Remembered] = []
    for score, index in best:
        if score < ALIKE or len(found) == MOST:
            break
        example = _today(*entries[index], domain, world, score, spoken)
        if example is not None and all(example.text != other.text for other in found):
            found.append(example)
    return tuple(reversed(found))


def grounded(steps: Sequence[Step], domain: Domain, world: WorldState) -> Optional[Tuple[Step, ...]]:
    """Steps as the domain reads them in a world; ``None`` where one of them does not fit."""
    found: List[Step] = []
    for step in steps:
        try:
            command = domain.ground(step, world)
        except DomainError:
            return None
        found.append(Step(domain.describe(command), command.action, command.arguments, command.robot))
    return tuple(found)


def _today(
    numbered: Numbered, example: Example, domain: Domain, world: WorldState, score: float,
    spoken: Sequence[str],
) -> Optional[Remembered]:
    names = todays_names(example.things, domain, world, preferred=spoken)
    if names is None:
        return None
    text = names.said(example.text, example.things, world)
    steps = grounded([names.step(step) for step in example.steps], domain, world)
    goal = _goal(example)
    if text is None or steps is None or goal is None:
        return None
    goal = names.goal(goal)
    if goal.texts and check_goal(goal, domain, world) is not None:
        return None
    return Remembered(numbered.id, text, steps, goal if goal.texts else None, round(score, 3))


def _goal(example: Example) -> Optional[Goal]:
    parts: Dict[str, Tuple[Statement, ...]] = {}
    for part, texts in example.goal.items():
        statements: List[Statement] = []
        for text in texts:
            statement = parse_statement(text)
            if isinstance(statement, Misfit):
                return None
            statements.append(statement)
        parts[part] = tuple(statements)
    return Goal(parts.get("end", ()), parts.get("keep", ()), parts.get("first", ()))
