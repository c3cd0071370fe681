"""The brain's doors: ``brain/understand`` for what users say, ``brain/plan`` for plans and corrections,
``brain/report`` for words to the user.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from hicrisp_core.ports.brain import Brain, ReportAnswer, Reporter, Usage
from hicrisp_core.ports.interpreter import Interpreter, Understood
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.diagnostics import Diagnostics
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_msgs import msg
from hicrisp_ros import conversions as to


@dataclass
class Asked:
    """What the models were asked last, for those who look after them."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    """Of the last answer."""
    failure: str = ""
    """Why the last request got no answer; empty where it got one."""

    def note(self, usage: Usage) -> None:
        """Add the cost of an answer.

        Args:
            usage: calls, tokens and requests of the answer.
        """
        self.calls += usage.calls
        self.tokens += usage.tokens
        if usage.exchanges:
            last = usage.exchanges[-1]
            self.seconds, self.failure = last.seconds, last.error if last.failure else ""


class BrainServer:
    """Serves a brain; a goal with entries on the stack asks for a correction, one without for a plan.

    A brain that words no reports answers none, so that the plain message stands.
    """

    follower: Optional[SceneFollower] = None
    """What makes it follow the scene of the world, where it does."""
    diagnostics: Optional[Diagnostics] = None
    """What tells how its models are, where that is told."""

    def __init__(self, brain: Brain, interpreter: Optional[Interpreter] = None) -> None:
        self.use(brain, interpreter)
        self.asked = Asked()
        self._server = ActionServer("brain/plan", msg.PlanTaskAction, self._answer).start()
        self._reports = ActionServer("brain/report", msg.ReportTaskAction, self._report).start()
        self._remarks = ActionServer("brain/understand", msg.UnderstandAction, self._understand,
                                     concurrent=True).start()

    def use(self, brain: Brain, interpreter: Optional[Interpreter] = None) -> None:
        """Exchange brain and interpreter.

        Args:
            brain: plans and corrects.
            interpreter: reads what users say; without one every text is refused.
        """
        self._brain = brain
        self._interpreter = interpreter

    def _answer(self, goal: Goal) -> msg.PlanTaskResult:
        asked = goal.message
        deadline = Deadline(max(0.0, asked.time_limit))
        if asked.stack:
            answer = self._brain.correct(to.CORRECTION_REQUEST.from_msg(asked), deadline)
        else:
            answer = self._brain.plan(to.PLAN_REQUEST.from_msg(asked), deadline)
        self.asked.note(answer.usage)
        result = to.PLAN_ANSWER.to_msg(answer)
        result.usage.task_id = result.plan.task_id = asked.task_id
        return result

    def _understand(self, goal: Goal) -> msg.UnderstandResult:
        asked = goal.message
        found = Understood(trouble="This brain has no interpreter.")
        if self._interpreter is not None:
            found = self._interpreter.understand(to.REQUEST.from_msg(asked),
                                                 Deadline(max(0.0, asked.time_limit)))
        self.asked.note(found.usage)
        result = to.UNDERSTOOD.to_msg(found)
        result.usage.task_id = asked.task_id
        return result

    def _report(self, goal: Goal) -> msg.ReportTaskResult:
        asked = goal.message
        said = ReportAnswer()
        if isinstance(self._brain, Reporter):
            said = self._brain.report(to.REPORT_REQUEST.from_msg(asked), Deadline(max(0.0, asked.time_limit)))
        result = to.REPORT_ANSWER.to_msg(said)
        result.usage.task_id = asked.task_id
        return result
