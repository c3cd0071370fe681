"""The product without a model, for runs that nobody attends: its questions get their first choice for an answer, and
its plans may lack steps.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import List

from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model.meaning import Question, Speaker, Turn
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.time.deadline import Deadline

_MOST_ASKED = 6
"""Questions about one task that are answered."""


class FirstChoice:
    """Answers an interpreter's questions with the first choice.

    Attributes:
        asked: how many questions it answered.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self.asked = 0

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return what the request means once its questions are answered."""
        turns: List[Turn] = list(request.conversation)
        text = request.text
        found = self._interpreter.understand(request, deadline)
        while isinstance(found.meaning, Question) and found.meaning.choices and self.asked < _MOST_ASKED:
            self.asked += 1
            first = found.meaning.choices[0]
            if first.goal is not None:
                return replace(found, meaning=first.goal)
            turns += [Turn(Speaker.USER, text), Turn(Speaker.ROBOT, found.meaning.text)]
            text = first.text
            found = self._interpreter.understand(replace(request, text=text, conversation=tuple(turns)), deadline)
        return found


class Forgetful(SearchBrain):
    """Plans by search and leaves steps out: an injected fault, so that there is something to correct.

    Args:
        forget: the fraction of a plan's steps that it leaves out, from 0 to 1.
        random: decides which.
    """

    def __init__(self, domain: Domain, forget: float, random: Random) -> None:
        super().__init__(domain)
        if not 0.0 <= forget <= 1.0:
            raise ValueError(f"a fraction from 0 to 1 can be forgotten, got {forget}")
        self._forget = forget
        self._random = random

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Return the steps that it does not forget; after a failure likewise."""
        found = super().plan(request, deadline)
        if found.plan is None:
            return found
        kept = tuple(step for step in found.plan.steps if self._random.random() >= self._forget)
        return replace(found, plan=replace(found.plan, steps=kept))
