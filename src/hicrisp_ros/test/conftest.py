"""A ROS graph of its own for the tests, whose simulated clock never starts: nothing may wait for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator

import pytest
from rosgraph_msgs.msg import Clock

from hicrisp_msgs.msg import WorldState

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "hicrisp_bringup/test/support"))

from ros_graph import ros_graph  # noqa: E402


@pytest.fixture(scope="session")
def ros(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    lasting = {"/clock": Clock, "world_state": WorldState}
    with ros_graph(tmp_path_factory.mktemp("ros_home"), simulated_time=True, lasting=lasting):
        yield
