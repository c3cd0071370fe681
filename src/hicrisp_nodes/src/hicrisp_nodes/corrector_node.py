"""The corrector's door: ``corrector/correct``; its rungs with a model ask the brain's node."""

from __future__ import annotations

from threading import Event
from typing import Optional

from hicrisp_core.factory import RunFactory
from hicrisp_core.ports.corrector import Corrector
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.ports.brain import RosBrain
from hicrisp_ros.ports.node_client import NodeClient
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_msgs.msg import CorrectStepAction, CorrectStepResult, PlanTaskAction
from hicrisp_ros import conversions as to


class CorrectorServer:
    """Serves a corrector; ``follower`` takes it over to another scene, where there is one."""

    follower: Optional[SceneFollower] = None

    def __init__(self, corrector: Corrector) -> None:
        self._corrector = corrector
        self._server = ActionServer("corrector/correct", CorrectStepAction, self._correct).start()

    def use(self, corrector: Corrector) -> None:
        """Exchange the corrector.

        Args:
            corrector: answers the next request.
        """
        self._corrector = corrector

    def _correct(self, goal: Goal) -> CorrectStepResult:
        asked = goal.message
        request = to.CORRECTOR_REQUEST.from_msg(asked)
        if not request.stack and request.missed is None:
            raise ValueError("a correction needs an entry on the stack, or what of the goal is missing")
        result = to.CORRECTOR_ANSWER.to_msg(self._corrector.correct(request, Deadline(max(0.0, asked.time_limit))))
        result.usage.task_id = asked.task_id
        return result


def build() -> CorrectorServer:
    """The corrector that the parameters ask for."""
    configuration = load_configuration()
    brain = RosBrain(NodeClient("brain/plan", PlanTaskAction), Event())

    def corrector(found: Configuration) -> Corrector:
        return RunFactory(found.domain, found.policy).corrector(brain)

    server = CorrectorServer(corrector(configuration))
    server.follower = SceneFollower(lambda found: server.use(corrector(found)))
    return server
