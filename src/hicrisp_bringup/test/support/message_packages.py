"""Python classes of message packages that are not installed, generated from a compact table of their fields.

Debian brings neither Gazebo's nor MoveIt's messages; a test of a node that speaks them generates the few that it needs.
Where a package is installed, its own classes are used.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Dict, List, Mapping

import rospkg
from genpy import generate_initpy
from genpy.generator import MsgGenerator, SrvGenerator

Table = Mapping[str, str]
"""Name of a type (with ``.msg`` or ``.srv``) to its fields, parted by semicolons; a service's halves by ``---``."""


def provide(package: str, table: Table, folder: Path) -> None:
    """Make the classes of a package importable, here and where ``folder`` is on the path.

    Raises:
        ValueError: when a definition cannot be turned into a class.
    """
    if find_spec(package) is not None:
        return
    definitions = folder / "definitions" / package
    files: Dict[str, List[str]] = {"msg": [], "srv": []}
    for name, fields in table.items():
        kind = name.rpartition(".")[2]
        file = definitions / kind / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(line.strip() for line in fields.split(";")) + "\n", encoding="utf-8")
        files[kind].append(str(file))
    search = _search_path()
    search[package] = [str(definitions / "msg")]
    for kind, generator in (("msg", MsgGenerator()), ("srv", SrvGenerator())):
        out = folder / package / kind
        if files[kind] and generator.generate_messages(package, files[kind], str(out), search):
            raise ValueError(f"the table of {package} holds a definition that makes no class")
        if files[kind]:
            generate_initpy.write_modules(str(out))
    (folder / package / "__init__.py").touch()
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


def _search_path() -> Dict[str, List[str]]:
    """Where the definitions of the installed packages are."""
    finder = rospkg.RosPack()
    return {package: [str(Path(finder.get_path(package)) / "msg")] for package in finder.list()}
