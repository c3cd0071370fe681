"""Python classes of message packages that are not installed, generated from a compact table of their fields.

Debian brings neither Gazebo's nor MoveIt's messages; a test of a node that speaks them generates the few that
it needs. Where a package is installed, its own classes are used.
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
"""Name of a type (with ``.msg``, ``.srv`` or ``.action``) to its fields, parted by semicolons; those of a
service's halves and of an action's goal, result and feedback with ``---`` between."""
_ACTION = ("Goal", "Result", "Feedback")


def provide(package: str, table: Table, folder: Path) -> None:
    """Make the classes of a package importable, here and where ``folder`` is on the path.

    Raises:
        ValueError: when a definition cannot be turned into a class.
    """
    if find_spec(package) is not None:
        return
    files: Dict[str, List[str]] = {"msg": [], "srv": []}
    for name, text in definitions(table).items():
        kind = name.rpartition(".")[2]
        file = folder / "definitions" / package / kind / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        files[kind].append(str(file))
    search = _search_path(folder / "definitions")
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


def definitions(table: Table) -> Dict[str, str]:
    """The text of each message and service of a table; an action is the seven messages that it stands for."""
    found: Dict[str, str] = {}
    for name, fields in table.items():
        text = "".join(f"{line.strip()}\n" for line in fields.split(";"))
        stem, kind = name.split(".")
        if kind != "action":
            found[name] = text
            continue
        for part, lines in zip(_ACTION, text.split("---\n")):
            known = "actionlib_msgs/GoalID goal_id" if part == "Goal" else "actionlib_msgs/GoalStatus status"
            found[f"{stem}{part}.msg"] = lines
            found[f"{stem}Action{part}.msg"] = f"Header header\n{known}\n{stem}{part} {part.lower()}\n"
        found[f"{stem}Action.msg"] = "".join(f"{stem}Action{part} action_{part.lower()}\n"
                                             for part in _ACTION)
    return found


def _search_path(made: Path) -> Dict[str, List[str]]:
    """Where the messages of the installed packages are, and of those whose definitions were made."""
    finder = rospkg.RosPack()
    return {**{package: [str(Path(finder.get_path(package)) / "msg")] for package in finder.list()},
            **{folder.name: [str(folder / "msg")] for folder in made.iterdir()}}
