"""Peers of a node's port that are no nodes: a master that takes it for another's, and one that says nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from http.client import HTTPException
from threading import Thread
from typing import Any, Iterator, List, Tuple
from xmlrpc.client import ServerProxy

import pytest
import rosgraph
import rospy
from hicrisp_ros.node import begins_with_header
from std_msgs.msg import String
from waiting import PATIENCE, until

TOPIC = "/inbound/news"
NODE = f"""
from std_msgs.msg import String
from hicrisp_ros.node import run
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.wall_clock import WallTimer

def build():
    news = Publisher("{TOPIC}", String, queue_size=1)
    return WallTimer(0.05, lambda: news.publish("still here"))

run("talker", build)
"""


@pytest.fixture(scope="module")
def door(ros: None) -> Iterator[Tuple[str, int]]:
    """Host and port at which a node takes connections of other nodes."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    node = subprocess.Popen([sys.executable, "-c", NODE], env=environment)
    try:
        until(lambda: [TOPIC, String._type] in rosgraph.Master("/test").getPublishedTopics(""), "topic")
        api: Any = ServerProxy(rosgraph.Master("/test").lookupNode("/talker"))
        code, _, (_, host, port) = api.requestTopic("/test", TOPIC, [["TCPROS"]])
        assert code == 1
        yield host, port
    finally:
        node.kill()
        node.wait(PATIENCE)


def test_peers_that_send_no_header_keep_no_subscriber_out(door: Tuple[str, int]) -> None:
    with socket.create_connection(door), socket.create_connection(door) as asking:
        asking.sendall(b"POST / HTTP/1.1\r\n")
        heard: List[String] = []
        subscriber = rospy.Subscriber(TOPIC, String, heard.append)
        until(lambda: heard, "news")
        subscriber.unregister()


def test_a_master_that_takes_it_for_another_node_waits_for_no_answer(door: Tuple[str, int]) -> None:
    outcome: List[Exception] = []

    def ask() -> None:
        try:
            ServerProxy("http://{}:{}".format(*door)).shutdown("/master", "another node has your name")
        except (OSError, HTTPException) as error:
            outcome.append(error)

    Thread(target=ask, daemon=True).start()
    until(lambda: outcome, "end of the call")


@pytest.mark.parametrize(("sent", "fits"), [(b"\x00\x01\x00\x00", True), (b"POST", False), (b"", False)])
def test_a_header_begins_with_its_length(sent: bytes, fits: bool) -> None:
    here, there = socket.socketpair()
    with here, there:
        there.sendall(sent)
        assert begins_with_header(here, PATIENCE if sent else 0.01) is fits
        assert here.recv(4) == sent if fits else True
