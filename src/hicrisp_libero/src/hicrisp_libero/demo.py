"""A task of the benchmark in the launched workspace: `scripts/demo --libero`; and its scene's file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

import rospy
from hicrisp_core.errors import ConfigError, HicrispError
from hicrisp_nodes.cli.demo import Demo
from hicrisp_nodes.cli.demo import main as run_demo
from std_msgs.msg import Bool

from hicrisp_libero.client import Benchmark
from hicrisp_libero.description import describe, write_scene

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
            judged = rospy.wait_for_message(f"/{self.world}/judged", Bool, _LIMIT).data
        except rospy.ROSException:
            self._console.error("the benchmark's judge does not answer, so this is no result")
            return
        trial["judged"] = judged
        self._console.say(f"{self._console.paint('Judge', 'strong')}  LIBERO: "
                          + ("its goal has been seen to hold" if judged else "its goal has never held"))


def scene_of(named: str, folder: Path) -> Path:
    """Have the benchmark make a task, and write its scene's file.

    Args:
        named: ``SUITE/TASK`` or ``SUITE/TASK/START``.
        folder: gets the file, in its folder ``scenes``.

    Returns:
        The file.

    Raises:
        ConfigError: if there is no such task, with those that there are.
    """
    suite, *numbers = named.split("/")
    if not 1 <= len(numbers) <= 2 or not all(each.isdigit() for each in numbers):
        raise ConfigError(f"'{named}' names no task; say SUITE/TASK or SUITE/TASK/START, for example libero_goal/7/0")
    task, init = (*map(int, numbers), 0)[:2]
    with Benchmark() as benchmark:
        return write_scene(describe(benchmark, suite, task, init)[0], folder)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the demo with a task of the benchmark, or only write its scene's file for a launch.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status, as that of the demo; 2 if there is no such task.
    """
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--libero", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--describe", action="store_true")
    options, others = parser.parse_known_args(arguments)
    try:
        scene = scene_of(options.libero, options.folder)
    except HicrispError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    if options.describe:
        sys.stdout.write(str(scene))
        return 0
    return run_demo([*others, "--scene", str(scene)], LiberoDemo)


if __name__ == "__main__":
    sys.exit(main())
