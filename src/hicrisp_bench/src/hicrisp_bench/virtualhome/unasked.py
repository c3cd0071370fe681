"""The product without a model, for runs that nobody attends: its questions get their first choice for an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import List

from hicrisp_core.model.meaning import Question, Speaker, Turn
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
