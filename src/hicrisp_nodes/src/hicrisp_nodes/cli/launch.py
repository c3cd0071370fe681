"""A roslaunch of one's own: started in its own session, and gone with everything it started when it is stopped."""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import signal
import subprocess
import sys
import termios
import uuid
from pathlib import Path
from typing import List, Mapping, Optional, Sequence

from hicrisp_core.time import Deadline, wait_until

_MARK = "HICRISP_LAUNCH"
_FATAL = re.compile(r"\[FATAL\] \[[^]]*\]: ([^\x1b]+)")
_PR_SET_PDEATHSIG = 1
_SLICE = 0.05


class Launch:
    """One roslaunch with its log.

    Args:
        file: name of a launch file, or its path.
        arguments: launch arguments by name.
        log: file that takes the output of every node.
        master_uri: the master to use; roslaunch starts it when it is local and not there.
        within: put before the command, such as one that runs it on another host.
        address: of the host on which it runs, for other hosts; empty as the environment says.
        package: whose launch file it is; empty where ``file`` is a path.
    """

    def __init__(
        self, file: str, arguments: Mapping[str, object], log: Path, master_uri: str,
        within: Sequence[str] = (), address: str = "", package: str = "hicrisp_bringup",
    ) -> None:
        self.log = log
        self.command = [*within, sys.executable, "-m", "hicrisp_nodes.cli.patient_roslaunch",
                        *([package] if package else []), file, *(f"{key}:={value}" for key, value in arguments.items())]
        self._mark = uuid.uuid4().hex
        self._environment = {
            **os.environ, _MARK: self._mark, "ROS_MASTER_URI": master_uri,
            "ROS_LOG_DIR": str(log.parent / "ros"),
            "PYTHONUNBUFFERED": "1", **({"ROS_IP": address} if address else {})}
        self._process: Optional["subprocess.Popen[bytes]"] = None

    def start(self, terminal: Optional[int] = None) -> None:
        """Start it; it ends by itself should this process die.

        Args:
            terminal: file descriptor of a terminal that shall be its own, instead of the log.
        """
        (self.log.parent / "ros").mkdir(parents=True, exist_ok=True)
        if terminal is not None:
            self._process = subprocess.Popen(  # noqa: PLW1509  the hook makes two system calls
                self.command, env=self._environment, stdin=terminal, stdout=terminal, stderr=terminal,
                start_new_session=True, preexec_fn=_take_terminal)
            return
        with open(self.log, "ab") as output:
            self._process = subprocess.Popen(  # noqa: PLW1509  the hook makes one system call
                self.command, env=self._environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=_end_with_parent)

    def signal(self, number: int) -> None:
        """Send a signal to roslaunch alone, as Ctrl-C in its terminal does.

        Args:
            number: the signal.
        """
        if self._process is not None:
            self._process.send_signal(number)

    @property
    def alive(self) -> bool:
        """Whether roslaunch still runs."""
        return self._process is not None and self._process.poll() is None

    def tail(self, lines: int = 25, about: str = "") -> List[str]:
        """Return the end of the log.

        Args:
            lines: how many lines.
            about: text in the lines, such as a node's name; empty for all.

        Returns:
            The last lines with the text, or of the whole log if none has it.
        """
        found = self._lines()
        return ([line for line in found if about in line] or found)[-lines:]

    def refusal(self) -> str:
        """Return why a node ended for good, as with a wrong configuration, however often it is started again."""
        return next((said[1] for said in map(_FATAL.search, self._lines()) if said), "")

    def _lines(self) -> List[str]:
        try:
            with open(self.log, encoding="utf-8", errors="replace") as output:
                return [line.rstrip() for line in output if line.strip()]
        except OSError:
            return []

    def stop(self) -> bool:
        """End it: first as Ctrl-C does, then by force. Returns whether nothing is left."""
        if self._process is not None:
            for number, patience in ((signal.SIGINT, 15.0), (signal.SIGTERM, 4.0), (signal.SIGKILL, 1.0)):
                if self._process.poll() is not None:
                    break
                self._process.send_signal(number)
                try:
                    self._process.wait(patience)
                except subprocess.TimeoutExpired:
                    continue
        return self._end_rest()

    def _end_rest(self) -> bool:
        """Nodes live in sessions of their own; those that outlived roslaunch are found by the mark they inherited."""
        for number, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0)):
            for pid in self.processes():
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    continue
            if wait_until(lambda: not self.processes(), Deadline(patience), period=_SLICE):
                return True
        return not self.processes()

    def processes(self) -> List[int]:
        """The processes that were started by this launch and still run."""
        mark = f"{_MARK}={self._mark}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    marked = mark in (folder / "environ").read_bytes().split(b"\0")
                    dead = (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
                except OSError:
                    continue
                if marked and not dead:
                    found.append(int(folder.name))
        return found


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    _end_with_parent()


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
