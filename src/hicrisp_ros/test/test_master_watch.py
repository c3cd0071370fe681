"""A node is back by itself after its ROS master was killed and started again, and ends beside one that hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

import pytest
import rosgraph
from ports import free_port
from waiting import PATIENCE, until

MASTER = "from rosmaster.main import rosmaster_main; rosmaster_main()"
NODE = """
import sys, rosgraph, rospy
from std_msgs.msg import String
from std_srvs.srv import Trigger, TriggerResponse
from hicrisp_ros.node import run
from hicrisp_ros.wall_clock import WallTimer

knows = rosgraph.Master.lookupNode
def registers_late(master, name):
    "A node on a busy machine: at its first question the master has not heard of it yet."
    rosgraph.Master.lookupNode = knows
    raise rosgraph.MasterError("unknown node")
if "late" in sys.argv:
    rosgraph.Master.lookupNode = registers_late
def insists():
    "A node whose registration was on its way when the master ended: rospy repeats it until a master takes it."
    rosgraph.Master(rospy.get_name()).registerPublisher("/more", "std_msgs/String", rospy.get_node_uri())

def build():
    rospy.loginfo("begins")  # From here on it knows the parameter for which a log would ask the master.
    if sys.argv[1] == "hears":
        return rospy.Subscriber("/news", String, lambda message: print("heard", flush=True))
    if sys.argv[1] == "reads":
        return WallTimer(0.1, lambda: rospy.set_param("/seen", rospy.get_param_cached("/colour", "")))
    news = rospy.Publisher("/news", String, queue_size=1)
    service = rospy.Service("~ask", Trigger, lambda _: TriggerResponse(True, ""))
    more = WallTimer(0.02, insists) if "insists" in sys.argv else None
    return WallTimer(0.1, lambda: news.publish("still here")), service, more

run(sys.argv[1], build)
"""


class Graph:
    """A master of its own, which can be killed, and nodes."""

    def __init__(self, home: Path) -> None:
        self.port = free_port()
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "ROS_HOME": str(home),
                            "ROS_MASTER_URI": f"http://127.0.0.1:{self.port}"}
        self.processes: List["subprocess.Popen[str]"] = []
        self.master = rosgraph.Master("/test", self.environment["ROS_MASTER_URI"])

    def start_master(self) -> "subprocess.Popen[str]":
        process = self._start("-c", MASTER, "--core", "-p", str(self.port))
        until(self.master.is_online, "master")
        return process

    def start_node(self, *name: str) -> "subprocess.Popen[str]":
        return self._start("-c", NODE, *name)

    def _start(self, *arguments: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen([sys.executable, *arguments], env=self.environment, cwd="/", text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def offers(self, service: str) -> bool:
        try:
            return bool(self.master.lookupService(service))
        except (OSError, rosgraph.MasterException):
            return False

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait(PATIENCE)


@pytest.mark.parametrize("how", [(), ("late",), ("insists",)],
                         ids=["in time", "registered late", "registered before it looked"])
def test_topics_services_and_parameters_are_there_again_and_nodes_find_each_other(
        how: Tuple[str, ...], tmp_path: Path) -> None:
    graph = Graph(tmp_path)
    try:
        master = graph.start_master()
        graph.master.setParam("/says/colour", "red")
        graph.master.setParam("/scene", "agv")
        graph.start_node("says", *how)
        until(lambda: graph.offers("/says/ask"), "service")
        master.kill()
        master.wait(PATIENCE)
        graph.start_master()
        until(lambda: graph.offers("/says/ask"), "service at the new master")
        assert graph.master.getParam("/says/colour") == "red"
        assert graph.master.getParam("/scene") == "agv", "which a node that is started again would read"
        hears = graph.start_node("hears")
        assert hears.stdout is not None
        lines = iter(hears.stdout.readline, "")
        assert any(line == "heard\n" for line in lines), "a node that came later hears the one before"
    finally:
        graph.end()


def test_a_parameter_that_changes_at_the_new_master_is_not_remembered_from_the_old_one(tmp_path: Path) -> None:
    graph = Graph(tmp_path)

    def sees(colour: str) -> None:
        graph.master.setParam("/colour", colour)
        until(lambda: graph.master.hasParam("/seen") and graph.master.getParam("/seen") == colour, colour)

    try:
        master = graph.start_master()
        graph.start_node("reads")
        sees("red")
        master.kill()
        master.wait(PATIENCE)
        graph.start_master()
        sees("blue")
        sees("green")
    finally:
        graph.end()


def test_a_node_that_is_told_to_end_does_so_beside_a_master_that_stands_still(tmp_path: Path) -> None:
    graph = Graph(tmp_path)
    try:
        master = graph.start_master()
        graph.master.setParam("/rosout_disable_topics_generation", False)
        node = graph.start_node("says")
        assert node.stdout is not None
        assert any("is ready" in line for line in iter(node.stdout.readline, ""))
        master.send_signal(signal.SIGSTOP)
        node.send_signal(signal.SIGINT)
        assert node.wait(PATIENCE) == 0
    finally:
        graph.end()
