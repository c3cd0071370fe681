"""A running Gazebo over its services, each call with a deadline in wall time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator

import rospy
from geometry_msgs.msg import Twist, Vector3
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, Vector
from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_ros.service_client import ServiceClient
from std_srvs.srv import Empty, EmptyRequest

from hicrisp_gazebo.port import Answer, Refusal, refusal_in
from hicrisp_gazebo.scene_models import Model


def gazebo_msgs() -> Any:
    """The modules ``msg`` and ``srv`` of Gazebo's messages.

    Raises:
        ConfigError: where they are not installed, with what brings them.
    """
    try:
        import gazebo_msgs.msg
        import gazebo_msgs.srv
    except ImportError as error:
        raise ConfigError("the package gazebo_msgs is not installed; it comes with gazebo_ros_pkgs (Noetic: "
                          "ros-noetic-gazebo-ros-pkgs), where that is built") from error
    return gazebo_msgs


class GazeboClient:
    """Gazebo's services under one name.

    Args:
        name: of Gazebo's node.
        patience: longest wait for an answer, seconds of wall time.
        start_up: longest wait for the first one, when Gazebo may still be starting.
    """

    def __init__(self, name: str = "/gazebo", patience: float = 5.0, start_up: float = 90.0) -> None:
        messages = gazebo_msgs()
        self._srv, self._msg = messages.srv, messages.msg
        self._patience, self._start_up = patience, start_up
        self._spawn = ServiceClient(f"{name}/spawn_sdf_model", self._srv.SpawnModel)
        self._place = ServiceClient(f"{name}/set_model_state", self._srv.SetModelState)
        self._delete = ServiceClient(f"{name}/delete_model", self._srv.DeleteModel)
        self._pose = ServiceClient(f"{name}/get_model_state", self._srv.GetModelState)
        self._models = ServiceClient(f"{name}/get_world_properties", self._srv.GetWorldProperties)
        self._pause = ServiceClient(f"{name}/pause_physics", Empty)
        self._unpause = ServiceClient(f"{name}/unpause_physics", Empty)

    def models(self) -> Answer:
        """The names of all models."""
        # This is what is asked first, while Gazebo may still be starting.
        return self._ask(self._models, self._srv.GetWorldPropertiesRequest(), self._start_up)

    def spawn(self, model: Model) -> Answer:
        """Put a new model into the world."""
        return self._ask(self._spawn, self._srv.SpawnModelRequest(
            model.name, model.sdf, "", pose_to_msg(model.pose), "world"), self._start_up)

    def place(self, name: str, pose: Pose, velocity: Vector = (0.0, 0.0, 0.0)) -> Answer:
        """Teleport a model; afterwards it moves at a velocity (m/s)."""
        state = self._msg.ModelState(name, pose_to_msg(pose), Twist(linear=Vector3(*velocity)), "world")
        return self._ask(self._place, self._srv.SetModelStateRequest(state), self._patience)

    def delete(self, name: str) -> Answer:
        """Take a model out of the world."""
        return self._ask(self._delete, self._srv.DeleteModelRequest(name), self._patience)

    def pose(self, name: str) -> Answer:
        """Where a model is."""
        return self._ask(self._pose, self._srv.GetModelStateRequest(name, "world"), self._patience)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While inside, the physics stands still."""
        self._pause.call(EmptyRequest(), self._patience)
        try:
            yield
        finally:
            reply = self._unpause.call(EmptyRequest(), self._patience)
            if reply.response is None:
                rospy.logerr("Gazebo stays paused: %s", reply.message)

    @staticmethod
    def _ask(client: ServiceClient, request: Any, patience: float) -> Answer:
        reply = client.call(request, patience)
        if reply.response is None:
            return Answer(Refusal.SILENT, reply.message)
        if not reply.response.success:
            return Answer(refusal_in(reply.response.status_message), reply.response.status_message)
        pose = pose_from_msg(reply.response.pose) if hasattr(reply.response, "pose") else None
        return Answer(None, reply.response.status_message, pose, tuple(getattr(reply.response, "model_names", ())))
