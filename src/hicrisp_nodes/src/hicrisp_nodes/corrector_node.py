"""The corrector's door: ``corrector/correct``; its rungs with a model ask the brain's node."""

from __future__ import annotations

from threading import Event
from typing import Callable

from hicrisp_core.corrector.ladder import Ladder
from hicrisp_core.model import Task
from hicrisp_core.ports.corrector import Corrector, CorrectorRequest
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.node import run
from hicrisp_ros.ports.brain import RosBrain
from hicrisp_ros.ports.thinker import Thinker
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_msgs.msg import CorrectStepAction, CorrectStepResult, PlanTaskAction
from hicrisp_ros import conversions as to


class CorrectorServer:
    """Serves a corrector, which follows the scene of the world.

    Args:
        make: the corrector for a configuration.
    """

    def __init__(self, make: Callable[[Configuration], Corrector], configuration: Configuration) -> None:
        self._make = make
        self._follow(configuration)
        self._follower = SceneFollower(self._follow)
        self._server = ActionServer("corrector/correct", CorrectStepAction, self._correct).start()

    def _follow(self, configuration: Configuration) -> None:
        self._corrector = self._make(configuration)

    def _correct(self, goal: Goal) -> CorrectStepResult:
        asked = goal.message
        request = CorrectorRequest(
            task=Task(asked.task, asked.task_id, asked.robot),
            stack=to.stack_from_msg(asked.stack),
            world=to.world_from_msg(asked.world),
            done=tuple(to.record_from_msg(record) for record in asked.done),
            remaining=tuple(to.step_from_msg(step) for step in asked.remaining),
            seen=frozenset(asked.seen),
            replans_left=asked.replans_left,
            made=to.facts_from_msg(asked.made),
            earlier=tuple(to.feedback_from_msg(feedback) for feedback in asked.earlier),
        )
        if not request.stack:
            raise ValueError("a correction needs at least one entry on the stack")
        answer = self._corrector.correct(request, Deadline(max(0.0, asked.time_limit)))
        return CorrectStepResult(
            correction=to.correction_to_msg(answer.correction), mark=answer.mark,
            usage=to.usage_to_msg(answer.usage, asked.task_id))


def build() -> CorrectorServer:
    """The corrector that the parameters ask for."""
    configuration = load_configuration()
    brain = RosBrain(Thinker("brain/plan", PlanTaskAction), Event())
    return CorrectorServer(lambda found: Ladder(found.domain, found.policy, brain), configuration)


def main() -> None:
    """Run the node."""
    run("corrector", build)
