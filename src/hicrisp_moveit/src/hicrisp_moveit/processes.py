"""Processes of this machine as /proc shows them: what was started, where, with which environment, and whether
it still runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Tuple

_STATE, _STARTED = 0, 19
"""Places in /proc/PID/stat after the name of the program."""


@dataclass(frozen=True)
class Process:
    """One process; ``started`` (clock ticks since the machine started) tells it from a later one that got
    its number.
    """

    pid: int
    started: int
    command: Tuple[str, ...]
    folder: str
    environment: Mapping[str, str]

    @property
    def runs(self) -> bool:
        """Whether it has not ended; one that stands still (SIGSTOP) runs."""
        return started_at(self.pid) == self.started


def started_at(pid: int) -> Optional[int]:
    """When a process was started, in clock ticks since the machine was; ``None`` when it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
    except OSError:
        return None
    words = fields.split()
    return int(words[_STARTED]) if words[_STATE] not in ("Z", "X") else None


def process_of(pid: int) -> Optional[Process]:
    """A process that runs; ``None`` when it does not, or is somebody else's and can't be read."""
    started, place = started_at(pid), Path(f"/proc/{pid}")
    try:
        command, variables = (
            tuple(part.decode(errors="surrogateescape") for part in (place / name).read_bytes().split(b"\0"))
            for name in ("cmdline", "environ"))
        folder = str((place / "cwd").resolve(strict=True))
    except OSError:
        return None
    if started is None or not command[0]:
        return None
    pairs = (variable.partition("=") for variable in variables if variable)
    return Process(pid, started, command[:-1], folder, {name: value for name, _, value in pairs})
