"""A second witness behind the node that has the pictures."""

from __future__ import annotations

from typing import Sequence

from hicrisp_core.model import WorldState
from hicrisp_core.ports.witness import Testimony
from hicrisp_core.time.deadline import Deadline

from hicrisp_msgs.msg import WitnessGoal
from hicrisp_ros.conversions import TESTIMONY, WORLD
from hicrisp_ros.ports.node_client import Asking

_KEEP_LIMIT = 5.0
"""Wall seconds in which a picture is kept, or the witness is taken to be away."""


class RosWitness(Asking):
    """A witness behind the action ``witness``."""

    def keep(self, moment: str, world: WorldState) -> bool:
        """Keep the picture of now.

        Args:
            moment: what the picture is called; it replaces an earlier one of that name.
            world: says where in the picture which object is.

        Returns:
            Whether there is one; false if the node cannot be reached.
        """
        result, _ = self._ask(WitnessGoal(moment=moment, world=WORLD.to_msg(world)), Deadline(_KEEP_LIMIT))
        return result is not None and bool(result.kept)

    def ask(self, moment: str, statements: Sequence[str], names: Sequence[str], deadline: Deadline) -> Testimony:
        """Ask whether statements hold now.

        Args:
            moment: of the kept picture that shows what it was like before.
            statements: clauses in plain words.
            names: the objects that they are about.
            deadline: wall-clock limit of the call.

        Returns:
            The answers, or why there are none.
        """
        return self._told(WitnessGoal(moment=moment, statements=list(statements), names=list(names)), deadline)

    def explain(self, moment: str, failure: Sequence[str], names: Sequence[str], deadline: Deadline) -> Testimony:
        """Ask why a command failed, and what to do about it.

        Args:
            moment: of the kept picture that shows what it was like before.
            failure: the command and what was measured, as sentences.
            names: the objects that they are about.
            deadline: wall-clock limit of the call.

        Returns:
            Reason and suggestion, or why there are none.
        """
        return self._told(WitnessGoal(moment=moment, failure=list(failure), names=list(names)), deadline)

    def _told(self, goal: WitnessGoal, deadline: Deadline) -> Testimony:
        result, why = self._ask(goal, deadline)
        return Testimony(trouble=f"The witness gave no answer ({why}).") if result is None \
            else TESTIMONY.from_msg(result)
