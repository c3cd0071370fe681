"""A ROS graph of its own, on which the nodes meet a Gazebo that answers as the real one does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "hicrisp_bringup/test/support")]

from gazebo_table import CONTROL_MSGS, GAZEBO_MSGS  # noqa: E402
from message_packages import provide  # noqa: E402
from ros_graph import ros_graph  # noqa: E402


@pytest.fixture(scope="session")
def messages(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("messages")
    provide("gazebo_msgs", GAZEBO_MSGS, folder)
    provide("control_msgs", CONTROL_MSGS, folder)


@pytest.fixture(scope="session")
def ros(messages: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with ros_graph(tmp_path_factory.mktemp("ros_home")):
        yield
