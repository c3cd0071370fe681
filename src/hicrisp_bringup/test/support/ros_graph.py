"""A ROS graph of its own for a test process: a master on a free port, and this process as a node in it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Mapping, Optional

import rosgraph
import rospy
from ports import free_port
from waiting import PATIENCE, until

_MASTER = "from rosmaster.main import rosmaster_main; rosmaster_main()"


@contextmanager
def ros_graph(home: Path, simulated_time: bool = False, lasting: Optional[Mapping[str, type]] = None
              ) -> Iterator[None]:
    """Run with a master that is nobody else's.

    Args:
        home: folder for logs.
        simulated_time: set ``/use_sim_time``; no clock is published.
        lasting: topics with their types that stay open from test to test. To one that a test closes and the
            next one opens again, a subscriber that outlives both may stay deaf for seconds, or for good.
    """
    port = free_port()
    os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_IP="127.0.0.1", ROS_HOME=str(home))
    master = subprocess.Popen([sys.executable, "-c", _MASTER, "--core", "-p", str(port)],
                              stdout=subprocess.DEVNULL,
                              cwd="/")
    try:
        until(rosgraph.is_master_online, "master")
        if simulated_time:
            rosgraph.Master("/test").setParam("/use_sim_time", True)
        rospy.init_node("test", disable_signals=True)
        publishers = [rospy.Publisher(name, kind, queue_size=10) for name, kind in (lasting or {}).items()]
        yield
        for publisher in publishers:
            publisher.unregister()
        rospy.signal_shutdown("tests are over")
    finally:
        master.terminate()
        master.wait(PATIENCE)
