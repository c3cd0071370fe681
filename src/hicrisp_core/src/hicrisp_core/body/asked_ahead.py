"""Answers of a body's model that were asked for before their turn."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillAsking
from dataclasses import replace
from threading import Lock
from typing import Callable, NamedTuple, Optional

from hicrisp_core.ports.body import Translation
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline

_KEPT = 4
"""Answers that wait for their turn at most."""


class Question(NamedTuple):
    """All that a model's answer depends on, and the robot for which it is read."""

    system: str
    prompt: str
    robot: str = ""


class Answers:
    """Keeps each answer until the very same is asked, once."""

    def __init__(self) -> None:
        self._made: "OrderedDict[Question, Future[Optional[Translation]]]" = OrderedDict()
        self._lock = Lock()

    def make(self, question: Question, ask: Callable[[], Translation]) -> Usage:
        """Ask, in the caller's thread; who needs the answer meanwhile waits for it. What it cost."""
        with self._lock:
            if question in self._made:
                return Usage()
            made: "Future[Optional[Translation]]" = Future()
            self._made[question] = made
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        answer: Optional[Translation] = None
        try:
            answer = ask()
        finally:  # One that could not be read is asked for again at its turn.
            made.set_result(answer if answer is not None and answer.feedback is None else None)
        return answer.usage

    def take(self, question: Question, deadline: Deadline) -> Optional[Translation]:
        """The answer, which costs nothing any more; ``None`` where there is none."""
        with self._lock:
            made = self._made.pop(question, None)
        if made is None:
            return None
        try:
            answer = made.result(deadline.remaining)
        except StillAsking:
            return None
        return replace(answer, usage=Usage()) if answer is not None else None
