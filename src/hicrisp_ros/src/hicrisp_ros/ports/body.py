"""A body behind its node."""

from __future__ import annotations

from threading import Event
from typing import List, Union

from hicrisp_core.model import Command, DecoderOffsets, Feedback, Step, WorldState
from hicrisp_core.ports.body import Translation
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline

from hicrisp_msgs.msg import DecoderOffset, TranslateStepGoal
from hicrisp_msgs.srv import AimCommandRequest
from hicrisp_ros import conversions as to
from hicrisp_ros.ports.node_client import Asking, NodeClient, lost
from hicrisp_ros.service_client import ServiceClient


class RosBody(Asking):
    """A body behind ``body/translate`` and ``body/aim``."""

    def __init__(self, node: NodeClient, aim: ServiceClient, cancel: Event) -> None:
        super().__init__(node, cancel)
        self._aim = aim

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """Return the commands of a step.

        Args:
            step: a step of the plan.
            world: observed objects, robots and facts; poses in the world frame.
            deadline: wall-clock limit of the call.

        Returns:
            The commands; feedback if the node cannot be reached.
        """
        goal = TranslateStepGoal(step=to.STEP.to_msg(step), world=to.WORLD.to_msg(world))
        result, why = self._ask(goal, deadline)
        if result is None:
            return Translation(feedback=lost("body", why))
        return to.TRANSLATION.from_msg(result)

    def prepare(self, step: Step, world: WorldState, deadline: Deadline) -> Usage:
        """Ask the node to translate a step before its turn, and to keep the answer.

        A request for the current step waits for it, since the node answers one request at a time.

        Args:
            step: a step of the plan.
            world: the world expected at its turn.
            deadline: wall-clock limit of the call.

        Returns:
            The cost.
        """
        goal = TranslateStepGoal(step=to.STEP.to_msg(step), world=to.WORLD.to_msg(world), ahead=True)
        result, _ = self._ask(goal, deadline)
        return to.USAGE.from_msg(result.usage) if result is not None else Usage()

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """Give a command its target and its aim in the current world.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.
            offsets: learnt errors of the robots, by which the aim compensates the target.
            deadline: wall-clock limit of the call.

        Returns:
            The command, or the feedback if there is no place for it.
        """
        request = AimCommandRequest(to.COMMAND.to_msg(command), to.WORLD.to_msg(world),
                                    offsets_to_msg(offsets))
        reply = self._aim.call(request, deadline.remaining)
        if reply.response is None:
            return lost("body", reply.message)
        if not reply.response.ok:
            return to.FEEDBACK.from_msg(reply.response.feedback)
        return to.COMMAND.from_msg(reply.response.command)


def offsets_to_msg(offsets: DecoderOffsets) -> List[DecoderOffset]:
    """Convert learnt offsets to messages.

    Args:
        offsets: the offsets by key, metres.

    Returns:
        The messages.
    """
    return [DecoderOffset(key, list(state)) for key, state in offsets.as_lists().items()]
