"""The brain's doors: ``brain/plan`` for plans and corrections, ``brain/understand`` for what users say while
a task runs, ``brain/report`` for words to the user.
"""

from __future__ import annotations

from typing import Optional

from hicrisp_core.domain.wording import LEVELS
from hicrisp_core.model import Task
from hicrisp_core.ports.brain import (
    Brain,
    CorrectionRequest,
    PlanRequest,
    ReportAnswer,
    Reporter,
    ReportRequest,
)
from hicrisp_core.ports.interpreter import Interpreter, RemarkRequest
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_msgs.msg import (
    PlanTaskAction,
    PlanTaskResult,
    ReportTaskAction,
    ReportTaskResult,
    UnderstandRemarkAction,
    UnderstandRemarkResult,
)
from hicrisp_ros import conversions as to


class BrainServer:
    """Serves a brain; a goal with entries on the stack asks for a correction, one without for a plan.

    A brain that words no reports answers none, so that the plain message stands.
    """

    follower: Optional[SceneFollower] = None
    """What makes it follow the scene of the world, where it does."""

    def __init__(self, brain: Brain, interpreter: Optional[Interpreter] = None) -> None:
        self.use(brain, interpreter)
        self._server = ActionServer("brain/plan", PlanTaskAction, self._answer).start()
        self._reports = ActionServer("brain/report", ReportTaskAction, self._report).start()
        self._remarks = ActionServer("brain/understand", UnderstandRemarkAction, self._understand).start()

    def use(self, brain: Brain, interpreter: Optional[Interpreter] = None) -> None:
        """Ask this brain from now on; without an interpreter nothing that is said changes a task."""
        self._brain = brain
        self._interpreter = interpreter

    def _answer(self, goal: Goal) -> PlanTaskResult:
        asked = goal.message
        task, world = Task(asked.task, asked.task_id, asked.robot), to.world_from_msg(asked.world)
        deadline = Deadline(max(0.0, asked.time_limit))
        level = asked.feedback_level if asked.feedback_level in LEVELS else LEVELS[-1]
        if asked.stack:
            stack = to.stack_from_msg(asked.stack)
            answer = self._brain.correct(CorrectionRequest(task, world, stack, level), deadline)
        else:
            answer = self._brain.plan(PlanRequest(
                task, world,
                feedback=tuple(to.feedback_from_msg(feedback) for feedback in asked.feedback),
                done=tuple(to.record_from_msg(record) for record in asked.done),
                remaining=tuple(to.step_from_msg(step) for step in asked.remaining),
                history=tuple(asked.history), feedback_level=level,
                examples=tuple(map(to.remembered_from_msg, asked.examples)),
                goal=to.goal_from_msg(asked.goal, asked.has_goal)), deadline)
        result = PlanTaskResult(
            ok=answer.plan is not None, answer=answer.answer, refusal=answer.refusal,
            question=answer.question.text if answer.question is not None else "",
            choices=to.choices_to_msg(answer.question),
            alternatives=list(answer.alternatives), usage=to.usage_to_msg(answer.usage, asked.task_id))
        if answer.plan is not None:
            result.plan = to.plan_to_msg(answer.plan, asked.task_id)
        return result

    def _understand(self, goal: Goal) -> UnderstandRemarkResult:
        asked = goal.message
        if self._interpreter is None:
            return UnderstandRemarkResult(refusal="This brain takes no remarks. The task goes on as it was.")
        answer = self._interpreter.understand(RemarkRequest(
            Task(asked.task, asked.task_id, asked.robot), asked.said, to.world_from_msg(asked.world),
            to.goal_from_msg(asked.goal, asked.has_goal), tuple(asked.about)),
            Deadline(max(0.0, asked.time_limit)))
        return UnderstandRemarkResult(
            ok=answer.goal is not None, goal=to.goal_to_msg(answer.goal), refusal=answer.refusal,
            question=answer.question.text if answer.question is not None else "",
            choices=to.choices_to_msg(answer.question), usage=to.usage_to_msg(answer.usage, asked.task_id))

    def _report(self, goal: Goal) -> ReportTaskResult:
        asked = goal.message
        said = ReportAnswer()
        if isinstance(self._brain, Reporter):
            said = self._brain.report(ReportRequest(
                Task(asked.task, asked.task_id, asked.robot), asked.success, asked.message,
                tuple(to.record_from_msg(record) for record in asked.done), to.stack_from_msg(asked.failures),
                tuple(asked.history)), Deadline(max(0.0, asked.time_limit)))
        return ReportTaskResult(text=said.text, usage=to.usage_to_msg(said.usage, asked.task_id))
