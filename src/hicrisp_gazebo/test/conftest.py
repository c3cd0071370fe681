"""A ROS graph of its own, on which the nodes meet a Gazebo that answers as the real one does."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator

import pytest
import rosgraph
import rospy

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "hicrisp_bringup/test/support")]

from gazebo_table import CONTROL_MSGS, GAZEBO_MSGS  # noqa: E402
from message_packages import provide  # noqa: E402


@pytest.fixture(scope="session")
def messages(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("messages")
    provide("gazebo_msgs", GAZEBO_MSGS, folder)
    provide("control_msgs", CONTROL_MSGS, folder)


@pytest.fixture(scope="session")
def ros(messages: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = tmp_path_factory.mktemp("ros_home")
    os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_IP="127.0.0.1", ROS_HOME=str(home))
    master = subprocess.Popen([sys.executable, "-c", "from rosmaster.main import rosmaster_main; rosmaster_main()",
                               "--core", "-p", str(port)], stdout=subprocess.DEVNULL, cwd="/")
    try:
        for _ in range(200):
            if rosgraph.is_master_online():
                break
            time.sleep(0.05)
        rospy.init_node("test", disable_signals=True)
        yield
        rospy.signal_shutdown("tests are over")
    finally:
        master.terminate()
        master.wait(10)
