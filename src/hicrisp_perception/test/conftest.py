"""One ROS graph for the tests of the node."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "hicrisp_bringup/test/support"))

from ros_graph import ros_graph  # noqa: E402


@pytest.fixture(scope="session")
def ros(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run with a master of this process, whose clock stands still."""
    with ros_graph(tmp_path_factory.mktemp("ros_home"), simulated_time=True):
        yield
