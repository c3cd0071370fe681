"""roslaunch with more patience for the ROS master: its own ten seconds are too few on a busy machine."""

from __future__ import annotations

import roslaunch
import roslaunch.launch
from hicrisp_ros.node import leave

MASTER_LIMIT = 120.0
"""Wall seconds in which the master must have started."""
_LIMIT = "_TIMEOUT_MASTER_START"


def wait_longer_for_the_master() -> None:
    """Change roslaunch's limit in this process; a roslaunch that has none keeps its own way."""
    if hasattr(roslaunch.launch, _LIMIT):
        setattr(roslaunch.launch, _LIMIT, MASTER_LIMIT)


def main() -> None:
    """The command line of roslaunch."""
    wait_longer_for_the_master()
    roslaunch.main()
    leave()  # Python would clean up for half a second, while somebody waits for the prompt.


if __name__ == "__main__":
    main()
