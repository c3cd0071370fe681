"""The core thinks without ROS and without a simulator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
BLOCKED = ("rospy", "actionlib", "tf2_ros", "roslib", "rospkg", "genpy", "mujoco", "ompl", "toppra",
           "hicrisp_msgs",
           "hicrisp_nodes", "hicrisp_sim")

PROGRAM = """
import importlib, importlib.abc, pkgutil, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ImportError(name + " is not to be imported by the core")

sys.meta_path.insert(0, Blocked())
import hicrisp_core
names = [module.name for module in pkgutil.walk_packages(hicrisp_core.__path__, "hicrisp_core.")]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def test_every_module_of_the_core_imports_without_ros():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(blocked=BLOCKED)], env=environment,
                          check=False,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20
