"""The roslaunch commands that our documents and containers tell people to type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, List

import yaml

from .packages import arguments_of

_COMMAND = re.compile(r"roslaunch[ \",]+(?:--[\w-]+[ \",]+)*"
                      r"hicrisp_bringup[ \",]+([\w./-]+\.launch)([^`#&;\n]*)")
_DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")
_ARGUMENT = re.compile(r"(\w+):=")


@dataclass(frozen=True)
class Command:
    """One command: where it stands, the launch file, the names of the arguments."""

    where: str
    launch: str
    arguments: List[str]


def commands(where: str, text: str) -> Iterator[Command]:
    """Every `roslaunch hicrisp_bringup FILE NAME:=...` in a text; a backslash joins lines."""
    for found in _COMMAND.finditer(text.replace("\\\n", " ")):
        yield Command(f"{where}: {found.group(0).strip()}", found.group(1), _ARGUMENT.findall(found.group(2)))


def compose_text(path: Path) -> str:
    """The commands of a compose file, one a line, with the values that variables have by default."""
    services = yaml.safe_load(_DEFAULT.sub(r"\1", path.read_text(encoding="utf-8")))["services"]
    given = [service.get("command", []) for service in services.values()]
    return "\n".join(command if isinstance(command, str) else " ".join(command) for command in given)


def wrong(command: Command, folder: Path) -> List[str]:
    """What roslaunch would say against a command; ``folder`` holds the launch files."""
    taken = {path.name: arguments_of(path) for path in folder.rglob("*.launch")}
    if command.launch not in taken:
        return [f"{command.where}: no launch file {command.launch}; there are: {', '.join(sorted(taken))}"]
    arguments = taken[command.launch]
    valid = f"it takes: {', '.join(sorted(arguments.all))}"
    given = set(command.arguments)
    return [f"{command.where}: there is no argument '{name}'; {valid}"
            for name in sorted(given - arguments.all)] \
        + [f"{command.where}: the argument '{name}' is needed; {valid}"
           for name in sorted(arguments.required - given)]
