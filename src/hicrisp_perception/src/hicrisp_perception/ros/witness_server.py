"""The second witness over ROS: beside the perception, which has the pictures."""

from __future__ import annotations

from typing import Optional

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.models import Models
from hicrisp_core.ports.witness import Witness
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.conversions import TESTIMONY, WORLD
from hicrisp_ros.llm_choice import chosen_llm

from hicrisp_msgs.msg import WitnessAction, WitnessResult
from hicrisp_perception.picture_witness import Take, picture_witness


class WitnessServer:
    """Serves a witness: a goal with neither statements nor a failure keeps the picture of now.

    Args:
        witness: looks at the pictures.
    """

    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self._server = ActionServer("witness", WitnessAction, self._answer, concurrent=True).start()

    def stop(self) -> None:
        """Stop serving."""
        self._server.stop()

    def _answer(self, goal: Goal) -> WitnessResult:
        asked = goal.message
        limit = Deadline(max(0.0, asked.time_limit))
        if asked.failure:
            return TESTIMONY.to_msg(self._witness.explain(asked.moment, asked.failure, asked.names, limit))
        if not asked.statements:
            return WitnessResult(kept=self._witness.keep(asked.moment, WORLD.from_msg(asked.world)))
        return TESTIMONY.to_msg(self._witness.ask(asked.moment, asked.statements, asked.names, limit))


def open_witness(take: Take) -> Optional[WitnessServer]:
    """Create the witness that the parameters ask for.

    Args:
        take: returns the newest picture.

    Returns:
        The server; ``None`` if no model is configured for it. The log says why if one cannot be used.
    """
    try:
        witness = picture_witness(Models(chosen_llm()[0]), take)
    except ConfigError as error:
        rospy.logerr(f"there is no second witness: {error}")
        return None
    return None if witness is None else WitnessServer(witness)
