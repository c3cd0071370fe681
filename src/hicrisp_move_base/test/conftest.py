"""A ROS graph of its own, on which the driver meets a move_base that behaves as the real one does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator

import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan
from tf2_msgs.msg import TFMessage

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "hicrisp_bringup/test/support")]

from move_base_stack import Stack  # noqa: E402
from ros_graph import ros_graph  # noqa: E402


@pytest.fixture(scope="session")
def ros(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    lasting = {"/odom": Odometry, "/scan": LaserScan, "/tf": TFMessage}
    with ros_graph(tmp_path_factory.mktemp("ros_home"), lasting=lasting):
        yield


@pytest.fixture
def stack(ros: None) -> Iterator[Stack]:
    stack = Stack()
    yield stack
    stack.stop()
