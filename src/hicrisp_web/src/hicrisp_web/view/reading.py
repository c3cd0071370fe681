"""What a task's words mean, as the page shows it; controlled English is read while it is typed."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.domain import Domain
from hicrisp_core.domain.wording import goal_words
from hicrisp_core.model import Task, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Meaning, Question, Refusal
from hicrisp_core.plan import outlook
from hicrisp_core.ports.brain import PlanAnswer
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter, line_of, naming_in, nearest
from hicrisp_core.understanding.controlled.reader import Reader as Sentences
from hicrisp_core.understanding.hearing import HearingInterpreter

_LIMIT = 1.0
"""Wall seconds for one reading with its plan."""
_MOST_STEPS = 20


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


class Reader:
    """Reads controlled English in a domain, without a language model."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._interpreter = HearingInterpreter(ControlledInterpreter(domain), domain)
        self._brain = SearchBrain(domain)

    def read(self, text: str, world: WorldState) -> Optional[Dict[str, Any]]:
        """Read a task in controlled English, and plan it.

        Args:
            text: the user's words.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The meaning, a goal with its ``steps``; ``None`` if the words are not controlled English.
        """
        if not text.strip():
            return None
        naming = naming_in(text)
        if naming is not None:
            named = naming.thing.replace("_", " ") or "the unknown object"
            return {"answer": f"The name of {named} becomes {naming.name}; nothing moves."}
        if isinstance(line_of(text, Sentences(self._domain, world)), Refusal):
            return None  # The interpreter would look for other sentences, which takes longer.
        deadline = Deadline(_LIMIT)
        found = outlook(self._interpreter, self._brain, Task(text), world, deadline)
        if found.understood.meaning is None:
            return None
        planned = {} if found.plan is None else _planned(found.plan, deadline)
        return {**meaning_shown(found.understood.meaning, self._domain), **planned}

    def examples(self, task: str, world: WorldState) -> List[str]:
        """Return the scene's own task and the sentences nearest to it that would be carried out now.

        Args:
            task: the scene's task; empty if it has none.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            Sentences.
        """
        found = nearest(task, Sentences(self._domain, world))
        others = [each for each in found if each.lower() != task.lower().rstrip(" .")]
        return [task, *others] if task else others


def _planned(found: PlanAnswer, deadline: Deadline) -> Dict[str, Any]:
    """What a goal comes to; nothing if the time was too short to know."""
    if found.plan is not None:
        return {"steps": [step.text or str(step) for step in found.plan.steps][:_MOST_STEPS]}
    if found.answer:
        return {"answer": found.answer}
    return {} if deadline.passed else {"refusal": found.refusal}
