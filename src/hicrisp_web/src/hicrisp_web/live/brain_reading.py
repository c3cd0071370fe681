"""What the interpreter understands of a task that is not submitted yet: asked on request, one at a time."""

from __future__ import annotations

from threading import Event, Lock
from typing import Any, Callable, Dict

from hicrisp_core.domain import Domain, goal_words
from hicrisp_core.model import Goal, Meaning, Question, Refusal, WorldState
from hicrisp_core.ports.interpreter import Interpreter, Request
from hicrisp_core.time.deadline import Deadline

from hicrisp_web.server.guard import Allowance
from hicrisp_web.server.page_actions import PageAction, Said

_LIMIT = 60.0
"""Wall seconds for one answer."""
_PACE, _AT_ONCE = 0.5, 6
"""Questions a second in the long run, and how many may come one after another."""
_NO_ANSWER = "The interpreter gave no usable answer."


class BrainReading:
    """Asks the interpreter of the workspace; nothing is planned and nothing moves.

    Args:
        interpreter: returns the interpreter for a question that the event ends early.
        domain: returns the domain of the loaded scene.
        world: returns what is observed now.
        hindered: returns why the interpreter must not be asked now; empty if it may.
    """

    def __init__(self, interpreter: Callable[[Event], Interpreter], domain: Callable[[], Domain],
                 world: Callable[[], WorldState], hindered: Callable[[], str]) -> None:
        self._interpreter = interpreter
        self._domain = domain
        self._world = world
        self._hindered = hindered
        self._pace = Allowance(_PACE, _AT_ONCE)
        self._lock = Lock()
        self._cancel = Event()

    def actions(self) -> Dict[str, PageAction]:
        """What reads only."""
        return {"understand": PageAction(self._understand, {"task": str})}

    def _understand(self, task: str) -> Said:
        """Return the meaning of a task; the newest question counts, and ends the one that is under way."""
        if not task.strip():
            return Said(False, "")
        hindrance = self._hindered()
        if hindrance:
            return Said(False, hindrance)
        if not self._pace.take():
            return Said(False, "Too many questions at once; wait a moment.")
        with self._lock:
            self._cancel.set()
            self._cancel = cancel = Event()
        found = self._interpreter(cancel).understand(Request(task, self._world()), Deadline(_LIMIT))
        if cancel.is_set():
            return Said(False, "A newer question took its place.")
        if found.meaning is None:
            return Said(False, found.trouble or _NO_ANSWER)
        return Said(True, "", meaning_shown(found.meaning, self._domain()))


def meaning_shown(meaning: Meaning, domain: Domain) -> Dict[str, Any]:
    """Convert a meaning for the page.

    Args:
        meaning: goal, question, answer or refusal.
        domain: types, predicates and actions of the application.

    Returns:
        ``goal``, ``question`` with ``choices``, ``answer``, or ``refusal`` with ``alternatives``.
    """
    if isinstance(meaning, Goal):
        return {"goal": meaning.said or goal_words(meaning, domain)}
    if isinstance(meaning, Question):
        return {"question": meaning.text, "choices": [each.text for each in meaning.choices]}
    if isinstance(meaning, Refusal):
        return {"refusal": meaning.text, "alternatives": list(meaning.alternatives)}
    return {"answer": meaning.text}
