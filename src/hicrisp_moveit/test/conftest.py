"""A ROS graph of its own, on which the driver meets a move_group that behaves as the real one does."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Iterator

import pytest
import rosgraph
import rospy

sys.path.insert(0, str(Path(__file__).parent))
for module in ("mujoco", "ompl", "toppra"):
    pytest.importorskip(module, reason="the arm of the reference move_group does not run here")
_FOLDER = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Before anything imports them, make the interfaces that are not installed here."""
    import interfaces

    config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="hicrisp_interfaces_"))
    interfaces.install(config.stash[_FOLDER])


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_FOLDER], ignore_errors=True)



@pytest.fixture(scope="session")
def ros(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
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
