"""What the brain itself understands of a task that is being typed: asked one at a time, and not too often."""

from __future__ import annotations

from threading import Event, Lock
from typing import Any, Callable, Dict, Optional

from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_client import CallStatus
from hicrisp_ros.ports.thinker import Thinker

from hicrisp_msgs.msg import PlanTaskAction, PlanTaskGoal, WorldState
from hicrisp_web.server.deeds import Deed, Said
from hicrisp_web.server.guard import Allowance

_LIMIT = 8.0
"""Wall seconds for one answer."""
_PACE, _AT_ONCE = 0.5, 6
"""Questions a second in the long run, and how many may come one after another."""


class BrainReading:
    """Asks ``brain/read``, which brains serve whose models cost nothing.

    Args:
        seen: gives the latest state of the world, where there is one.
        busy: whether a task runs, which needs the brain more.
    """

    def __init__(self, seen: Callable[[], Optional[WorldState]], busy: Callable[[], bool]) -> None:
        self._seen = seen
        self._busy = busy
        self._thinker = Thinker("brain/read", PlanTaskAction)
        self._pace = Allowance(_PACE, _AT_ONCE)
        self._lock = Lock()
        self._cancel = Event()

    def deeds(self) -> Dict[str, Deed]:
        """What reads only."""
        return {"understand": Deed(self._understand, {"task": str})}

    def _understand(self, task: str) -> Said:
        """The newest question counts: one that is under way is dropped for it."""
        world = self._seen()
        with self._lock:
            self._cancel.set()
            self._cancel = cancel = Event()
        if not task.strip() or world is None or not self._thinker.client.connected or self._busy():
            return Said(False, "")
        if not self._pace.take():
            return Said(False, "")
        reply = self._thinker.ask(PlanTaskGoal(task=task, world=world), Deadline(_LIMIT), cancel)
        if reply.status is not CallStatus.SUCCEEDED or reply.result is None or cancel.is_set():
            return Said(False, "")
        found = _told(reply.result)
        return Said(bool(found), "", found)


def _told(result: Any) -> Dict[str, Any]:
    """The brain's answer as the page shows it; empty where the brain does not know."""
    if result.question:
        return {"question": result.question, "choices": [each.text for each in result.choices]}
    if result.answer:
        return {"answer": result.answer}
    if result.refusal:
        return {"refusal": result.refusal}
    if result.ok and result.plan.goal.said:
        return {"goal": result.plan.goal.said, "source": result.plan.source}
    return {}
