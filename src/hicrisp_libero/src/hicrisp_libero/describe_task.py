"""Writes the scene's file of a task of the benchmark, for a launch: `rosrun hicrisp_libero describe_task`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import List, Optional

from hicrisp_core.errors import ConfigError, HicrispError

from hicrisp_libero.client import Benchmark
from hicrisp_libero.description import describe, write_scene


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
    """Write the file, and print its path.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status: 0, or 2 if there is no such task.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", help="SUITE/TASK or SUITE/TASK/START")
    parser.add_argument("folder", type=Path, help="gets the file, in its folder scenes")
    options = parser.parse_args(arguments)
    try:
        sys.stdout.write(str(scene_of(options.task, options.folder)))
    except HicrispError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0
