"""The end of a node: its threads end first, and nobody complains about topics that are closed already."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Event

import pytest
from hicrisp_ros.node_threads import NodeThread, end_threads
from hicrisp_ros.wall_clock import WallTimer
from waiting import PATIENCE, until

NODE = """
import time, rospy
from threading import Thread
from std_msgs.msg import String
from hicrisp_ros.node import run
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.wall_clock import WallTimer

def build():
    news = Publisher("news", String, queue_size=1)
    listener = rospy.Subscriber("news", String, lambda message: (time.sleep(0.01), news.publish(message)))
    timer = WallTimer(0.001, lambda: news.publish("still here"))
    stock = rospy.Publisher("stock", String, queue_size=1)
    def publish():
        while not rospy.is_shutdown():
            stock.publish("as other libraries do")
            time.sleep(0.0001)
    Thread(target=publish, daemon=True).start()
    WallTimer(0.5, lambda: rospy.signal_shutdown("the test is over"))
    return listener, timer

run("talker", build)
"""

SIGNALED = """
import os, signal, sys
from threading import Thread
from hicrisp_ros.node import told_to_end

sys.setswitchinterval(1e-6)
for _ in range(2000):
    end = told_to_end()
    sender = Thread(target=os.kill, args=(os.getpid(), signal.SIGINT))
    sender.start()
    while not end.wait(0.0):
        pass
    sender.join()
"""


def test_a_timer_goes_on_whatever_goes_wrong_in_one_call() -> None:
    calls, enough = [], Event()

    def work() -> None:
        calls.append(1)
        if len(calls) > 2:
            enough.set()
        raise [AttributeError, TypeError, KeyError][len(calls) % 3]("wrong")

    timer = WallTimer(0.001, work)
    assert enough.wait(PATIENCE)
    timer.shutdown(PATIENCE)


def test_threads_are_told_to_end_and_waited_for() -> None:
    told, ended = Event(), []

    def work(end: Event) -> None:
        end.wait(PATIENCE)
        ended.append("by the event")

    NodeThread("one", work).start()
    NodeThread("two", lambda _: (told.wait(PATIENCE), ended.append("by being told")), told.set).start()
    assert end_threads(PATIENCE) == []
    assert sorted(ended) == ["by being told", "by the event"]


def test_a_thread_that_does_not_end_is_named_and_left() -> None:
    go = Event()
    thread = NodeThread("stubborn", lambda _: go.wait(PATIENCE))
    thread.start()
    assert end_threads(0.05) == ["stubborn"]
    go.set()
    until(lambda: not thread.is_alive(), "end of the thread")


@pytest.mark.usefixtures("ros")
def test_a_node_that_ends_while_it_publishes_says_nothing_of_it() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    node = subprocess.run([sys.executable, "-c", NODE], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    assert node.returncode == 0, node.stdout
    assert "Traceback" not in node.stdout
    assert "closed topic" not in node.stdout


def test_a_signal_ends_a_process_whatever_it_is_about() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", SIGNALED], env=environment, timeout=PATIENCE, check=True)
