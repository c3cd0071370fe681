"""What a supervisor must still know after it was killed: the emergency stop and its tasks, each in a file.

Files are written whole or not at all. One that cannot be read is taken for the worse: as a stop, and as tasks
that nobody may begin.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Tuple

from hicrisp_core.config.files import write_whole
from hicrisp_core.errors import ConfigError
from hicrisp_core.trace.task_state import State

FOLDER = ".supervisor"
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, ArithmeticError, RecursionError)


def state_folder(runs_dir: Path, master_uri: str, node: str) -> Path:
    """Return the folder of one supervisor, by graph and name.

    Args:
        runs_dir: the folder of runs.
        master_uri: address of the ROS master.
        node: whole name of the supervisor.

    Returns:
        The folder; it may be missing.
    """
    return runs_dir / FOLDER / re.sub(r"\W+", "_", f"{master_uri.partition('://')[2]}{node}").strip("_")


class EstopFile:
    """The emergency stop on the disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "estop.json"

    def recall(self) -> Optional[str]:
        """Why everything is stopped; ``None`` where it is not."""
        try:
            found = _read(self.path)
            return str(found["reason"]) or "no reason is known" if found["active"] is not False else None
        except FileNotFoundError:
            return None
        except _UNREADABLE as error:
            return f"whether it was active is not known: {self.path} cannot be read ({_why(error)})"

    @property
    def cleared(self) -> bool:
        """Whether a stop was cleared, and nobody has resumed since."""
        try:
            return _read(self.path).get("cleared") is True
        except _UNREADABLE:
            return False

    def keep(self, active: bool, reason: str, cleared: bool = False) -> str:
        """Write the state of the emergency stop.

        Args:
            active: whether it is active.
            reason: why it was activated.
            cleared: whether it was cleared and waits for ``resume``.

        Returns:
            Why writing failed; empty if it did not.
        """
        return _write(self.path, {"active": active, "reason": reason, "cleared": cleared})

    def forget(self) -> None:
        """Remove the file where nothing is stopped, for a supervisor that ends; its line ends with it."""
        if self.recall() is None:
            _remove(self.path)


@dataclass(frozen=True)
class TaskEntry:
    """One task as it is remembered; ``begun`` and ``ended`` say how far it came."""

    id: str
    text: str
    robot: str = ""
    request_id: str = ""
    dry_run: bool = False
    begun: bool = False
    ended: str = ""
    """The state in which it ended, or empty."""
    message: str = ""
    run_folder: str = ""


@dataclass(frozen=True)
class Remembered:
    """The tasks of the supervisor before this one.

    Args:
        count: how many were handed in so far.
        resumes: whether they belong to the launch that still runs, so that those in line may begin.
        problem: why nothing is known of them, or empty.
    """

    tasks: Tuple[TaskEntry, ...] = ()
    count: int = 0
    resumes: bool = False
    problem: str = ""


class TaskFile:
    """The tasks on the disk.

    Args:
        launch: names the launch that runs; empty where that is not known.
    """

    def __init__(self, folder: Path, launch: str) -> None:
        self.path = folder / "tasks.json"
        self._launch = launch

    def recall(self) -> Remembered:
        """What was written last."""
        try:
            found = _read(self.path)
            tasks = tuple(map(_entry, found["tasks"]))
            resumes = bool(self._launch) and found["launch"] == self._launch
            return Remembered(tasks, int(found["count"]), resumes)
        except FileNotFoundError:
            return Remembered()
        except _UNREADABLE as error:
            return Remembered(problem=f"{self.path} cannot be read ({_why(error)})")

    def keep(self, tasks: Sequence[TaskEntry], count: int) -> str:
        """Write the tasks.

        Args:
            tasks: waiting, running and ended ones.
            count: number of tasks so far.

        Returns:
            Why writing failed; empty if it did not.
        """
        return _write(self.path, {"launch": self._launch, "count": count,
                                  "tasks": [asdict(task) for task in tasks]})

    def forget(self) -> None:
        """Remove the file, for a supervisor that ends with nothing in line."""
        _remove(self.path)


def _entry(found: Dict[str, Any]) -> TaskEntry:
    """A task as it was written; a supervisor must not fall over another's words at each of its starts.

    Raises:
        ValueError, TypeError: for what no supervisor writes.
    """
    entry = TaskEntry(**found)
    for each in fields(TaskEntry):
        value = getattr(entry, each.name)
        if not isinstance(value, bool if each.name in ("dry_run", "begun") else str):
            raise ValueError(f"the {each.name} of a task cannot be {value!r}")
    if entry.ended:
        State(entry.ended)
    return entry


def _read(path: Path) -> Dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError("it holds no JSON object")
    return found


def _write(path: Path, content: Dict[str, Any]) -> str:
    try:
        write_whole(path, json.dumps(content, indent=1) + "\n", _read)
    except ConfigError as error:
        return str(error)
    return ""


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
        path.parent.rmdir()
    except OSError:
        return  # Another file is still there, or the disk takes no change: nothing is lost.


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
