"""rostest with more patience for the ROS master than the ten seconds of roslaunch, which are too few on a
busy machine.
"""

from __future__ import annotations

from hicrisp_nodes.cli.patient_roslaunch import wait_longer_for_the_master
from rostest import rostestmain

if __name__ == "__main__":
    wait_longer_for_the_master()
    rostestmain()
