"""Packages of the list as empty ones on the disk, so that roslaunch itself can read our launch files
without them.
"""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Iterable
from xml.etree import ElementTree

from .packages import Package

_PROGRAM = "#!/bin/sh\necho '<robot name=\"stub\"/>'\n"
_MANIFEST = """<package format="2">
  <name>{name}</name>
  <version>0.0.0</version>
  <description>An empty stand-in.</description>
  <maintainer email="nobody@example.org">nobody</maintainer>
  <license>BSD</license>
</package>
"""


def write_stubs(packages: Iterable[Package], folder: Path) -> None:
    """Write each package: launch files that take their arguments and start nothing, programs, empty files."""
    for package in packages:
        root = folder / package.name
        (root / "launch").mkdir(parents=True)
        (root / "package.xml").write_text(_MANIFEST.format(name=package.name), encoding="utf-8")
        for name in package.executables:
            (root / name).write_text(_PROGRAM, encoding="utf-8")
            (root / name).chmod((root / name).stat().st_mode | stat.S_IXUSR)
        for name in package.files:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("{}\n", encoding="utf-8")
        for name, arguments in package.launch.items():
            launch = ElementTree.Element("launch")
            for argument in sorted(arguments.required):
                ElementTree.SubElement(launch, "arg", name=argument)
            for argument in sorted(arguments.optional):
                ElementTree.SubElement(launch, "arg", name=argument, default="")
            (root / "launch" / name).write_bytes(ElementTree.tostring(launch))
