"""Prints the ROS packages that launch files or tests over ROS need and that are not here, one a line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Iterable, List, Set

from launch_check.packages import all_packages
from launch_check.rules import Checker

SOURCES = Path(__file__).resolve().parents[2]


def missing_packages(files: Iterable[Path]) -> List[str]:
    """What the files start or refer to, with what our packages that they use depend on, as far as it is
    not here.
    """
    checker = Checker(all_packages(SOURCES))
    needed: Set[str] = set()
    for file in files:
        needed |= checker.check(file).packages
    here = subprocess.run(["rospack", "list-names"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()
    return sorted(name for name in needed - set(here) if not name.startswith("python3-"))


if __name__ == "__main__":
    for name in missing_packages(map(Path, sys.argv[1:])):
        print(name)
