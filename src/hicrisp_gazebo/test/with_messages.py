#!/usr/bin/env python3
"""Run a node with Gazebo's messages where they are not installed: the prefix of a node in a launch file."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "hicrisp_bringup/test/support")]

from gazebo_table import GAZEBO_MSGS  # noqa: E402
from message_packages import provide  # noqa: E402

if __name__ == "__main__":
    with TemporaryDirectory(prefix="hicrisp_interfaces_") as made:
        provide("gazebo_msgs", GAZEBO_MSGS, Path(made))
        del sys.argv[0]
        runpy.run_path(sys.argv[0], run_name="__main__")
