"""A move_group for the tests, over MuJoCo's Panda, and the Panda, in a test's own process; as nodes they are
two (``reference_robot.py``, ``reference_move_group_node.py``).
"""

from __future__ import annotations

from threading import Event

import rospy
from hicrisp_core.model import Pose
from hicrisp_core.scene import Scene
from hicrisp_sim.simulation import Simulation
from reference_move_group import MODES, ReferenceMoveGroup
from reference_panda import ReferencePanda

__all__ = ["MODES", "ReferenceMoveIt"]


class ReferenceMoveIt(ReferenceMoveGroup):
    """move_group, its controllers and its robot in one.

    Args:
        scene: the things that are really there.
        tf: publishes ``/tf``.
        namespace: of all other names.
        patience: part of the asked planning time that a search in vain takes.
        things: whether TF also tells where the things are.
    """

    def __init__(
        self, scene: Scene, tf: rospy.Publisher, namespace: str = "", patience: float = 1.0,
        things: bool = False
    ) -> None:
        cancel = Event()
        self.panda = ReferencePanda(scene, tf, namespace, things, cancel)
        super().__init__(scene, self.panda, namespace, patience, cancel)
        self.panda.mode = lambda: self.mode()

    def stop(self) -> None:
        """The end of a test."""
        self._ended.set()
        self._cancel.set()
        self.die()
        self._execute.need_to_terminate = True
        self.panda.stop()

    @property
    def simulation(self) -> Simulation:
        """The physics."""
        return self.panda.simulation

    @property
    def moving(self) -> bool:
        """Whether the arm truly moves."""
        return self.panda.moving

    @property
    def tool(self) -> Pose:
        """Where the tool truly is."""
        return self.panda.tool
