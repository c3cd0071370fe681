"""What a model says before it commits itself to facts, read by the grammar.

Small models find plain words more surely than facts: they say "put the jar in front of the tin" and go on to
write ``in(jar,tin)``. Plain commands are what the grammar reads exactly, so what it reads needs no facts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import List, Union

from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.typed import check_goal
from hicrisp_core.language import lexicon
from hicrisp_core.language.between import told_between
from hicrisp_core.language.clarifying import named_in
from hicrisp_core.language.mentions import mentions
from hicrisp_core.language.tokens import words_in
from hicrisp_core.llm.exchange import THINKING, Completion
from hicrisp_core.model import Task, WorldState
from hicrisp_core.model.goal import Ask, Goal, Statement, Understanding
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.time.deadline import Deadline

_GOAL = "goal"
_BESIDE = ("first", "keep", "robot")
"""What an answer may say beside its end: commands do not stand for one that says it and cannot be used."""
_PATIENCE = 3.0
"""Seconds for reading the commands."""
_ANY = frozenset((*lexicon.ANY, *lexicon.NUMBERS))
_JOINT = re.compile(r"\s*[,;]\s*(?:and\s+|then\s+)*")


class SaidCommands:
    """Puts the end that a model's own commands ask for in the place of its facts."""

    def __init__(self, domain: Domain, grammar: OfflineBrain) -> None:
        self._domain = domain
        self._grammar = grammar

    def over(
        self, said: Completion, found: Union[Understanding, ParseFailure], text: str, world: WorldState,
        deadline: Deadline
    ) -> Union[Understanding, ParseFailure]:
        """The goal with the commands' end, where the grammar reads them; else what was found.

        Args:
            text: the request; things that it names in the plural are all meant by the commands, too.
        """
        if not isinstance(found, (Goal, ParseFailure)):
            return found
        told = self._told(said, isinstance(found, ParseFailure), text, world, deadline)
        if isinstance(told, Goal) and isinstance(found, Goal):
            both = replace(found, end=told.end, first=told.first)
            return found if check_goal(both, self._domain, world) else both
        if isinstance(told, Ask) and not self._is_open(told, text, world):
            return found
        return found if told is None else told

    def _is_open(self, question: Ask, text: str, world: WorldState) -> bool:
        """Whether the request leaves open which of several things it means: "one red block" takes any, and
        "the red blocks" all of them, though commands say "the red block".
        """
        words = [word.text for word in words_in(text)]
        meant = [each for each in mentions(text, self._domain, world)
                 if set(question.which) <= set(each.fitting)]
        return not meant or not all(
            each.several or set(words[max(0, each.start - 1):each.start]) & _ANY for each in meant)

    def _told(
        self, said: Completion, alone: bool, text: str, world: WorldState, deadline: Deadline
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
        limit = Deadline(min(_PATIENCE, deadline.remaining))
        commands = self._in_plural(commands, text, world)
        return self._read(commands, world, limit) or self._apart(commands, world, limit)

    def _in_plural(self, commands: str, text: str, world: WorldState) -> str:
        """Commands with the plural where a request names several things and they name one that may be any of
        these: "the red block" for "reds".
        """
        several = [set(each.fitting) for each in mentions(text, self._domain, world) if each.several]
        for each in mentions(commands, self._domain, world):
            if len(each.fitting) > 1 and not each.several and any(
                    set(each.fitting) <= some for some in several):
                commands = commands.replace(f"the {each.words}", f"all {each.words}s")
        return commands

    def _apart(self, commands: str, world: WorldState, deadline: Deadline) -> Union[Goal, Ask, None]:
        """What commands ask for that no steps one after another would leave so: "put the lamp to the right of
        the soap, put the lamp to the left of the book" is a place between the two.
        """
        end: List[Statement] = []
        apart = _JOINT.split(commands)
        for command in apart if len(apart) > 1 else ():
            told = self._read(command, world, deadline)
            if not isinstance(told, Goal) or told.first:
                return told if isinstance(told, Ask) else None
            end.extend(each for each in told.end if each not in end)
        goal = Goal(tuple(end))
        return goal if check_goal(goal, self._domain, world) is None else None

    def _read(self, commands: str, world: WorldState, deadline: Deadline) -> Union[Goal, Ask, None]:
        read = self._grammar.read(PlanRequest(Task(commands), world), deadline)
        if read is not None and read.question is not None:
            choices = tuple(each.text for each in read.question.choices)
            return Ask(tuple(sorted(named_in(choices, world))))
        if read is not None and read.plan is not None:
            return read.plan.goal
        return told_between(commands, self._domain, world)
