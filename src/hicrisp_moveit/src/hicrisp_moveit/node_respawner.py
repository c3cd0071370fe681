"""Starts a node again that has ended, where the launch file that started it says ``respawn="false"``.

roslaunch takes ``respawn`` from nowhere else, and panda_moveit_config's file for move_group leaves no way to
change it, nor its ``launch-prefix``. The node's parameters stay on the server when it dies, so the same
command in the same environment brings it back.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence, Tuple

from hicrisp_core.errors import ConfigError
from hicrisp_core.time import Deadline, wait_until

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
    """Return when a process was started.

    Args:
        pid: its number.

    Returns:
        Clock ticks since the machine was started; ``None`` when the process has ended.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
    except OSError:
        return None
    words = fields.split()
    return int(words[_STARTED]) if words[_STATE] not in ("Z", "X") else None


def process_of(pid: int) -> Optional[Process]:
    """Return a running process.

    Args:
        pid: its number.

    Returns:
        ``None`` when it does not run, or belongs to another user and cannot be read.
    """
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


MARK = "HICRISP_KEPT"
"""Variable in the environment of what a keeper started, by which a keeper that was started again itself knows
what it has to end."""
_LONGEST = 60.0
"""Most seconds from an end to the next start."""
_STEADY = 60.0
"""Seconds after which a start was not in vain."""
_ENDING: Sequence[Tuple[int, float]] = ((signal.SIGINT, 5.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0))
"""How a node is ended, and the seconds that it gets for each; roslaunch gives its keeper 15."""


class Unknown(Exception):
    """Nobody knows whether the node runs: the ROS master is silent, or the node is, or runs on another machine."""


class NodeRespawner:
    """Looks after one node. It starts only what it saw run, as it saw it run.

    Args:
        name: of the node, for messages.
        find: returns the node's process as the ROS master knows it now; ``None`` if there is none. It raises
            ``Unknown`` if the master cannot tell; nothing is started then.
        log: receives what happens.
        delay: seconds from its end to the next start; doubled with each start that had no effect.
        clock: seconds.
    """

    def __init__(self, name: str, find: Callable[[], Optional[Process]], log: logging.Logger, delay: float = 2.0,
                 clock: Callable[[], float] = time.monotonic) -> None:
        if not 0.0 < delay <= _LONGEST:
            raise ConfigError(f"the delay of a start must be above 0 s and up to {_LONGEST:g} s, "
                              f"got {delay:g}")
        self._name, self._find, self._log, self._first, self._clock = name, find, log, delay, clock
        self._kept: Optional[Process] = None
        self._child: Optional["subprocess.Popen[bytes]"] = None
        self._due: Optional[float] = None
        self._began = -math.inf
        self._delay = delay
        self._wondered = ""

    def look(self) -> None:
        """Look once; start the node when it has ended, nobody else has started it, and it is time."""
        if self._runs():
            return
        try:
            found = self._find()
        except Unknown as error:
            if str(error) != self._wondered:  # It is said once.
                self._log.warning(f"nobody knows whether {self._name} runs, so it is not started: {error}")
            self._wondered = str(error)
            return
        if found is not None:
            if self._due is not None:
                self._log.info(f"{self._name} runs again: somebody else started it")
            else:
                self._log.info(f"{self._name} (process {found.pid}) is started again whenever it has ended")
            self._kept, self._due = found, None
        elif self._kept is not None and self._due is None:
            self._put_off(f"{self._name} (process {self._kept.pid}) has ended")
        elif self._kept is not None and self._due is not None and self._clock() >= self._due:
            self._start(self._kept)

    def end(self) -> None:
        """End the node if a keeper started it, and only then: the others are roslaunch's."""
        for number, seconds in _ENDING:
            if self._kept is None or MARK not in self._kept.environment or not self._runs():
                return
            os.kill(self._kept.pid, number)
            if wait_until(lambda: not self._runs(), Deadline(seconds)):
                return

    def _runs(self) -> bool:
        if self._child is not None:
            self._child.poll()  # Or it would stay as a zombie.
        return self._kept is not None and self._kept.runs

    def _put_off(self, why: str) -> None:
        now = self._clock()
        self._delay = min(2.0 * self._delay, _LONGEST) if now - self._began < _STEADY else self._first
        self._due = now + self._delay
        self._log.warning(f"{why}; it is started again in {self._delay:g} s")

    def _start(self, kept: Process) -> None:
        self._began = self._clock()
        environment = {**kept.environment, MARK: self._name}
        try:
            # In the keeper's own process group, which roslaunch kills as a whole when nothing else helps.
            self._child = subprocess.Popen(kept.command, cwd=kept.folder, env=environment)
        except OSError as error:
            self._put_off(f"{self._name} cannot be started ({error})")
            return
        pid, self._due = self._child.pid, None
        self._kept = replace(kept, pid=pid, started=started_at(pid) or 0, environment=environment)
        self._log.info(f"started {self._name} again (process {pid})")
