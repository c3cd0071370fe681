"""The packages that launch files may name: ours from the tree, the others from a list of what Noetic
provides.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Dict, FrozenSet, List, Optional
from xml.etree import ElementTree

import yaml

from .elements import BrokenXml, read

LIST = Path(__file__).with_name("noetic_packages.yaml")
ELSEWHERE = "/noetic/"
"""Where packages of the list are said to lie; nothing is there."""


@dataclass(frozen=True)
class Arguments:
    """What a launch file takes."""

    required: FrozenSet[str] = frozenset()
    optional: FrozenSet[str] = frozenset()
    fixed: FrozenSet[str] = frozenset()
    """Those with a value of their own, which nobody may pass."""

    @property
    def all(self) -> FrozenSet[str]:
        return self.required | self.optional


@dataclass(frozen=True)
class Package:
    """One package; ``folder`` only for ours."""

    name: str
    root: str
    executables: FrozenSet[str]
    installed: FrozenSet[str] = frozenset()
    depends: FrozenSet[str] = frozenset()
    files: FrozenSet[str] = frozenset()
    launch: Dict[str, Arguments] = field(default_factory=dict)
    folder: Optional[Path] = None

    def matches(self, path: str) -> List[str]:
        """The files below the package that a path with wildcards means, as full paths."""
        if self.folder is None:
            names = self.files | {f"launch/{name}" for name in self.launch} | self.executables
            return sorted(f"{self.root}/{name}" for name in names if fnmatch(name, path))
        if "*" not in path:
            return [f"{self.root}/{path}"] if (self.folder / path).exists() else []
        return sorted(str(found) for found in self.folder.glob(path))


def arguments_of(path: Path) -> Arguments:
    """What one of our launch files takes; nothing when it cannot be read."""
    try:
        root = read(path)
    except BrokenXml:
        return Arguments()
    required, optional, fixed = set(), set(), set()
    for element in root.children:
        if element.tag == "arg":
            name = element.attributes.get("name", "")
            kind = (fixed if "value" in element.attributes else optional if "default" in element.attributes
                    else required)
            kind.add(name)
    return Arguments(frozenset(required - optional - fixed), frozenset(optional - fixed), frozenset(fixed))


def our_package(folder: Path) -> Package:
    """A package of the tree."""
    manifest = ElementTree.parse(folder / "package.xml").getroot()
    name = manifest.findtext("name", "")
    programs = [found for found in folder.rglob("*") if found.is_file() and os.access(found, os.X_OK)]
    cmake = (folder / "CMakeLists.txt").read_text(encoding="utf-8")
    installed = {Path(word).name for part in re.findall(r"catkin_install_python\(([^)]*)\)", cmake)
                 for word in part.split() if "/" in word}
    return Package(name, str(folder), frozenset(program.name for program in programs), frozenset(installed),
                   frozenset(tag.text or "" for tag in manifest if tag.tag in ("depend", "exec_depend")),
                   folder=folder)


def noetic_packages() -> Dict[str, Package]:
    """The packages of the list."""
    found = {}
    for name, what in yaml.safe_load(LIST.read_text(encoding="utf-8")).items():
        launch = {file: Arguments(frozenset(map(str, given.get("required", ()))),
                                  frozenset(map(str, given.get("optional", ()))))
                  for file, given in what.get("launch", {}).items()}
        found[name] = Package(name, ELSEWHERE + name, frozenset(what.get("executables", ())),
                              files=frozenset(what.get("files", ())), launch=launch)
    return found


def all_packages(tree: Path) -> Dict[str, Package]:
    """Ours below ``tree`` (the workspace's src/) and those of the list, by name."""
    ours = [our_package(manifest.parent) for manifest in sorted(tree.glob("*/package.xml"))]
    return {**noetic_packages(), **{package.name: package for package in ours}}
