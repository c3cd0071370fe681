"""What a model says before it commits itself to facts, read by the grammar.

Small models find plain words more surely than facts: they say "put the jar in front of the tin" and go on to
write ``in(jar,tin)``. Plain commands are what the grammar reads exactly, so what it reads needs no facts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Union

from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.typed import check_goal
from hicrisp_core.language.clarifying import named_in
from hicrisp_core.llm.exchange import THINKING, Completion
from hicrisp_core.model import Task, WorldState
from hicrisp_core.model.goal import Ask, Goal, Understanding
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.time.deadline import Deadline

_GOAL = "goal"
_BESIDE = ("first", "keep", "robot")
"""What an answer may say beside its end: commands do not stand for one that says it and cannot be used."""
_PATIENCE = 3.0
"""Seconds for reading the commands."""


class SaidCommands:
    """Puts the end that a model's own commands ask for in the place of its facts."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._grammar = OfflineBrain(domain)

    def over(
        self, said: Completion, found: Union[Understanding, ParseFailure], world: WorldState,
        deadline: Deadline
    ) -> Union[Understanding, ParseFailure]:
        """The goal with the commands' end, where the grammar reads them; else what was found."""
        if not isinstance(found, (Goal, ParseFailure)):
            return found
        told = self._told(said, isinstance(found, ParseFailure), world, deadline)
        if isinstance(told, Goal) and isinstance(found, Goal):
            both = replace(found, end=told.end, first=told.first)
            return found if check_goal(both, self._domain, world) else both
        return found if told is None else told

    def _told(
        self, said: Completion, alone: bool, world: WorldState, deadline: Deadline
    ) -> Union[Goal, Ask, None]:
        """What the commands ask for.

        Args:
            alone: whether nothing but the commands can be used of the answer.
        """
        answer = read_json(said.text, lambda value: isinstance(value, dict))
        commands = str(answer.value.get(THINKING) or "").strip() if answer is not None else ""
        if answer is None or answer.value.get("kind") != _GOAL or not commands:
            return None
        if alone and any(answer.value.get(part) for part in _BESIDE):
            return None
        read = self._grammar.read(PlanRequest(Task(commands), world),
                                  Deadline(min(_PATIENCE, deadline.remaining)))
        if read is not None and read.question is not None:
            choices = tuple(each.text for each in read.question.choices)
            return Ask(tuple(sorted(named_in(choices, world))))
        return read.plan.goal if read is not None and read.plan is not None else None
