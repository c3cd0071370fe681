"""The body's door: ``body/translate`` and ``body/aim``."""

from __future__ import annotations

from typing import Callable

import rospy
from hicrisp_core.body.factory import without_model
from hicrisp_core.llm.models import Models
from hicrisp_core.model import DecoderOffsets, Feedback
from hicrisp_core.ports.body import Body, Foresight
from hicrisp_core.ports.brain import Usage
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.llm_choice import chosen_llm
from hicrisp_ros.ports.reach import drive_space
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_msgs.msg import TranslateStepAction, TranslateStepResult
from hicrisp_msgs.srv import AimCommand, AimCommandRequest, AimCommandResponse
from hicrisp_nodes.composition import parts_of
from hicrisp_ros import conversions as to

AIM_LIMIT = 10.0


class BodyServer:
    """Serves a body, which follows the scene of the world.

    Args:
        make: the body for a configuration.
        offsets: carries the policy's settings; the estimates come with each request.
    """

    def __init__(
        self, make: Callable[[Configuration], Body], configuration: Configuration, offsets: DecoderOffsets
    ) -> None:
        self._make = make
        self._follow(configuration)
        self._offsets = offsets
        self._follower = SceneFollower(self._follow)
        self._service = rospy.Service("body/aim", AimCommand, self._aim)
        self._server = ActionServer("body/translate", TranslateStepAction, self._translate).start()

    def _follow(self, configuration: Configuration) -> None:
        self._body = self._make(configuration)

    def _translate(self, goal: Goal) -> TranslateStepResult:
        request = goal.message
        step, world = to.STEP.from_msg(request.step), to.WORLD.from_msg(request.world)
        deadline = Deadline(max(0.0, request.time_limit))
        if request.ahead:
            used = self._body.prepare(step, world, deadline) if isinstance(self._body, Foresight) else Usage()
            return TranslateStepResult(ok=True, usage=to.USAGE.to_msg(used))
        return to.TRANSLATION.to_msg(self._body.translate(step, world, deadline))

    def _aim(self, request: AimCommandRequest) -> AimCommandResponse:
        offsets = self._offsets.from_lists({offset.key: offset.state for offset in request.offsets})
        aimed = self._body.aim(
            to.COMMAND.from_msg(request.command), to.WORLD.from_msg(request.world), offsets,
            Deadline(AIM_LIMIT))
        if isinstance(aimed, Feedback):
            return AimCommandResponse(ok=False, command=request.command, feedback=to.FEEDBACK.to_msg(aimed))
        return AimCommandResponse(ok=True, command=to.COMMAND.to_msg(aimed))


def build() -> BodyServer:
    """The body that the parameters ask for."""
    configuration = load_configuration()
    policy, (llm, _) = configuration.policy, chosen_llm()
    direct, models = without_model(policy.body, llm), Models(llm)
    rospy.loginfo("the body is %s", f"direct: {direct}" if direct else policy.body)

    def body(found: Configuration) -> Body:
        return parts_of(found, models, drive=drive_space(found.scene), bodies=bodies_of(found.scene)).body()

    server = BodyServer(body, configuration, DecoderOffsets(settings=policy.offset))
    models.begin_probe()
    return server
