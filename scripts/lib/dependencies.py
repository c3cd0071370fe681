"""Prints what the packages of src/ need and what is not there, one a line. Run it in ROS's environment."""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List, Set
from xml.etree import ElementTree

KINDS = ("depend", "buildtool_depend", "build_depend", "build_export_depend", "exec_depend", "test_depend")


def needed(tree: Path) -> Set[str]:
    """Every key in the package.xml files below a folder, without the packages that lie there."""
    manifests = [ElementTree.parse(path).getroot() for path in sorted(tree.glob("*/package.xml"))]
    keys = {(tag.text or "").strip() for manifest in manifests for tag in manifest if tag.tag in KINDS}
    return keys - {manifest.findtext("name", "") for manifest in manifests}


def ros_packages() -> Set[str]:
    """The names of all ROS packages that are there."""
    try:
        done = subprocess.run(["rospack", "list-names"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True,
                              check=False)
    except OSError:
        return set()
    return set(done.stdout.split())


def _installed(name: str) -> bool:
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status}", name], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return False
    return done.stdout == "installed"


def missing(keys: Set[str]) -> List[str]:
    """Those keys that are neither a ROS package nor, by the same name, a package of the system."""
    return sorted(key for key in keys - ros_packages() if not _installed(key))


if __name__ == "__main__":
    for key in missing(needed(Path(sys.argv[1]))):
        print(key)
