"""A task of the benchmark in the launched workspace: `scripts/demo --libero`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.ports.perception import POSES
from hicrisp_nodes.cli.demo import Demo
from hicrisp_nodes.cli.demo import main as run_demo
from std_msgs.msg import Bool

from hicrisp_libero.describe_task import scene_of
from hicrisp_libero.description import JUDGED

_LIMIT = 10.0
"""Wall seconds for the judge's verdict, which is latched."""


class LiberoDemo(Demo):
    """A demo that also says what the benchmark's judge has seen."""

    def tell(self, trial: Dict[str, Any]) -> None:
        """Say the judge's verdict on a trial, and note it beside ours.

        Args:
            trial: its result.
        """
        try:
            judged = rospy.wait_for_message(f"/{self.world}/{JUDGED}", Bool, _LIMIT).data
        except rospy.ROSException:
            self._console.error("the benchmark's judge does not answer, so this is no result")
            return
        trial["judged"] = judged
        self._console.say(f"{self._console.paint('Judge', 'strong')}  LIBERO: "
                          + ("its goal has been seen to hold" if judged else "its goal has never held"))


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the demo with a task of the benchmark; by poses unless it is told otherwise.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status, as that of the demo; 2 if there is no such task.
    """
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--libero", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options, others = parser.parse_known_args(arguments)
    try:
        scene = scene_of(options.libero, options.folder)
    except HicrispError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return run_demo(["--perception", POSES, *others, "--scene", str(scene)], LiberoDemo)


if __name__ == "__main__":
    sys.exit(main())
