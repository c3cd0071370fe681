"""Prints what the packages of src/ need and what is not there, one a line. Run it in ROS's environment.

With ``--drivers`` it prints what only single drivers, worlds and launch files ask for: a distribution need not have all
of that. Python packages are left out that the lists of ``requirements`` bring.
"""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import List, Set
from xml.etree import ElementTree

BUILD = ("depend", "buildtool_depend", "build_depend", "build_export_depend")
RUN = ("exec_depend", "test_depend")
DRIVERS = ("hicrisp_bringup", "hicrisp_gazebo", "hicrisp_move_base", "hicrisp_moveit")
"""Packages of which a run uses only the parts that its launch file names."""
SETUP = "python3-setuptools"
"""What catkin needs of the interpreter's own packages."""


def needed(tree: Path, drivers: bool = False) -> Set[str]:
    """Return the keys in the package.xml files below a folder, without the packages that lie there.

    Args:
        tree: a folder of packages.
        drivers: those that only drivers ask for to run, instead of those that every run needs.

    Returns:
        Names of packages.
    """
    manifests = [ElementTree.parse(path).getroot() for path in sorted(tree.glob("*/package.xml"))]
    own = {manifest.findtext("name", "") for manifest in manifests}
    every: Set[str] = set()
    optional: Set[str] = set()
    for manifest in manifests:
        for tag in manifest:
            if tag.tag in (*BUILD, *RUN):
                part = optional if tag.tag in RUN and manifest.findtext("name") in DRIVERS else every
                part.add((tag.text or "").strip())
    found = optional - every if drivers else every
    return {key for key in found - own if key == SETUP or not key.startswith("python3-")}


def _said(*command: str) -> str:
    """What a program prints; nothing where it is not there."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    except OSError:
        return ""


def missing(keys: Set[str]) -> List[str]:
    """Check which dependencies are not installed.

    Args:
        keys: keys of package.xml files.

    Returns:
        Those that are neither a ROS package, a system package of the same name, nor a Python module.
    """
    left = keys - set(_said("rospack", "list-names").split())
    return sorted(key for key in left if _said("dpkg-query", "-W", "-f=${db:Status-Status}", key) != "installed"
                  and not (key == SETUP and find_spec("setuptools")))


if __name__ == "__main__":
    asked = "--drivers" in sys.argv
    absent = missing(needed(Path(sys.argv[1]), asked))
    if not asked and find_spec("ensurepip") is None:
        absent.append("python3-venv")
    for key in absent:
        print(key)
