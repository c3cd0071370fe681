"""The embedded arena's door: an AGV that is met as any robot with a move_base is, and faults, reset and pictures."""

from __future__ import annotations

from concurrent.futures import TimeoutError as FutureTimeout

import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.scene import load_scene
from hicrisp_nodes.config_files import config_file
from sensor_msgs.msg import CompressedImage

from hicrisp_msgs.srv import (
    InjectFault,
    InjectFaultRequest,
    InjectFaultResponse,
    ResetWorld,
    ResetWorldRequest,
    ResetWorldResponse,
    Snapshot,
    SnapshotRequest,
    SnapshotResponse,
)
from hicrisp_sim.agv.world import AgvWorld
from hicrisp_sim.agv_topics import AgvTopics
from hicrisp_sim.camera import SceneCamera
from hicrisp_sim.move_base_server import MoveBaseServer

_STILL_LIMIT, _ANIMATION_LIMIT = 5.0, 60.0


class AgvServer:
    """Serves an arena. The action and its services are under ``/move_base``; the rest is in the node's namespace."""

    def __init__(self, world: AgvWorld) -> None:
        self._world = world
        self._camera = SceneCamera(world.simulation)
        self._topics = AgvTopics(world.base)
        self._spoil()
        self._follow()
        self._services = (
            rospy.Service("inject_fault", InjectFault, self._inject),
            rospy.Service("reset_world", ResetWorld, self._reset),
            rospy.Service("snapshot", Snapshot, self._snapshot),
        )
        self._drives = MoveBaseServer(world.base)

    def _follow(self) -> None:
        self._world.base.followers.append(self._after_period)

    def _after_period(self) -> None:
        self._topics.publish()
        self._camera.remember(self._world.simulation.snapshot)

    def _spoil(self) -> None:
        """What goes wrong from the beginning is the scene's; reports read here what was injected."""
        rospy.set_param("~faults", [
            {"fault": fault.kind, "target": fault.target, "magnitude": list(fault.magnitude), "count": fault.count}
            for fault in self._world.scene.faults])

    def _inject(self, request: InjectFaultRequest) -> InjectFaultResponse:
        try:
            said = self._world.inject(request.kind, request.target, request.magnitude, request.count)
        except HicrispError as error:
            return InjectFaultResponse(False, str(error))
        entry = {"fault": request.kind, "target": request.target, "magnitude": list(map(float, request.magnitude)),
                 "count": request.count}
        rospy.set_param("~faults", [*rospy.get_param("~faults", []), entry])
        return InjectFaultResponse(True, said)

    def _reset(self, request: ResetWorldRequest) -> ResetWorldResponse:
        self._drives.cancel_all()
        try:
            scene = load_scene(config_file("scenes", request.scene), request.seed) if request.scene else None
            with self._drives.wheel:
                self._world.reset(scene, request.seed)
                self._follow()
        except HicrispError as error:
            return ResetWorldResponse(False, str(error))
        self._spoil()
        self._camera.forget()
        self._topics.begin()
        rospy.set_param("~seed", int(request.seed))  # Whoever writes a result reads here which layout it was.
        return ResetWorldResponse(True, f"scene {self._world.scene.name} with seed {request.seed}")

    def _snapshot(self, request: SnapshotRequest) -> SnapshotResponse:
        image = CompressedImage()
        image.header.stamp = rospy.Time.from_sec(self._world.time)
        try:
            if request.since > 0.0:
                image.format, image.data = "webp", self._camera.animation(request.since, _ANIMATION_LIMIT)
            else:
                image.format, image.data = "jpeg", self._camera.jpeg(_STILL_LIMIT)
        except (HicrispError, FutureTimeout) as error:
            return SnapshotResponse(ok=False, message=str(error) or "the picture took too long")
        return SnapshotResponse(ok=True, image=image)
