#!/usr/bin/env python3
"""A Gazebo for the tests: the real one's services, texts, topic and second deletion, over models that stay where they
are put while there is a floor.

It runs in a test's own process, or as a node: ``~forgets`` names what vanishes, ``~floorless`` lets all fall, and
``~things`` says what there is.
"""

from __future__ import annotations

import time
from threading import RLock, Thread, Timer
from typing import Any, Dict, List, Set, Tuple
from xml.etree import ElementTree

import rospy
from geometry_msgs.msg import Pose, Twist
from hicrisp_gazebo.model_names import thing_of
from hicrisp_ros.node import run
from hicrisp_ros.wall_clock import WallTimer
from std_srvs.srv import Empty, EmptyResponse

PERIOD = 0.002
DELETED_AGAIN = 0.2
"""Seconds after which a model that was deleted is deleted once more, by its name, whatever has that by then."""
_GRAVITY = 9.81


class ReferenceGazebo:
    """``/gazebo`` as the nodes meet it. Without a model that stands still nothing has a floor, and falls."""

    def __init__(self) -> None:
        import gazebo_msgs.msg as msg
        import gazebo_msgs.srv as srv

        self._msg, self._srv = msg, srv
        self.lock = RLock()
        self.models: Dict[str, Tuple[str, Pose, Twist]] = {}
        self.calls: List[Tuple[str, str]] = []
        self.deaf = False
        self.paused = False
        self.placed_while_running: List[str] = []
        self.published = 0
        self._ended = False
        self._falling, self._fell_at = 0.0, time.monotonic()
        """Speed of what has no floor, m/s, and when it was reckoned last."""
        self.forgets: Set[str] = set()
        """Things whose models vanish soon after they were spawned or placed."""
        self.floorless = False
        self._states = rospy.Publisher("/gazebo/model_states", msg.ModelStates, queue_size=10)
        self._services = [
            rospy.Service(f"/gazebo/{name}", kind, handler) for name, kind, handler in (
                ("spawn_sdf_model", srv.SpawnModel, self._spawn),
                ("set_model_state", srv.SetModelState, self._set),
                ("get_model_state", srv.GetModelState, self._get),
                ("delete_model", srv.DeleteModel, self._delete),
                ("get_world_properties", srv.GetWorldProperties, self._properties),
                ("pause_physics", Empty, self._pause), ("unpause_physics", Empty, self._unpause))]
        Thread(target=self._loop, daemon=True).start()

    def named(self, thing: str) -> str:
        """The name of the model of a thing."""
        with self.lock:
            return next(name for name in self.models if thing_of(name) == thing)

    @property
    def things(self) -> Set[str]:
        with self.lock:
            return set(map(thing_of, self.models))

    def at(self, thing: str) -> Tuple[float, float, float]:
        pose = self.models[self.named(thing)][1].position
        return (pose.x, pose.y, pose.z)

    def stop(self) -> None:
        self._ended = True
        self._states.unregister()
        for service in self._services:
            service.shutdown("gone")

    def _wait(self) -> None:
        while self.deaf and not rospy.is_shutdown():
            time.sleep(0.01)

    def _spawn(self, request: Any) -> Any:
        self._wait()
        self.calls.append(("spawn", request.model_name))
        with self.lock:
            if request.model_name in self.models:
                return self._srv.SpawnModelResponse(False, "SpawnModel: Failure - entity already exists.")
            if ElementTree.fromstring(request.model_xml).find("model") is None:
                return self._srv.SpawnModelResponse(False, "SpawnModel: Failure - entity format is invalid.")
            self.models[request.model_name] = (request.model_xml, request.initial_pose, Twist())
        return self._srv.SpawnModelResponse(True, "SpawnModel: Successfully spawned entity")

    def _set(self, request: Any) -> Any:
        self._wait()
        state = request.model_state
        self.calls.append(("set", state.model_name))
        with self.lock:
            if state.model_name not in self.models:
                return self._srv.SetModelStateResponse(False, "SetModelState: model does not exist")
            if not self.paused:
                self.placed_while_running.append(state.model_name)
            self.models[state.model_name] = (self.models[state.model_name][0], state.pose, state.twist)
        return self._srv.SetModelStateResponse(True, "SetModelState: set model state done")

    def _get(self, request: Any) -> Any:
        self._wait()
        answer = self._srv.GetModelStateResponse()
        with self.lock:
            if request.model_name not in self.models:
                answer.status_message = "GetModelState: model does not exist"
                return answer
            _, answer.pose, answer.twist = self.models[request.model_name]
        answer.success, answer.status_message = True, "GetModelState: got properties"
        return answer

    def _delete(self, request: Any) -> Any:
        self._wait()
        self.calls.append(("delete", request.model_name))
        with self.lock:
            if self.models.pop(request.model_name, None) is None:
                return self._srv.DeleteModelResponse(False, "DeleteModel: model does not exist")
        Timer(DELETED_AGAIN, self._lose, (request.model_name,)).start()
        return self._srv.DeleteModelResponse(True, "DeleteModel: successfully deleted model")

    def _lose(self, name: str) -> None:
        with self.lock:
            self.models.pop(name, None)

    def _properties(self, _: Any) -> Any:
        self._wait()
        with self.lock:
            return self._srv.GetWorldPropertiesResponse(rospy.get_time(), list(self.models), False, True,
                                                        "GetWorldProperties: got properties")

    def _fall(self) -> None:
        for name in [name for name in self.models if thing_of(name) in self.forgets]:
            del self.models[name]
        now, floors = time.monotonic(), [sdf for sdf, _, _ in self.models.values()
                                         if not sdf or "<static>true</static>" in sdf]
        step, self._fell_at = now - self._fell_at, now
        if self.paused or floors and not self.floorless:
            self._falling = 0.0
            return
        self._falling += _GRAVITY * step
        for pose in (pose for sdf, pose, _ in self.models.values() if sdf not in floors):
            pose.position.z -= self._falling * step

    def _pause(self, _: Any) -> EmptyResponse:
        self.paused = True
        return EmptyResponse()

    def _unpause(self, _: Any) -> EmptyResponse:
        self.paused = False
        return EmptyResponse()

    def _loop(self) -> None:
        while not self._ended and not rospy.is_shutdown():
            with self.lock:
                self._fall()
                names = list(self.models)
                message = self._msg.ModelStates(
                    names, [self.models[name][1] for name in names], [self.models[name][2] for name in names])
                if not self._ended:
                    self._states.publish(message)
                    self.published += 1
            time.sleep(PERIOD)


def build() -> WallTimer:
    """Make a node's part."""
    gazebo = ReferenceGazebo()

    def look() -> None:
        gazebo.forgets = set(str(rospy.get_param("~forgets", "")).split())
        gazebo.floorless = bool(rospy.get_param("~floorless", False))
        rospy.set_param("~things", sorted(gazebo.things))

    return WallTimer(PERIOD * 50, look, "parameters")


if __name__ == "__main__":
    run("gazebo", build)
