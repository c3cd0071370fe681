"""What a task's words mean, read while they are typed: by the grammar alone, at once and for nothing."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain import Domain
from hicrisp_core.language.naming import naming_in
from hicrisp_core.model import Task, WorldState
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.time.deadline import Deadline

_LIMIT = 1.0
"""Wall seconds for one reading."""
_MOST_STEPS = 20


class Reader:
    """Reads sentences in a domain."""

    def __init__(self, domain: Domain) -> None:
        self._brain = OfflineBrain(domain)

    def read(self, text: str, world: WorldState) -> Optional[Dict[str, Any]]:
        """What a task would be understood as in a world; ``None`` for words that the grammar cannot read."""
        if not text.strip():
            return None
        naming = naming_in(text)
        if naming is not None:
            thing = naming.thing or "the unknown thing"
            return {"answer": f"{thing} gets the name {naming.name}; nothing moves"}
        found = self._brain.read(PlanRequest(Task(text), world), Deadline(_LIMIT))
        if found is None:
            return None
        if found.question is not None:
            return {"question": found.question.text,
                    "choices": [each.text for each in found.question.choices]}
        if found.plan is None:
            return {"answer": found.answer} if found.answer else None
        goal = found.plan.goal
        return {"goal": goal.said if goal is not None else "",
                "steps": [step.text or str(step) for step in found.plan.steps][:_MOST_STEPS]}

    def examples(self, task: str, world: WorldState) -> List[str]:
        """Sentences that would be carried out now, the scene's own first."""
        found = self._brain.refused(PlanRequest(Task(task), world), "").alternatives
        others = [each for each in dict.fromkeys(found) if each.lower() != task.lower()]
        return [task, *others] if task else others
