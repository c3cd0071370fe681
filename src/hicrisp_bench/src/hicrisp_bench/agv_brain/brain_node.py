"""The brain of the AGV's trials over ROS: the offline planner, and the mistake that ``~mistake`` asks for.

Both parameters are read anew for every plan, so that one launch serves trials with and without mistakes.
"""

from __future__ import annotations

from typing import Tuple

import rospy
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.factory import RunFactory
from hicrisp_core.ports.brain import Brain, PlanAnswer, PlanRequest
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_core.time.deadline import Deadline
from hicrisp_nodes.brain_server import BrainServer
from hicrisp_ros.config_files import Configuration, load_configuration, parameter
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_bench.agv_brain.wrong_order import WrongOrder
from hicrisp_bench.stub_models import OverBrain


class MistakenBrain(OverBrain):
    """Plans as the offline planner does, with a mistake in the first plan of a task where one is asked for."""

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        mistake, seed = str(parameter("mistake", "")), int(parameter("seed", 0))
        brain = WrongOrder(self._brain, mistake, seed) if mistake else self._brain
        return brain.plan(request, deadline)


def build() -> BrainServer:
    """The brain for the domain that the parameters name."""
    def brain(found: Configuration) -> Tuple[Brain, Interpreter]:
        return MistakenBrain(SearchBrain(found.domain)), RunFactory(found.domain, found.policy).interpreter()

    server = BrainServer(*brain(load_configuration()))
    server.follower = SceneFollower(lambda found: server.use(*brain(found)))
    rospy.loginfo("the brain is the offline planner; ~mistake says what is wrong with its first plans")
    return server
