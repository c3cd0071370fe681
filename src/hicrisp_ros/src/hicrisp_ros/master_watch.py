"""Brings a node back after its ROS master was started again: rospy registers once, and never again.

A new master knows no node, topic, service or parameter. What connects the nodes goes on without a master;
only who looks something up finds nothing until it is registered again.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

import rosgraph
import rospy
from rospy.impl.paramserver import get_param_server_cache
from rospy.impl.registration import (
    Registration,
    get_registration_listeners,
    get_service_manager,
    get_topic_manager,
)

from hicrisp_ros.config_files import SHARED
from hicrisp_ros.wall_clock import WallTimer

PERIOD = 1.0
"""Wall seconds between two looks whether the master knows this node."""
_SHARED = ("/use_sim_time", "/run_id", *SHARED)
"""Parameters that nodes share, which the first to come back sets again: a node that is started later reads them."""


class MasterWatch:
    """Registers everything of this node again, and its private parameters, where the master forgot it."""

    def __init__(self) -> None:
        self._master = rosgraph.Master(rospy.get_name())
        self._parameters: Dict[str, Any] = {}
        self._shared: Dict[str, Any] = {}
        self._process = 0
        self._away = False
        # Before any service of the node is there, and seen to be.
        self._look_at(self._learn)
        self._timer = WallTimer(PERIOD, self.look, "master")

    def _learn(self) -> None:
        self._shared, self._parameters = self._read(*_SHARED), self._read(rospy.get_name())
        self._process = self._master.getPid()

    def look(self) -> None:
        """Check once whether the master is reachable and knows this node."""
        self._look_at(self._keep_up)

    def _look_at(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (OSError, rosgraph.MasterException) as error:
            if not self._away:
                rospy.logwarn("the ROS master does not answer (%s); what is connected goes on, and this node "
                              "registers again once it is back", error)
            self._away = True
        else:
            self._away = False

    def _keep_up(self) -> None:
        parameters, process = self._read(rospy.get_name()), self._master.getPid()
        # In this order: a new master is noticed even between two answers. It may know the node already, whose
        # registration was on its way; a master in a new container may have the old one's process number.
        if process == self._process and self._known():
            self._parameters = parameters
        else:
            self._come_back()
            self._process = process

    def _known(self) -> bool:
        try:
            return bool(self._master.lookupNode(rospy.get_name()))
        except rosgraph.MasterError:
            return False

    def _read(self, *names: str) -> Dict[str, Any]:
        there = [name for name in map(rospy.resolve_name, names) if self._master.hasParam(name)]
        return {name: self._master.getParam(name) for name in there}

    def _come_back(self) -> None:
        cache = get_param_server_cache()
        with cache.lock:  # The new master tells nobody of changes who asked the old one to.
            cache.d = None
        rospy.logwarn("the ROS master knows nothing of this node: it was started again; registering anew")
        for name, value in {**self._shared, **self._parameters}.items():
            if not self._master.hasParam(name):
                self._master.setParam(name, value)
        listeners, topics = get_registration_listeners(), get_topic_manager()
        for kind, found in ((Registration.PUB, topics.get_publications()),
                            (Registration.SUB, topics.get_subscriptions()),
                            (Registration.SRV, get_service_manager().get_services())):
            for name, type_or_uri in found:
                listeners.notify_added(name, type_or_uri, kind)
