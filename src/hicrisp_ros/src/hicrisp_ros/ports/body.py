"""A body behind its node."""

from __future__ import annotations

from threading import Event
from typing import List, Union

from hicrisp_core.model import Command, Feedback, Step, WorldState
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.ports.body import Translation
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline

from hicrisp_msgs.msg import DecoderOffset, TranslateStepGoal
from hicrisp_msgs.srv import AimCommandRequest
from hicrisp_ros import conversions as to
from hicrisp_ros.ports.thinker import Thinker, lost
from hicrisp_ros.service_client import ServiceClient


class RosBody:
    """A body behind ``body/translate`` and ``body/aim``."""

    def __init__(self, thinker: Thinker, aim: ServiceClient, cancel: Event) -> None:
        self._thinker = thinker
        self._aim = aim
        self._cancel = cancel

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """The commands for a step, by name."""
        goal = TranslateStepGoal(step=to.step_to_msg(step), world=to.world_to_msg(world))
        reply = self._thinker.ask(goal, deadline, self._cancel)
        if not reply.ok or reply.result is None:
            return Translation(feedback=lost("body", f"{reply.status.value}: {reply.message}"))
        result = reply.result
        return Translation(
            commands=tuple(to.command_from_msg(command) for command in result.commands),
            pass_reason=result.pass_reason,
            feedback=None if result.ok else to.feedback_from_msg(result.feedback),
            usage=to.usage_from_msg(result.usage),
        )

    def prepare(self, step: Step, world: WorldState, deadline: Deadline) -> Usage:
        """Let the node translate a step before its turn, and keep the answer; what that cost.

        A question for the step whose turn it is waits for it: the node is asked one thing at a time.
        """
        goal = TranslateStepGoal(step=to.step_to_msg(step), world=to.world_to_msg(world), ahead=True)
        reply = self._thinker.ask(goal, deadline, self._cancel)
        return to.usage_from_msg(reply.result.usage) if reply.ok and reply.result is not None else Usage()

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """The command with its target and its aim in the world as it is now."""
        request = AimCommandRequest(to.command_to_msg(command), to.world_to_msg(world),
                                    offsets_to_msg(offsets))
        reply = self._aim.call(request, deadline.remaining)
        if reply.response is None:
            return lost("body", reply.message)
        if not reply.response.ok:
            return to.feedback_from_msg(reply.response.feedback)
        return to.command_from_msg(reply.response.command)


def offsets_to_msg(offsets: DecoderOffsets) -> List[DecoderOffset]:
    """The decoder's estimates as messages."""
    return [DecoderOffset(key, list(state)) for key, state in offsets.as_lists().items()]
