"""A change of the scene: the world's node begins it, and every node of the namespace that knows a scene follows.

A node that follows serves ``~load_scene``; one that remembers what it saw serves ``~forget`` too, for a world
that begins again with the same scene. The parameters ``scene`` and ``seed`` of the namespace are set, and those
of a node that has its own, so that one which is away at the moment comes back with the right scene.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional

import rospy
from hicrisp_core.errors import HicrispError
from std_srvs.srv import Trigger, TriggerRequest, TriggerResponse

from hicrisp_msgs import srv
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.service_client import ServiceClient, offered

_SERVICE, _FORGET = "load_scene", "forget"
_FOLLOW_LIMIT = 20.0
_HOLD_LIMIT = 15.0
"""Seconds of wall time that a node gets to go over to a scene, and the supervisor to say whether a task runs."""


class SceneFollower:
    """Serves ``~load_scene`` for a node.

    Args:
        follow: takes the new configuration over; it may raise ``HicrispError`` when it cannot.
        forget: forgets what was seen before the world began again; for nodes that remember anything.
    """

    def __init__(
        self, follow: Callable[[Configuration], None], forget: Optional[Callable[[], None]] = None
    ) -> None:
        self._follow = follow
        self._forget = forget
        self._services = [rospy.Service(f"~{_SERVICE}", srv.LoadScene, self._load)]
        if forget is not None:
            self._services.append(rospy.Service(f"~{_FORGET}", Trigger, self._begin_again))

    def stop(self) -> None:
        """Stop following scene changes."""
        for service in self._services:
            service.shutdown("the node ends")

    def _begin_again(self, _: TriggerRequest) -> TriggerResponse:
        assert self._forget is not None
        try:
            self._forget()
        except HicrispError as error:
            return TriggerResponse(False, str(error))
        return TriggerResponse(True, "")

    def _load(self, request: srv.LoadSceneRequest) -> srv.LoadSceneResponse:
        try:
            self._follow(load_configuration(request.scene, request.seed))
        except HicrispError as error:
            return srv.LoadSceneResponse(False, str(error))
        rospy.loginfo("the scene is %s with seed %d", request.scene, request.seed)
        return srv.LoadSceneResponse(True, "")


def let_all_follow(scene: str, seed: int, space: str = "") -> List[str]:
    """Switch every other node of a namespace to a scene.

    Args:
        scene: file or name of the scene.
        seed: of its random layout.
        space: the namespace, with a slash at both ends; this node's own if empty.

    Returns:
        The nodes that did not follow, with reasons; empty on success.
    """
    space, own = space or rospy.get_namespace(), rospy.get_name()
    rospy.set_param(f"{space}scene", scene)
    rospy.set_param(f"{space}seed", int(seed))
    for name in rospy.get_param_names():
        node, _, last = name.rpartition("/")
        if last == "scene" and node.startswith(space) and node != own and "/" not in node[len(space):]:
            rospy.set_param(name, scene)
            rospy.set_param(f"{node}/seed", int(seed))
    return _told(space, _SERVICE, srv.LoadScene, srv.LoadSceneRequest(scene, int(seed)), "did not follow")


def let_all_forget(space: str = "") -> List[str]:
    """Make every other node of a namespace forget what it saw before the world began again.

    Args:
        space: the namespace, with a slash at both ends; this node's own if empty.

    Returns:
        The nodes that did not, with their reasons.
    """
    space = space or rospy.get_namespace()
    return _told(space, _FORGET, Trigger, TriggerRequest(), "did not forget what it saw before")


def _told(space: str, name: str, kind: Any, request: Any, failed: str) -> List[str]:
    """Call a service of every node of a namespace that has it; the nodes that failed, with their reasons."""
    problems: List[str] = []
    try:
        known = [str(service) for service, _ in rospy.get_master().getSystemState()[2][2]]
    except (OSError, rospy.ROSException):
        known = []
    for service in sorted(each for each in known if each.startswith(space) and each.rpartition("/")[2] == name
                          and each.count("/") == space.count("/") + 1):
        client = ServiceClient(service, kind)
        reply = client.call(request, _FOLLOW_LIMIT)
        client.close()
        ok = reply.response is not None and (reply.response.success if kind is Trigger else reply.response.ok)
        if not ok:
            why = reply.message if reply.response is None else reply.response.message
            problems.append(f"{service[len(space):].partition('/')[0]} {failed}: {why}")
    return problems


@contextmanager
def tasks_held() -> Iterator[str]:
    """Provide a context in which the supervisor starts no task.

    Yields:
        Why it cannot hold tasks; empty if none runs.
    """
    if not offered("hold_tasks"):
        yield ""
        return
    client = ServiceClient("hold_tasks", srv.HoldTasks)
    reply = client.call(srv.HoldTasksRequest(True), _HOLD_LIMIT)
    held = reply.response is not None and reply.response.ok
    try:
        if reply.response is None:
            yield f"the supervisor does not say whether a task runs: {reply.message}"
        else:
            yield "" if held else str(reply.response.message)
    finally:
        if held:
            client.call(srv.HoldTasksRequest(False), _HOLD_LIMIT)
        client.close()
