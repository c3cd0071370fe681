"""The embedded arena's door: an AGV that is met as any robot with a move_base is, and faults, reset and
pictures.
"""

from __future__ import annotations

from typing import Sequence

import rospy
from hicrisp_core.scene import Scene
from hicrisp_ros.simulated_world import Resets, begin_faults, injected

from hicrisp_msgs.srv import InjectFault, ResetWorld, Snapshot
from hicrisp_sim.agv.world import AgvWorld
from hicrisp_sim.agv_topics import AgvTopics
from hicrisp_sim.agv_truth import AgvTruth
from hicrisp_sim.camera import SceneCamera
from hicrisp_sim.move_base_server import MoveBaseServer


class AgvServer:
    """Serves an arena. The action and its services are under ``/move_base``; the rest is in the node's
    namespace.
    """

    def __init__(self, world: AgvWorld) -> None:
        self._world = world
        self._camera = SceneCamera(world.simulation)
        self._topics = AgvTopics(world.base, world.eyes.frame_of(world.base.name), faults=world.faults)
        self._truth = AgvTruth(world.base)
        begin_faults(world.scene.faults)
        self._follow()
        self._drives = MoveBaseServer(world.base)
        world.faults.leave = self._drives.leave
        self._resets = Resets(world.scene, self._reset)
        self._services = (
            rospy.Service("inject_fault", InjectFault, lambda request: injected(request, world.inject)),
            rospy.Service("reset_world", ResetWorld, self._resets.answer),
            rospy.Service("snapshot", Snapshot, self._camera.answer),
        )

    def _follow(self) -> None:
        self._world.base.followers.append(self._after_period)

    def _after_period(self) -> None:
        self._topics.publish()
        self._truth.publish()
        self._camera.remember(self._world.simulation.snapshot)

    def _reset(self, scene: Scene, seed: int) -> Sequence[str]:
        self._drives.cancel_all()
        with self._drives.wheel:
            self._world.reset(scene, seed)
            self._follow()
        begin_faults(scene.faults)
        self._camera.forget()
        self._topics.begin()
        return ()
